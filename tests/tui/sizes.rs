//! Every size shows what it can, and none breaks anything.

use super::desk::{Desk, film};

#[test]
fn the_four_sizes() {
    for (width, height) in [(200, 60), (80, 24), (20, 5), (1, 1)] {
        let mut desk = Desk::at(&film(90));
        let screen = desk.screen(width, height);
        insta::assert_snapshot!(format!("film_at_90_{width}x{height}"), screen);
    }
}

#[test]
fn no_size_breaks_any_pane_or_popup() {
    let openings = [
        "1",
        "2",
        "2 .",
        "2 . .",
        "3",
        "3 .",
        "3 . .",
        "3 . . .",
        "3 . . . .",
        "4",
        "5",
        "6",
        "z",
        ":",
        "?",
        "/",
        "e",
        "e Down Down Down Enter",
        "o",
        "v",
        "H",
        "a",
        "K",
        "K r",
        "K s",
        "L",
        "2 d",
        "2 . d",
        "3 . . . . . .",
        "W",
        "B",
        "B a",
        "D",
        "f",
        "C",
        "1 g r",
        "1 g r Enter",
        "2 Down Down w",
        "2 Down Down w Enter",
        "1 g e Enter",
        "F2",
        "(",
        "{",
    ];
    let world = film(usize::MAX);
    for keys in openings {
        let mut desk = Desk::at(&world);
        desk.press("Up Up Up").press(keys);
        for width in 0..=12 {
            for height in 0..=12 {
                if width > 0 && height > 0 {
                    desk.screen(width, height);
                }
            }
        }
        for (width, height) in [(40, 10), (39, 30), (60, 9), (100, 30), (99, 29), (200, 60), (400, 120), (80, 24), (20, 5)] {
            desk.screen(width, height);
        }
    }
}

#[test]
fn small_screens_show_one_pane_and_all_keys_still_work() {
    let mut desk = Desk::at(&film(usize::MAX));
    assert!(desk.screen(80, 24).contains("[1 Search tree]"));
    let graph = desk.press("2").screen(80, 24);
    assert!(
        graph.contains("[2 Local graph]") && graph.contains("Leonardo DiCaprio") && !graph.contains("expand: look at the films"),
        "{graph}"
    );
    let tiny = desk.press("1").screen(39, 9);
    assert!(tiny.contains("answer: ") && !tiny.contains('┃'), "{tiny}");
    let refused = desk.press("s").screen(39, 9);
    assert!(refused.contains("step: the search has ended"), "a tiny screen shows messages too: {refused}");
}
