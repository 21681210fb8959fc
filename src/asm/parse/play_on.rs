//! Where a model plays on by itself: an invented observation, the next question, the next turn of a dialogue.

use super::clean::fold;
use super::keywords;
use super::marks::lead;
use regex::Regex;
use std::sync::LazyLock;

/// What an invented line pretends to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A result that no KG sent.
    Observation,
    /// A new question or the prompt again.
    Question,
    /// The next turn of the other side.
    Turn,
}

static OBSERVATION: LazyLock<Regex> = LazyLock::new(|| {
    let words = "observations?|tool[ _](?:result|response|output)|environment|kg (?:result|response)|search results?|beobachtung|observación|observação|osservazione|наблюдение|观察|觀察|観察|관찰";
    Regex::new(&format!(r"(?i)^(?:{words})\s*\d*[*_`]*\s*:")).expect("constant")
});
static QUESTION: LazyLock<Regex> = LazyLock::new(|| {
    let words = "(?:(?:new|next|original|user|example) )?(?:question|query)|instruction|input|prompt|example|problem|task|frage|pregunta|pergunta|domanda|вопрос|问题|問題|質問|질문";
    Regex::new(&format!(r"(?i)^(?:(?:{words})\s*\d*|q)[*_`]*\s*:")).expect("constant")
});
static TURN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^(?:human|user|system|assistant|ai|benutzer|用户|ユーザー)\s*\d*[*_`]*\s*:").expect("constant"));
static MID_OBSERVATION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|\s)[*_]*(?:Observation|OBSERVATION)\s*\d*[*_]*\s*[:：]").expect("constant"));

fn line(text: &str) -> Option<Line> {
    let folded = fold(lead(text));
    if OBSERVATION.is_match(&folded) {
        Some(Line::Observation)
    } else if QUESTION.is_match(&folded) {
        Some(Line::Question)
    } else if TURN.is_match(&folded) {
        Some(Line::Turn)
    } else {
        None
    }
}

/// How strictly invented lines are dealt with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strict {
    /// An invented observation ends the reply, wherever it stands.
    Yes,
    /// "Observation:" may be the model's own reasoning; only a new question or turn ends the reply.
    ObservationsAllowed,
}

/// `text` up to the line with which the model plays on, and what that line pretends to be (`None`: the text is whole).
///
/// A question or a role at the very beginning is an echo: the line is left out (its role only), and reading goes on.
pub(super) fn played(text: &str, strict: Strict) -> (String, Option<Line>) {
    let (mut out, mut begun, mut before) = (String::with_capacity(text.len()), false, "");
    for row in text.split_inclusive('\n') {
        let from = out.len();
        match line(row) {
            None => out.push_str(row),
            // "Action: ANSWER" and below it "Input: Oslo".
            Some(Line::Question) if keywords::action_input(row).is_some() && names_only(before) => out.push_str(row),
            Some(Line::Observation) if strict == Strict::ObservationsAllowed => out.push_str(row),
            Some(Line::Question) if !begun => {}
            Some(Line::Turn) if !begun => {
                let rest = row.split_once([':', '：']).map_or("", |(_, rest)| rest);
                out.push_str(rest.trim_start_matches([' ', '*']));
            }
            Some(kind) => return (out, Some(kind)),
        }
        begun = begun || !out[from..].trim().is_empty();
        if !row.trim().is_empty() {
            before = row.trim_end();
        }
    }
    (out, None)
}

/// Whether a line names an action and nothing that belongs to it.
fn names_only(line: &str) -> bool {
    keywords::at_start(line).is_some_and(|hit| hit.rest.trim().is_empty())
}

/// A line up to an invented observation in its middle.
pub(super) fn before_observation(line: &str) -> &str {
    MID_OBSERVATION.find(line).map_or(line, |m| &line[..m.start()])
}
