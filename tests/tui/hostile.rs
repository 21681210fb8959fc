//! Nothing that a KG or a model says reaches the screen as a command.

use super::desk::{Desk, film, text};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use tree_of_traversals::asm::Action;
use tree_of_traversals::graph::{Delta, Edge, Entity, Literal, LiteralKind, Object};
use tree_of_traversals::search::{Event, NewNode, Outcome, Reading, Reason};
use tree_of_traversals::tui::views::layout::places;
use unicode_segmentation::UnicodeSegmentation;

const HOSTILE: &str = "Harbour\u{1b}]52;c;Zm9v\u{7} \u{9b}2J\u{1b}[31m\r\n\t\u{202e}가나다 e\u{301} 👨‍👩‍👧 \0end";

/// The film session with hostile text wherever the world can put it.
fn poisoned() -> Desk {
    saying(HOSTILE)
}

/// The film session with `said` wherever the world can put it.
fn saying(said: &str) -> Desk {
    let mut world = film(usize::MAX);
    for entry in &mut world.entries {
        match &mut entry.ev {
            Event::Started(started) => started.question = said.into(),
            Event::Part { text, .. } => *text = format!("{text} {said}").into(),
            Event::Read { rows, .. } => rows.push(Reading {
                slots: vec![],
                outcome: Outcome::Rejected { text: said.into(), reason: Reason::Unreadable, why: said.into() },
            }),
            Event::Grew { children, notices, .. } => {
                notices.push(said.into());
                children.iter_mut().for_each(|child| poison(child, said));
            }
            Event::Finished(end) => end.why = said.into(),
            Event::Opened { why, .. } => *why = said.into(),
            _ => {}
        }
    }
    Desk::at(&world)
}

fn poison(node: &mut NewNode, said: &str) {
    match &mut node.action {
        Action::Think { text } | Action::Answer { text, .. } | Action::Expand { text } => *text = said.into(),
        _ => {}
    }
    node.observation = Some(said.into());
    let literal = Literal { kind: LiteralKind::Text, text: said.into(), raw: None, lang: None };
    let Delta { entities, relations, edges, .. } = &mut node.delta;
    entities.iter_mut().for_each(|entity| (entity.label, entity.description) = (Some(said.into()), Some(said.into())));
    relations.iter_mut().for_each(|(_, label)| *label = said.into());
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

/// Labels with tabs and line ends, with emoji that are a sequence of characters, with combining marks, and with letters two columns
/// wide.
const LABELS: [&str; 6] =
    ["name\tvalue\r\nnext", "\u{267b}\u{fe0f} 再生", "\u{1f469}\u{200d}\u{1f52c} lab", "e\u{301}te\u{301}", "กำแพง", "가나다"];

/// Every column of a border where it belongs, whatever stands between.
fn assert_borders(desk: &Desk, buffer: &Buffer, what: &str) {
    let view = desk.app.session().unwrap();
    let banners = u16::from(view.past.is_some());
    for (pane, rect) in places(buffer.area, view.focus, view.zoom, banners).panes {
        for y in rect.top()..rect.bottom() {
            for x in [rect.left(), rect.right() - 1] {
                let symbol = buffer[(x, y)].symbol();
                assert!(
                    "│┃┌└┐┘┏┗┓┛├┤╭╰╮╯".contains(symbol) && !symbol.is_empty(),
                    "{what}: {symbol:?} on the border of {pane:?} at {x},{y}"
                );
            }
        }
    }
}

/// No letter is cut in two: what a cell holds of a label is one of its grapheme clusters, whole.
fn assert_whole(buffer: &Buffer, what: &str) {
    let all = LABELS.concat();
    let clusters: Vec<&str> = LABELS.iter().flat_map(|label| label.graphemes(true)).collect();
    for cell in &buffer.content {
        // A sentence may begin with a capital.
        let symbol = cell.symbol().to_lowercase();
        if symbol.chars().any(|letter| !letter.is_ascii() && all.contains(letter)) {
            assert!(clusters.contains(&&*symbol), "{what}: {symbol:?} is a part of a letter");
        }
    }
}

/// After any move the screen shows what a fresh screen would: no remains of the frame before.
#[test]
fn odd_letters_shift_no_border_are_cut_whole_and_leave_nothing_behind() {
    let moves = "1 Down Down PageDown PageUp G g 2 Down PageDown . Down Down PageDown . Right 3 PageDown Up . . . 6 ( ] ] ) 1 z z G";
    let once = LABELS.join(" ");
    // What is cut is cut at another place each time.
    let turned = [&LABELS[3..], &LABELS[..3]].concat().join("-");
    for said in [once, turned.clone(), turned.repeat(20)] {
        let mut desk = saying(&said);
        for (width, height) in [(200, 60), (80, 24), (47, 12)] {
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            for keys in moves.split(' ') {
                let now = desk.now;
                desk.press(keys);
                terminal.draw(|frame| desk.app.draw(frame, now)).unwrap();
                let what = format!("{said:?} at {width}x{height} after {keys}");
                let kept = terminal.backend().buffer();
                assert_borders(&desk, kept, &what);
                assert_whole(kept, &what);
                assert_eq!(text(kept), desk.screen(width, height), "{what}");
            }
        }
    }
}
