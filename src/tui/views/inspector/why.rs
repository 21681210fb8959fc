//! Why this node, why now, why not, why the end: in whole sentences.

use super::super::super::scene::{Scene, label};
use super::super::super::theme::Role;
use super::super::super::widgets::wrap::Document;
use super::heading;
use crate::search::NodeId;
use crate::search::why::{self, Sentence, Tone};

pub(super) fn document(scene: &Scene, id: NodeId) -> Document {
    let mut document = Document::default();
    if scene.state.node(id).is_none() {
        return document;
    }
    let before = |entry| scene.before(entry);
    heading(&mut document, format!("Node {} · {}", id.0, label(&scene.state, id)));
    paragraph(&mut document, why::node(&scene.state, id, &before));
    let warnings = scene.warnings_of(id);
    if !warnings.is_empty() {
        heading(&mut document, "Warnings");
        for warning in warnings {
            document.push(Role::Warning, &format!("⚠ {}: {}", warning.kind.title(), warning.text));
        }
    }
    if let Some(next) = scene.next.filter(|next| *next != id) {
        heading(&mut document, "What comes next");
        document.push(Role::Text, &format!("Node {} ({}): {}.", next.0, label(&scene.state, next), why::next_node(&scene.state, next)));
    } else if scene.next.is_none() && !scene.finished {
        let sentences = why::what_comes(&scene.state);
        if !sentences.is_empty() {
            heading(&mut document, "What comes next");
            paragraph(&mut document, sentences);
        }
    }
    if scene.state.finished.is_some() {
        heading(&mut document, if scene.finished { "Why it ended" } else { "Why it had ended before" });
        paragraph(&mut document, why::at_end(&scene.state, &before));
    }
    if scene.state.halted.is_some() {
        heading(&mut document, "Why it stands still");
        paragraph(&mut document, why::at_halt(&scene.state));
    }
    document
}

fn paragraph(document: &mut Document, sentences: Vec<Sentence>) {
    for Sentence { tone, text } in sentences {
        match tone {
            Tone::Plain => document.push(Role::Text, &text),
            Tone::ByHand => document.push(Role::ByHand, &format!("✎ {text}")),
            Tone::Next => document.push(Role::Next, &format!("▶ {text}")),
            Tone::Sample => document.push(Role::Dim, &format!("⊘ {text}")),
            Tone::Warning => document.push(Role::Warning, &text),
            Tone::Error => document.push(Role::Error, &text),
        }
    }
}
