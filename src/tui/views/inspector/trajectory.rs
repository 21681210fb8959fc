//! The walk from the question to a node: actions and what each brought.

use super::super::super::scene::{Scene, glyph, label};
use super::super::super::theme::Role;
use super::super::super::widgets::wrap::Document;
use crate::search::{By, NodeId};

pub(super) fn document(scene: &Scene, id: NodeId) -> Document {
    let mut document = Document::default();
    for node in scene.state.path_to(id) {
        let level = scene.level(node.id);
        let value = level.micro().map_or_else(|| "   ?".to_owned(), |value| value.to_string());
        let role = level.micro().map_or(Role::Unknown, Role::of_value);
        let hand = if node.by == By::You || !node.marks.is_empty() { "✎ " } else { "" };
        document.push_line([
            (Role::Dim, format!("{:>3}  ", node.depth)),
            (role, format!("{value}  ")),
            (Role::ByHand, hand.to_owned()),
            (Role::Title, format!("{} {}", glyph(&node.action), label(&scene.state, node.id))),
            (Role::Dim, format!("  · node {}", node.id.0)),
        ]);
        if let Some(observation) = &node.observation {
            document.push(Role::Dim, &format!("           {observation}"));
        }
    }
    document
}
