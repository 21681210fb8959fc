//! The forced answer: reasoning, then the answer after the last label.

use super::Unusable;
use super::actions::{ANSWER_CUT, Rows};
use super::answers;
use super::clean::Cleaned;
use super::half_json::cut_object;
use super::json;
use super::keywords::{self, Hit, Keyword};
use super::marks::{unfenced, unmarked};
use super::play_on::{Line, Strict, played};
use crate::asm::Action;

const CUT_BEFORE: Unusable = Unusable::Unreadable("the reply was cut off at the token limit before it gave an answer");

/// Reads `reply`. The label may be in any letter case; without one, a reply of a single line is the answer itself.
/// THINK and EXPAND lines are reasoning.
pub(super) fn final_answer(reply: &Cleaned, known: &dyn Fn(&str) -> bool) -> Result<Action, Unusable> {
    let unfenced = unfenced(&reply.text);
    let boxed = boxed_last(&unfenced);
    let (mut text, mut invented) = played(&boxed, Strict::Yes);
    if text.trim().is_empty() && invented.is_some() {
        // "Observation:" at the very beginning is a heading of the model's own reasoning.
        (text, invented) = played(&boxed, Strict::ObservationsAllowed);
    }
    match labelled(&text, reply.cut && invented.is_none(), known)? {
        Some(action) => Ok(action),
        None => unlabelled(reply, &text, invented, known),
    }
}

/// A last line that is only a boxed answer, as a labelled one.
fn boxed_last(text: &str) -> String {
    match text.trim_end().rsplit_once('\n') {
        Some((before, last)) if last.contains("\\boxed") && keywords::last_answer_label(last).is_none() => {
            let from = last.find("\\boxed").unwrap_or_default();
            format!("{before}\nANSWER: {}", unmarked(&last[from..]).trim_end_matches(['.', '$']))
        }
        _ => text.to_owned(),
    }
}

/// The answer after the last label that has one; `None` if there is no label.
fn labelled(text: &str, cut: bool, known: &dyn Fn(&str) -> bool) -> Result<Option<Action>, Unusable> {
    if cut
        && let Some(half) = cut_object(text)
        && !text[..half.start].lines().any(|line| label(&unmarked(line)).is_some())
    {
        let (whole, all) = (json::answer(&half.whole, known), json::answer(&half.all, known));
        return match all {
            Some(_) if whole == all => Ok(all),
            Some(_) => Err(Unusable::Unreadable(ANSWER_CUT)),
            None => Err(CUT_BEFORE),
        };
    }
    if let Some(action) = json::first_object(text).and_then(|found| json::answer(&found.object, known)) {
        return Ok(Some(action));
    }
    let lines: Vec<String> = text.lines().map(unmarked).collect();
    let rows = Rows::new(text, cut);
    let mut hollow = false;
    for (i, line) in lines.iter().enumerate().rev() {
        let Some(hit) = label(line) else { continue };
        match rows.read(i, &hit, known) {
            Some((_, true)) => return Err(Unusable::Unreadable(ANSWER_CUT)),
            Some((action, false)) => return Ok(Some(action)),
            None => hollow = true,
        }
    }
    if hollow { Err(Unusable::Unreadable("the answer is empty")) } else { Ok(None) }
}

fn label(line: &str) -> Option<Hit<'_>> {
    let start = keywords::at_start(line).filter(|hit| hit.keyword == Keyword::Answer);
    keywords::last_answer_label(line).or(start)
}

fn unlabelled(reply: &Cleaned, text: &str, invented: Option<Line>, known: &dyn Fn(&str) -> bool) -> Result<Action, Unusable> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let (first, second) = (lines.next(), lines.next());
    if reply.unclosed {
        return Err(Unusable::Unreadable("the reply ends inside its reasoning"));
    }
    let Some(line) = first else {
        return Err(Unusable::Unreadable("the reply is empty"));
    };
    if reply.cut && invented.is_none() {
        return Err(CUT_BEFORE);
    }
    if second.is_some() {
        return Err(Unusable::Unreadable("no line is labelled as the answer"));
    }
    if invented == Some(Line::Observation) {
        return Err(Unusable::Unreadable("no answer was given before the reply invents an observation"));
    }
    if keywords::at_start(&unmarked(line)).is_some() || keywords::in_middle(line).is_some() || keywords::thought(line).is_some() {
        return Err(Unusable::Unreadable("another action was named where only an answer is possible"));
    }
    if line.trim_end().ends_with([':', '：']) {
        return Err(Unusable::Unreadable("the answer is empty"));
    }
    let line = unmarked(line);
    let text = line.trim().strip_prefix("ANSWER ").unwrap_or(&line);
    answers::answer(&[text.to_owned()], known).ok_or(Unusable::Unreadable("the answer is empty"))
}
