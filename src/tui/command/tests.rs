use super::*;
use crate::asm::AsmState;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use indexmap::IndexMap;
use std::collections::HashSet;

fn press(code: KeyCode, modifiers: KeyModifiers) -> KeyEvent {
    KeyEvent::new(code, modifiers)
}

#[test]
fn the_table_has_no_clash_and_no_key_of_multiplexers() {
    let (map, warnings) = KeyMap::new(&IndexMap::new());
    assert_eq!(warnings, Vec::<String>::new());
    for control in Control::ALL {
        assert!(!map.keys(*control).is_empty(), "{} has no key", control.spec().name);
        for key in control.spec().keys {
            assert!(!["ctrl-a", "ctrl-b", "ctrl-o", "ctrl-p", "ctrl-s"].contains(key), "{key} clashes with tmux or zellij");
        }
    }
    let names: HashSet<&str> = Control::ALL.iter().map(|control| control.spec().name).collect();
    assert_eq!(names.len(), Control::ALL.len(), "names are unique");
}

#[test]
fn keys_are_read_from_events() {
    let map = KeyMap::default();
    assert_eq!(map.control(&press(KeyCode::Char(' '), KeyModifiers::NONE)), Some(Control::Pause));
    assert_eq!(map.control(&press(KeyCode::Char('S'), KeyModifiers::SHIFT)), Some(Control::StepPhase));
    assert_eq!(map.control(&press(KeyCode::Char('c'), KeyModifiers::CONTROL)), Some(Control::Quit));
    assert_eq!(map.control(&press(KeyCode::BackTab, KeyModifiers::SHIFT)), Some(Control::PreviousPane));
    assert_eq!(map.control(&press(KeyCode::Char('s'), KeyModifiers::ALT)), None);
    let mut release = press(KeyCode::Char('s'), KeyModifiers::NONE);
    release.kind = KeyEventKind::Release;
    assert_eq!(map.control(&release), None);
}

#[test]
fn every_key_is_written_as_it_is_read() {
    for control in Control::ALL {
        for key in control.spec().keys {
            assert!(Chord::parse(key).is_some(), "{key}");
        }
    }
    assert_eq!(Chord::parse("ctrl-alt-x").unwrap().to_string(), "ctrl-alt-x");
    assert_eq!(Chord::parse("nonsense"), None);
    assert_eq!(Chord::parse(""), None);
}

#[test]
fn a_changed_key_wins_and_a_clash_is_told() {
    let changed: IndexMap<String, Vec<String>> =
        [("step".to_owned(), vec!["x".to_owned()]), ("fly".to_owned(), vec!["y".to_owned()])].into_iter().collect();
    let (map, warnings) = KeyMap::new(&changed);
    assert_eq!(map.control(&press(KeyCode::Char('x'), KeyModifiers::NONE)), Some(Control::Step));
    assert_eq!(map.control(&press(KeyCode::Char('s'), KeyModifiers::NONE)), None);
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].contains("`fly`"));
    assert!(warnings[1].contains("`x`") && warnings[1].contains("prune"), "{}", warnings[1]);
}

#[test]
fn what_does_not_apply_says_why() {
    let node = NodeFacts { state: AsmState::Default, is_root: false, is_answer: false, is_error: false, has_choices: false };
    let at = Context { session: true, run: Run::Running, node: Some(node), pane: Some(Pane::Tree), ..Context::default() };
    assert_eq!(Control::ExpandByHand.applies(&at), Ok(()));
    assert_eq!(Control::Accept.applies(&at), Err("the selected node is no answer"));
    assert_eq!(Control::Abort.applies(&at), Err("no call is in flight"));
    assert_eq!(Control::NextTab.applies(&at), Err("another pane has the focus"));

    let answer = Context { node: Some(NodeFacts { state: AsmState::Done, is_answer: true, ..node }), ..at };
    assert_eq!(Control::Accept.applies(&answer), Ok(()));
    assert!(Control::ExpandByHand.applies(&answer).is_err());
    assert_eq!(Control::Prune.applies(&answer), Ok(()));

    let past = Context { past: true, ..at };
    assert!(Control::Prune.applies(&past).is_err_and(|why| why.contains("past")));
    assert_eq!(Control::Latest.applies(&past), Ok(()));
    assert_eq!(Control::Pause.applies(&past), Ok(()), "looking back never takes the engine's controls away");

    let recorded = Context { run: Run::Recorded, ..at };
    assert!(Control::Step.applies(&recorded).is_err_and(|why| why.contains("recorded")));
    assert!(Control::Pause.applies(&Context { run: Run::Finished, ..at }).is_err_and(|why| why.contains("limits")));
    assert!(Control::Limits.applies(&Context { run: Run::Finished, ..at }).is_ok());
}
