//! Nothing that a KG or a model says reaches the screen as a command.

use super::desk::{Desk, film};
use tree_of_traversals::asm::Action;
use tree_of_traversals::graph::{Delta, Edge, Entity, Literal, LiteralKind, Object};
use tree_of_traversals::search::{Event, NewNode, Outcome, Reading, Reason};

const HOSTILE: &str = "Harbour\u{1b}]52;c;Zm9v\u{7} \u{9b}2J\u{1b}[31m\r\n\t\u{202e}가나다 e\u{301} 👨‍👩‍👧 \0end";

/// The film session with hostile text wherever the world can put it.
fn poisoned() -> Desk {
    let mut world = film(usize::MAX);
    for entry in &mut world.entries {
        match &mut entry.ev {
            Event::Started(started) => started.question = HOSTILE.into(),
            Event::Part { text, .. } => *text = format!("{text} {HOSTILE}").into(),
            Event::Read { rows, .. } => rows.push(Reading {
                slots: vec![],
                outcome: Outcome::Rejected { text: HOSTILE.into(), reason: Reason::Unreadable, why: HOSTILE.into() },
            }),
            Event::Grew { children, notices, .. } => {
                notices.push(HOSTILE.into());
                children.iter_mut().for_each(poison);
            }
            Event::Finished(end) => end.why = HOSTILE.into(),
            Event::Opened { why, .. } => *why = HOSTILE.into(),
            _ => {}
        }
    }
    Desk::at(&world)
}

fn poison(node: &mut NewNode) {
    match &mut node.action {
        Action::Think { text } | Action::Answer { text, .. } | Action::Expand { text } => *text = HOSTILE.into(),
        _ => {}
    }
    node.observation = Some(HOSTILE.into());
    let literal = Literal { kind: LiteralKind::Text, text: HOSTILE.into(), raw: None, lang: None };
    let Delta { entities, relations, edges, .. } = &mut node.delta;
    entities.iter_mut().for_each(|entity| (entity.label, entity.description) = (Some(HOSTILE.into()), Some(HOSTILE.into())));
    relations.iter_mut().for_each(|(_, label)| *label = HOSTILE.into());
    if let Some(Entity { id, kg, .. }) = entities.first() {
        edges.push(Edge { s: id.clone(), r: "P1\u{1b}[2J".into(), o: Object::Literal(literal), kg: kg.clone(), notes: Vec::new() });
    }
}

#[test]
fn no_cell_holds_a_control_character() {
    let views = [
        "1",
        "2",
        "2 .",
        "2 . .",
        "3",
        "3 .",
        "3 . .",
        "3 . . .",
        "3 . . . .",
        "3 , ,",
        "3 ,",
        "6",
        "6 (",
        "e",
        "o",
        "K",
        "v",
        "H",
        ":",
        "?",
    ];
    for keys in views {
        for row in ["g", "g Down Down", "G"] {
            let mut desk = poisoned();
            desk.press("1").press(row).press(keys);
            for (width, height) in [(200, 60), (80, 24), (20, 5)] {
                let buffer = desk.buffer(width, height);
                for cell in &buffer.content {
                    let bad = cell.symbol().chars().find(|c| c.is_control() || *c == '\u{202e}');
                    assert_eq!(bad, None, "{keys} {row}: {:?}", cell.symbol());
                }
            }
        }
    }
}

#[test]
fn copies_hold_no_control_character_either() {
    for keys in ["1", "2", "2 .", "3", "3 .", "6"] {
        let mut desk = poisoned();
        desk.press(keys).press("y");
        for effect in desk.app.take_effects() {
            if let tree_of_traversals::tui::app::Effect::Copy(text) = effect {
                assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{keys}");
            }
        }
    }
}

#[test]
fn wide_characters_are_cut_whole() {
    let mut desk = poisoned();
    for width in 1..60 {
        let buffer = desk.buffer(width, 24);
        for y in 0..24 {
            for x in 0..width {
                let columns = tree_of_traversals::text::width(buffer[(x, y)].symbol());
                assert!(usize::from(x) + columns <= usize::from(width), "a wide character hangs over the edge at {x},{y} of {width}");
            }
        }
    }
}
