//! Standing still for the person: breakpoints, steps by phase, samples that wait for a decision.

use super::{Bench, Pace, RunState, equipment, expected, film};
use std::sync::Arc;
use tree_of_traversals::asm::{Action, AsmState};
use tree_of_traversals::runner::{Command, Setup, Snapshot, launch};
use tree_of_traversals::scenario::compare;
use tree_of_traversals::search::{Act, Budget, By, Condition, Event, HaltCause, NodeId, Outcome, Reading, Reason, Seq, Setting};
use tree_of_traversals::session::{Journal, read as read_session};

fn halts(snapshot: &Snapshot) -> Vec<(Seq, String)> {
    let of = |e: &Arc<tree_of_traversals::search::Entry>| match &e.ev {
        Event::Halted(halt) if halt.cause == HaltCause::Breakpoint => Some((e.seq, halt.why.clone())),
        _ => None,
    };
    snapshot.entries().iter().filter_map(of).collect()
}

fn stands(snapshot: &Snapshot) -> bool {
    snapshot.state.halted.as_ref().is_some_and(|halt| halt.cause == HaltCause::Breakpoint) && snapshot.run_state() == RunState::Paused
}

async fn set(bench: &mut Bench, condition: &str) {
    let condition: Condition = condition.parse().unwrap();
    let before = bench.until(|_| true).await.state.breakpoints().count();
    bench.send(Command::Do(Act::Break { condition }));
    bench.until(|s| s.state.breakpoints().count() == before + 1).await;
}

/// Runs the scenario with one breakpoint to its end, going on at every hit; returns what was said at each, with the event before.
async fn run_with(condition: &str) -> Vec<(Event, String)> {
    let scenario = film(1);
    let mut bench = Bench::start(&scenario, Pace::Paused);
    set(&mut bench, condition).await;
    bench.send(Command::Pace(Pace::Run));
    let mut met = 0;
    let end = loop {
        let now = bench.until(|s| (stands(s) && halts(s).len() > met) || s.run_state() == RunState::Finished).await;
        if now.run_state() == RunState::Finished {
            break now;
        }
        met = halts(&now).len();
        bench.send(Command::Pace(Pace::Run));
    };
    assert_eq!(compare(&expected(&scenario), &end.state), Vec::<String>::new(), "{condition}: the search itself is as without");
    let point = end.state.breakpoints().next().map(|point| point.hits as usize);
    assert_eq!(point, Some(met), "{condition}: hits are counted");
    let hits = halts(&end);
    let folder = bench.quit().await;
    assert_eq!(read_session(&folder.path().join("first.jsonl")).unwrap().state, *end.state, "{condition}: reload == live");
    hits.into_iter().map(|(seq, why)| (end.entries()[seq as usize - 1].ev.clone(), why)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_condition_is_hit_where_it_says_and_changes_nothing() {
    let is = |hits: &[(Event, String)], event: fn(&Event) -> bool, says: &str| {
        assert!(!hits.is_empty(), "{says}: never hit");
        for (before, why) in hits {
            assert!(event(before) && why.contains(says), "{says}: {why} after {before:?}");
        }
    };
    let hits = run_with("expansion 3").await;
    assert_eq!(hits.len(), 1);
    is(&hits, |e| matches!(e, Event::Opened { counts: true, .. }), "expansion 3 is about to begin");
    is(&run_with("node 1").await, |e| matches!(e, Event::Opened { node: Some(NodeId(1)), .. }), "node 1 is about");
    is(&run_with("state relation").await, |e| matches!(e, Event::Opened { .. }), "selecting relation");
    is(&run_with("value<0.5").await, |e| matches!(e, Event::Valued { value: Some(v), .. } if v.as_f64() < 0.5), "below 0.5");
    is(&run_with("value>0.85").await, |e| matches!(e, Event::Valued { value: Some(v), .. } if v.as_f64() > 0.85), "above 0.85");
    is(&run_with("drop>0.2").await, |e| matches!(e, Event::Valued { .. }), "it fell by more than 0.2");
    is(&run_with("relation P161").await, |e| matches!(e, Event::Read { .. } | Event::Grew { .. }), "relation P161");
    is(&run_with("entity Q25188").await, |e| matches!(e, Event::Read { .. } | Event::Grew { .. }), "entity Q25188");
    is(&run_with("identical 2").await, |e| matches!(e, Event::Read { .. }), "said the same");
    // Before anything leaves: the prompt is there, its reply is not.
    let hits = run_with("prompt>100").await;
    is(&hits, |e| matches!(e, Event::Asked { .. }), "more than 100");
    let hits = run_with("calls>4").await;
    assert_eq!(hits.len(), 1, "once");
    is(&hits, |e| matches!(e, Event::Asked { .. }), "more than 4");
    assert!(run_with("value<0.01").await.is_empty() && run_with("calls>1000").await.is_empty() && run_with("node 99").await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn breakpoints_are_switched_survive_a_reopening_and_do_not_wake_an_end() {
    let scenario = film(1);
    let mut bench = Bench::start(&scenario, Pace::Paused);
    set(&mut bench, "expansion 2").await;
    set(&mut bench, "expansion 3").await;
    bench.send(Command::Do(Act::Break { condition: "expansion 2".parse().unwrap() }));
    let told = bench.until(|s| s.live.notice.is_some()).await;
    assert!(told.live.notice.as_ref().is_some_and(|(_, text)| text.contains("set already")), "{:?}", told.live.notice);
    let first = told.state.breakpoints().next().unwrap().act;
    bench.send(Command::Switch(first, false));
    bench.send(Command::Pace(Pace::Run));
    let at = bench.until(stands).await;
    assert_eq!(at.state.expansions(), 3, "the second was switched off");
    bench.send(Command::Do(Act::Break { condition: "value>0.99".parse().unwrap() }));
    bench.send(Command::Undo);
    let looked = bench.until(|s| s.state.breakpoints().count() == 3 && s.state.breakpoints().filter(|p| p.on).count() == 1).await;
    assert!(stands(&looked), "a person who only sets a breakpoint does not end the halt");
    assert_eq!(at.state.breakpoints().map(|p| (p.on, p.hits)).collect::<Vec<_>>(), [(false, 0), (true, 1)]);
    let folder = bench.quit().await;
    // Gone on with: set by the command line as well, what is there already is not set twice.
    let (journal, recording) = Journal::reopen(&folder.path().join("first.jsonl")).unwrap();
    let model = scenario.model().unwrap();
    let mut equipment = equipment(&scenario, Pace::Run, model, folder.path());
    equipment.breaks = vec!["expansion 3".parse().unwrap(), "expansion 5".parse().unwrap()];
    let handle = launch(Setup::Resume { recording: Box::new(recording), journal, changes: Default::default() }, equipment).unwrap();
    let mut bench = Bench { handle, folder };
    let at = bench.until(stands).await;
    assert_eq!((at.state.expansions(), at.state.breakpoints().count()), (5, 4));
    bench.send(Command::Pace(Pace::Run));
    let end = bench.finished().await;
    assert_eq!(compare(&expected(&scenario), &end.state), Vec::<String>::new());
    set(&mut bench, "value>0.1").await;
    let later = bench.until(|s| s.state.breakpoints().count() == 5).await;
    assert_eq!(later.run_state(), RunState::Finished, "looking is no reason to go on");
    assert_eq!(later.entries().iter().filter(|e| matches!(e.ev, Event::Finished(_))).count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_by_phase_builds_then_samples_then_parses_and_says_what_is_next() {
    let scenario = film(1);
    let mut bench = Bench::start(&scenario, Pace::Paused);
    let mut said = Vec::new();
    for _ in 0..200 {
        let now = bench.until(|s| matches!(s.run_state(), RunState::Paused | RunState::Finished)).await;
        if now.run_state() == RunState::Finished {
            break;
        }
        let next = now.live.upcoming.clone().unwrap_or_else(|| panic!("something comes next: {:?}", now.entries().last()));
        let seq = now.state.seq;
        bench.send(Command::Pace(Pace::Phase));
        let after = bench.until(|s| s.state.seq > seq && s.run_state() != RunState::Stepping && s.live.flights.is_empty()).await;
        // What was announced is what came.
        let came = &after.entries()[seq as usize..];
        let has = |wanted: fn(&Event) -> bool| came.iter().any(|e| wanted(&e.ev));
        let word = next.split([':', ' ']).next().unwrap().to_owned();
        let right = match word.as_str() {
            "build" => has(|e| matches!(e, Event::Asked { .. })) && !has(|e| matches!(e, Event::Replied { .. })),
            "sample" => has(|e| matches!(e, Event::Replied { .. })) && !has(|e| matches!(e, Event::Read { .. })),
            "parse" => has(|e| matches!(e, Event::Read { .. })),
            "choose" | "start" => has(|e| matches!(e, Event::Opened { .. })),
            "transition" => has(|e| matches!(e, Event::Grew { .. })),
            "score" => has(|e| matches!(e, Event::Valued { .. })),
            _ => true,
        };
        assert!(right, "{next}: {came:?}");
        said.push(word);
    }
    let end = bench.finished().await;
    assert_eq!(compare(&expected(&scenario), &end.state), Vec::<String>::new());
    for word in ["choose", "build", "sample", "parse", "fetch", "transition", "score"] {
        assert!(said.iter().any(|said| said == word), "{word}: {said:?}");
    }
}

fn kept(rows: &[Reading]) -> Vec<Action> {
    rows.iter().filter_map(|row| if let Outcome::Kept(action) = &row.outcome { Some(action.clone()) } else { None }).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn samples_wait_for_the_person_who_drops_adds_and_tells_why() {
    let scenario = film(1);
    let mut bench = Bench::start(&scenario, Pace::Paused);
    bench.send(Command::Do(Act::Intercept { states: vec![AsmState::Default] }));
    bench.send(Command::Pace(Pace::Run));
    let held = bench.until(|s| s.live.proposal.is_some()).await;
    assert_eq!(held.run_state(), RunState::WaitingForYou);
    let proposal = held.live.proposal.clone().unwrap();
    assert_eq!((proposal.node, proposal.seq), (NodeId(0), held.state.seq));
    // Applied as it is: nothing else than without the person.
    bench.send(Command::Decide { seq: proposal.seq, rows: proposal.rows.clone(), note: None });
    let held = bench.until(|s| s.live.proposal.as_ref().is_some_and(|p| p.seq > proposal.seq)).await;
    assert!(held.entries().iter().all(|e| !matches!(e.ev, Event::Read { .. }) || e.by == By::Engine));
    let proposal = held.live.proposal.clone().unwrap();
    // A sample that is left out is refused, and it still waits.
    bench.send(Command::Decide { seq: proposal.seq, rows: proposal.rows[1..].to_vec(), note: None });
    let told = bench.until(|s| s.live.notice.as_ref().is_some_and(|(_, t)| t.contains("a sample is missing"))).await;
    assert_eq!(told.live.proposal.as_ref().map(|p| p.seq), Some(proposal.seq));
    let mut rows = proposal.rows.clone();
    for row in &mut rows {
        if let Outcome::Kept(action) = &row.outcome {
            row.outcome = Outcome::Rejected { text: action.token(), reason: Reason::Dropped, why: "you dropped it".into() };
        }
    }
    let thought = Action::Think { text: "look at the composer".into() };
    rows.push(Reading { slots: Vec::new(), outcome: Outcome::Kept(thought.clone()) });
    bench.send(Command::Decide { seq: proposal.seq, rows, note: Some("the director\u{1b}[31m leads nowhere".into()) });
    let after = bench.until(|s| s.state.nodes.iter().any(|n| n.action == thought)).await;
    let node = after.state.nodes.iter().find(|n| n.action == thought).unwrap();
    assert_eq!((node.by, node.votes.0, node.parent), (By::You, 0, Some(proposal.node)));
    let observation = node.observation.clone().unwrap_or_default();
    assert!(observation.contains("A person adds: the director") && !observation.contains('\u{1b}'), "{observation:?}");
    let read = after.entries()[proposal.seq as usize].clone();
    assert!(read.by == By::You && matches!(&read.ev, Event::Read { rows, .. } if kept(rows) == [thought.clone()]));
    // The model reads the note where it goes on from there.
    let prompted = bench
        .until(|s| {
            s.state.parts.iter().any(|part| part.text.contains("A person adds: the director")) || s.run_state() == RunState::Finished
        })
        .await;
    assert!(prompted.state.parts.iter().any(|part| part.text.contains("A person adds: the director")), "the note stands in a prompt");
    // Asked no more, the search goes on by itself.
    bench.send(Command::Do(Act::Intercept { states: Vec::new() }));
    let end = bench.finished().await;
    let folder = bench.quit().await;
    let recording = read_session(&folder.path().join("first.jsonl")).unwrap();
    assert_eq!(recording.state, *end.state, "reload == live");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_time_stands_still_while_samples_wait_for_the_person() {
    let scenario = film(1);
    let mut bench = Bench::start(&scenario, Pace::Paused);
    bench.send(Command::Do(Act::Set(Setting::Budget(Budget::Time, Some(60_000)))));
    bench.send(Command::Do(Act::Intercept { states: vec![AsmState::Default] }));
    bench.send(Command::Pace(Pace::Run));
    let held = bench.until(|s| s.live.proposal.is_some()).await;
    let proposal = held.live.proposal.clone().unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    // A look at the present.
    bench.send(Command::Decide { seq: proposal.seq, rows: Vec::new(), note: None });
    let later = bench.until(|s| s.live.notice.as_ref().is_some_and(|(_, t)| t.contains("a sample is missing"))).await;
    assert_eq!(later.live.proposal, Some(proposal.clone()), "it is the same decision");
    assert!(later.live.ran_ms < held.live.ran_ms + 300, "{} ms, {} ms", held.live.ran_ms, later.live.ran_ms);
    bench.send(Command::Decide { seq: proposal.seq, rows: proposal.rows.clone(), note: None });
    bench.send(Command::Do(Act::Intercept { states: Vec::new() }));
    let end = bench.finished().await;
    let folder = bench.quit().await;
    assert_eq!(read_session(&folder.path().join("first.jsonl")).unwrap().state, *end.state, "reload == live");
}
