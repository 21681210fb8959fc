//! A walk through the local graph, and what one hop adds to it.

use indexmap::IndexSet;
use std::collections::BTreeSet;
use std::ops::Range;

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

/// The bit of a cue; cues beyond the 64th are never accounted for.
pub(super) const fn bit(n: usize) -> u64 {
    if n < 64 { 1 << n } else { 0 }
}

/// Two walks from different names that meet `at` the same ends.
pub(super) fn meet(a: &Walk, b: &Walk, at: IndexSet<String>) -> Walk {
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
