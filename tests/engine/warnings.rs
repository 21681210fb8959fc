//! Warnings: each with a case just inside its condition and one just outside.

use crate::acts::{act, film};
use crate::world::World;
use serde_json::{Value as Json, json};
use tree_of_traversals::calls::{CallError, CallErrorKind, Usage};
use tree_of_traversals::micro::Micro;
use tree_of_traversals::scenario::Scenario;
use tree_of_traversals::search::{
    Act, ActId, Again, Ask, Budget, By, Call, Event, FLAT_CHILDREN, FLAT_RUN, Found, NodeId, Otherwise, Preset, Purpose, Settings, State,
    WarningKind as K, why,
};

/// No node.
const NONE: [u32; 0] = [];

/// A small world: Q1 has three P1 and one P2; every sample of the model is the same unless `rules` say otherwise.
fn scenario(expansions: u32, rules: &Json, faults: &Json) -> Scenario {
    serde_json::from_value(json!({
        "format": "tot-scenario/1", "name": "warnings", "query": "Who made A?",
        "settings": {"sample_breadth": 3, "max_depth": 9, "max_expansions": expansions, "answer_threshold": 0.8},
        "kg": {
            "entities": {"Q1": {"label": "A"}, "Q2": {"label": "B"}, "Q3": {"label": "C"}, "Q4": {"label": "D"}},
            "properties": {"P1": "maker", "P2": "owner"},
            "claims": [["Q1", "P1", "Q2"], ["Q1", "P1", "Q3"], ["Q1", "P1", "Q4"], ["Q1", "P2", "Q2"]],
            "search": {"A": ["Q1"]}, "faults": faults,
        },
        "llm": {"rules": rules, "fallback": {
            "extract": ["A"], "match": ["1"], "action": ["EXPAND: look", "EXPAND:  look"], "entities": ["Q1", "Q1."],
            "relation": ["P1", "P1."], "score_state": ["0.5"], "score_answer": ["0.3"], "final_answer": ["ANSWER: nobody"],
        }},
    }))
    .unwrap()
}

fn run(expansions: u32, rules: &Json) -> World {
    let scenario = scenario(expansions, rules, &Json::Null);
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(usize::MAX);
    world
}

fn rule(kind: &str, path: &str, replies: &[&str]) -> Json {
    json!({"kind": kind, "when": {"path": path}, "replies": replies})
}

/// The nodes with a warning of this kind.
fn with(state: &State, kind: K) -> Vec<u32> {
    state.warnings().into_iter().filter(|w| w.kind == kind).map(|w| w.node.0).collect()
}

fn at(state: &State, path: &str) -> u32 {
    let found = state.nodes.iter().find(|node| state.path_text(node.id) == path);
    found.unwrap_or_else(|| panic!("{path}: {:?}", state.nodes.iter().map(|n| state.path_text(n.id)).collect::<Vec<_>>())).id.0
}

#[test]
fn a_walk_without_remarkable_things_has_no_warning() {
    let world = run(3, &json!([]));
    assert_eq!(world.state.nodes.len(), 4);
    assert_eq!(world.state.warnings(), []);
    assert_eq!(State::default().warnings(), []);
}

#[test]
fn a_branch_is_dead_when_all_its_children_are_errors() {
    let inside = run(3, &json!([rule("relation", ".*", &["P8", "P9"])]));
    let node = at(&inside.state, "X:look > S:Q1");
    assert_eq!(with(&inside.state, K::DeadBranch), [node]);
    assert_eq!(with(&inside.state, K::ParseFailures), [node]);
    let said = inside.state.warnings().into_iter().find(|w| w.kind == K::ParseFailures).unwrap().text;
    assert!(said.starts_with("none of 6 samples could be used: "), "{said}");
    let outside = run(3, &json!([rule("relation", ".*", &["P8", "P9", "P1"])]));
    assert_eq!((with(&outside.state, K::DeadBranch), with(&outside.state, K::ParseFailures)), (vec![], vec![]));
}

#[test]
fn a_failing_graph_is_a_dead_branch_and_no_parse_failure() {
    let scenario = scenario(3, &json!([]), &json!([{"op": "edges_forward"}]));
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(usize::MAX);
    let node = at(&world.state, "X:look > S:Q1");
    assert_eq!((with(&world.state, K::DeadBranch), with(&world.state, K::KgFailed)), (vec![node], vec![node]));
    assert_eq!(with(&world.state, K::ParseFailures), NONE);
}

#[test]
fn samples_are_identical_when_all_texts_are() {
    let inside = run(1, &json!([rule("action", ".*", &["EXPAND: same", " EXPAND: same\n"])]));
    assert_eq!(with(&inside.state, K::IdenticalSamples), [0]);
    // The same choice in other words is none, nor is one other sample of three.
    for replies in [["EXPAND: same", "EXPAND: same", "Expand: same"], ["EXPAND: same", "EXPAND: same", "THINK: other"]] {
        assert_eq!(with(&run(1, &json!([rule("action", ".*", &replies)])).state, K::IdenticalSamples), NONE);
    }
    // A chain draws one sample: nothing could differ.
    let chain = scenario(1, &json!([rule("action", ".*", &["EXPAND: same"])]), &Json::Null);
    let mut world = World::with_settings(&chain, Settings { branching: 1, ..chain.settings(Preset::Paper) }, 1);
    world.run(usize::MAX);
    assert_eq!(with(&world.state, K::IdenticalSamples), NONE);
}

#[test]
fn a_choice_that_brings_nothing_new_is_the_same_again() {
    let again = "X:look > S:Q1 > R:P1 > X:look > S:Q1";
    let inside = run(6, &json!([]));
    let said = inside.state.warnings();
    assert!(said.iter().any(|w| w.node.0 == at(&inside.state, again) && w.kind == K::SameFacts && w.text.ends_with(": maker")), "{said:?}");
    let outside = run(6, &json!([rule("relation", again, &["P1", "P2"])]));
    assert!(!with(&outside.state, K::SameFacts).contains(&at(&outside.state, again)));
}

#[test]
fn facts_of_an_earlier_walk_are_the_same_again() {
    let two = rule("action", "", &["EXPAND: one", "EXPAND: two"]);
    let inside = run(9, &json!([two]));
    let twins: Vec<u32> = ["X:one > S:Q1 > R:P1", "X:two > S:Q1 > R:P1"].iter().map(|path| at(&inside.state, path)).collect();
    let warned = with(&inside.state, K::SameFacts);
    assert!(warned.contains(twins.iter().max().unwrap()) && !warned.contains(twins.iter().min().unwrap()), "the later one: {warned:?}");
    // Another relation of the same entity brings another fact.
    let outside = run(9, &json!([two, rule("relation", "X:two > S:Q1", &["P2"])]));
    assert!(!with(&outside.state, K::SameFacts).contains(&at(&outside.state, "X:two > S:Q1 > R:P2")));
}

#[test]
fn values_are_flat_when_all_children_of_a_step_have_the_same() {
    let three = ["THINK: a", "THINK: b", "THINK: c"];
    assert_eq!(FLAT_CHILDREN, three.len());
    assert_eq!(with(&run(1, &json!([rule("action", "", &three)])).state, K::ValuesFlat), [0]);
    let outside = json!([rule("action", "", &three), rule("score_state", "T:c", &["0.500001"])]);
    assert_eq!(with(&run(1, &outside).state, K::ValuesFlat), NONE);
    let unknown = json!([rule("action", "", &three), rule("score_state", "T:c", &["no idea"])]);
    assert_eq!(with(&run(1, &unknown).state, K::ValuesFlat), NONE);
    assert_eq!(with(&run(1, &json!([rule("action", "", &three[..2])])).state, K::ValuesFlat), NONE);
}

#[test]
fn values_are_flat_when_the_last_few_scores_are_the_same() {
    let flat = run(u32::try_from(FLAT_RUN).unwrap(), &json!([rule("relation", ".*R:P1.*", &["P2"])]));
    assert_eq!(flat.state.nodes.len(), FLAT_RUN + 1);
    assert_eq!(with(&flat.state, K::ValuesFlat), [u32::try_from(FLAT_RUN).unwrap()], "said once, where it was scored last");
    let short = run(u32::try_from(FLAT_RUN).unwrap() - 1, &json!([]));
    assert_eq!(with(&short.state, K::ValuesFlat), NONE);
}

fn bytes(state: &State, ask: &Ask) -> usize {
    let Call::Llm(call) = &ask.call else { return 0 };
    call.parts.iter().map(|id| state.parts[id.index()].text.len()).sum()
}

#[test]
fn a_prompt_is_near_the_shortest_that_was_refused() {
    let world = run(6, &json!([]));
    let last = world.state.asks.iter().rev().find(|ask| ask.key.purpose == Purpose::Score).unwrap().id;
    let entries: Vec<_> = world
        .entries
        .iter()
        .cloned()
        .map(|mut entry| {
            if matches!(entry.ev, Event::Replied { ask, .. } if ask == last) {
                entry.ev = Event::Failed { ask: last, error: CallError::new(CallErrorKind::TooLong, "too long") };
            }
            entry
        })
        .collect();
    let state = State::from_entries(&entries).unwrap();
    let limit = bytes(&state, state.ask(last).unwrap());
    let near = |ask: &Ask| ask.id == last || bytes(&state, ask) * 10 >= limit * 9;
    let mut expected: Vec<u32> = state.asks.iter().filter(|ask| near(ask)).filter_map(|ask| state.asked_about(ask)).map(|n| n.0).collect();
    expected.sort_unstable();
    expected.dedup();
    assert!(expected.len() > 1 && expected.len() < state.nodes.len(), "some are inside, some outside: {expected:?}");
    assert_eq!(with(&state, K::PromptNearLimit), expected);
    assert_eq!(with(&world.state, K::PromptNearLimit), NONE, "without a refusal no limit is known");
}

#[test]
fn a_prompt_that_left_facts_out_says_so() {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.too_long = |request| request.prompt().chars().count() > 1_950;
    world.run(usize::MAX);
    let (cut, said) = (world.state.left_out(), world.state.warnings());
    assert!(!cut.is_empty());
    for (node, _) in &cut {
        let told = said.iter().find(|w| w.node == *node && w.kind == K::PromptNearLimit).unwrap();
        assert!(cut.iter().any(|(at, text)| at == node && *text == told.text), "{told:?}");
    }
}

#[test]
fn a_prompt_is_near_the_budget_of_tokens() {
    let world = run(3, &json!([]));
    let asks: Vec<_> = world.state.asks.iter().filter(|ask| ask.key.purpose == Purpose::Sample).map(|ask| ask.id).collect();
    let tokens = |n: u64| {
        let mut entries = world.entries.clone();
        for entry in &mut entries {
            match &mut entry.ev {
                Event::Started(started) => started.settings.budgets.set(Budget::Tokens, Some(10_000)),
                // Several replies on the wire have a prompt each.
                Event::Replied { ask, usage, .. } if *ask == asks[1] => {
                    *usage = Some(Usage { prompt_tokens: n, ..Usage::default() });
                }
                _ => {}
            }
        }
        with(&State::from_entries(&entries).unwrap(), K::PromptNearLimit)
    };
    let node = at(&world.state, "X:look");
    assert_eq!((tokens(9_000), tokens(8_999)), (vec![node], vec![]));
}

#[test]
fn an_answer_is_supported_when_a_fact_names_it() {
    let answer = |text: &str| run(4, &json!([rule("action", ".*R:P1", &[text])]));
    let inside = answer("ANSWER: nobody");
    assert_eq!(with(&inside.state, K::Unsupported), [at(&inside.state, "X:look > S:Q1 > R:P1 > A:nobody")]);
    assert_eq!(with(&answer("ANSWER: B").state, K::Unsupported), NONE);
    // Whoever prunes it has seen it.
    let mut world = inside;
    let answer = world.state.answers()[0];
    act(&mut world, Act::Prune { node: answer, on: true }).unwrap();
    assert_eq!(with(&world.state, K::Unsupported), NONE);
}

#[test]
fn a_list_that_was_cut_is_partial_until_its_pages_came() {
    let scenario = scenario(3, &json!([]), &Json::Null);
    let capped = |edge_cap| {
        let mut world = World::with_settings(&scenario, Settings { edge_cap, ..scenario.settings(Preset::Paper) }, 1);
        world.run(usize::MAX);
        world
    };
    assert_eq!(with(&capped(3).state, K::KgPartial), NONE);
    let mut world = capped(2);
    let node = at(&world.state, "X:look > S:Q1 > R:P1");
    assert_eq!(with(&world.state, K::KgPartial), [node]);
    let cut = world.state.cuts(NodeId(node)).remove(0);
    let what = Act::More { node: NodeId(node), entity: cut.entity, relation: cut.relation, kg: cut.kg, direction: cut.direction };
    act(&mut world, what).unwrap();
    world.run(usize::MAX);
    assert_eq!(with(&world.state, K::KgPartial), NONE);
    world.push(By::You, Event::Undone { act: ActId(0), redo: false });
    assert_eq!(with(&world.state, K::KgPartial), [node]);
}

#[test]
fn a_graph_that_fails_in_part_is_named_at_the_node() {
    let scenario = scenario(3, &json!([]), &json!([{"op": "relations_reverse"}]));
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(usize::MAX);
    let node = at(&world.state, "X:look > S:Q1");
    let said: Vec<_> = world.state.warnings().into_iter().filter(|w| w.kind == K::KgFailed).collect();
    assert_eq!(said.len(), 1);
    assert!(said[0].node.0 == node && said[0].text.starts_with("scenario: "), "{said:?}");
    assert_eq!(with(&run(3, &json!([])).state, K::KgFailed), NONE);
}

#[test]
fn what_was_undone_is_not_warned_of() {
    let mut world = run(3, &json!([rule("action", "X:look > S:Q1 > R:P1", &["gibberish"])]));
    let node = NodeId(at(&world.state, "X:look > S:Q1 > R:P1"));
    act(&mut world, Act::again(node, Again::Samples)).unwrap();
    world.run(usize::MAX);
    assert_eq!(with(&world.state, K::ParseFailures), [node.0]);
    world.push(By::You, Event::Undone { act: ActId(0), redo: false });
    assert_eq!(with(&world.state, K::ParseFailures), NONE);
}

#[test]
fn what_was_found_at_one_moment_holds_at_all() {
    let mut world =
        run(12, &json!([rule("action", "", &["EXPAND: one", "EXPAND: two"]), rule("action", ".*R:P1", &["ANSWER: nobody", "ANSWER: B"])]));
    act(&mut world, Act::Prune { node: NodeId(1), on: true }).unwrap();
    world.run(usize::MAX);
    let mut found = Found::default();
    let all = world.entries.len();
    let mut seen = 0;
    for count in (1..=all).step_by(7).chain((1..=all).rev().step_by(5)) {
        let state = State::from_entries(&world.entries[..count]).unwrap();
        let warnings = state.warnings();
        seen += warnings.len();
        assert_eq!(state.warnings_with(&mut found), warnings, "after {count} entries");
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn a_call_for_a_value_that_failed_is_told_apart_from_a_reply_without_one() {
    let scenario = scenario(3, &json!([]), &Json::Null);
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.too_long = |request| request.kind == tree_of_traversals::calls::PromptKind::ScoreState;
    world.run(usize::MAX);
    let node = NodeId(1);
    assert!(with(&world.state, K::ValueFailed).contains(&1), "{:?}", world.state.warnings());
    let said = world.state.warnings().into_iter().find(|w| w.kind == K::ValueFailed).unwrap().text;
    assert!(said.contains("the call for it failed: the prompt is longer than"), "{said}");
    let why = |state: &State| why::node(state, node, &|_| None).into_iter().map(|s| s.text).collect::<String>();
    assert!(why(&world.state).contains("Its value is unknown: the call for it failed (the prompt is longer than"), "{}", why(&world.state));
    assert!(tree_of_traversals::commands::report::tree(&world.state).contains("  unknown (the call failed)"));
    assert_eq!(world.reloaded(), world.state);
    // A value by hand is a value; a call that goes through brings one.
    let mut by_hand = World::new(&scenario, Preset::Paper, 1);
    by_hand.too_long = world.too_long;
    by_hand.run(usize::MAX);
    act(&mut by_hand, Act::SetValue { node, value: Micro::ONE }).unwrap();
    assert!(!with(&by_hand.state, K::ValueFailed).contains(&1));
    world.too_long = |_| false;
    act(&mut world, Act::AskAgain { node, what: Again::Value, edits: vec![], otherwise: Otherwise::default() }).unwrap();
    world.run(usize::MAX);
    assert!(!with(&world.state, K::ValueFailed).contains(&1));
    // A reply that states none is no failed call, and says what is wrong with it.
    let unread = run(3, &json!([{"kind": "score_state", "when": {"path": ".*"}, "replies": ["I cannot say"]}]));
    assert_eq!(with(&unread.state, K::ValueFailed), NONE);
    let said = why(&unread.state);
    assert!(said.contains("Its value is unknown: the model's reply could not be used (no score was stated)"), "{said}");
    assert!(tree_of_traversals::commands::report::tree(&unread.state).contains("  unknown (not readable)"));
}

#[test]
fn a_question_that_the_model_could_not_be_asked_about_is_told_apart_from_one_that_no_graph_knows() {
    // The call fails.
    let mut failed = World::new(&scenario(2, &json!([]), &Json::Null), Preset::Paper, 1);
    failed.too_long = |request| request.kind == tree_of_traversals::calls::PromptKind::Extract;
    failed.run(usize::MAX);
    let said = |state: &State| state.warnings().into_iter().find(|w| w.kind == K::NotLinked).map(|w| w.text);
    let text = said(&failed.state).unwrap();
    assert!(text.contains("what the question mentions is not known: the prompt is longer than"), "{text}");
    let root = &failed.state.nodes[0];
    assert!(root.observation.as_deref().is_some_and(|o| o.starts_with("the question was not linked")), "{root:?}");
    assert!(failed.state.steps[0].notices[0].starts_with("the question was not linked: what the question mentions is not known"));
    assert_eq!(failed.reloaded(), failed.state);
    // The reply is none, or names none of the candidates.
    for (kind, reply, wanted) in
        [("extract", "", "what the question mentions is not known"), ("match", "perhaps", "which “A” is meant is not known")]
    {
        let unread = run(2, &json!([{"kind": kind, "when": {}, "replies": [reply]}]));
        assert!(said(&unread.state).unwrap().contains(wanted), "{:?}", unread.state.warnings());
    }
    // The model says that there is nothing, or no graph has it: nothing is amiss with the model.
    let none = run(2, &json!([{"kind": "match", "when": {}, "replies": ["0"]}]));
    assert_eq!((said(&none.state), none.state.steps[0].notices[0].starts_with("no entity of the question was found")), (None, true));
    let nobody = run(2, &json!([{"kind": "extract", "when": {}, "replies": ["Zzz"]}]));
    assert_eq!(said(&nobody.state), None);
    // The second time it went well.
    let later = run(2, &json!([{"kind": "extract", "when": {"nth": 1}, "replies": [""]}]));
    assert_eq!((said(&later.state), later.state.nodes[0].observation.is_none()), (None, true));
}
