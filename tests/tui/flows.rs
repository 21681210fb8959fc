//! What a person does by hand: the runner is told exactly the right thing, and Escape leaves no trace.

use super::desk::{Desk, film, scenario};
use super::world::World;
use std::time::Instant;
use tree_of_traversals::asm::Action;
use tree_of_traversals::calls::{AskId, KgOp};
use tree_of_traversals::graph::Direction;
use tree_of_traversals::micro::Micro;
use tree_of_traversals::runner::{Command, Flight, Pace};
use tree_of_traversals::search::{Act, By, Event, NodeId, Preset, Purpose, Setting};

#[test]
fn run_commands() {
    let mut desk = Desk::at(&film(90));
    desk.press("space s S + -");
    assert!(desk.screen(120, 40).contains("faster") || !desk.sent().is_empty());
    let mut desk = Desk::at(&film(90));
    assert_eq!(desk.press("space").sent(), [Command::Pace(Pace::Run)]);
    assert_eq!(desk.press("s S").sent(), [Command::Pace(Pace::Step), Command::Pace(Pace::Phase)]);
    desk.live.pace = Pace::Run;
    desk.arrive();
    assert_eq!(desk.press("space").sent(), [Command::Pace(Pace::Paused)]);
    assert_eq!(desk.press("X").sent(), [], "nothing is in flight");
    desk.live.flights = vec![Flight { ask: AskId(3), since: Instant::now(), what: "samples of node 4".into(), kg: None, human: false }];
    desk.arrive();
    assert_eq!(desk.press("X").sent(), [Command::Abort]);
}

#[test]
fn expand_by_hand_asks_what_the_engine_would_and_brings_the_choice() {
    let world = film(usize::MAX);
    let mut desk = Desk::at(&world);
    desk.select(9);
    desk.press("e Down Down Down Enter");
    assert!(desk.screen(160, 50).contains("which entities?"));
    // Interstellar first, then Inception: the order of the graph counts, not the order of picking.
    let asked = desk.press("Down space Up space Enter").sent();
    let ops: Vec<&KgOp> = asked.iter().filter_map(|c| if let Command::Inquire { call, .. } = c { Some(&call.op) } else { None }).collect();
    let limit = world.state.settings().relation_limit;
    let wanted = [Direction::Out, Direction::In].map(|direction| KgOp::Relations {
        entities: vec!["Q25188".into(), "Q13417189".into()],
        direction,
        limit,
    });
    assert_eq!(ops, wanted.iter().collect::<Vec<_>>());
    desk.answer("film-backtrack", &asked);
    let screen = desk.screen(160, 50);
    assert!(screen.contains("cast member  P161 →") && screen.contains("director  P57 →"), "{screen}");
    let asked = desk.press("/ text:director Enter Enter").sent();
    let cap = world.state.settings().edge_cap;
    assert!(
        matches!(&asked[..], [Command::Inquire { call, .. }] if matches!(&call.op, KgOp::Edges { relation, cap: c, .. } if &**relation == "P57" && *c == cap))
    );
    desk.answer("film-backtrack", &asked);
    let screen = desk.screen(160, 50);
    assert!(screen.contains("2 new facts, 1 new entity") && screen.contains("+ Inception  director  Christopher Nolan"), "{screen}");
    let sent = desk.press("Enter").sent();
    let Some(Command::Do(act)) = sent.first() else { panic!("{sent:?}") };
    let Act::Choose { node: NodeId(9), chain, instead_of: None, value: None } = act else { panic!("{act:?}") };
    assert!(matches!(&chain[..], [Action::Expand { .. }, Action::SelectEntities { ids }, Action::SelectRelation { relation }]
        if ids.len() == 2 && &*relation.id == "P57" && relation.direction == Direction::Out));
    act.check(&world.state).unwrap();
    assert!(!desk.app.has_popup());
}

#[test]
fn the_model_s_entities_show_their_votes_and_used_relations_are_dimmed() {
    let world = film(usize::MAX);
    let mut desk = Desk::at(&world);
    // Node 2 or its like: a node in state default whose EXPAND child chose entities.
    let chooser = world.state.nodes.iter().find(|n| matches!(n.action, Action::SelectEntities { .. }) && n.votes.1 > 1).unwrap();
    let expand = chooser.parent.unwrap();
    desk.select(expand.0);
    let screen = desk.press("e").screen(160, 50);
    assert!(screen.contains("model ") && screen.contains("/6"), "{screen}");
    let asked = desk.press("space Down space Enter").sent();
    desk.answer("film-backtrack", &asked);
    let screen = desk.screen(160, 50);
    assert!(screen.contains("already used: node"), "{screen}");
}

#[test]
fn identifiers_are_hidden_until_asked_for_and_relations_carry_their_kg() {
    use tree_of_traversals::calls::{KgData, KgReply};
    use tree_of_traversals::graph::{Relation, RelationRef};
    let mut desk = Desk::at(&film(usize::MAX));
    desk.select(9);
    let asked = desk.press("e Down Down Down Enter space Enter").sent();
    let relation = |id: &str, label: &str, identifier| Relation {
        at: RelationRef { kg: "scenario".into(), id: id.into(), direction: Direction::Out },
        label: Some(label.into()),
        inverse_label: None,
        count: Some(1),
        count_is_bound: false,
        identifier,
    };
    for command in &asked {
        if let Command::Inquire { id, .. } = command {
            let list = vec![relation("P57", "director", false), relation("P345", "IMDb ID", true)];
            let reply = std::sync::Arc::new(KgReply::of(KgData::Relations(list)));
            desk.live.inquiries.push(tree_of_traversals::runner::Inquiry { id: *id, result: Some(Ok(reply)) });
        }
    }
    desk.arrive();
    let screen = desk.screen(160, 50);
    assert!(screen.contains("◆ director") && !screen.contains("IMDb ID"), "{screen}");
    assert!(screen.contains("Tab shows identifiers") && screen.contains("in the KG's own order"), "{screen}");
    let screen = desk.press("Tab").screen(160, 50);
    assert!(screen.contains("◆ IMDb ID  P345 → identifier"), "{screen}");
    assert!(!desk.press("Tab").screen(160, 50).contains("IMDb ID"));
}

#[test]
fn escape_goes_back_step_by_step_and_leaves_no_trace() {
    let mut desk = Desk::at(&film(usize::MAX));
    desk.select(9);
    let asked = desk.press("e Down Down Down Enter space Enter").sent();
    desk.answer("film-backtrack", &asked);
    let asked = desk.press("/ text:director Enter Enter").sent();
    desk.answer("film-backtrack", &asked);
    // From the preview, out of the text to find, from the relations, the entities, the menu.
    let sent = desk.press("Escape Escape Escape Escape Escape").sent();
    assert!(!desk.app.has_popup());
    assert!(sent.iter().all(|command| matches!(command, Command::DropInquiry(_))), "{sent:?}");
    assert_eq!(sent.len(), 3, "two listings and a preview are dropped");
}

#[test]
fn nothing_new_can_not_be_brought_in() {
    let mut desk = Desk::at(&film(usize::MAX));
    desk.select(9);
    let asked = desk.press("e Down Down Down Enter space Down space Enter").sent();
    desk.answer("film-backtrack", &asked);
    let asked = desk.press("/ text:cast Enter Enter").sent();
    desk.answer("film-backtrack", &asked);
    assert_eq!(desk.press("Enter").sent(), []);
    assert!(desk.screen(160, 50).contains("it adds no fact"), "{}", desk.screen(160, 50));
}

#[test]
fn a_kg_that_fails_says_so_in_the_flow() {
    use tree_of_traversals::calls::{CallError, CallErrorKind};
    let mut desk = Desk::at(&film(usize::MAX));
    desk.select(9);
    let asked = desk.press("e Down Down Down Enter space Enter").sent();
    for command in &asked {
        if let Command::Inquire { id, .. } = command {
            let result = Some(Err(CallError::new(CallErrorKind::Server, "the endpoint answers 503: try again later")));
            desk.live.inquiries.push(tree_of_traversals::runner::Inquiry { id: *id, result });
        }
    }
    desk.arrive();
    assert!(desk.screen(160, 50).contains("the endpoint answers 503"), "{}", desk.screen(160, 50));
}

#[test]
fn a_thought_an_answer_and_a_value() {
    let world = film(usize::MAX);
    let mut desk = Desk::at(&world);
    desk.select(9);
    let thought = desk.press("H text:look space text:at space text:the space text:cast Enter").sent();
    assert!(
        matches!(&thought[..], [Command::Do(Act::Choose { node: NodeId(9), chain, .. })] if chain == &[Action::Think { text: "look at the cast".into() }])
    );
    desk.press("a");
    desk.paste("Michael Caine | Anne\nHathaway");
    let answer = desk.press("Enter").sent();
    let [Command::Do(Act::Choose { chain, .. })] = &answer[..] else { panic!("{answer:?}") };
    assert_eq!(
        chain[0],
        Action::Answer { text: "Michael Caine | Anne Hathaway".into(), items: vec!["Michael Caine".into(), "Anne Hathaway".into()] }
    );
    desk.press("v ctrl-u text:1.5 Enter");
    assert!(desk.screen(160, 50).contains("a value is a number from 0 to 1"));
    let value = desk.press("ctrl-u text:0.25 Enter").sent();
    assert_eq!(value, [Command::Do(Act::SetValue { node: NodeId(9), value: Micro::from_f64(0.25).unwrap() })]);
    assert_eq!(desk.press("v Escape H Escape a Escape").sent(), []);
}

#[test]
fn override_offers_outvoted_choices_and_instead_of() {
    let world = film(usize::MAX);
    let mut desk = Desk::at(&world);
    let relation = world.state.nodes.iter().find(|n| matches!(n.action, Action::SelectRelation { .. })).unwrap();
    let parent = relation.parent.unwrap();
    desk.select(parent.0);
    let screen = desk.press("o").screen(160, 50);
    assert!(screen.contains("Override at node") && screen.contains("is node") && screen.contains("not chosen"), "{screen}");
    let sent = desk.press("/ text:genre Enter Enter").sent();
    assert!(
        matches!(&sent[..], [Command::Do(Act::Choose { node, chain, instead_of: None, .. })]
            if *node == parent && matches!(&chain[..], [Action::SelectRelation { relation }] if &*relation.id == "P136")),
        "{sent:?}"
    );
    // On a node without choices of its own: instead of it.
    let leaf = world.state.nodes.iter().rev().find(|n| n.action.is_answer()).unwrap();
    desk.select(leaf.id.0);
    desk.press("o / text:another space text:answer Enter Enter text:Anne Enter");
    let sent = desk.sent();
    assert!(
        matches!(&sent[..], [Command::Do(Act::Choose { node, instead_of: Some(child), .. })] if Some(*node) == leaf.parent && *child == leaf.id),
        "{sent:?}"
    );
}

#[test]
fn prune_accept_undo_redo() {
    let mut world = film(usize::MAX);
    let mut desk = Desk::at(&world);
    desk.select(9);
    assert_eq!(desk.press("x").sent(), [Command::Do(Act::Prune { node: NodeId(9), on: true })]);
    assert!(desk.press("u").screen(160, 50).contains("there is no act of yours to undo"));
    let act = Act::Prune { node: NodeId(9), on: true };
    world.push(By::You, Event::Acted { act: tree_of_traversals::search::ActId(0), what: act });
    desk.entries.clone_from(&world.entries);
    desk.arrive();
    let screen = desk.screen(160, 50);
    assert!(screen.lines().any(|line| line.contains('✂') && line.contains("cast member")), "{screen}");
    assert_eq!(desk.press("x").sent(), [Command::Do(Act::Prune { node: NodeId(9), on: false })]);
    assert_eq!(desk.press("u").sent(), [Command::Undo]);
    world.push(By::You, Event::Undone { act: tree_of_traversals::search::ActId(0), redo: false });
    desk.entries.clone_from(&world.entries);
    desk.arrive();
    assert!(!desk.screen(160, 50).contains('✂'));
    assert_eq!(desk.press("U").sent(), [Command::Redo]);
    desk.select(14);
    assert_eq!(desk.press("A").sent(), [Command::Do(Act::Accept { node: NodeId(14) })]);
}

#[test]
fn what_is_made_by_hand_is_marked_and_what_is_undone_is_withdrawn() {
    let mut world = World::new(&scenario("film-backtrack"), Preset::Paper, 1);
    world.run(usize::MAX);
    let chain = vec![Action::Think { text: "a thought of my own".into() }];
    let act = tree_of_traversals::search::ActId(0);
    world.push(By::You, Event::Acted { act, what: Act::Choose { node: NodeId(9), chain, instead_of: None, value: Micro::from_f64(0.5) } });
    world.run(usize::MAX);
    let mut desk = Desk::at(&world);
    let screen = desk.screen(160, 50);
    assert!(screen.lines().any(|line| line.contains("✎ ∴ think: a thought of my own") && line.contains("0.50✎")), "{screen}");
    world.push(By::You, Event::Undone { act, redo: false });
    desk.entries.clone_from(&world.entries);
    desk.arrive();
    let screen = desk.screen(160, 50);
    assert!(screen.lines().any(|line| line.contains('↶') && line.contains("a thought of my own")), "{screen}");
    assert!(!desk.press("R").screen(160, 50).contains('↶'), "R hides it");
}

#[test]
fn limits_send_only_what_changed() {
    let mut desk = Desk::at(&film(usize::MAX));
    assert_eq!(desk.press("L Enter").sent(), []);
    assert_eq!(desk.press("L Backspace Backspace text:40 Enter").sent(), [Command::Do(Act::Set(Setting::MaxExpansions(40)))]);
    use tree_of_traversals::search::OnExhausted;
    assert_eq!(desk.press("L G space space Enter").sent(), [Command::Do(Act::Set(Setting::OnExhausted(OnExhausted::Force)))]);
    desk.press("L Backspace Backspace text:0 Enter");
    assert!(desk.screen(160, 50).contains("at least one expansion is needed"));
    assert_eq!(desk.press("Escape").sent(), []);
}

#[test]
fn linked_entities_are_searched_added_and_dropped() {
    let mut desk = Desk::at(&film(usize::MAX));
    let asked = desk.press("K / text:Caine Tab").sent();
    assert!(
        matches!(&asked[..], [Command::Inquire { call, .. }] if matches!(&call.op, KgOp::Search { mention, .. } if mention == "Caine"))
    );
    use std::sync::Arc;
    use tree_of_traversals::calls::{Candidate, KgData, KgReply};
    use tree_of_traversals::graph::Entity;
    let found =
        Entity { id: "Q123351".into(), kg: "scenario".into(), label: Some("Michael Caine".into()), description: None, also: vec![] };
    if let Command::Inquire { id, .. } = &asked[0] {
        let reply = KgReply::of(KgData::Candidates(vec![Candidate { entity: found.clone(), matched: None }]));
        desk.live.inquiries.push(tree_of_traversals::runner::Inquiry { id: *id, result: Some(Ok(Arc::new(reply))) });
    }
    desk.arrive();
    assert!(desk.screen(160, 50).contains("[ ] ◆ Michael Caine"), "{}", desk.screen(160, 50));
    // The cursor is on what was found: check it, and uncheck the first linked one.
    let sent = desk.press("space Up Up space Enter").sent();
    let act = sent.iter().find_map(|command| if let Command::Do(act) = command { Some(act) } else { None }).unwrap();
    assert_eq!(*act, Act::Link { add: vec![found], drop: vec!["Q25188".into()] });
}

#[test]
fn a_person_is_the_model() {
    let world = film(30);
    let open = world.state.asks.iter().find(|ask| ask.is_llm() && !ask.is_complete());
    let ask = open.map_or_else(|| world.state.asks.iter().find(|ask| ask.key.purpose == Purpose::Sample).unwrap().id, |ask| ask.id);
    let mut cut = film(1);
    let mut count = 1;
    while cut.state.ask(ask).is_none_or(|a| a.samples.iter().any(Option::is_some)) {
        count += 1;
        cut = film(count);
    }
    let slots = cut.state.ask(ask).unwrap().samples.len();
    let flight = Flight { ask, since: Instant::now(), what: "samples".into(), kg: None, human: true };
    let mut desk = Desk::with(&cut, |live| {
        live.pace = Pace::Run;
        live.flights = vec![flight];
    });
    let screen = desk.screen(160, 50);
    assert!(screen.contains("· sample 1 of") && screen.contains("you are the model"), "{screen}");
    assert!(screen.contains("waiting for you"), "{screen}");
    desk.press("Enter");
    assert!(desk.sent().is_empty() && desk.screen(160, 50).contains("write something first"));
    desk.press("text:THINK: space text:hm Enter");
    let sent = desk.sent();
    assert!(matches!(&sent[..], [Command::Reply { ask: a, slot: 0, text }] if *a == ask && text == "THINK: hm"), "{sent:?}");
    desk.press("text:ANSWER: space text:x Tab");
    assert_eq!(desk.sent().len(), slots - 1, "Tab replies to all that are left");
    assert!(!desk.app.has_popup());
}

#[test]
fn what_is_being_written_stays_when_nothing_waits_for_it_any_more() {
    let world = film(usize::MAX);
    let ask = world.state.asks.iter().find(|ask| ask.key.purpose == Purpose::Sample).unwrap().id;
    let flight = Flight { ask, since: Instant::now(), what: "samples".into(), kg: None, human: true };
    let mut desk = Desk::with(&world, |live| live.flights = vec![flight.clone()]);
    desk.press("text:THINK:");
    // The time is up, or another terminal paused it.
    desk.live.flights.clear();
    desk.arrive();
    let screen = desk.press("space text:quit Enter").screen(160, 50);
    assert!(screen.contains("THINK: quit") && screen.contains("nothing waits for this reply now"), "{screen}");
    assert!(desk.sent().is_empty() && desk.app.take_effects().is_empty(), "no letter is a command of the screen below");
    // It goes on, and so does the person.
    desk.live.flights = vec![flight];
    desk.arrive();
    assert!(!desk.screen(160, 50).contains("nothing waits"));
    desk.live.flights.clear();
    desk.arrive();
    desk.press("Escape");
    assert!(!desk.app.has_popup());
}

#[test]
fn an_entity_of_the_local_graph_is_expanded_from_there() {
    let mut desk = Desk::at(&film(usize::MAX));
    desk.select(9);
    // The third fact of the table: Inception, cast member, Elliot Page.
    let screen = desk.press("2 Down Down e").screen(160, 50);
    assert!(screen.contains("[x] ◆ Elliot Page"), "{screen}");
    let asked = desk.press("Enter").sent();
    assert!(
        matches!(&asked[0], Command::Inquire { call, .. } if matches!(&call.op, KgOp::Relations { entities, .. } if entities.len() == 1)),
        "{asked:?}"
    );
}
