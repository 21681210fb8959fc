use super::super::testing::{SIZES, never_panics, screen};
use super::*;
use std::fmt::Write;

fn long(bytes: usize) -> String {
    let mut text = String::new();
    let mut n = 0;
    while text.len() < bytes {
        let _ = writeln!(text, "{n} Michael Caine acted in Inception, and in Interstellar too; \"quoted\" {{Q123351}} …");
        n += 1;
    }
    text
}

#[test]
fn scrolls_to_the_end_of_a_long_prompt_at_once() {
    let theme = Theme::default();
    let mut pager = Pager::new(Document::of(&long(100_000)));
    let area = Rect::new(0, 0, 80, 24);
    pager.bottom();
    let mut buffer = Buffer::empty(area);
    pager.render(&mut buffer, area, &theme);
    let started = std::time::Instant::now();
    for _ in 0..20 {
        pager.render(&mut buffer, area, &theme);
    }
    // Generous for an unoptimized build on a busy machine: wrapping on every frame takes ten times as long.
    assert!(started.elapsed().as_millis() < 400, "{:?} for 20 frames", started.elapsed());
    let text = super::super::testing::text(&buffer);
    assert!(text.lines().last().unwrap().contains('…'), "{text}");
}

#[test]
fn finds_and_marks_text_even_where_it_wraps() {
    let theme = Theme::default();
    let mut pager = Pager::new(Document::of("one\ntwo\nthree words wrap here\nfour\nfive"));
    let draw = |pager: &mut Pager| screen(8, 2, |buf, area| pager.render(buf, area, &theme));
    draw(&mut pager);
    pager.set_find("Words Wrap");
    assert!(pager.find(true, true));
    assert!(draw(&mut pager).starts_with("three"), "{}", draw(&mut pager));
    assert!(pager.find(true, false), "round to the same place");
    pager.set_find("nowhere");
    assert!(!pager.find(true, true));
}

#[test]
fn a_new_width_keeps_the_place() {
    let theme = Theme::default();
    let mut pager = Pager::new(Document::of(&long(5_000)));
    screen(80, 10, |buf, area| pager.render(buf, area, &theme));
    pager.scroll(20);
    let first = |text: String| text.split_whitespace().next().map(str::to_owned);
    let before = first(screen(80, 10, |buf, area| pager.render(buf, area, &theme)));
    let after = first(screen(60, 10, |buf, area| pager.render(buf, area, &theme)));
    assert!(before.is_some());
    assert!(before == after || before.as_deref() == Some("too;"), "{before:?} {after:?}");
}

#[test]
fn no_size_breaks_it_and_no_control_character_comes_through() {
    let theme = Theme::default();
    never_panics(|buf, area| Pager::new(Document::of("Harbour\u{1b}[2J\u{7}\n가나다 e\u{301}")).render(buf, area, &theme));
    for (width, height) in SIZES {
        let text = screen(width, height, |buf, area| Pager::new(Document::of("Har\u{1b}[2Jbour")).render(buf, area, &theme));
        assert!(!text.contains('\u{1b}'));
    }
}
