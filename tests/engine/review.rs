//! The model judges the facts that an answer rests on: beside the search, undone, replayed, by another model, read or not.

use crate::acts::{act, film, model};
use crate::world::World;
use tree_of_traversals::asm::{Profile, Templates, Verdict};
use tree_of_traversals::calls::PromptKind;
use tree_of_traversals::scenario::Scenario;
use tree_of_traversals::search::correction::{Change, Correction};
use tree_of_traversals::search::{Act, Again, Ask, By, Event, NodeId, Preset, Purpose, StepKind};

/// The film, with this reply to the prompts about facts.
fn judging(reply: &str) -> World {
    let mut text: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string("tests/data/scenarios/film-backtrack.json").unwrap()).unwrap();
    text["llm"]["fallback"] = serde_json::json!({ "score_state": ["0.35"], "score_answer": ["0.1"], "action": ["ANSWER: somebody"],
        "entities": ["Q25188"], "relation": ["P161"], "final_answer": ["ANSWER: somebody"] });
    text["llm"]["fallback"]["review"] = serde_json::json!([reply]);
    let scenario: Scenario = serde_json::from_value(text).unwrap();
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(usize::MAX);
    world
}

fn answer(world: &World) -> NodeId {
    world.state.summary().answer.unwrap()
}

fn review(world: &mut World) -> Result<(), String> {
    let what = Act::review(&world.state, answer(world), None);
    act(world, what)?;
    world.run(usize::MAX);
    Ok(())
}

#[test]
fn every_fact_is_judged_on_its_own_and_the_search_is_as_before() {
    let mut world = judging("Reason: it was renamed.\nVerdict: doubtful");
    let before = world.state.clone();
    let (at, facts) = (answer(&world), world.state.evidence(answer(&world)));
    assert!(facts.len() > 1);
    review(&mut world).unwrap();
    let (step, judged) = world.state.review(at).unwrap();
    assert!(step.closed && world.state.reviewer(step) == "script");
    assert_eq!(judged.iter().map(|j| &j.fact).collect::<Vec<_>>(), facts.iter().collect::<Vec<_>>());
    assert!(judged.iter().all(|j| (j.verdict, &*j.reason) == (Verdict::Doubtful, "it was renamed.")));
    assert_eq!(world.state.verdict(at, &facts[0]).unwrap().judged.verdict, Verdict::Doubtful);
    // One prompt a fact, with the question, the answer and all facts; not a word of the walk.
    let asks: Vec<_> = world.state.asks.iter().filter(|ask| ask.key.purpose == Purpose::Review).collect();
    assert_eq!((asks.len(), asks[0].kind()), (facts.len(), Some(PromptKind::Review)));
    let prompt = world.state.prompt_of(asks[0]).unwrap();
    assert!(prompt.starts_with("QUESTION: ") && prompt.contains("rests on facts") && !prompt.contains("THINK"), "{prompt}");
    assert_eq!(prompt.matches("\"cast member\" - ").count(), facts.len() + 1, "all facts, and the one in question: {prompt}");
    // An end stays an end, nothing counts as an expansion or a growth, and what it costs is counted.
    assert_eq!((&world.state.finished, &world.state.nodes, world.state.reconsider), (&before.finished, &before.nodes, before.reconsider));
    let (now, then) = (world.state.counters(), before.counters());
    assert_eq!((now.expansions, now.by_hand, now.llm.calls), (then.expansions, then.by_hand, then.llm.calls + facts.len() as u32));
    assert_eq!(world.reloaded(), world.state);
    // Undone it is hidden, and there again when it is redone.
    let undoable = world.state.undoable().unwrap();
    world.push(By::You, Event::Undone { act: undoable, redo: false });
    assert!(world.state.review(at).is_none() && world.state.verdict(at, &facts[0]).is_none());
    world.push(By::You, Event::Undone { act: undoable, redo: true });
    assert!(world.state.review(at).is_some());
    world.run(usize::MAX);
    assert_eq!(world.state.finished, before.finished);
}

#[test]
fn another_model_can_judge_and_the_last_word_counts() {
    let mut world = judging("Verdict: sound - as everybody knows");
    let at = answer(&world);
    review(&mut world).unwrap();
    let what = Act::review(&world.state, at, Some(model(2)));
    act(&mut world, what).unwrap();
    world.run(usize::MAX);
    let (step, judged) = world.state.review(at).unwrap();
    assert_eq!(world.state.reviewer(step), "script:2");
    assert!(judged.iter().all(|j| j.verdict == Verdict::Sound));
    assert_eq!(world.state.steps.iter().filter(|step| step.kind == StepKind::Review).count(), 2);
    assert_eq!(world.state.model_now(), None, "what comes after is asked of the session's own model");
    assert_eq!(world.reloaded(), world.state);
}

#[test]
fn what_can_t_be_read_is_unknown_and_says_why() {
    let mut world = judging("I would rather not say.");
    review(&mut world).unwrap();
    let (_, judged) = world.state.review(answer(&world)).unwrap();
    assert!(judged.iter().all(|j| (j.verdict, &*j.reason) == (Verdict::Unknown, "no verdict was stated")));
}

#[test]
fn too_long_a_prompt_is_asked_again_with_the_fact_alone() {
    let mut world = judging("Verdict: unknown");
    world.too_long = |request| request.prompt().contains("The facts, each as");
    review(&mut world).unwrap();
    let asks: Vec<_> = world.state.asks.iter().filter(|ask| ask.key.purpose == Purpose::Review).collect();
    let (first, second): (Vec<&std::sync::Arc<Ask>>, Vec<_>) = asks.into_iter().partition(|ask| ask.key.round == 0);
    assert!(first.len() == second.len() && first.iter().all(|ask| ask.error.is_some()) && second.iter().all(|ask| ask.error.is_none()));
    assert!(world.state.review(answer(&world)).is_some());
}

#[test]
fn what_rests_on_nothing_is_refused() {
    let mut world = judging("Verdict: sound");
    let at = answer(&world);
    let refused = |world: &mut World, what: Act| act(world, what).unwrap_err();
    let root = Act::review(&world.state, NodeId(0), None);
    assert!(refused(&mut world, root).contains("only an answer rests on facts"));
    let unsupported = world.state.nodes.iter().find(|n| n.action.is_answer() && world.state.evidence(n.id).is_empty()).map(|n| n.id);
    let what = Act::review(&world.state, unsupported.unwrap(), None);
    assert!(refused(&mut world, what).contains("rests on no fact"));
    // A fact that was corrected meanwhile, and facts that are being judged.
    let what = Act::review(&world.state, at, None);
    let Act::Review { facts, .. } = &what else { panic!() };
    let correction = Correction { fact: facts[0].clone(), change: Change::Delete, reason: String::new() };
    act(&mut world, Act::Correct { node: at, correction: Box::new(correction) }).unwrap();
    assert!(refused(&mut world, what.clone()).contains("not in the local graph any more"));
    let undoable = world.state.undoable().unwrap();
    world.push(By::You, Event::Undone { act: undoable, redo: false });
    act(&mut world, what.clone()).unwrap();
    world.run(world.entries.len() + 2);
    assert!(refused(&mut world, what).contains("being judged already"));
    world.run(usize::MAX);
    assert_eq!(world.reloaded(), world.state);
}

#[test]
fn every_profile_and_older_sessions_have_the_prompt() {
    for profile in Profile::ALL {
        // A session of an older program holds every template but this one.
        let mut older = serde_json::to_value(Templates::of(profile)).unwrap();
        older.as_object_mut().unwrap().remove("review").unwrap();
        let older: Templates = serde_json::from_value(older).unwrap();
        assert_eq!(older.text("review"), Templates::of(profile).text("review"));
        let mut world = World::with_prompts(&film(), film().settings(Preset::Paper), older, 1);
        world.run(usize::MAX);
        review(&mut world).unwrap();
        let ask = world.state.asks.iter().rfind(|ask| ask.key.purpose == Purpose::Review).unwrap();
        let prompt = world.state.prompt_of(ask).unwrap();
        assert!(prompt.contains("Fact: \"") && prompt.contains("doubtful"), "{profile}: {prompt}");
        assert_eq!(world.state.review(answer(&world)).unwrap().1[0].verdict, Verdict::Sound);
        assert_eq!(world.reloaded(), world.state);
    }
}

#[test]
fn the_built_in_model_judges_nothing() {
    let prompt = "QUESTION: \"Who?\"\n\n# TASK: review\nFact: \"a\" - \"b\" - \"c\"";
    let said = tree_of_traversals::llm::lexical::reply(prompt, 0, 1);
    assert!(said.contains("judges none") && said.ends_with("Verdict: unknown"), "{said}");
}

#[test]
fn a_review_replays_and_changes_no_later_decision() {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.run(150);
    if world.state.answers().first().is_some_and(|at| !world.state.evidence(*at).is_empty()) {
        let what = Act::review(&world.state, world.state.answers()[0], None);
        act(&mut world, what).unwrap();
    }
    world.run(usize::MAX);
    review(&mut world).unwrap();
    act(&mut world, Act::again(NodeId(0), Again::Samples)).unwrap();
    world.run(usize::MAX);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.jsonl");
    let entries: Vec<std::sync::Arc<_>> = world.entries.iter().cloned().map(std::sync::Arc::new).collect();
    drop(tree_of_traversals::session::Journal::create(&path, &tree_of_traversals::session::Header::new("s", None), &entries).unwrap());
    let status = tree_of_traversals::commands::replay::check(path.to_str().unwrap()).unwrap();
    assert_eq!(status, tree_of_traversals::commands::Status::Ok);
}

#[test]
fn a_review_that_is_taken_back_while_it_is_asked_ends_at_once() {
    let mut world = judging("Verdict: sound");
    let at = answer(&world);
    let what = Act::review(&world.state, at, None);
    act(&mut world, what).unwrap();
    while !world.state.asks.iter().any(|ask| ask.key.purpose == Purpose::Review) {
        world.run(world.entries.len() + 1);
    }
    let undoable = world.state.undoable().unwrap();
    world.push(By::You, Event::Undone { act: undoable, redo: false });
    world.run(usize::MAX);
    assert!(world.state.open_steps().next().is_none() && world.state.review(at).is_none());
    assert_eq!(world.reloaded(), world.state);
}
