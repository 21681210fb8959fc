use super::super::testing::{never_panics, screen};
use super::*;

/// 0 has 1 and 2; 1 has 3 and 4; 4 has 5.
fn small(id: u32, out: &mut Vec<u32>) {
    out.extend_from_slice(match id {
        0 => &[1, 2],
        1 => &[3, 4],
        4 => &[5],
        _ => &[],
    });
}

fn shown(tree: &mut TreeList<u32>, width: u16, height: u16) -> String {
    let theme = Theme::default();
    screen(width, height, |buf, area| {
        tree.render(buf, area, true, &theme, |row, _| Line::raw(format!("node {}", row.id)));
    })
}

#[test]
fn guides_show_the_shape() {
    let mut tree = TreeList::default();
    tree.rebuild(&[0], small);
    let text = shown(&mut tree, 30, 7);
    assert_eq!(text, "▾ node 0\n├ ▾ node 1\n│ ├ node 3\n│ └ ▾ node 4\n│   └ node 5\n└ node 2\n\n");
}

#[test]
fn the_cursor_moves_and_branches_close() {
    let mut tree = TreeList::default();
    tree.rebuild(&[0], small);
    assert!(!tree.right(), "to the first child");
    assert_eq!(tree.current(), Some(1));
    tree.sibling(true);
    assert_eq!(tree.current(), Some(2));
    tree.sibling(false);
    assert!(tree.left());
    tree.rebuild(&[0], small);
    assert_eq!(tree.rows().len(), 3);
    assert_eq!(tree.current(), Some(1), "the cursor stays on its node");
    assert!(!tree.left(), "to the parent");
    assert_eq!(tree.current(), Some(0));
    tree.open_all();
    tree.rebuild(&[0], small);
    assert!(tree.select(5));
    tree.close_all();
    tree.rebuild(&[0], small);
    assert_eq!(tree.rows().len(), 3);
    assert!(!tree.select(5));
}

#[test]
fn five_thousand_levels_are_readable_and_quick() {
    let mut tree = TreeList::default();
    let chain = |id: u32, out: &mut Vec<u32>| out.extend((id < 5_000).then_some(id + 1));
    tree.rebuild(&[0], chain);
    tree.select(4_990);
    let text = shown(&mut tree, 20, 10);
    assert!(text.lines().all(|line| line.contains("node 49") || line.contains("node 50")), "{text}");
}

#[test]
fn no_size_breaks_it() {
    let theme = Theme::default();
    let mut tree = TreeList::default();
    tree.rebuild(&[0], |id: u32, out| out.extend((id < 40).then_some(id + 1)));
    tree.select(30);
    never_panics(|buf, area| tree.render(buf, area, true, &theme, |_, _| Line::raw("가나다")));
    never_panics(|buf, area| TreeList::<u32>::default().render(buf, area, true, &theme, |_, _| Line::default()));
}
