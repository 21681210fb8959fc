//! Following the question through the graph: which walks from its names account for which of its words.

use super::described::About;
use super::lexicon::{Sense, sense};
use super::question::{Question, Topic};
use super::role::{Role, role};
use super::seen::Known;
use super::walk::{Gain, Walk, bit, meet};
use super::words::is_kind;
use indexmap::{IndexMap, IndexSet};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// At most so many hops in one walk.
const MAX_HOPS: usize = 5;

/// A question before a graph.
pub(super) struct Solver<'a> {
    pub question: &'a Question,
    pub graph: &'a Known,
    senses: RefCell<HashMap<String, Rc<Sense>>>,
    /// For a node: (label, backwards) and the other ends.
    pub edges: HashMap<&'a str, IndexMap<(&'a str, bool), Vec<&'a str>>>,
    /// What the nodes are, as far as anything asked.
    pub about: RefCell<HashMap<String, Rc<About>>>,
}

impl<'a> Solver<'a> {
    /// Prepares `graph` for walks.
    pub fn new(question: &'a Question, graph: &'a Known) -> Self {
        let mut edges: HashMap<&str, IndexMap<(&str, bool), Vec<&str>>> = HashMap::new();
        for fact in &graph.facts {
            edges.entry(&fact.subject).or_default().entry((&fact.label, false)).or_default().push(&fact.object);
            edges.entry(&fact.object).or_default().entry((&fact.label, true)).or_default().push(&fact.subject);
        }
        Self { question, graph, senses: RefCell::default(), edges, about: RefCell::default() }
    }

    pub fn sense(&self, label: &str) -> Rc<Sense> {
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
        let mut ranked: Vec<(f32, Walk)> = all.into_iter().map(|walk| (self.rank(&walk), walk)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.hops.len().cmp(&b.1.hops.len())));
        ranked.into_iter().map(|(_, walk)| walk).collect()
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
            span: self.question.group(index),
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

    /// The tokens from the first to the last that the walk has used.
    fn used(&self, walk: &Walk) -> Range<usize> {
        let tokens = (0..self.question.cues.len()).filter(|&n| walk.covered & bit(n) != 0).map(|n| self.question.cues[n].token);
        tokens.fold(walk.span.clone(), |span, t| span.start.min(t)..span.end.max(t + 1))
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
        let topics: f32 = self.open_topics(walk).iter().map(|_| if self.question.all_topics { 1.0 } else { 0.5 }).sum();
        cues + topics
    }

    /// The cues that a walk leaves open.
    pub fn open_cues(&self, walk: &Walk) -> Vec<usize> {
        let counting =
            |n: &usize| self.question.counts && matches!(self.question.tokens[self.question.cues[*n].token].lower.as_str(), "number");
        (0..self.question.cues.len()).filter(|n| walk.covered & bit(*n) == 0 && !counting(n)).collect()
    }

    /// Whether a walk is an answer: it went somewhere, and nothing of weight is left open.
    pub fn is_complete(&self, walk: &Walk) -> bool {
        !self.question.yes_no && !walk.hops.is_empty() && self.open_weight(walk) < 0.45 && !walk.at.is_empty()
    }
}
