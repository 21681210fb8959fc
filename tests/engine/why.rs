//! "Why?" against the rules themselves: what is said would have had to differ is changed, and the search is asked again.

use crate::acts::{act, film};
use crate::world::World;
use std::path::Path;
use tree_of_traversals::micro::Micro;
use tree_of_traversals::scenario::Scenario;
use tree_of_traversals::search::describe;
use tree_of_traversals::search::strategy::{Strategy, TreeOfTraversals};
use tree_of_traversals::search::why::{self, Sentence};
use tree_of_traversals::search::{
    Act, ActId, By, Entry, Event, NodeId, OnExhausted, Outcome, Preset, Setting, Settings, State, StepKind, Stop,
};
use tree_of_traversals::session::Timeline;

fn micro(millionths: u32) -> Micro {
    Micro::from_millionths(millionths).unwrap()
}

/// `state` after the person did this.
fn after(state: &State, what: Act) -> State {
    let mut copy = state.clone();
    let act = ActId(copy.acts.len() as u32);
    copy.apply(&Entry { seq: copy.seq, at: 0, by: By::You, ev: Event::Acted { act, what } }).unwrap();
    copy
}

fn next_with(state: &State, node: NodeId, value: Micro) -> Option<NodeId> {
    after(state, Act::SetValue { node, value }).next_node()
}

fn finished(settings: impl FnOnce(&mut Settings)) -> (World, Timeline) {
    run(&film(), settings)
}

fn of_file(name: &str) -> (World, Timeline) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/scenarios/{name}.json"));
    run(&Scenario::load(&path).unwrap(), |_| {})
}

/// Two walks of which the shallow one is ahead, then the deep one.
fn see_saw() -> (World, Timeline) {
    let scenario = serde_json::json!({
        "format": "tot-scenario/1", "name": "see-saw", "query": "Who made A?",
        "settings": {"sample_breadth": 3, "max_depth": 9, "max_expansions": 8, "answer_threshold": 0.8},
        "kg": {"entities": {"Q1": {"label": "A"}}, "search": {"A": ["Q1"]}},
        "llm": {
            "rules": [
                {"kind": "action", "when": {"path": ""}, "replies": ["THINK: deep", "THINK: flat", "THINK: last"]},
                {"kind": "score_state", "when": {"path": "T:deep"}, "replies": ["0.9"]},
                {"kind": "score_state", "when": {"path": "T:deep > .*"}, "replies": ["0.4"]},
                {"kind": "score_state", "when": {"path": "T:flat"}, "replies": ["0.6"]},
            ],
            "fallback": {
                "extract": ["A"], "match": ["1"], "action": ["THINK: on", "EXPAND: look"], "entities": ["Q1"], "relation": ["P1"],
                "score_state": ["0.3"], "score_answer": ["0.3"], "final_answer": ["ANSWER: nobody"],
            },
        },
    });
    run(&serde_json::from_value(scenario).unwrap(), |_| {})
}

fn run(scenario: &Scenario, settings: impl FnOnce(&mut Settings)) -> (World, Timeline) {
    let mut changed = scenario.settings(Preset::Paper);
    settings(&mut changed);
    let mut world = World::with_settings(scenario, changed, 1);
    world.run(usize::MAX);
    let (timeline, _) = Timeline::of(world.entries.iter().cloned()).unwrap();
    (world, timeline)
}

fn text(sentences: &[Sentence]) -> String {
    sentences.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join(" ")
}

fn why_node(world: &World, timeline: &Timeline, node: NodeId) -> String {
    text(&why::node(&world.state, node, &|seq| timeline.state_at(seq).ok()))
}

fn why_end(world: &World, timeline: &Timeline) -> String {
    text(&why::at_end(&world.state, &|seq| timeline.state_at(seq).ok()))
}

/// Every state before an expansion.
fn decisions(world: &World, timeline: &Timeline) -> Vec<(NodeId, State)> {
    let steps = world.state.steps.iter().filter(|step| step.kind == StepKind::Expand && !step.by_hand());
    steps.map(|step| (step.node.unwrap(), timeline.state_at(step.seq).unwrap())).collect()
}

#[test]
fn the_border_of_the_runner_up_is_where_the_rule_turns() {
    let worlds = ["film-backtrack", "wide", "nolan-forced-final"].map(of_file).into_iter().chain([see_saw()]);
    let all = worlds.flat_map(|(world, timeline)| {
        let decisions = decisions(&world, &timeline);
        decisions.into_iter().map(move |(chosen, before)| (why_node(&world, &timeline, chosen), chosen, before))
    });
    let (mut ties, mut strict) = (0, 0);
    for (said, chosen, before) in all {
        let Some(runner) = why::runner_up(&before, chosen) else {
            assert_eq!(before.frontier(), [chosen]);
            continue;
        };
        assert_eq!(runner.bar, before.value(chosen).known());
        // The second of the order, whatever way it is found.
        let mut open = before.frontier();
        open.sort_by_key(|id| std::cmp::Reverse(before.rank(*id)));
        assert_eq!((open[0], open[1]), (chosen, runner.node));
        if let Some(least) = runner.least {
            assert_eq!(next_with(&before, runner.node, least), Some(runner.node));
            if let Some(less) = least.millionths().checked_sub(1) {
                assert_eq!(next_with(&before, runner.node, micro(less)), Some(chosen), "a millionth less is not enough");
            }
            *if Some(least) == runner.bar { &mut ties } else { &mut strict } += 1;
        } else {
            assert_eq!(next_with(&before, runner.node, Micro::ONE), Some(chosen), "not even the highest value is enough");
        }
        if let Some(most) = runner.most {
            assert_eq!(next_with(&before, chosen, most), Some(runner.node));
            assert_eq!(next_with(&before, chosen, micro(most.millionths() + 1)), Some(chosen), "a millionth more, and it stays first");
        }
        assert!(said.contains(&format!("Next best was node {} (", runner.node.0)), "{said}");
        let words = match (runner.least, runner.bar) {
            (None, _) => "it would have come first with no value",
            (Some(_), None) => "it would have come first with any value that is known",
            (least, bar) if least == bar => ", since of equals it ",
            _ => "it would have come first with a value above ",
        };
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(ties > 0 && strict > 0, "both kinds of borders: {ties} {strict}");
}

#[test]
fn what_an_open_node_needs_to_come_next_is_what_it_needs() {
    let (world, timeline) = finished(|settings| settings.max_expansions = 4);
    let mut seen = 0;
    for count in 1..world.entries.len() {
        let state = timeline.state_at(count as u64).unwrap();
        if state.nodes.is_empty() || state.finished.is_some() {
            continue;
        }
        let Some(next) = state.next_node() else { continue };
        for node in state.frontier().into_iter().filter(|node| *node != next) {
            let said = text(&why::node(&state, node, &|_| None));
            let before = state.frontier().iter().filter(|other| state.rank(**other) > state.rank(node)).count();
            let nodes = if before == 1 { "1 open node stands".to_owned() } else { format!("{before} open nodes stand") };
            assert!(
                said.contains("It is open and waits: ") && said.contains(&format!("{nodes} before it, first node {} (", next.0)),
                "{said}"
            );
            match why::least_value(&state, node) {
                Some(least) => {
                    assert_eq!(next_with(&state, node, least), Some(node));
                    let less = least.millionths().checked_sub(1).map(|less| next_with(&state, node, micro(less)));
                    assert_ne!(less, Some(Some(node)), "a millionth less is not enough");
                }
                None => assert_eq!(next_with(&state, node, Micro::ONE), Some(next)),
            }
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn decisions_are_explained_by_what_was_known_then() {
    let (mut world, timeline) = finished(|_| {});
    let director = world.state.nodes.iter().find(|n| n.action.token() == "R:P57").unwrap().id;
    let before = why_node(&world, &timeline, director);
    assert!(before.contains("It was expanded as number 5 because: value 0.90, the highest of "), "{before}");
    // What a person does afterwards does not change why it was taken.
    let runner = why::runner_up(
        &timeline.state_at(world.state.step(world.state.node(director).unwrap().expanded.unwrap()).unwrap().seq).unwrap(),
        director,
    );
    act(&mut world, Act::SetValue { node: runner.unwrap().node, value: Micro::ONE }).unwrap();
    let (later, _) = Timeline::of(world.entries.iter().cloned()).unwrap();
    assert_eq!(why_node(&world, &later, director), before);
    // Without the past that part is left out, and nothing is made up.
    let short = text(&why::node(&world.state, director, &|_| None));
    assert!(!short.contains("Next best") && before.starts_with(short.split(" Rejected").next().unwrap()), "{short}");
}

#[test]
fn samples_that_became_nothing_say_why() {
    let (world, timeline) = finished(|_| {});
    let at = |path: &str| world.state.nodes.iter().find(|n| world.state.path_text(n.id) == path).unwrap().id;
    let entities = why_node(&world, &timeline, at("T:I should look up the cast of both films > X:look up the cast members of both films"));
    assert!(entities.contains("Rejected: 1 sample said “Q25191”, but it names none of the offered entities."), "{entities}");
    for leftover in world.state.leftovers() {
        let said = why_node(&world, &timeline, leftover.node);
        assert!(said.contains("Rejected: ") || said.contains("Outvoted: "), "{said}");
    }
    // More choices than places: the votes that were enough are told at the kept ones, the others where they were drawn.
    let (wide, timeline) = of_file("wide");
    let outvoted: Vec<_> = wide.state.leftovers().filter(|left| matches!(left.reading.outcome, Outcome::Outvoted(_))).collect();
    assert_eq!(outvoted.len(), 3);
    for left in outvoted {
        let Outcome::Outvoted(action) = &left.reading.outcome else { unreachable!() };
        let said = why_node(&wide, &timeline, left.node);
        assert!(
            said.contains(&format!("Outvoted: “{}” has {} of ", describe(&wide.state, Some(left.node), action), left.reading.slots.len())),
            "{said}"
        );
        let kept = wide.state.node(left.node).unwrap().children[0];
        let said = why_node(&wide, &timeline, kept);
        assert!(said.contains(" choices the 5 most voted are kept: "), "{said}");
    }
}

#[test]
fn what_a_person_did_is_told_as_that() {
    let (mut world, _) = finished(|_| {});
    let (open, answer) = (world.state.frontier()[0], world.state.answers()[0]);
    act(&mut world, Act::Prune { node: open, on: true }).unwrap();
    act(&mut world, Act::SetValue { node: answer, value: micro(123_456) }).unwrap();
    let chain = vec![tree_of_traversals::asm::Action::Think { text: "by hand".into() }];
    act(&mut world, Act::Choose { node: NodeId(0), chain, instead_of: None, value: Some(micro(10_000)) }).unwrap();
    world.run(usize::MAX);
    let (timeline, _) = Timeline::of(world.entries.iter().cloned()).unwrap();
    assert!(why_node(&world, &timeline, open).contains("You pruned it: "));
    assert!(why_node(&world, &timeline, answer).contains("You gave it the value 0.123456."));
    let made = world.state.nodes.iter().find(|n| n.by == By::You).unwrap().id;
    let said = why_node(&world, &timeline, made);
    assert!(said.contains("You made it by hand, from node 0.") && said.contains("You gave it the value 0.01."), "{said}");
    world.push(By::You, Event::Undone { act: ActId(2), redo: false });
    assert!(text(&why::node(&world.state, made, &|_| None)).ends_with("You took it back (undo): the search does not see it."));
}

/// What the strategy decides.
fn decided(state: &State) -> Event {
    TreeOfTraversals.choose(state).unwrap()
}

fn end_of(event: &Event) -> Option<NodeId> {
    if let Event::Finished(end) = event { end.answer } else { None }
}

fn before_end(world: &World, timeline: &Timeline) -> State {
    timeline.state_at(world.state.finished.as_ref().unwrap().1).unwrap()
}

#[test]
fn an_end_by_threshold_names_the_next_best_answer_and_its_border() {
    let (world, timeline) = finished(|settings| settings.threshold = micro(250_000));
    let (end, before) = (world.state.finished.as_ref().unwrap().0.clone(), before_end(&world, &timeline));
    assert_eq!(end.stop, Stop::Threshold);
    let answer = end.answer.unwrap();
    let other = before.answers().into_iter().find(|id| *id != answer).unwrap();
    let least = why::least_value_of_answer(&before, other).unwrap();
    assert_eq!(end_of(&decided(&after(&before, Act::SetValue { node: other, value: least }))), Some(other));
    let less = micro(least.millionths() - 1);
    assert_eq!(end_of(&decided(&after(&before, Act::SetValue { node: other, value: less }))), Some(answer));
    let said = why_end(&world, &timeline);
    assert!(said.contains(&format!("The next best answer was node {} (", other.0)), "{said}");
    // A threshold that the answer does not reach: the search goes on where it is said to.
    let value = before.value(answer).known().unwrap();
    let on = decided(&after(&before, Act::Set(Setting::Threshold(micro(value.millionths() + 1)))));
    let Event::Opened { node: Some(node), .. } = on else { panic!("{on:?}") };
    assert!(said.contains(&format!("With a threshold above {value} the search would have gone on with node {} (", node.0)), "{said}");
}

#[test]
fn an_end_by_budget_names_the_next_node_and_the_threshold_that_was_missed() {
    let (world, timeline) = finished(|settings| (settings.max_expansions, settings.on_exhausted) = (5, OnExhausted::Best));
    let (end, before) = (world.state.finished.as_ref().unwrap().0.clone(), before_end(&world, &timeline));
    assert_eq!(end.stop, Stop::Budget);
    let said = why_end(&world, &timeline);
    let next = before.next_node().unwrap();
    let on = decided(&after(&before, Act::Set(Setting::MaxExpansions(6))));
    assert!(matches!(on, Event::Opened { node: Some(node), .. } if node == next));
    assert!(said.contains(&format!("One more expansion would have gone to node {} (", next.0)), "{said}");
    let best = end.answer.unwrap();
    let value = before.value(best).known().unwrap();
    assert!(said.contains(&format!("A threshold of {value} or less would have accepted node {}.", best.0)), "{said}");
    let taken = decided(&after(&before, Act::Set(Setting::Threshold(value))));
    assert!(matches!(&taken, Event::Finished(end) if end.answer == Some(best) && end.stop == Stop::Threshold), "{taken:?}");
}

#[test]
fn an_accepted_answer_says_what_the_search_would_have_done() {
    let scenario = film();
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(80);
    let answer = world.state.answers()[0];
    act(&mut world, Act::Accept { node: answer }).unwrap();
    world.run(usize::MAX);
    let (timeline, _) = Timeline::of(world.entries.iter().cloned()).unwrap();
    assert_eq!(world.state.finished.as_ref().unwrap().0.stop, Stop::Accepted);
    let said = why_end(&world, &timeline);
    assert!(said.starts_with(&format!("You accepted the answer of node {}.", answer.0)), "{said}");
    assert!(
        said.contains("Without your word the search would have gone on with node ")
            || said.contains("Without your word the search would have ended"),
        "{said}"
    );
}

#[test]
fn nothing_left_to_expand_is_told_apart_from_a_used_up_budget() {
    let (mut world, _) = finished(|settings| (settings.threshold, settings.max_expansions) = (Micro::ONE, 3));
    for node in world.state.frontier() {
        act(&mut world, Act::Prune { node, on: true }).unwrap();
    }
    act(&mut world, Act::Set(Setting::MaxExpansions(50))).unwrap();
    world.run(usize::MAX);
    let (timeline, _) = Timeline::of(world.entries.iter().cloned()).unwrap();
    let end = &world.state.finished.as_ref().unwrap().0;
    assert_eq!(end.stop, Stop::FrontierEmpty);
    assert!(why_end(&world, &timeline).contains("More expansions would have changed nothing: no node is open."));
}

#[test]
fn a_search_without_an_end_has_no_such_paragraph() {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.run(60);
    assert!(why::at_end(&world.state, &|_| None).is_empty() && why::at_halt(&world.state).is_empty());
    let halt = tree_of_traversals::search::Halt { cause: Default::default(), why: "no connection".into(), hits: vec![] };
    world.push(By::Engine, Event::Halted(halt));
    let said = text(&why::at_halt(&world.state));
    assert!(said.starts_with("No connection. It goes on "), "{said}");
}

#[test]
fn what_comes_next_is_told_only_where_it_is_decided() {
    let scenario = film();
    let mut world = World::new(&scenario, Preset::Paper, 1);
    let (mut decided_there, mut open, mut ends) = (0, 0, 0);
    while world.state.finished.is_none() {
        world.run(world.entries.len() + 1);
        let state = world.state.clone();
        if state.nodes.is_empty() || state.finished.is_some() {
            continue;
        }
        let next = world.reloaded();
        match why::coming(&state) {
            Some(why::Decision::Expand(node)) => {
                decided_there += 1;
                assert!(matches!(decided(&next), Event::Opened { node: Some(opened), .. } if opened == node));
            }
            Some(why::Decision::End(answer)) => {
                ends += 1;
                assert_eq!(end_of(&decided(&next)), answer);
                // Who is first in line does not come.
                if let Some(first) = state.next_node() {
                    let said: String = why::node(&state, first, &|_| None).into_iter().map(|sentence| sentence.text).collect();
                    assert!(said.contains("but the search ends before"), "{said}");
                }
            }
            Some(why::Decision::Force(_)) => {}
            None => {
                open += 1;
                assert!(state.open_steps().next().is_some());
                if let Some(first) = state.next_node() {
                    let said: String = why::node(&state, first, &|_| None).into_iter().map(|sentence| sentence.text).collect();
                    assert!(!said.contains("It is expanded next"), "{said}");
                }
            }
        }
    }
    assert!(decided_there > 3 && open > 20 && ends > 0, "{decided_there} {open} {ends}");
}

#[test]
fn an_answer_of_equal_value_says_the_rule_and_the_border() {
    let (world, timeline) = finished(|settings| settings.threshold = micro(250_000));
    let (answer, before) = (world.state.finished.as_ref().unwrap().0.answer.unwrap(), before_end(&world, &timeline));
    let other = before.answers().into_iter().find(|id| *id != answer).unwrap();
    let deep = |id: NodeId| before.node(id).unwrap().depth;
    let both = after(&after(&before, Act::SetValue { node: answer, value: Micro::ONE }), Act::SetValue { node: other, value: Micro::ONE });
    let first = end_of(&decided(&both)).unwrap();
    let second = if first == answer { other } else { answer };
    assert!(deep(first) >= deep(second));
    assert_eq!(why::least_value_of_answer(&both, second), None, "no value is above 1");
    let most = why::most_value_of_answer(&both, first, second).unwrap();
    assert_eq!(end_of(&decided(&after(&both, Act::SetValue { node: first, value: most }))), Some(second));
}
