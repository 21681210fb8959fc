//! What a state or an answer is worth.

use super::policy::{Mind, NOT_SHOWN};
use super::seen::Walked;
use super::walk::Walk;

impl Mind<'_> {
    /// The share of the question that a walk accounts for.
    pub(super) fn progress(&self, walk: &Walk) -> f32 {
        let total: f32 = self.solver.question.cues.iter().map(|c| c.weight).sum();
        if total <= 0.0 { 0.0 } else { (1.0 - self.solver.open_weight(walk) / total).clamp(0.0, 1.0) }
    }

    /// The value of a state.
    pub fn value_state(&self) -> f32 {
        if let Some(Walked::Error) = self.seen.path.last() {
            return 0.1;
        }
        let Some(best) = self.walks.first() else { return 0.2 };
        let lost = self.fruitless().min(3) as f32;
        let mut value = if self.complete().is_some() { 0.95 } else { 0.3f32.mul_add(self.progress(best), 0.6) };
        if self.complete().is_none() {
            value -= 0.25f32.mul_add(lost, 0.12 * self.solver.skips(best) as f32);
            if best.at.iter().all(|n| !self.graph().entities.contains_key(n)) {
                // Nothing can be looked up from a value.
                value -= 0.2;
            }
        }
        match self.last_step() {
            Some(Walked::Think) => value -= 0.03,
            Some(Walked::Expand) if self.complete().is_some() => value -= 0.2,
            Some(Walked::Entities(ids)) => {
                let frontier = self.frontier();
                let hit = ids.iter().filter(|id| frontier.contains(id)).count();
                value += match hit {
                    0 => -0.25,
                    _ if hit == ids.len() && hit == frontier.len() => 0.0,
                    _ => -0.08,
                };
            }
            _ => {}
        }
        value.clamp(0.05, 0.97)
    }

    fn last_step(&self) -> Option<&Walked> {
        self.seen.path.iter().rev().find(|s| !matches!(s, Walked::Other))
    }

    /// The value of an answer, with the reasons.
    pub fn value_answer(&self, answer: &str) -> (String, f32) {
        let refusal = answer.trim().is_empty() || answer.contains(NOT_SHOWN.trim_end_matches('.'));
        if refusal {
            return ("This is no answer.".to_owned(), 0.0);
        }
        let said: Vec<String> = answer.split(" | ").map(normal).collect();
        let agrees = |walk: &Walk| {
            let mut names: Vec<String> = walk.at.iter().map(|n| normal(self.graph().name(n))).collect();
            names.push(normal(&self.answer_of(walk)));
            said.iter().all(|s| names.contains(s)) || normal(&self.answer_of(walk)) == normal(answer)
        };
        if let Some(best) = self.complete() {
            let level = self.solver.rank(best);
            let confirmed =
                self.walks.iter().filter(|w| self.solver.is_complete(w) && self.solver.rank(w) >= level - 0.3).find(|w| agrees(w));
            return match confirmed {
                Some(walk) => {
                    let value = match self.solver.open_weight(walk) {
                        _ if walk.doubt > 0.2 => 0.7,
                        open if open < 0.05 => 1.0,
                        _ => 0.9,
                    };
                    (format!("The graph leads there: {}.", trail(walk)), value)
                }
                None => (format!("The graph leads elsewhere: {}.", trail(best)), 0.1),
            };
        }
        match self.walks.iter().find(|w| !w.hops.is_empty() && agrees(w)) {
            Some(walk) => {
                let open = self.open_words(walk).join(", ");
                (format!("The graph leads there, but nothing in it accounts for: {open}."), 0.5 * self.progress(walk).min(0.9))
            }
            None => ("No facts in the graph lead to this answer.".to_owned(), 0.1),
        }
    }
}

/// The relations of a walk, for people.
pub(super) fn trail(walk: &Walk) -> String {
    walk.hops.iter().map(|(label, back)| if *back { format!("is {label} of") } else { label.clone() }).collect::<Vec<_>>().join(", then ")
}

fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
