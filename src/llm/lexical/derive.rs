//! Following the question through the graph: which walks from its names account for which of its words.

use super::lexicon::{Fit, Sense, is_asking_form, sense};
use super::question::{Cue, Question, Topic};
use super::seen::Known;
use super::words::{Token, content_stems, is_auxiliary, is_doer, is_kind, is_kind_stem, is_wh, label_stems, stem, tokens};
use indexmap::{IndexMap, IndexSet};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;

/// A walk through the local graph, as far as it got.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Walk {
    /// Where it stands: ids and values.
    pub at: IndexSet<String>,
    /// The topics that it started from (several when walks were intersected).
    pub topics: BTreeSet<usize>,
    /// Cues that are accounted for, as bits.
    pub covered: u64,
    /// How well.
    pub score: f32,
    /// The relations: label and whether backwards.
    pub hops: Vec<(String, bool)>,
    /// The order in which cues are to be met.
    pub order: Vec<usize>,
    /// The tokens that are used up, as a range.
    pub span: Range<usize>,
    /// How much speaks against it: relations followed against the sense of the sentence.
    pub doubt: f32,
}

/// What a hop accounts for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Gain {
    /// Cues, as bits.
    pub covered: u64,
    /// How well; 0 when it accounts for nothing.
    pub score: f32,
    /// What speaks against it.
    pub doubt: f32,
}

/// A question before a graph.
pub(super) struct Solver<'a> {
    pub question: &'a Question,
    pub graph: &'a Known,
    senses: RefCell<HashMap<String, Rc<Sense>>>,
    /// For a node: (label, backwards) and the other ends.
    edges: HashMap<&'a str, IndexMap<(&'a str, bool), Vec<&'a str>>>,
    types: RefCell<HashMap<String, Rc<BTreeSet<String>>>>,
}

/// Words for kinds of places that a "located in" must not stand for unless the far end is one.
const PLACE_KINDS: &str = "county state province borough district region municipality canton department prefecture territory island city town village country continent part river lake sea bay gulf ocean";

/// At most so many hops in one walk.
const MAX_HOPS: usize = 5;

impl<'a> Solver<'a> {
    /// Prepares `graph` for walks.
    pub fn new(question: &'a Question, graph: &'a Known) -> Self {
        let mut edges: HashMap<&str, IndexMap<(&str, bool), Vec<&str>>> = HashMap::new();
        for fact in &graph.facts {
            edges.entry(&fact.subject).or_default().entry((&fact.label, false)).or_default().push(&fact.object);
            edges.entry(&fact.object).or_default().entry((&fact.label, true)).or_default().push(&fact.subject);
        }
        Self { question, graph, senses: RefCell::default(), edges, types: RefCell::default() }
    }

    fn sense(&self, label: &str) -> Rc<Sense> {
        Rc::clone(self.senses.borrow_mut().entry(label.to_owned()).or_insert_with(|| Rc::new(sense(label))))
    }

    /// All walks that the graph holds, the starts among them; the best ones first.
    pub fn walks(&self) -> Vec<Walk> {
        let mut all = Vec::new();
        for (i, topic) in self.question.topics.iter().enumerate() {
            self.extend(self.start(i, topic), &mut all);
        }
        for walk in self.intersections(&all) {
            self.extend(walk, &mut all);
        }
        all.sort_by(|a, b| self.rank(b).total_cmp(&self.rank(a)).then(a.hops.len().cmp(&b.hops.len())));
        all
    }

    /// How good a walk is: what it accounts for, less what it leaves open.
    pub fn rank(&self, walk: &Walk) -> f32 {
        0.1f32.mul_add(-(walk.hops.len() as f32), walk.score) - 0.5 * self.open_weight(walk) - walk.doubt - 0.4 * self.skips(walk) as f32
    }

    /// A walk that stands at a topic. "The city of X" says only what X is.
    fn start(&self, index: usize, topic: &Topic) -> Walk {
        let is_said = |n: usize| {
            let cue = &self.question.cues[n];
            !cue.is_name
                && self.is_type(&topic.id, &cue.stem)
                && is_kind(&self.question.tokens[cue.token].lower)
                && role(&self.question.tokens, &topic.span, cue.token) == Role::Possessor
                && cue.token + 4 > topic.span.start
        };
        let said = topic.order.first().copied().filter(|&n| is_said(n));
        Walk {
            at: std::iter::once(topic.id.clone()).collect(),
            topics: std::iter::once(index).collect(),
            covered: topic.told.iter().chain(&said).fold(0, |bits, &n| bits | bit(n)),
            score: 0.0,
            hops: vec![],
            order: topic.order.clone(),
            span: topic.span.clone(),
            doubt: 0.0,
        }
    }

    fn extend(&self, from: Walk, all: &mut Vec<Walk>) {
        let mut queue = vec![from];
        while let Some(walk) = queue.pop() {
            if walk.hops.len() < MAX_HOPS && all.len() < 4_000 {
                queue.extend(self.hops(&walk));
            }
            all.push(walk);
        }
    }

    /// The walks that are one relation longer.
    fn hops(&self, walk: &Walk) -> Vec<Walk> {
        let mut ends: IndexMap<(&str, bool), IndexSet<&str>> = IndexMap::new();
        for node in &walk.at {
            for (relation, others) in self.edges.get(node.as_str()).into_iter().flatten() {
                ends.entry(*relation).or_default().extend(others.iter().copied());
            }
        }
        let mut out = Vec::new();
        for ((label, reverse), ends) in ends {
            // Not straight back over the relation that led here.
            if walk.hops.last().is_some_and(|(last, back)| last == label && *back != reverse) {
                continue;
            }
            let gain = self.gain(walk, label, reverse, Some(&ends));
            if gain.score <= 0.0 {
                continue;
            }
            out.extend(self.tied(walk, label, reverse, &ends, gain));
            let ends: IndexSet<&str> = ends.into_iter().filter(|e| self.question.topics.iter().all(|t| t.id != *e)).collect();
            if ends.is_empty() {
                continue;
            }
            let mut next = walk.clone();
            next.at = ends.into_iter().map(str::to_owned).collect();
            next.covered |= gain.covered;
            next.score += gain.score;
            next.doubt += gain.doubt;
            next.hops.push((label.to_owned(), reverse));
            next.span = self.used(&next);
            if self.question.wants_thing && next.at.iter().all(|n| !self.graph.entities.contains_key(n)) {
                next.doubt += 0.5;
            }
            self.cover_by_type(&mut next);
            out.push(next);
        }
        out
    }

    /// Where a relation leads to another name of the question: the ends of `walk` that it ties to that name.
    fn tied(&self, walk: &Walk, label: &str, reverse: bool, ends: &IndexSet<&str>, gain: Gain) -> Vec<Walk> {
        let others = self.question.topics.iter().enumerate().filter(|(i, t)| !walk.topics.contains(i) && ends.contains(t.id.as_str()));
        others
            .filter(|_| !walk.hops.is_empty())
            .map(|(i, topic)| {
                let leads = |node: &&String| {
                    let there = self.edges.get(node.as_str()).and_then(|e| e.get(&(label, reverse)));
                    there.is_some_and(|others| others.contains(&topic.id.as_str()))
                };
                let mut next = walk.clone();
                next.at = walk.at.iter().filter(leads).cloned().collect();
                next.topics.insert(i);
                next.covered |= gain.covered;
                next.score += gain.score.max(0.3) + 0.3;
                next.hops.push((label.to_owned(), reverse));
                next
            })
            .collect()
    }

    /// What a relation from the end of `walk` accounts for. `ends` = where it leads, when that is known already.
    pub fn gain(&self, walk: &Walk, label: &str, reverse: bool, ends: Option<&IndexSet<&str>>) -> Gain {
        let sense = self.sense(label);
        let (mut gain, mut strong, mut skipped, mut rank) = (Gain::default(), None, 0.0f32, 0.0f32);
        let complete = self.is_complete(walk);
        let (mut waits, mut taken) = (false, Vec::new());
        let share = if sense.words > 1 { 1.0 / sense.words as f32 } else { 1.0 };
        for &n in walk.order.iter().filter(|&&n| walk.covered & bit(n) == 0) {
            let cue = &self.question.cues[n];
            let waiting = cue.step > 0 && self.earlier_step_open(walk, n);
            let mut fit = sense.fit(&cue.stem, reverse).filter(|_| !waiting && !taken.contains(&cue.stem.as_str()));
            if fit == Some(Fit::Also) && rank == 0.0 && role(&self.question.tokens, &walk.span, cue.token) == Role::Possessor {
                // "the band of X": nothing else can be meant.
                fit = Some(Fit::Strong);
            }
            if fit.is_some() {
                taken.push(&cue.stem);
            }
            let typed = sense.typed && fit.is_some() || fit == Some(Fit::Also) && !label_stems(label).contains(&cue.stem);
            if !reverse && typed && is_place_kind(&cue.stem) {
                match ends {
                    Some(ends) if self.some_typed(ends) && !ends.iter().any(|e| self.is_type(e, &cue.stem)) => {
                        waits = sense.typed;
                        rank += 1.0;
                        continue;
                    }
                    _ => {}
                }
            }
            let near = (1.0 - 0.12 * rank).max(0.4);
            match fit {
                Some(Fit::Strong) => {
                    strong = strong.or(Some(n));
                    gain.covered |= bit(n);
                    gain.score += near * share;
                }
                Some(Fit::Also) => {
                    gain.covered |= bit(n);
                    gain.score += 0.45 * near;
                }
                None if strong.is_none() && cue.weight > 0.5 => skipped += 1.0,
                None => {}
            }
            rank += 1.0;
        }
        if let Some(first) = strong {
            let (direction, doubt) =
                if sense.either { (if reverse { 0.15 } else { 0.3 }, 0.0) } else { self.direction(walk, first, label, &sense, reverse) };
            gain.doubt = doubt;
            gain.score = (gain.score + direction - self.mismatch(first, &sense, reverse) - 0.7 * skipped).max(0.1);
        } else if gain.covered != 0 {
            // Nothing asks for it, its end is only called so: not from what is an answer already.
            let heavy = |n: &usize| self.question.cues[*n].weight > 0.5;
            let nothing_else = walk.hops.is_empty() && !self.open_cues(walk).iter().any(heavy);
            let asked = nothing_else || walk.order.iter().any(|n| gain.covered & bit(*n) != 0 && heavy(n));
            gain = if complete || !asked { Gain::default() } else { Gain { score: 0.5 * gain.score, ..gain } };
        } else if waits {
            // "In which state is Clearwater?": the county is only on the way.
            gain.score = 0.05;
        }
        gain
    }

    /// Whether a step before this one, of the same word, is still to be taken.
    fn earlier_step_open(&self, walk: &Walk, n: usize) -> bool {
        let token = self.question.cues[n].token;
        (0..n).any(|m| self.question.cues[m].token == token && walk.covered & bit(m) == 0)
    }

    /// Whether the sentence wants the relation in this direction: a little for or against it, and how sure that is.
    fn direction(&self, walk: &Walk, cue: usize, label: &str, sense: &Sense, reverse: bool) -> (f32, f32) {
        let cue = &self.question.cues[cue];
        let role = role(&self.question.tokens, &walk.span, cue.token);
        if sense.is_directed(&cue.stem, reverse) {
            return (0.3, 0.0);
        }
        // "X is the capital of ...", but "X is a citizen of ...".
        if role == Role::FillerOf && !sense.agent && label_stems(label) != [cue.stem.clone()] {
            return (0.0, 0.0);
        }
        match role.reverse(label, sense.agent, label_stems(label).contains(&cue.stem)) {
            Some(wanted) if wanted == reverse => (0.3, 0.0),
            Some(_) if matches!(role, Role::Object { .. }) => (-0.3, 0.0),
            Some(_) => (-0.3, 0.3),
            None => (0.0, 0.0),
        }
    }

    /// What speaks against a relation going by the form of the word that asks: a date where none is asked for,
    /// no doer for "founder".
    fn mismatch(&self, cue: usize, sense: &Sense, reverse: bool) -> f32 {
        let lower = &self.question.tokens[self.question.cues[cue].token].lower;
        let dated = sense.dated && !reverse && self.question.cues.iter().all(|c| c.stem != "when");
        let no_doer = is_doer(lower) && !sense.agent && !reverse;
        0.4 * f32::from(u8::from(dated) + u8::from(no_doer))
    }

    /// The tokens from the first to the last that the walk has used.
    fn used(&self, walk: &Walk) -> Range<usize> {
        let tokens = (0..self.question.cues.len()).filter(|&n| walk.covered & bit(n) != 0).map(|n| self.question.cues[n].token);
        tokens.fold(walk.span.clone(), |span, t| span.start.min(t)..span.end.max(t + 1))
    }

    /// Accounts for the next cues that only say what is reached ("the *country* whose capital ...", "which *poet*"),
    /// keeping those ends that are such things.
    fn cover_by_type(&self, walk: &mut Walk) {
        for n in walk.order.clone() {
            if walk.covered & bit(n) != 0 {
                continue;
            }
            let cue = &self.question.cues[n];
            let fits: IndexSet<String> =
                walk.at.iter().filter(|node| self.is_described(node, &cue.stem, self.word(cue))).cloned().collect();
            if fits.is_empty() {
                if cue.weight > 0.5 && !cue.is_name {
                    return;
                }
                continue;
            }
            walk.at = fits;
            walk.covered |= bit(n);
            walk.score += 0.5 * cue.weight.max(0.5);
        }
    }

    /// Walks from different topics that meet.
    fn intersections(&self, all: &[Walk]) -> Vec<Walk> {
        let mut out: Vec<Walk> = Vec::new();
        let best = |topic: usize| {
            let mut walks: Vec<&Walk> = all.iter().filter(|w| w.topics.contains(&topic) && !w.hops.is_empty() && w.score > 0.3).collect();
            walks.sort_by(|a, b| b.score.total_cmp(&a.score));
            walks.truncate(12);
            walks
        };
        for topic in 0..self.question.topics.len() {
            let others = best(topic);
            let mut met = Vec::new();
            for a in out.iter().chain(all.iter().filter(|w| w.topics.len() == 1 && w.topics.iter().all(|t| *t < topic))) {
                for b in others.iter().filter(|b| !a.hops.is_empty() && !a.topics.contains(&topic) && !b.hops.is_empty()) {
                    let at: IndexSet<String> = a.at.intersection(&b.at).cloned().collect();
                    if !at.is_empty() {
                        met.push(meet(a, b, at));
                    }
                }
            }
            met.sort_by(|a, b| b.score.total_cmp(&a.score));
            met.truncate(12);
            out.extend(met);
        }
        out
    }

    /// How many words of weight a walk passed over: they stand nearer to its name than words that it accounts for.
    pub fn skips(&self, walk: &Walk) -> usize {
        let last = walk.order.iter().rposition(|&n| walk.covered & bit(n) != 0).unwrap_or(0);
        walk.order[..last]
            .iter()
            .filter(|&&n| walk.covered & bit(n) == 0 && self.question.cues[n].weight > 0.5 && !self.question.cues[n].is_name)
            .count()
    }

    /// The weight of what a walk leaves open.
    pub fn open_weight(&self, walk: &Walk) -> f32 {
        let cues: f32 = self.open_cues(walk).iter().map(|&n| self.question.cues[n].weight).sum();
        let topics: f32 = self.open_topics(walk).iter().map(|_| if self.question.all_topics { 1.0 } else { 0.3 }).sum();
        cues + topics
    }

    /// The cues that a walk leaves open.
    pub fn open_cues(&self, walk: &Walk) -> Vec<usize> {
        let counting =
            |n: &usize| self.question.counts && matches!(self.question.tokens[self.question.cues[*n].token].lower.as_str(), "number");
        (0..self.question.cues.len()).filter(|n| walk.covered & bit(*n) == 0 && !counting(n)).collect()
    }

    /// The topics that a walk has nothing to do with.
    pub fn open_topics(&self, walk: &Walk) -> Vec<usize> {
        let near = |i: &usize| {
            let topic = &self.question.topics[*i];
            let name = self.graph.name(&topic.id).to_lowercase();
            let beside = |node: &str| self.edges.get(node).into_iter().flat_map(IndexMap::values).flatten().any(|other| *other == topic.id);
            walk.at.iter().any(|node| self.is_described(node, &name, None) || beside(node))
        };
        let open = (0..self.question.topics.len()).filter(|i| !walk.topics.contains(i));
        if self.question.all_topics { open.collect() } else { open.filter(|i| !near(i)).collect() }
    }

    /// Whether a walk is an answer: it went somewhere, and nothing of weight is left open.
    pub fn is_complete(&self, walk: &Walk) -> bool {
        !walk.hops.is_empty() && self.open_weight(walk) < 0.45 && !walk.at.is_empty()
    }

    /// Whether any of these has a description to go by.
    fn some_typed(&self, nodes: &IndexSet<&str>) -> bool {
        nodes.iter().any(|n| self.graph.entities.get(*n).is_some_and(|e| !e.description.is_empty()) || !self.types(n).is_empty())
    }

    /// The word of a cue as it stands in the question; `None` for a name.
    fn word<'c>(&self, cue: &'c Cue) -> Option<&'c str> {
        (!cue.is_name).then_some(cue.form.as_str())
    }

    fn is_type(&self, node: &str, stemmed: &str) -> bool {
        self.types(node).contains(stemmed)
    }

    fn is_described(&self, node: &str, stemmed: &str, word: Option<&str>) -> bool {
        let Some(entity) = self.graph.entities.get(node) else { return false };
        let Some(word) = word else {
            return entity.label.to_lowercase().contains(stemmed) || entity.description.to_lowercase().contains(stemmed);
        };
        let general = is_kind(word) || is_place_kind(stemmed);
        if is_asking_form(word) && !general {
            return false;
        }
        self.is_type(node, stemmed) || !general && content_stems(&entity.description).iter().any(|s| s == stemmed)
    }

    /// What a node is, by the head of its description, by its name, and by facts that say so.
    fn types(&self, node: &str) -> Rc<BTreeSet<String>> {
        if let Some(known) = self.types.borrow().get(node) {
            return Rc::clone(known);
        }
        let mut types = BTreeSet::new();
        if let Some(entity) = self.graph.entities.get(node) {
            let head = head(&entity.description);
            let nouns = tokens(head).into_iter().filter(|t| t.is_word() && !t.lower.ends_with("ed"));
            types.extend(nouns.map(|t| t.stem));
            let named: BTreeSet<String> =
                content_stems(&entity.label).into_iter().filter(|s| is_kind_stem(s) || is_place_kind(s)).collect();
            types.extend(named);
            if ["sovereign state", "historical state", "former state", "island state", "kingdom", "republic", "empire", "nation"]
                .iter()
                .any(|w| head.contains(w))
            {
                types.insert(stem("country"));
            }
        }
        for ((label, reverse), others) in self.edges.get(node).into_iter().flatten() {
            if !*reverse && matches!(*label, "instance of" | "occupation" | "type" | "subclass of" | "use") {
                types.extend(others.iter().flat_map(|o| content_stems(self.graph.name(o))));
            }
        }
        let types = Rc::new(types);
        self.types.borrow_mut().insert(node.to_owned(), Rc::clone(&types));
        types
    }
}

/// The head of a description: "sovereign state in Europe" is a sovereign state.
fn head(description: &str) -> &str {
    let ends = [" of ", " in ", " from ", " by ", " that ", " who ", " which ", " for ", " with ", " at ", " on ", " (", ", "];
    let end = ends.iter().filter_map(|e| description.find(e)).min().unwrap_or(description.len());
    &description[..end]
}

fn is_place_kind(stemmed: &str) -> bool {
    PLACE_KINDS.split(' ').any(|w| stem(w) == stemmed)
}

const fn bit(n: usize) -> u64 {
    if n < 64 { 1 << n } else { 0 }
}

fn meet(a: &Walk, b: &Walk, at: IndexSet<String>) -> Walk {
    let mut hops = a.hops.clone();
    hops.extend(b.hops.iter().filter(|h| !a.hops.contains(h)).cloned());
    // What both account for counts once.
    let shared = (a.covered & b.covered).count_ones() as f32;
    Walk {
        at,
        topics: a.topics.union(&b.topics).copied().collect(),
        covered: a.covered | b.covered,
        score: 0.8f32.mul_add(-shared, a.score + b.score).max(a.score.max(b.score)) + 0.3,
        hops,
        order: a.order.clone(),
        span: a.span.start.min(b.span.start)..a.span.end.max(b.span.end),
        doubt: a.doubt + b.doubt,
    }
}

/// What a thing is to the word that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// "the capital of X", "X's capital".
    Possessor,
    /// "whose capital is X", "X as capital".
    Filler,
    /// "X is the capital of ...".
    FillerOf,
    /// "who directed X", "born in X".
    Object {
        preposition: bool,
    },
    /// "directed by X".
    By,
    /// "X directed", "did X direct".
    Subject,
    /// "X was directed".
    Passive,
    Unclear,
}

impl Role {
    /// Whether the relation is to be followed backwards; `None` when the sentence does not tell.
    fn reverse(self, label: &str, agent: bool, named: bool) -> Option<bool> {
        // "a member of X" asks for who is "member of" it; "the band of X" does not.
        let leads_of = named && label.ends_with(" of");
        match self {
            Self::Possessor => Some(leads_of),
            Self::Filler => Some(!leads_of),
            Self::FillerOf => Some(!leads_of),
            Self::Object { .. } if agent => Some(false),
            Self::Object { preposition } => preposition.then_some(true),
            Self::By => agent.then_some(true),
            Self::Subject => Some(agent),
            Self::Passive => Some(false),
            Self::Unclear => None,
        }
    }
}

/// The role of what the tokens `span` stand for, towards the word at `cue`.
fn role(tokens: &[Token], span: &Range<usize>, cue: usize) -> Role {
    let is = |i: usize, words: &[&str]| tokens.get(i).is_some_and(|t| words.contains(&t.lower.as_str()));
    if cue < span.start {
        let between = &tokens[cue + 1..span.start];
        let has = |word: &str| between.iter().any(|t| t.lower == word);
        if let Some(relative) = between.iter().position(|t| is_wh(&t.lower)) {
            let of = between[..relative].first().is_some_and(|t| t.lower == "of");
            return if of && cue > 0 { Role::Possessor } else { Role::Unclear };
        }
        let whose = (0..cue).rev().take(3).any(|i| is(i, &["whose"]));
        if between.iter().any(|t| is_auxiliary(&t.lower)) {
            return if whose { Role::Filler } else { Role::Unclear };
        }
        return match between {
            _ if has("by") => Role::By,
            _ if has("of") => Role::Possessor,
            _ if between.iter().all(|t| matches!(t.lower.as_str(), "the" | "a" | "an" | "both")) => Role::Object { preposition: false },
            _ => Role::Object { preposition: true },
        };
    }
    if cue < span.end {
        return Role::Unclear;
    }
    let between = &tokens[span.end..cue];
    let has = |word: &str| between.iter().any(|t| t.lower == word);
    if has("'s") {
        Role::Possessor
    } else if has("as") || has("in") && is(cue, &["cast"]) {
        Role::Filler
    } else if is(cue + 1, &["of"]) && between.iter().any(|t| is_auxiliary(&t.lower)) {
        Role::FillerOf
    } else if between.iter().any(|t| matches!(t.lower.as_str(), "is" | "was" | "were" | "are" | "been"))
        || tokens[..span.start].iter().rev().take(2).any(|t| matches!(t.lower.as_str(), "was" | "were" | "is"))
    {
        Role::Passive
    } else {
        Role::Subject
    }
}
