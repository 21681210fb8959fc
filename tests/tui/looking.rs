//! Looking: marks, reasons, time, finding, copying.

use super::desk::{Desk, film, live, snapshot};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tree_of_traversals::calls::CallError;
use tree_of_traversals::llm::{Ability, Capabilities, LanguageModel, LlmJob, Wire};
use tree_of_traversals::runner::{Command, Learnt, Live, Pace};
use tree_of_traversals::search::{Event, Got, NodeId, State};
use tree_of_traversals::tui::app::Effect;
use tree_of_traversals::tui::scene::{Scene, label};
use tree_of_traversals::tui::views::inspector::{Tab, document};

/// The row of the tree that shows this text.
fn row(screen: &str, text: &str) -> String {
    screen.lines().skip(1).find(|line| line.contains(text)).unwrap_or_else(|| panic!("{text} is not in\n{screen}")).to_owned()
}

#[test]
fn the_next_node_is_always_marked() {
    let whole = film(usize::MAX);
    let mut seen = 0;
    for count in 1..whole.entries.len() {
        let state = State::from_entries(&whole.entries[..count]).unwrap();
        let Some(next) = state.next_node().filter(|_| state.finished.is_none()) else { continue };
        let mut desk = Desk::at(&film(count));
        let screen = desk.press("z").screen(200, 60);
        let line = row(&screen, &format!(" {} ", label(&state, next)));
        let working = state.open_steps().filter_map(|step| step.node).last();
        assert!(line.contains('▶') || working == Some(next), "after {count} entries: {line}");
        assert!(screen.matches('▶').count() <= 3, "one mark: {screen}");
        seen += 1;
    }
    assert!(seen > 20);
}

#[test]
fn rejected_samples_say_why_and_can_be_hidden() {
    let mut desk = Desk::at(&film(usize::MAX));
    assert!(desk.screen(200, 60).contains("⊘ Q25191  it names none of the offered entities"));
    let hidden = desk.press("R").screen(200, 60);
    assert!(!hidden.contains('⊘'), "{hidden}");
    assert!(hidden.contains("are hidden"));
    assert!(desk.press("R").screen(200, 60).contains('⊘'));
}

#[test]
fn looking_back_shows_the_state_of_then_and_never_stops_the_search() {
    let world = film(80);
    let mut desk = Desk::with(&world, |live| live.pace = Pace::Run);
    let present = desk.screen(200, 60);
    let past = desk.press("{ {").screen(200, 60);
    assert!(past.contains("looking back: after event") && past.contains("the search goes on"), "{past}");
    assert_eq!(desk.sent(), [], "nothing is told to the runner");
    let nodes = |desk: &Desk| desk.app.session().unwrap().scene.state.nodes.len();
    let then = nodes(&desk);
    // Two more expansions arrive: the view stays in the past, the number of events in the banner grows.
    desk.entries = film(120).entries;
    desk.arrive();
    assert_eq!(nodes(&desk), then);
    assert!(desk.screen(200, 60).contains("of 119"), "{}", desk.screen(200, 60));
    let back = desk.press(")").screen(200, 60);
    assert!(!back.contains("looking back") && back != present);
    assert_eq!(nodes(&desk), desk.app.session().unwrap().snapshot.state.nodes.len());
}

#[test]
fn every_event_can_be_looked_at() {
    let world = film(usize::MAX);
    let mut desk = Desk::at(&world);
    for count in (1..world.entries.len()).rev() {
        desk.press("[");
        let shown = desk.app.session().unwrap().scene.state.clone();
        assert_eq!(*shown, State::from_entries(&world.entries[..count]).unwrap());
        desk.screen(120, 40);
    }
    assert!(desk.press("[").screen(120, 40).contains("this is the first event"));
}

#[test]
fn acts_are_refused_in_the_past_and_in_recordings_with_the_reason() {
    let world = film(usize::MAX);
    let mut desk = Desk::at(&world);
    assert!(desk.press("{ x").screen(160, 50).contains("prune or unprune: the view is in the past"));
    assert_eq!(desk.sent(), []);
    let mut desk = Desk::with(&world, |live| live.replay = true);
    let screen = desk.press("e").screen(160, 50);
    assert!(screen.contains("this is a recorded session: fork it to go on"), "{screen}");
    assert!(screen.contains("a recording: no model and no KG is asked"));
    assert!(matches!(desk.press("f Enter").sent()[..], [Command::Fork { at, stop: false, .. }] if at + 1 == world.entries.len() as u64));
}

#[test]
fn the_palette_dims_what_does_not_apply_and_runs_the_rest() {
    let mut desk = Desk::at(&film(usize::MAX));
    let screen = desk.press(": text:abort").screen(160, 50);
    assert!(row(&screen, "abort calls").contains("no call is in flight"));
    let screen = desk.press("Enter").screen(160, 50);
    assert!(screen.contains("abort calls: no call is in flight"), "{screen}");
    desk.press(": text:faster Backspace Backspace Backspace Backspace Backspace Backspace text:slower Enter");
    assert_eq!(desk.sent().len(), 1);
}

#[test]
fn help_and_footer_come_from_the_table() {
    let mut desk = Desk::at(&film(90));
    let help = desk.press("?").screen(200, 120);
    for name in ["expand by hand", "override", "fork here", "theme", "Signs"] {
        assert!(help.contains(name), "{name}: {help}");
    }
    let footer = desk.press("Escape").screen(200, 60).lines().last().unwrap().to_owned();
    assert!(footer.contains("space continue") && footer.contains("? help"), "{footer}");
    assert!(!footer.contains("accept"), "what does not apply is not offered: {footer}");
}

#[test]
fn text_is_found_in_every_pane() {
    let mut desk = Desk::at(&film(usize::MAX));
    desk.press("1 / text:Matthew Enter");
    assert_eq!(desk.app.session().unwrap().node(), Some(NodeId(13)));
    let screen = desk.press("2 / text:burstyn Enter").screen(160, 50);
    assert!(screen.contains("Ellen Burstyn"), "{screen}");
    assert!(desk.press("6 / text:zzz Enter").screen(160, 50).contains("“zzz” is not in this pane"));
    desk.press("6 / text:ended Enter");
    assert_eq!(desk.app.session().unwrap().timeline.selected + 1, desk.entries.len());
}

#[test]
fn the_prompt_is_copied_exactly_as_it_was_sent() {
    let world = film(usize::MAX);
    let mut desk = Desk::at(&world);
    desk.press("1 g 3 y");
    let effects = desk.app.take_effects();
    let [Effect::Copy(text)] = &effects[..] else { panic!("{effects:?}") };
    let state = &world.state;
    let ask = state.asks.iter().find(|ask| ask.key.purpose == tree_of_traversals::search::Purpose::Sample).unwrap();
    let tree_of_traversals::search::Call::Llm(call) = &ask.call else { panic!() };
    let parts: Vec<&str> = call.parts.iter().map(|id| state.parts[id.index()].text.trim_end()).collect();
    assert_eq!(*text, parts.join("\n\n"));
}

#[test]
fn why_names_the_reason_of_the_strategy() {
    let world = film(usize::MAX);
    let mut desk = Desk::at(&world);
    let screen = desk.press("1 / text:cast Enter n n 3 . . . .").screen(200, 60);
    assert!(screen.contains("[Why]"), "{screen}");
    assert!(screen.contains("because:") || screen.contains("It is open and waits"), "{screen}");
    assert!(screen.contains("Why it ended"));
}

#[test]
fn evidence_names_facts_and_the_nodes_that_brought_them() {
    let mut desk = Desk::at(&film(usize::MAX));
    let screen = desk.press("3 , ").screen(200, 60);
    assert!(screen.contains("[Evidence]") && screen.contains("2 facts"), "{screen}");
    assert!(screen.contains("brought by node 9"), "{screen}");
}

#[test]
fn a_notice_of_the_runner_shows_once() {
    let world = film(90);
    let mut desk = Desk::at(&world);
    desk.live.notice = Some((0, "the fork can't be recorded".into()));
    desk.arrive();
    assert!(desk.screen(120, 40).contains("the fork can't be recorded"));
    desk.press("Down");
    desk.arrive();
    assert!(!desk.screen(120, 40).contains("the fork can't be recorded"));
}

#[test]
fn a_fork_is_another_session_in_the_same_view() {
    let world = film(usize::MAX);
    let mut desk = Desk::at(&world);
    desk.press("{ {");
    let mut fork = live();
    fork.session = "fork".into();
    fork.replaying_parent = true;
    fork.parent = Some(("first".to_owned(), 3));
    desk.app.snapshot(snapshot(&world.entries[..60], fork));
    let screen = desk.screen(160, 50);
    assert!(screen.contains("a fork: replies come from the parent's recording"), "{screen}");
    assert!(!screen.contains("looking back"));
    assert!(Arc::ptr_eq(&desk.app.session().unwrap().scene.state, &desk.app.session().unwrap().snapshot.state));
}

/// Press, release, press, repeat, release: three moves, and no frame for a release.
#[test]
fn releases_of_keys_do_nothing() {
    use crossterm::event::{Event as TermEvent, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
    let mut desk = Desk::at(&film(usize::MAX));
    let event = |desk: &mut Desk, code, kind| {
        let mut event = KeyEvent::new(code, KeyModifiers::NONE);
        event.kind = kind;
        desk.app.event(&TermEvent::Key(event))
    };
    let (down, space) = (KeyCode::Char('j'), KeyCode::Char(' '));
    desk.press("1 g");
    let kinds = [KeyEventKind::Press, KeyEventKind::Release, KeyEventKind::Press, KeyEventKind::Repeat, KeyEventKind::Release];
    for kind in kinds {
        assert_eq!(event(&mut desk, down, kind), kind != KeyEventKind::Release, "not even a frame for a release");
    }
    let released = desk.screen(120, 40);
    assert_eq!(released, desk.press("g Down Down Down").screen(120, 40));
    assert_ne!(released, desk.press("Up").screen(120, 40));
    let mut desk = Desk::at(&film(90));
    event(&mut desk, space, KeyEventKind::Release);
    assert_eq!(desk.sent(), []);
    event(&mut desk, space, KeyEventKind::Repeat);
    assert_eq!(desk.sent().len(), 1);
}

#[test]
fn replies_from_the_cache_are_told_with_their_age() {
    const NOW: u64 = 1_700_000_000_000;
    let mut entries = film(usize::MAX).entries;
    for entry in &mut entries {
        entry.at += NOW;
        if let Event::Replied { got: Got::Kg(reply), .. } = &mut entry.ev {
            reply.cached_at = Some(NOW - 3 * 86_400_000 - 5_000);
        }
    }
    let state = Arc::new(State::from_entries(&entries).unwrap());
    let spent = state.counters();
    assert_eq!((spent.kg_cached, spent.kg_oldest), (spent.kg_calls, Some(NOW - 3 * 86_400_000 - 5_000)));
    let live = live();
    let flying = tree_of_traversals::tui::flying::Flying { live: &live, now: std::time::Instant::now() };
    let told = document(&Scene::of(state), NodeId(0), Tab::Calls, None, &flying).plain();
    assert!(told.contains("from the cache, 3 days old") && !told.contains(" live"), "{told}");
}

/// A model behind a service that was seen to refuse a temperature.
struct Untempered;

impl LanguageModel for Untempered {
    fn name(&self) -> &str {
        "m"
    }

    fn capabilities(&self) -> Option<Capabilities> {
        Some(Capabilities { temperature: Ability::Refused, ..Capabilities::unknown() })
    }

    fn complete(&self, _: LlmJob, _: Wire) -> BoxFuture<'static, Result<(), CallError>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

#[test]
fn a_temperature_that_the_model_does_not_take_is_called_so() {
    let state = Arc::new(film(usize::MAX).state);
    let told = |learnt: Learnt| {
        let live = Live { learnt: Arc::new(learnt), ..live() };
        let flying = tree_of_traversals::tui::flying::Flying { live: &live, now: std::time::Instant::now() };
        document(&Scene::of(state.clone()), NodeId(0), Tab::Prompt, None, &flying).plain()
    };
    let title = "1 × temperature 0 (not taken by the model) · at most";
    assert!(!told(Learnt::default()).contains("not taken"));
    let mut learnt = Learnt::default();
    learnt.file(("another".to_owned(), None), &Untempered);
    assert!(!told(learnt.clone()).contains("not taken"));
    learnt.file((state.started().model_spec.clone(), state.started().llm_url.clone()), &Untempered);
    assert!(told(learnt.clone()).contains(title), "{}", told(learnt));
}
