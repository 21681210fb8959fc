//! Looking: marks, reasons, time, finding, copying.

use super::desk::{Desk, film, live, snapshot};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tree_of_traversals::calls::CallError;
use tree_of_traversals::llm::{Ability, Capabilities, LanguageModel, LlmJob, Wire};
use tree_of_traversals::runner::{Command, Learnt, Live, Pace};
use tree_of_traversals::search::{Event, Got, NodeId, Source, State, why};
use tree_of_traversals::tui::app::Effect;
use tree_of_traversals::tui::scene::{Scene, label};
use tree_of_traversals::tui::views::inspector::{Tab, document};

/// The row of the tree that shows this text.
fn row(screen: &str, text: &str) -> String {
    screen.lines().skip(1).find(|line| line.contains(text)).unwrap_or_else(|| panic!("{text} is not in\n{screen}")).to_owned()
}

#[test]
fn a_thought_that_was_cut_is_marked() {
    let mut world = film(usize::MAX);
    assert!(!Desk::at(&world).screen(200, 60).contains("cut at the token limit"));
    let thought = "I should look up the cast of both films";
    for entry in &mut world.entries {
        if let Event::Replied { got: Got::Samples(samples), .. } = &mut entry.ev {
            let says_it = |text: &Option<String>| text.as_deref().is_some_and(|text| text.ends_with(thought));
            samples.iter_mut().filter(|(_, sample)| says_it(&sample.text)).for_each(|(_, sample)| sample.finish = Some("length".into()));
        }
    }
    let mut desk = Desk::at(&world);
    let screen = desk.press("z").screen(200, 60);
    let marked = row(&screen, thought);
    assert!(marked.contains("⚠") && marked.contains("· cut at the token limit"), "{screen}");
    assert_eq!(screen.matches("· cut at the token limit").count(), 1, "{screen}");
}

#[test]
fn the_next_node_is_always_marked() {
    let whole = film(usize::MAX);
    let mut seen = 0;
    for count in 1..whole.entries.len() {
        let state = State::from_entries(&whole.entries[..count]).unwrap();
        let mut desk = Desk::at(&film(count));
        // Nothing is next where an expansion is under way, or the search ends.
        let Some(why::Decision::Expand(next)) = why::coming(&state) else {
            let screen = desk.press("z").screen(200, 60);
            assert!(!screen.lines().skip(1).any(|line| line.contains("▶ ")), "after {count} entries: {screen}");
            continue;
        };
        let screen = desk.press("z").screen(200, 60);
        let line = row(&screen, &format!(" {} ", label(&state, next)));
        assert!(line.contains('▶'), "after {count} entries: {line}");
        assert!(screen.matches('▶').count() <= 3, "one mark: {screen}");
        seen += 1;
    }
    assert!(seen > 5);
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
    assert!(screen.contains("⑂ fork of first after event 2 · replies come from the parent's recording until a request is new"), "{screen}");
    assert!(!screen.contains("looking back"));
    assert!(Arc::ptr_eq(&desk.app.session().unwrap().scene.state, &desk.app.session().unwrap().snapshot.state));
}

#[test]
fn the_machine_says_what_comes_next_and_of_the_past_what_came_then() {
    let mut desk = Desk::with(&film(60), |live| live.upcoming = Some("choose node: node 9".into()));
    assert!(desk.press("4 z").screen(160, 50).contains("Next: choose node: node 9."));
    desk.press("( ]");
    let screen = desk.screen(160, 50);
    let seen = desk.app.session().unwrap().seen();
    let silent = |ev: &Event| matches!(ev, Event::Part { .. } | Event::Replied { .. });
    let then = (seen..60).find(|at| !silent(&desk.entries[*at].ev)).unwrap();
    assert!(screen.contains(&format!("What came next then: event {then}, ")) && !screen.contains("node 9"), "{screen}");
    desk.press(")");
    assert!(desk.screen(160, 50).contains("Next: choose node: node 9."));
    assert!(desk.press("5 z").screen(160, 50).contains("1.2 s"));
    desk.press("( ]");
    assert!(desk.screen(160, 50).contains("not recorded"), "{}", desk.screen(160, 50));
}

/// What must be seen comes first; where there is room for one line only, the fork's goes.
#[test]
fn a_fork_says_so_after_its_first_miss_and_beside_a_banner() {
    let mut world = film(usize::MAX);
    let replies: Vec<usize> = (20..60).filter(|at| matches!(world.entries[*at].ev, Event::Replied { .. })).collect();
    for at in &replies[..3] {
        let Event::Replied { source, .. } = &mut world.entries[*at].ev else { panic!() };
        *source = Source::Recorded;
    }
    let mut fork = live();
    fork.parent = Some(("first".to_owned(), 20));
    fork.fork.why = "another\u{1b}[31m cast?".into();
    let mut desk = Desk::at(&world);
    desk.app.snapshot(snapshot(&world.entries[..60], fork.clone()));
    let line = format!(
        "⑂ fork of first after event 19 · 3 replies from the parent's recording, {} live since event {} · another[31m cast?",
        replies.len() - 3,
        replies[3]
    );
    for size in [(160, 50), (160, 29)] {
        let screen = desk.screen(size.0, size.1);
        assert!(screen.contains(&line), "{line}\n{screen}");
    }
    // A row that has no room says how many of all calls were live.
    let narrow = desk.screen(120, 40);
    let row = narrow.lines().find(|line| line.contains("│KG calls")).unwrap();
    assert!(row.contains("KG calls     2/2 live "), "{row}");
    // While the recording still answers, it says until when, and what was asked live by hand.
    let mut goes_on = fork.clone();
    (goes_on.replaying_parent, goes_on.stops_at_miss) = (true, true);
    desk.app.snapshot(snapshot(&world.entries[..60], goes_on));
    let screen = desk.screen(200, 50);
    let until = "3 replies from the parent's recording, the next too until a request is new, where it stops (by hand ";
    assert!(screen.contains(until), "{screen}");
    desk.app.snapshot(snapshot(&world.entries[..60], fork.clone()));
    // Beside what must be seen, on a high screen; the past says what was taken by then.
    desk.press("(");
    let screen = desk.screen(160, 50);
    assert!(screen.contains("looking back") && screen.contains("⑂ fork of first after event 19 · another[31m cast?"), "{screen}");
    let low = desk.screen(160, 29);
    assert!(low.contains("looking back") && !low.contains('⑂'), "{low}");
    assert!(!desk.screen(39, 9).contains('⑂'));
    // A question that was asked again from a recording, and one that was simply asked.
    fork.parent = None;
    fork.fork = Default::default();
    let mut desk = Desk::at(&world);
    desk.app.snapshot(snapshot(&world.entries, fork.clone()));
    assert!(desk.screen(160, 50).contains("⑂ asked again · 3 replies from an earlier recording, "), "{}", desk.screen(160, 50));
    assert!(!Desk::at(&film(usize::MAX)).screen(160, 50).contains('⑂'));
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

#[test]
fn warnings_are_rows_that_lead_to_their_nodes() {
    let world = film(usize::MAX);
    let warnings = world.state.warnings();
    let (last, node) = (warnings.last().unwrap(), warnings.last().unwrap().node);
    let mut desk = Desk::at(&world);
    let screen = desk.press("W").screen(200, 60);
    assert!(screen.contains("┏ Warnings · 1 about a node ━") && warnings.len() == 1, "{screen}");
    for warning in &warnings {
        assert!(screen.contains(&format!("⚠ node {} · {} · ", warning.node.0, warning.kind.title())), "{screen}");
    }
    // The selected one stands there whole, however narrow the screen is.
    let narrow = desk.screen(60, 24);
    let words: Vec<&str> = last.text.split(' ').collect();
    assert!(words.iter().all(|word| narrow.contains(word)), "{narrow}");
    desk.press("Enter");
    assert!(!desk.app.has_popup());
    assert_eq!(desk.app.session().unwrap().node(), Some(node));
    for (width, height) in [(1, 1), (5, 3), (12, 12), (40, 10), (80, 24)] {
        desk.press("W").screen(width, height);
        desk.press("Escape");
    }
}

#[test]
fn a_fork_begins_at_the_moment_in_view_or_at_the_selected_node() {
    let world = film(usize::MAX);
    let mut desk = Desk::at(&world);
    let expanded = world.state.nodes.iter().find(|n| n.parent.is_some() && n.expanded.is_some()).unwrap();
    let before = world.state.step(expanded.expanded.unwrap()).unwrap().seq - 1;
    desk.select(expanded.id.0);
    let screen = desk.press("f").screen(160, 50);
    assert!(screen.contains(&format!("Fork after event {}", world.entries.len() - 1)), "{screen}");
    let screen = desk.press("Up space").screen(160, 50);
    assert!(screen.contains(&format!("before node {} is expanded", expanded.id.0)), "{screen}");
    let sent = desk.press("Enter").sent();
    assert!(matches!(&sent[..], [Command::Fork { at, .. }] if *at == before), "{sent:?}");
    // A node that was never expanded: where it was made.
    let open = world.state.nodes.iter().find(|n| n.parent.is_some() && n.expanded.is_none() && !n.action.is_answer()).unwrap();
    desk.select(open.id.0);
    let sent = desk.press("f Up space Enter").sent();
    let [Command::Fork { at, .. }] = &sent[..] else { panic!("{sent:?}") };
    let there = State::from_entries(&world.entries[..=usize::try_from(*at).unwrap()]).unwrap();
    assert!(there.node(open.id).is_some_and(|n| n.action == open.action));
    let earlier = State::from_entries(&world.entries[..usize::try_from(*at).unwrap()]).unwrap();
    assert!(earlier.node(open.id).is_none());
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
