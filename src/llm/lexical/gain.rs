//! How well a relation fits what the question still asks for.

use super::described::is_place_kind;
use super::lexicon::{Fit, Sense};
use super::question::Cue;
use super::role::{Role, role};
use super::solver::Solver;
use super::walk::{Gain, Walk, bit};
use super::words::{is_doer, label_stems};
use indexmap::IndexSet;

/// A relation that may be followed.
struct Hop<'a> {
    label: &'a str,
    reverse: bool,
    /// Where it leads, when that is known already.
    ends: Option<&'a IndexSet<&'a str>>,
    sense: &'a Sense,
}

impl Solver<'_> {
    /// What a relation from the end of `walk` accounts for. `ends` = where it leads, when that is known already.
    pub fn gain(&self, walk: &Walk, label: &str, reverse: bool, ends: Option<&IndexSet<&str>>) -> Gain {
        let hop = Hop { label, reverse, ends, sense: &self.sense(label) };
        let (mut gain, mut first, mut skipped, mut waits) = (Gain::default(), None, 0.0_f32, false);
        let mut taken: Vec<&str> = Vec::new();
        // A label that the lexicon lacks is asked for by all its words.
        let share = if hop.sense.words > 1 { 1.0 / hop.sense.words as f32 } else { 1.0 };
        let open = walk.order.iter().copied().filter(|&n| walk.covered & bit(n) == 0);
        for (rank, n) in open.enumerate() {
            let cue = &self.question.cues[n];
            let fit = if taken.contains(&cue.stem.as_str()) { None } else { self.fit(walk, n, rank == 0, &hop) };
            if fit.is_some() && self.is_elsewhere(cue, fit, &hop) {
                waits |= hop.sense.typed;
                continue;
            }
            let near = 0.12f32.mul_add(-(rank as f32), 1.0).max(0.4) * cue.weight.max(0.6);
            match fit {
                Some(Fit::Strong) => {
                    first = first.or(Some(n));
                    gain.score += near * share;
                }
                Some(Fit::Also) => gain.score += 0.45 * near,
                None if first.is_none() && cue.weight > 0.5 => skipped += 1.0,
                None => {}
            }
            if fit.is_some() {
                taken.push(&cue.stem);
                gain.covered |= bit(n);
            }
        }
        if let Some(first) = first {
            let (direction, doubt) = self.direction(walk, first, &hop);
            let score = (gain.score + direction - self.mismatch(first, &hop) - 0.7 * skipped).max(0.1);
            Gain { covered: gain.covered, score, doubt }
        } else if gain.covered != 0 {
            if self.may_end_so(walk, gain.covered) { Gain { score: 0.5 * gain.score, ..gain } } else { Gain::default() }
        } else {
            // "In which state is Clearwater?": the county is only on the way.
            Gain { score: if waits { 0.05 } else { 0.0 }, ..gain }
        }
    }

    /// How well a hop fits a cue; `is_next` = nothing nearer is open.
    fn fit(&self, walk: &Walk, n: usize, is_next: bool, hop: &Hop<'_>) -> Option<Fit> {
        let cue = &self.question.cues[n];
        if cue.step > 0 && self.earlier_step_open(walk, n) {
            return None;
        }
        let fit = hop.sense.fit(&cue.stem, hop.reverse)?;
        // "the band of X": nothing else can be meant.
        let sole = is_next && role(&self.question.tokens, &walk.span, cue.token) == Role::Possessor;
        Some(if sole { Fit::Strong } else { fit })
    }

    /// Whether a cue names a kind of place that the ends of a hop are not.
    fn is_elsewhere(&self, cue: &Cue, fit: Option<Fit>, hop: &Hop<'_>) -> bool {
        let named = || label_stems(hop.label).contains(&cue.stem);
        let checked = !hop.reverse && is_place_kind(&cue.stem) && (hop.sense.typed || fit == Some(Fit::Also) && !named());
        checked && hop.ends.is_some_and(|ends| self.some_typed(ends) && !ends.iter().any(|e| self.is_type(e, &cue.stem)))
    }

    /// Whether a hop makes sense that nothing asks for and whose end is only called like these cues:
    /// not from what is an answer already, and not for a vague word while others are open.
    fn may_end_so(&self, walk: &Walk, covered: u64) -> bool {
        let heavy = |n: &usize| self.question.cues[*n].weight > 0.5;
        let nothing_else = walk.hops.is_empty() && !self.open_cues(walk).iter().any(heavy);
        !self.is_complete(walk) && (nothing_else || walk.order.iter().any(|n| covered & bit(*n) != 0 && heavy(n)))
    }

    /// Whether a step before this one, of the same word, is still to be taken.
    fn earlier_step_open(&self, walk: &Walk, n: usize) -> bool {
        let token = self.question.cues[n].token;
        (0..n).any(|m| self.question.cues[m].token == token && walk.covered & bit(m) == 0)
    }

    /// Whether the sentence wants the relation in this direction: a little for or against it, and how sure that is.
    fn direction(&self, walk: &Walk, cue: usize, hop: &Hop<'_>) -> (f32, f32) {
        if hop.sense.either {
            return (if hop.reverse { 0.15 } else { 0.3 }, 0.0);
        }
        let cue = &self.question.cues[cue];
        if hop.sense.is_directed(&cue.stem, hop.reverse) {
            return (0.3, 0.0);
        }
        let role = role(&self.question.tokens, &walk.span, cue.token);
        let words = label_stems(hop.label);
        // "X is the capital of ...", but "X is a citizen of ...".
        if role == Role::FillerOf && !hop.sense.agent && words != [cue.stem.clone()] {
            return (0.0, 0.0);
        }
        match role.reverse(hop.label, hop.sense.agent, words.contains(&cue.stem)) {
            Some(wanted) if wanted == hop.reverse => (0.3, 0.0),
            Some(_) if matches!(role, Role::Object { .. }) => (-0.3, 0.0),
            Some(_) => (-0.3, 0.3),
            None => (0.0, 0.0),
        }
    }

    /// What speaks against a relation going by the form of the word that asks: a date where none is asked for,
    /// no doer for "founder".
    fn mismatch(&self, cue: usize, hop: &Hop<'_>) -> f32 {
        let lower = &self.question.tokens[self.question.cues[cue].token].lower;
        let dated = hop.sense.dated && !hop.reverse && self.question.cues.iter().all(|c| c.stem != "when");
        let no_doer = is_doer(lower) && !hop.sense.agent && !hop.reverse;
        0.4 * f32::from(u8::from(dated) + u8::from(no_doer))
    }
}
