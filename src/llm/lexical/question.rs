//! Taking a question apart: which of its words ask for something, and in which order from each name outwards.

use super::cues::cues;
use super::order::{chain, order};
use super::seen::Known;
use super::topics::{coordinated, told, topics};
use super::words::{Token, is_wh, tokens as tokens_of};
use std::ops::Range;

/// A word that a walk has to account for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cue {
    /// The token it stands for.
    pub token: usize,
    /// What has to be matched; a name that the graph lacks is one cue, as written.
    pub stem: String,
    /// The word as written, or what a word like "grandmother" stands for.
    pub form: String,
    /// How much it counts when nothing accounts for it.
    pub weight: f32,
    /// Whether it is a name.
    pub is_name: bool,
    /// Its place among the steps that one word stands for ("grandmother"): a hop takes one.
    pub step: usize,
}

/// A name of the question that the graph knows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Topic {
    pub id: String,
    /// Its tokens.
    pub span: Range<usize>,
    /// Every cue, the one to be followed first in front.
    pub order: Vec<usize>,
    /// How many of `order` belong to this name more than to another.
    pub own: usize,
    /// Cues that the topic accounts for itself: "the film", "1997".
    pub told: Vec<usize>,
}

/// A question, taken apart as far as the graph knows its names.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Question {
    pub tokens: Vec<Token>,
    pub cues: Vec<Cue>,
    pub topics: Vec<Topic>,
    /// "both A and B": an answer has to do with every topic.
    pub all_topics: bool,
    /// "how many": the answer is a number.
    pub counts: bool,
    /// Whether it wants a yes or a no: no walk is an answer to that.
    pub yes_no: bool,
    /// "who", "where": the answer is no number, date or text.
    pub wants_thing: bool,
}

/// How questions begin that want a yes or a no.
const YES_NO: [&str; 13] = ["is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could", "will"];

impl Question {
    /// Takes `text` apart.
    pub fn new(text: &str, graph: &Known) -> Self {
        let tokens = tokens_of(text);
        let counts = tokens.windows(2).any(|w| w[0].lower == "how" && w[1].lower == "many");
        let mut topics = topics(&tokens, graph);
        let cues = cues(&tokens, &topics);
        let chains: Vec<Vec<usize>> = topics.iter().map(|t| chain(&tokens, &cues, &topics, &t.span)).collect();
        for i in 0..topics.len() {
            let taken: Vec<usize> =
                (0..topics.len()).filter(|&j| j != i).flat_map(|j| chains[j].iter().copied()).filter(|c| !chains[i].contains(c)).collect();
            let (order, own) = order(&tokens, &cues, &topics, &topics[i].span, &chains[i], &taken);
            topics[i].told = told(&tokens, &cues, &topics[i], graph);
            (topics[i].order, topics[i].own) = (order, own);
        }
        let both = tokens.iter().any(|t| t.lower == "both");
        let all_topics = topics.len() > 1 && (both || topics.windows(2).any(|w| coordinated(&tokens, &w[0].span, &w[1].span)));
        let asks = tokens.iter().find(|t| is_wh(&t.lower)).map_or("", |t| t.lower.as_str());
        let wants_thing = matches!(asks, "who" | "whom" | "where") || asks == "which" && cues.iter().all(|c| c.stem != "when");
        let yes_no = tokens.first().is_some_and(|t| YES_NO.contains(&t.lower.as_str()));
        Self { tokens, cues, topics, all_topics, counts, yes_no, wants_thing }
    }

    /// The tokens of a topic together with the names that are listed beside it: "A and B".
    pub fn group(&self, topic: usize) -> Range<usize> {
        let span = |i: usize| &self.topics[i].span;
        let joined = |i: usize| coordinated(&self.tokens, span(i), span(i + 1));
        let first = (0..topic).rev().take_while(|&i| joined(i)).last().unwrap_or(topic);
        let last = (topic + 1..self.topics.len()).take_while(|&i| joined(i - 1)).last().unwrap_or(topic);
        span(first).start..span(last).end
    }
}
