//! What to do next.

use super::chance::Chance;
use super::question::Question;
use super::seen::{Known, Offer, Seen, Shown, Walked};
use super::solver::Solver;
use super::value::trail;
use super::walk::Walk;
use indexmap::IndexSet;

/// What is said when the graph does not show the answer.
pub(super) const NOT_SHOWN: &str = "The graph does not show it.";

/// What is said when no name of the question is in the graph. No action on purpose: an answer would be a guess, and the
/// search is to end without one.
const NOTHING_TO_GO_ON: &str = "No name of the question is in the graph.\nThere is nothing to expand and nothing to answer from.";

/// At most so many entities are expanded together.
const MOST_ENTITIES: usize = 25;

/// A prompt, thought through.
pub(super) struct Mind<'a> {
    pub(super) seen: &'a Seen,
    pub(super) solver: Solver<'a>,
    pub(super) walks: Vec<Walk>,
    /// The best walk that is an answer.
    answer: Option<usize>,
}

impl<'a> Mind<'a> {
    /// Thinks through what `seen` says of `question` and the graph.
    pub fn new(seen: &'a Seen, question: &'a Question) -> Self {
        let solver = Solver::new(question, &seen.graph);
        let walks = solver.walks();
        let answer = walks.iter().position(|w| solver.is_complete(w));
        Self { seen, solver, walks, answer }
    }

    pub(super) fn complete(&self) -> Option<&Walk> {
        self.answer.map(|i| &self.walks[i])
    }

    pub(super) fn graph(&self) -> &Known {
        &self.seen.graph
    }

    /// The end of a walk as an answer.
    pub(super) fn answer_of(&self, walk: &Walk) -> String {
        let mut names: IndexSet<&str> = IndexSet::new();
        let topics: Vec<&str> = self.solver.question.topics.iter().map(|t| t.id.as_str()).collect();
        names.extend(walk.at.iter().filter(|n| !topics.contains(&n.as_str())).map(|n| self.graph().name(n)));
        if names.is_empty() {
            names.extend(walk.at.iter().map(|n| self.graph().name(n)));
        }
        if self.solver.question.counts && walk.at.iter().all(|n| self.graph().entities.contains_key(n)) {
            return names.len().to_string();
        }
        names.into_iter().collect::<Vec<_>>().join(" | ")
    }

    /// State `default`.
    pub fn act(&self, think: bool, expand: bool, chance: &mut Chance) -> String {
        if let Some(walk) = self.complete() {
            return if expand && chance.happens(0.12) { self.expand() } else { format!("ANSWER: {}", self.answer_of(walk)) };
        }
        if self.graph().entities.is_empty() {
            return NOTHING_TO_GO_ON.to_owned();
        }
        if !expand {
            return format!("ANSWER: {}", self.best_guess());
        }
        if self.fruitless() >= 2 && !chance.happens(0.5) {
            return format!("ANSWER: {NOT_SHOWN}");
        }
        let near = self.walks.first().is_some_and(|w| self.solver.open_cues(w).len() <= 2);
        if think && near && chance.happens(0.15) { format!("THINK: {}", self.missing()) } else { self.expand() }
    }

    fn expand(&self) -> String {
        format!("EXPAND: {}", self.missing())
    }

    /// What is missing, in words.
    fn missing(&self) -> String {
        let frontier = self.frontier();
        let names: Vec<&str> = frontier.iter().take(3).map(|id| self.graph().name(id)).collect();
        let words = self.walks.first().map_or_else(Vec::new, |w| self.open_words(w));
        match (names.is_empty(), words.is_empty()) {
            (true, _) => "No name of the question is in the graph.".to_owned(),
            (_, true) => format!("More facts about {} are needed.", names.join(", ")),
            _ => format!("Facts about {} are needed for: {}.", names.join(", "), words.join(", ")),
        }
    }

    pub(super) fn open_words(&self, walk: &Walk) -> Vec<String> {
        let question = self.solver.question;
        let mut words: Vec<String> =
            self.solver.open_cues(walk).iter().map(|&n| question.tokens[question.cues[n].token].lower.clone()).collect();
        words.dedup();
        words
    }

    /// How many of the last hops, from the end, no walk makes use of.
    pub(super) fn fruitless(&self) -> usize {
        let tokens: Vec<&String> = self.seen.path.iter().filter_map(|s| if let Walked::Relation(t) = s { Some(t) } else { None }).collect();
        tokens.iter().rev().take_while(|t| !self.serves(t)).count()
    }

    /// Whether the relation `token` is part of the best walks.
    fn serves(&self, token: &str) -> bool {
        let id = token.trim_start_matches('~');
        let Some(label) = self.graph().facts.iter().find(|f| f.id == id).map(|f| f.label.as_str()) else { return false };
        let Some(best) = self.walks.first() else { return false };
        let used = |w: &Walk| w.hops.iter().any(|(l, back)| l == label && *back == token.starts_with('~'));
        // Walks from other topics serve as well: they are to be intersected later.
        used(best) || self.walks.iter().any(|w| used(w) && w.score > 0.6 && w.topics.is_disjoint(&best.topics))
    }

    /// Whose facts are to be looked up next.
    pub fn frontier(&self) -> Vec<String> {
        let question = self.solver.question;
        let Some(best) = self.walks.first() else { return vec![] };
        let root = |i: usize| question.topics[i].id.clone();
        let advanced = |i: usize| self.walks.iter().any(|w| w.topics.contains(&i) && !w.hops.is_empty() && w.score > 0.3);
        let idle: Vec<usize> = (0..question.topics.len()).filter(|&i| !advanced(i)).collect();
        if question.topics.len() > 1 && (best.hops.is_empty() || !self.solver.open_topics(best).is_empty()) {
            if question.all_topics && idle.len() == question.topics.len() && self.same_words() {
                return idle.into_iter().map(root).collect();
            }
            if best.hops.is_empty() {
                return vec![root(self.main_topic())];
            }
            // Another name has words of its own that nothing accounts for yet.
            let open = self.solver.open_cues(best);
            let waiting = idle.iter().find(|&&i| {
                let topic = &question.topics[i];
                question.all_topics || topic.order[..topic.own].iter().any(|n| open.contains(n))
            });
            if let Some(&i) = waiting {
                return vec![root(i)];
            }
        }
        let ends: Vec<String> = best.at.iter().filter(|n| self.graph().entities.contains_key(*n)).take(MOST_ENTITIES).cloned().collect();
        if ends.is_empty() { vec![root(self.main_topic())] } else { ends }
    }

    /// Whether all topics are asked about in the same words ("both A and B").
    fn same_words(&self) -> bool {
        let question = self.solver.question;
        let first = |i: usize| question.topics[i].order.first().map(|&n| question.cues[n].stem.as_str());
        (1..question.topics.len()).all(|i| first(i) == first(0))
    }

    /// The topic to begin with: one outside the phrase that says what is asked for.
    fn main_topic(&self) -> usize {
        let question = self.solver.question;
        let of_phrase = |span: &std::ops::Range<usize>| {
            span.start > 0
                && question.tokens[..span.start].iter().all(|t| !super::words::is_auxiliary(&t.lower))
                && question.tokens.first().is_some_and(|t| super::words::is_wh(&t.lower) || t.lower == "in")
        };
        question
            .topics
            .iter()
            .position(|t| !of_phrase(&t.span) && t.own > 0)
            .or_else(|| question.topics.iter().position(|t| t.own > 0))
            .unwrap_or(0)
    }

    /// State `selecting entities`.
    pub fn entities(&self, options: &[Shown], chance: &mut Chance) -> String {
        let frontier = self.frontier();
        let offered = |id: &String| options.iter().any(|o| o.id == *id);
        let mut sets: Vec<Vec<String>> = vec![frontier.into_iter().filter(offered).collect()];
        for walk in self.walks.iter().take(40) {
            let set: Vec<String> = walk.at.iter().filter(|n| offered(n)).take(MOST_ENTITIES).cloned().collect();
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
        sets.retain(|s| !s.is_empty());
        let chosen = chance.pick(&sets, 0.7).cloned();
        chosen.or_else(|| options.first().map(|o| vec![o.id.clone()])).unwrap_or_default().join(", ")
    }

    /// State `selecting relation`.
    pub fn relation(&self, options: &[Offer], chance: &mut Chance) -> String {
        let selected = self.selected();
        let from = self.walk_at(&selected);
        let tried = self.tried(&selected);
        let mut ranked: Vec<(f32, &Offer)> = options
            .iter()
            .filter(|o| !tried.contains(&o.token))
            .map(|o| (self.solver.gain(&from, &o.label, o.reverse, None).score, o))
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let best = ranked.first().map_or(0.0, |r| r.0);
        // Alternatives only where they have something to do with the question.
        let near: Vec<&str> = ranked.iter().filter(|r| r.0 > 0.0 && r.0 >= 0.5 * best).take(4).map(|r| r.1.token.as_str()).collect();
        let chosen = chance.pick(&near, 0.7).copied().or_else(|| ranked.first().map(|r| r.1.token.as_str()));
        chosen.or_else(|| options.first().map(|o| o.token.as_str())).unwrap_or_default().to_owned()
    }

    /// The entities that the path selected last.
    fn selected(&self) -> Vec<String> {
        self.seen.path.iter().rev().find_map(|s| if let Walked::Entities(ids) = s { Some(ids.clone()) } else { None }).unwrap_or_default()
    }

    /// Relations that were followed from just these entities before.
    fn tried(&self, selected: &[String]) -> Vec<String> {
        let mut out = Vec::new();
        for pair in self.seen.path.windows(2) {
            if let [Walked::Entities(ids), Walked::Relation(token)] = pair
                && ids == selected
            {
                out.push(token.clone());
            }
        }
        out
    }

    /// The best walk that stands at these entities; if there is none, one that begins there.
    fn walk_at(&self, selected: &[String]) -> Walk {
        let ids: IndexSet<String> = selected.iter().cloned().collect();
        let within = |w: &&Walk| ids.iter().all(|id| w.at.contains(id));
        if let Some(walk) = self.walks.iter().find(within) {
            return walk.clone();
        }
        let touching = self.walks.iter().find(|w| ids.iter().any(|id| w.at.contains(id)));
        let question = self.solver.question;
        touching.cloned().unwrap_or_else(|| Walk {
            at: ids,
            topics: std::collections::BTreeSet::new(),
            covered: 0,
            score: 0.0,
            hops: vec![],
            order: question.topics.first().map_or_else(|| (0..question.cues.len()).collect(), |t| t.order.clone()),
            span: question.tokens.len()..question.tokens.len(),
            doubt: 0.0,
        })
    }

    /// The last word when nothing more can be looked up.
    fn best_guess(&self) -> String {
        if let Some(walk) = self.complete() {
            return self.answer_of(walk);
        }
        match self.walks.iter().find(|w| !w.hops.is_empty()) {
            Some(walk) if self.progress(walk) >= 0.6 => self.answer_of(walk),
            _ => NOT_SHOWN.to_owned(),
        }
    }

    /// The forced answer.
    pub fn forced(&self) -> String {
        if self.graph().entities.is_empty() {
            return NOTHING_TO_GO_ON.to_owned();
        }
        let reason = match self.complete() {
            Some(walk) => format!("The graph leads there: {}.", trail(walk)),
            None => self.missing(),
        };
        format!("{reason}\nANSWER: {}", self.best_guess())
    }
}
