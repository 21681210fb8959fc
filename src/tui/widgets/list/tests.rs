use super::super::testing::{SIZES, never_panics, screen};
use super::*;

fn press(list: &mut PickList, code: KeyCode) -> Picked {
    list.key(&KeyEvent::new(code, KeyModifiers::NONE))
}

fn relations() -> Vec<Item> {
    let item = |label: &str, id: &str, right: &str| Item { detail: id.into(), right: right.into(), kg: Some(0), ..Item::new(label) };
    let mut items = vec![item("cast member", "P161 →", "12"), item("director", "P57 →", "1"), item("composer", "P86 →", "1")];
    items.push(Item { dimmed: Some("already used".into()), barred: true, ..item("genre", "P136 →", "5") });
    items
}

#[test]
fn a_few_letters_find_by_label_and_id() {
    let mut list = PickList::one(relations());
    for letter in "/cme".chars() {
        press(&mut list, KeyCode::Char(letter));
    }
    assert_eq!(press(&mut list, KeyCode::Enter), Picked::Nothing, "ends the typing");
    assert_eq!(press(&mut list, KeyCode::Enter), Picked::Item(0));
    assert_eq!(press(&mut list, KeyCode::Esc), Picked::Nothing, "shows all again");
    assert_eq!((list.find(), list.current()), ("", Some(0)));
    let mut list = PickList::one(relations()).typing_at_once();
    press(&mut list, KeyCode::Char('d'));
    press(&mut list, KeyCode::Char('i'));
    assert_eq!(press(&mut list, KeyCode::Enter), Picked::Item(1));
    let mut list = PickList::one(relations());
    list.paste("p57");
    assert_eq!(list.current(), Some(1));
    list.paste("zzz");
    press(&mut list, KeyCode::Enter);
    assert_eq!(press(&mut list, KeyCode::Enter), Picked::Nothing);
}

#[test]
fn letters_move_until_something_is_looked_for() {
    let mut list = PickList::one(relations());
    let mut at = |code| {
        press(&mut list, code);
        list.current()
    };
    assert_eq!(at(KeyCode::Char('j')), Some(1));
    assert_eq!(at(KeyCode::Char('G')), Some(3));
    assert_eq!(at(KeyCode::Char('k')), Some(2));
    assert_eq!(at(KeyCode::Char('g')), Some(0));
}

#[test]
fn space_checks_several_and_barred_rows_stay() {
    let mut list = PickList::several(relations(), |at| at == 1);
    press(&mut list, KeyCode::Char(' '));
    press(&mut list, KeyCode::Up);
    press(&mut list, KeyCode::Char(' '));
    assert_eq!(list.current(), Some(3), "moving goes round");
    assert_eq!(list.picked(), [0, 1], "the barred row is not checked");
    assert_eq!(press(&mut list, KeyCode::Enter), Picked::Nothing);
    assert_eq!(press(&mut list, KeyCode::Esc), Picked::Ignored);
}

#[test]
fn shows_counts_signs_and_reasons() {
    let text =
        screen(60, 6, |buf, area| PickList::several(relations(), |at| at == 0).render(buf, area, "find a relation", &Theme::default()));
    assert!(text.contains("[x] ◆ cast member  P161 →"), "{text}");
    assert!(text.contains("already used  5"), "{text}");
    assert!(text.contains("find a relation"), "{text}");
}

#[test]
fn no_size_breaks_it() {
    let theme = Theme::default();
    let hostile = vec![Item { detail: "\u{1b}[2J".into(), ..Item::new("가나다라마바사 e\u{301}\u{7}") }; 40];
    let mut list = PickList::several(hostile.clone(), |_| false);
    press(&mut list, KeyCode::End);
    never_panics(|buf, area| list.render(buf, area, "hint", &theme));
    for (width, height) in SIZES {
        let text = screen(width, height, |buf, area| PickList::one(hostile.clone()).render(buf, area, "hint", &theme));
        assert!(!text.contains(['\u{1b}', '\u{7}']));
    }
    never_panics(|buf, area| PickList::default().render(buf, area, "hint", &theme));
}
