//! Why this node, why now, why not, why the end: in whole sentences.

use super::super::super::scene::{Scene, label};
use super::super::super::theme::Role;
use super::super::super::widgets::value::Level;
use super::super::super::widgets::wrap::Document;
use super::{heading, line};
use crate::asm::Action;
use crate::search::{Act, By, Node, NodeId, StepKind, why};

pub(super) fn document(scene: &Scene, id: NodeId) -> Document {
    let mut document = Document::default();
    let Some(node) = scene.state.node(id) else { return document };
    heading(&mut document, format!("Node {} · {}", id.0, label(&scene.state, id)));
    came(&mut document, scene, node);
    fate(&mut document, scene, node);
    let mut warnings = scene.warnings.iter().filter(|warning| warning.node == id).peekable();
    if warnings.peek().is_some() {
        heading(&mut document, "Warnings");
        for warning in warnings {
            document.push(Role::Warning, &format!("⚠ {}: {}", warning.kind.title(), warning.text));
        }
    }
    if let Some(next) = scene.next.filter(|next| *next != id) {
        heading(&mut document, "What comes next");
        document.push(Role::Text, &format!("Node {} ({}): {}.", next.0, label(&scene.state, next), why::next_node(&scene.state, next)));
    }
    if let Some((end, _)) = scene.state.finished.as_deref() {
        heading(&mut document, if scene.finished { "Why it ended" } else { "Why it had ended before" });
        document.push(Role::Text, &sentence(&end.why));
    }
    if let Some(halt) = &scene.state.halted {
        heading(&mut document, "Why it stands still");
        document.push(Role::Error, &sentence(&halt.why));
    }
    document
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// How the node came to be.
fn came(document: &mut Document, scene: &Scene, node: &Node) {
    let (votes, of) = node.votes;
    let said = match (&node.action, node.by) {
        (Action::Root, _) => {
            "The question, with the entities that it was linked to. Every walk starts here; its value is 1.0 by rule.".to_owned()
        }
        (Action::Error { why }, _) => format!(
            "No sample of this expansion could be used: {why}. The node keeps the place; it is expanded only when nothing else is left."
        ),
        (_, By::You) => "✎ You made it by hand.".to_owned(),
        _ if of > 1 => format!("The model chose it in {votes} of {of} samples at node {}.", node.parent.map_or(0, |p| p.0)),
        _ => format!("The model chose it at node {}.", node.parent.map_or(0, |p| p.0)),
    };
    document.push(if node.by == By::You { Role::ByHand } else { Role::Text }, &said);
    let act = scene.state.step(node.step).and_then(|step| step.act).and_then(|act| scene.state.acts.get(act.index()));
    if let Some(Act::AskAgain { edits, .. }) = act.map(|act| &act.what) {
        let how = if edits.is_empty() { "" } else { ", with a prompt that you edited" };
        line(document, Role::ByHand, format!("✎ You asked the model for it{how}."));
    }
    if !node.marks.is_empty() && node.by != By::You {
        line(document, Role::ByHand, "✎ You chose it too.");
    }
    match scene.level(node.id) {
        Level::Unreadable => line(document, Role::Warning, "Its value is unknown: no number could be read from the model's reply."),
        Level::ByHand(value) => line(document, Role::ByHand, format!("✎ You gave it the value {value}.")),
        _ => {}
    }
}

/// What becomes of it.
fn fate(document: &mut Document, scene: &Scene, node: &Node) {
    let standing = scene.standing(node.id);
    if standing.withdrawn {
        line(document, Role::Warning, "You took it back (undo): the search does not see it.");
        return;
    }
    if standing.pruned {
        line(document, Role::Warning, "You pruned it: the search does not go on here. `x` opens it again.");
    }
    if let Some(step) = node.expanded.and_then(|step| scene.state.step(step)) {
        let order = node.order.map_or(String::new(), |order| format!("as number {} ", order + 1));
        let verb = if step.kind == StepKind::ForceFinal { "asked for a forced answer" } else { "expanded" };
        document.push(Role::Text, &format!("It was {verb} {order}because: {}.", step.why.trim_end_matches('.')));
        if !step.closed {
            line(document, Role::Accent, "That expansion is under way.");
        }
    } else if scene.next == Some(node.id) {
        document.push(Role::Next, &format!("▶ It is expanded next: {}.", why::next_node(&scene.state, node.id)));
    } else if node.action.is_answer() {
        let what = if scene.answer == Some(node.id) { "It is the answer of the search." } else { "It is an answer: nothing follows it." };
        line(document, Role::Text, what);
    } else if standing.grown_by_hand {
        line(document, Role::ByHand, "✎ You went on from here by hand, so the strategy leaves it to you.");
    } else if !standing.pruned {
        let value = scene.level(node.id).micro().map_or_else(|| "unknown".to_owned(), |value| value.to_string());
        line(document, Role::Text, format!("It is open and waits: its value is {value}; the best open node comes first."));
    }
}
