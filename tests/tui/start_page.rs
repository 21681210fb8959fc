//! The start page.

use super::desk::Desk;
use tree_of_traversals::tui::app::Effect;
use tree_of_traversals::tui::views::start::StartData;
use tree_of_traversals::tui::{Light, Offer, OpenHow, SampleQuestion, SessionInfo, Status};

fn desk() -> Desk {
    let session = |question: &str| SessionInfo {
        path: format!("{question}.jsonl").into(),
        question: question.into(),
        because: String::new(),
        depth: 0,
        when: "yesterday".into(),
        outcome: "answered: Jane Austen".into(),
        note: "lexical".into(),
    };
    Desk::start_page(StartData {
        samples: vec![SampleQuestion { question: "Who wrote Lady Susan?".into(), kind: "simple".into(), hops: 1 }],
        sessions: vec![session("first"), session("second")],
        recorded: vec![session("shipped")],
        status: vec![Status { what: "wikidata".into(), light: Light::Unreachable, line: "no connection: check the network".into() }],
        models: vec![],
        model: "lexical: built in, no neural network".into(),
        warnings: vec![],
    })
}

#[test]
fn says_what_is_there_and_what_to_do() {
    let screen = desk().screen(120, 40);
    for text in
        ["no neural network", "✗ unreachable wikidata", "check the network", "Who wrote Lady Susan?", "simple · 1 hop", "Jane Austen"]
    {
        assert!(screen.contains(text), "{text}: {screen}");
    }
}

#[test]
fn a_question_is_typed_or_pasted_and_asked() {
    let mut desk = desk();
    desk.press("text:Who space text:q");
    desk.paste("uit\u{1b}[2J?\r\nsecond line");
    desk.press("Enter");
    assert_eq!(desk.app.take_effects(), [Effect::Start("Who quit[2J? second line".into())]);
    assert!(desk.app.on_start_page(), "it stays until the session is there");
}

#[test]
fn samples_sessions_and_recordings_open() {
    let mut desk = desk();
    desk.press("Down Enter Down Enter Down Enter p");
    assert_eq!(
        desk.app.take_effects(),
        [
            Effect::Start("Who wrote Lady Susan?".into()),
            Effect::Open("shipped.jsonl".into(), OpenHow::Replay),
            Effect::Open("first.jsonl".into(), OpenHow::Resume),
            Effect::Open("first.jsonl".into(), OpenHow::Replay),
        ]
    );
}

#[test]
fn earlier_questions_come_back_and_letters_begin_a_new_one() {
    let mut desk = desk();
    desk.press("Up Up Enter");
    assert_eq!(desk.app.take_effects(), [Effect::Start("second".into())]);
    let mut desk = self::desk();
    desk.press("Down text:W Enter");
    assert_eq!(desk.app.take_effects(), [Effect::Start("W".into())]);
}

#[test]
fn quits_and_helps_and_no_size_breaks_it() {
    let mut desk = desk();
    assert!(desk.press("Down ?").screen(120, 40).contains("expand by hand"));
    desk.press("Escape q");
    assert_eq!(desk.app.take_effects(), [Effect::Quit]);
    desk.press("ctrl-c");
    assert_eq!(desk.app.take_effects(), [Effect::Quit]);
    for width in 1..=45 {
        for height in 1..=14 {
            desk.screen(width, height);
        }
    }
}

#[test]
fn warnings_stand_on_the_page_and_are_read_whole_at_any_time() {
    let mut desk = desk();
    let long = format!("graph.nt: 3 lines were skipped: line 7 {}the end of it", "x ".repeat(90));
    desk.app.warn(vec![long, "the theme `neon` is unknown".into()]);
    let screen = desk.screen(120, 40);
    assert!(screen.contains("⚠ graph.nt: 3 lines were skipped") && screen.contains("the theme `neon` is unknown"), "{screen}");
    let whole = desk.press("Down : text:warnings Enter").screen(120, 40);
    assert!(whole.contains("x x the end") && whole.contains("of it") && whole.contains("neon"), "{whole}");
    for (width, height) in [(1, 1), (5, 3), (12, 12), (40, 10)] {
        desk.screen(width, height);
    }
    desk.press("Escape");
    assert!(!desk.app.has_popup());
    let none = self::desk().press("Down : text:warnings Enter").screen(120, 40);
    assert!(none.contains("nothing was found amiss"), "{none}");
}

fn offer(spec: &str, chosen: bool, proposed: bool) -> Offer {
    Offer { spec: spec.into(), about: format!("about {spec}"), chosen, configured: false, proposed }
}

#[test]
fn models_that_were_found_can_be_chosen_and_nothing_moves_by_itself() {
    let mut desk = desk();
    desk.press("Down Down Down");
    let selected = desk.screen(120, 40);
    // They come when they are found: what is selected stays selected.
    let found = vec![offer("lexical", true, false), offer("openai:small", false, false), offer("openai:gpt-4o-mini", false, true)];
    desk.app.models(found.clone(), "lexical: built in".into());
    desk.press("Enter");
    assert_eq!(desk.app.take_effects(), [Effect::Open("first.jsonl".into(), OpenHow::Resume)], "{selected}");
    let screen = desk.screen(120, 40);
    for text in ["2 others found: F2 chooses", "Models to ask", "● lexical", "○ openai:small", "about openai:small"] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    desk.press("F2 Down Enter");
    assert_eq!(desk.app.take_effects(), [Effect::Choose(found[1].clone(), "openai:small".into())]);
    // One that costs is named first; Escape leaves everything as it was.
    desk.press("F2 Down Down Enter");
    assert!(desk.app.take_effects().is_empty());
    assert!(desk.screen(120, 40).contains("Which model? about openai:gpt-4o-mini"));
    desk.press("Escape text:Who");
    desk.press("F2 Down Down Enter Backspace Backspace Backspace Backspace Backspace Enter");
    assert_eq!(desk.app.take_effects(), [Effect::Choose(found[2].clone(), "openai:gpt-4o".into())]);
}

#[test]
fn without_offers_the_page_is_as_it_was() {
    let mut desk = desk();
    desk.press("F2");
    assert!(!desk.screen(120, 40).contains("Models to ask"));
    desk.app.models(vec![], "lexical".into());
    assert!(desk.app.take_effects().is_empty());
}
