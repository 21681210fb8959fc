//! What the model said, word for word, and what was made of it.

use super::super::super::flying::Flying;
use super::super::super::scene::{Scene, describe, entity_name, glyph};
use super::super::super::theme::Role;
use super::super::super::widgets::count;
use super::super::super::widgets::spark::{seconds, spinner};
use super::super::super::widgets::wrap::Document;
use super::{heading, line};
use crate::calls::{Sample, Token, Withheld};
use crate::runner::Draft;
use crate::search::rejected_text;
use crate::search::{Ask, NodeId, Outcome, Purpose, Reading, Source, Step, StepKind};
use crate::text::thousands;

pub(super) fn document(scene: &Scene, id: NodeId, flying: &Flying<'_>) -> Document {
    let mut document = Document::default();
    let node = scene.state.node(id);
    if let Some(start) = node.filter(|node| node.parent.is_none()).and_then(|node| scene.state.step(node.step)) {
        readings(&mut document, scene, id, start, "Linking the question");
        raw(&mut document, scene, start, flying, |purpose| matches!(purpose, Purpose::Extract | Purpose::Match));
    }
    // What was asked last is what a person looks for.
    let here = scene
        .state
        .steps
        .iter()
        .rev()
        .filter(|step| step.node == Some(id) && !matches!(step.kind, StepKind::Page | StepKind::Value | StepKind::Review));
    for step in here {
        let title = match step.kind {
            StepKind::Hand => "Grown by hand",
            _ if step.by_hand() => "Asked by you: the vote",
            _ => "The vote",
        };
        readings(&mut document, scene, id, step, title);
        let sampled = scene.state.asks.iter().rfind(|ask| ask.key.step == step.id && ask.key.purpose == Purpose::Sample);
        if let Some(by) = sampled.and_then(|ask| scene.state.asked_of(ask)) {
            line(
                &mut document,
                Role::Dim,
                format!("asked of {}, in the place of the session's own model", scene.state.model(Some(by)).name),
            );
        }
        raw(&mut document, scene, step, flying, |purpose| purpose == Purpose::Sample);
    }
    if document.is_empty() {
        line(&mut document, Role::Dim, "No samples yet: this node was not expanded.");
    }
    document
}

fn readings(document: &mut Document, scene: &Scene, id: NodeId, step: &Step, title: &str) {
    let rows: Vec<&Reading> = step.readings.iter().flat_map(|(_, rows)| rows).chain(&step.refused).collect();
    let is_sample = |row: &&Reading| !matches!(row.outcome, Outcome::Linked { .. });
    let samples: usize = step.readings.iter().flat_map(|(_, rows)| rows).filter(is_sample).map(|row| row.slots.len()).sum();
    let kept = rows.iter().filter(|row| matches!(row.outcome, Outcome::Kept(_))).count();
    if rows.is_empty() && step.notices.is_empty() {
        return;
    }
    let samples_said = count(samples, "sample", "samples");
    heading(
        document,
        match (samples, step.kind) {
            (0, _) => title.to_owned(),
            (_, StepKind::Start) => format!("{title}: {samples_said}"),
            _ => format!("{title}: {samples_said} → {}", count(kept, "choice", "choices")),
        },
    );
    for row in rows {
        let votes = (Role::Title, format!("{:>2}×  ", row.slots.len()));
        let slots = (Role::Dim, slots(&row.slots));
        match &row.outcome {
            Outcome::Kept(action) => document.push_line([
                votes,
                (Role::Good, "kept      ".to_owned()),
                (Role::Text, format!("{} {}", glyph(action), describe(&scene.state, Some(id), action))),
                slots,
            ]),
            Outcome::Outvoted(action) => document.push_line([
                votes,
                (Role::Dim, "outvoted  ".to_owned()),
                (Role::Dim, format!("{} {}", glyph(action), describe(&scene.state, Some(id), action))),
                slots,
            ]),
            Outcome::Rejected { text, reason, why } => {
                document.push_line([
                    votes,
                    (Role::Error, "rejected  ".to_owned()),
                    (Role::Text, rejected_text(&scene.state, Some(id), *reason, text)),
                    slots,
                ]);
                document.push_line([(Role::Warning, format!("      ⊘ {} ({})", why, reason.name()))]);
            }
            Outcome::Mention(mention) => {
                document.push_line([votes, (Role::Good, "mention   ".to_owned()), (Role::Text, mention.clone())]);
            }
            Outcome::Entity(Some(entity)) => document.push_line([
                votes,
                (Role::Good, "entity    ".to_owned()),
                (Role::Text, entity.name().to_owned()),
                (Role::Dim, format!("  {} · {}", entity.id, entity.description.as_deref().unwrap_or_default())),
            ]),
            Outcome::Linked { id: entity, kg, to } => {
                let name = entity_name(&scene.state, Some(id), entity);
                document.push_line(match to {
                    Some(to) => [
                        (Role::Good, "      linked    ".to_owned()),
                        (Role::Text, format!("{name} is {} in {kg}", to.name())),
                        (Role::Dim, format!("  {} · {}", to.id, to.description.as_deref().unwrap_or_default())),
                    ],
                    None => [
                        (Role::Dim, "      no link   ".to_owned()),
                        (Role::Dim, format!("{name} was not found in {kg}")),
                        (Role::Dim, String::new()),
                    ],
                });
            }
            Outcome::Entity(None) => document.push_line([votes, (Role::Warning, "no entity: none of the candidates fits".to_owned())]),
        }
    }
    for notice in &step.notices {
        line(document, Role::Warning, format!("⚠ {notice}"));
    }
}

fn slots(slots: &[u32]) -> String {
    if slots.is_empty() {
        return String::new();
    }
    let numbers: Vec<String> = slots.iter().map(|slot| (slot + 1).to_string()).collect();
    format!("  (sample {})", numbers.join(", "))
}

fn raw(document: &mut Document, scene: &Scene, step: &Step, flying: &Flying<'_>, wanted: impl Fn(Purpose) -> bool) {
    for ask in scene.state.asks.iter().filter(|ask| ask.key.step == step.id && ask.is_llm() && wanted(ask.key.purpose)) {
        raw_samples(document, ask, flying);
    }
}

/// The raw replies of an ask, with what the service said about each; of those that are being written, what has come.
pub(super) fn raw_samples(document: &mut Document, ask: &Ask, flying: &Flying<'_>) {
    if let Some(error) = &ask.error {
        heading(document, "The model call failed");
        document.push(Role::Error, &error.message);
    }
    if let Some(kept) = ask.kept_for() {
        line(document, Role::Dim, kept);
    } else if ask.source == Some(Source::Recorded) {
        line(document, Role::Dim, ask.came_from());
    }
    for (slot, sample) in ask.samples.iter().enumerate() {
        match sample {
            Some(sample) => raw_sample(document, slot + 1, ask.samples.len(), sample),
            None if ask.error.is_none() => {
                let number = format!("Sample {} of {}", slot + 1, ask.samples.len());
                let draft = flying.live.writing.of(ask.id).find(|(of, _)| *of as usize == slot).map(|(_, draft)| draft);
                match flying.of(ask.id).map(|flight| flying.elapsed(flight)) {
                    Some(ms) => heading(document, format!("{number} · {} {}", spinner(ms), seconds(ms))),
                    None => heading(document, number),
                }
                match draft {
                    Some(draft) => being_written(document, draft),
                    None => line(document, Role::Unknown, "… not here yet"),
                }
            }
            None => {}
        }
    }
}

/// Letters of a draft that are shown: its end. What is above is not even wrapped, so that a long one slows no frame.
const TAIL: usize = 1200;

fn being_written(document: &mut Document, draft: &Draft) {
    if !draft.reasoning.is_empty() {
        line(document, Role::Dim, "▌ reasoning");
        tail(document, &draft.reasoning);
    }
    if !draft.text.is_empty() {
        line(document, Role::Dim, "▌ reply");
        tail(document, &draft.text);
    }
}

/// The end of a text that is being written, dimmed: it does not count yet.
fn tail(document: &mut Document, text: &str) {
    let skipped = text.len().saturating_sub(TAIL);
    if skipped == 0 {
        return document.push(Role::Dim, text);
    }
    let start = text.ceil_char_boundary(skipped);
    // Not in the middle of a word or cluster, where there is a blank to begin after.
    let start = text[start..].char_indices().take(80).find(|(_, c)| c.is_whitespace()).map_or(start, |(at, c)| start + at + c.len_utf8());
    line(document, Role::Dim, format!("… {} bytes above", thousands(start as u64)));
    document.push(Role::Dim, &text[start..]);
}

fn raw_sample(document: &mut Document, number: usize, of: usize, sample: &Sample) {
    let finish = sample.finish.as_deref().unwrap_or("not said");
    heading(document, format!("Sample {number} of {of} · finish: {finish}"));
    if sample.is_cut() {
        line(document, Role::Warning, "cut at the token limit");
    }
    match sample.withheld() {
        Some(Withheld::Filtered) => line(document, Role::Warning, "taken by the service's content filter: what is left of it is not read"),
        Some(Withheld::Refused) => line(document, Role::Warning, "the model refuses: what it said is not read"),
        Some(Withheld::BrokenOff) => line(document, Role::Warning, "broken off by the service: what came of it is not read"),
        None => {}
    }
    if let Some(reasoning) = &sample.reasoning {
        line(document, Role::Dim, "▌ reasoning, sent apart");
        document.push(Role::Dim, reasoning);
        line(document, Role::Dim, "▌ reply");
    }
    match &sample.text {
        Some(text) if text.is_empty() => line(document, Role::Warning, "(an empty text)"),
        Some(text) => document.push(Role::Text, text),
        None => line(document, Role::Warning, "(the service sent no text)"),
    }
    if let Some(sure) = how_sure(sample) {
        line(document, Role::Dim, sure);
    }
}

/// Tokens that are named for being unlikely: so many at most.
const UNLIKELY: usize = 3;

/// A token that the model held for likelier is not worth a word.
const LIKELY: f64 = 0.9;

/// How likely the model held its tokens, where its service said it.
fn how_sure(sample: &Sample) -> Option<String> {
    let (mean, count) = (sample.probability()?, sample.tokens.len());
    let mut least: Vec<&Token> = sample.tokens.iter().filter(|token| token.probability() < LIKELY).collect();
    least.sort_by_key(|token| token.log_milli);
    let named: Vec<String> = least
        .iter()
        .take(UNLIKELY)
        .map(|token| format!("“{}” {}", crate::text::one_line(&token.text.escape_debug().to_string()), two_places(token.probability())))
        .collect();
    let least = if named.is_empty() { String::new() } else { format!("; least likely: {}", named.join(", ")) };
    let tokens = if count == 1 { "1 token".to_owned() } else { format!("{count} tokens, on average (geometric mean)") };
    Some(format!("how likely the model held its {tokens}: {}{least}", two_places(mean)))
}

/// A probability; one that is not 0 is not shown as 0.
fn two_places(probability: f64) -> String {
    if probability < 0.005 { "<0.01".to_owned() } else { format!("{probability:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_sure_a_model_was_is_said_where_its_service_says_it() {
        let sample = |logs: &[(&str, f64)]| {
            let tokens = logs.iter().filter_map(|(text, log)| Token::new(text, *log)).collect();
            Sample { tokens, ..Sample::stopped("x") }
        };
        assert_eq!(how_sure(&Sample::stopped("x")), None);
        let said = how_sure(&sample(&[("ANSWER", 0.0), (": ", -0.01), ("Oslo\u{1b}[31m", -1.2), ("\n", -9.0)])).unwrap();
        assert_eq!(
            said,
            "how likely the model held its 4 tokens, on average (geometric mean): 0.08; least likely: “\\n” <0.01, “Oslo\\u{1b}[31m” 0.30"
        );
        assert_eq!(how_sure(&sample(&[("7", -0.05)])).unwrap(), "how likely the model held its 1 token: 0.95");
        assert!(sample(&[("bad", f64::NAN), ("above", 0.5)]).tokens.is_empty());
    }
}
