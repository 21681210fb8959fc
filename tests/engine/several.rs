//! Several graphs side by side: matching in each, links by identifiers in bulk and by label on selection, relations from
//! each, one entity with all its ids, and a graph that is down.

use tree_of_traversals::asm::Templates;
use tree_of_traversals::calls::{AskId, CallError, CallErrorKind, Candidate, EdgeList, KgData, KgOp, KgReply, PromptKind, Sample};
use tree_of_traversals::graph::{Direction, Edge, Entity, EntityId, Object, Relation, RelationRef};
use tree_of_traversals::search::strategy::{Strategy, TreeOfTraversals};
use tree_of_traversals::search::{By, Call, Entry, Event, Got, Next, NodeId, Preset, Settings, Source, Started, State, ask_events, next};

/// A graph as tables.
struct Table {
    name: &'static str,
    /// Id and label.
    things: &'static [(&'static str, &'static str)],
    /// Subject, relation, object.
    facts: &'static [(&'static str, &'static str, &'static str)],
    /// What it says of its own things elsewhere: own id, other graph, id there.
    elsewhere: &'static [(&'static str, &'static str, &'static str)],
    down: bool,
    /// Whether it fails when edges are asked for.
    no_edges: bool,
}

impl Table {
    fn entity(&self, id: &str) -> Entity {
        let label = self.things.iter().find(|(thing, _)| *thing == id).map(|(_, label)| (*label).to_owned());
        Entity { id: id.into(), kg: self.name.into(), label, description: None, also: vec![] }
    }

    fn answer(&self, op: &KgOp) -> Result<KgReply, CallError> {
        if self.down || (self.no_edges && matches!(op, KgOp::Edges { .. })) {
            return Err(CallError::new(CallErrorKind::Unreachable, format!("{} cannot be reached", self.name)));
        }
        let knows = |id: &EntityId| self.things.iter().any(|(thing, _)| **id == **thing);
        let touching = |entities: &[EntityId], direction: Direction| {
            let near = move |(s, _, o): &(&str, &str, &str)| if direction == Direction::Out { *s } else { *o }.to_owned();
            let entities = entities.to_vec();
            self.facts.iter().filter(move |fact| entities.iter().any(|id| **id == *near(fact)))
        };
        Ok(KgReply::of(match op {
            KgOp::Search { mention, .. } => KgData::Candidates(
                self.things
                    .iter()
                    .filter(|(_, label)| *label == mention)
                    .map(|(id, _)| Candidate { entity: self.entity(id), matched: None })
                    .collect(),
            ),
            KgOp::Relations { entities, direction, .. } => {
                assert!(entities.iter().all(knows), "{} was asked for {entities:?}", self.name);
                let mut list: Vec<Relation> = Vec::new();
                for (_, relation, _) in touching(entities, *direction) {
                    if !list.iter().any(|r| *r.at.id == **relation) {
                        let at = RelationRef { kg: self.name.into(), id: (*relation).into(), direction: *direction };
                        list.push(Relation { at, label: None, inverse_label: None, count: None, count_is_bound: false, identifier: false });
                    }
                }
                KgData::Relations(list)
            }
            KgOp::Edges { entities, relation, direction, .. } => {
                assert!(entities.iter().all(knows), "{} was asked for {entities:?}", self.name);
                let mut list = EdgeList::default();
                for (s, r, o) in touching(entities, *direction).filter(|(_, r, _)| **relation == **r) {
                    list.entities.extend([self.entity(s), self.entity(o)]);
                    list.edges.push(Edge::new((*s).into(), (*r).into(), Object::Entity((*o).into()), self.name.into()));
                }
                KgData::Edges(list)
            }
            KgOp::Describe { ids } => KgData::Entities(ids.iter().map(|id| self.entity(id)).collect()),
            KgOp::Link { entities } => {
                let own = |e: &Entity| {
                    let also: Vec<_> = self.elsewhere.iter().filter(|l| *l.0 == *e.id).map(|l| (l.1.into(), l.2.into())).collect();
                    (!also.is_empty()).then(|| Entity { also, ..self.entity(&e.id) })
                };
                let foreign = |e: &Entity| {
                    let link = self.elsewhere.iter().find(|l| *l.1 == *e.kg && *l.2 == *e.id)?;
                    Some(Entity { also: vec![(e.kg.clone(), e.id.clone())], ..self.entity(link.0) })
                };
                KgData::Entities(entities.iter().filter_map(|e| if *e.kg == *self.name { own(e) } else { foreign(e) }).collect())
            }
            KgOp::Aggregate { .. } => return Err(CallError::new(CallErrorKind::Refused, "no aggregates here")),
        }))
    }
}

/// What happened.
struct Told {
    state: State,
    entries: Vec<Entry>,
    calls: Vec<(String, KgOp)>,
    prompts: Vec<(PromptKind, String)>,
}

impl Told {
    fn push(&mut self, by: By, ev: Event) {
        let entry = Entry { seq: self.state.seq, at: 0, by, ev };
        self.state.apply(&entry).unwrap();
        self.entries.push(entry);
    }

    fn links(&self) -> usize {
        self.calls.iter().filter(|(_, op)| matches!(op, KgOp::Link { .. })).count()
    }

    /// The nodes whose path ends in this token.
    fn nodes(&self, token: &str) -> Vec<NodeId> {
        self.state.nodes.iter().filter(|n| n.action.token() == token).map(|n| n.id).collect()
    }
}

/// Runs a search to its end: k = 1, or more when `k` says so; `model` replies to a kind of prompt.
fn run(kgs: &[Table], k: u32, expansions: u32, given: &[&str], model: impl Fn(PromptKind, &str) -> String) -> Told {
    let given = given.iter().map(|id| Entity { id: (*id).into(), kg: kgs[0].name.into(), label: None, description: None, also: vec![] });
    let started = Started {
        question: "Who?".to_owned(),
        settings: Settings { branching: k, max_expansions: expansions, ..Settings::preset(Preset::Paper) },
        model: "script".into(),
        service_model: "script".into(),
        llm_url: None,
        price: None,
        model_spec: "script".into(),
        kgs: kgs.iter().map(|kg| (kg.name.into(), kg.name.to_owned())).collect(),
        strategy: TreeOfTraversals.name().into(),
        templates: Templates::built_in(),
        seed: 1,
        entities: given.collect(),
    };
    let mut told = Told { state: State::default(), entries: vec![], calls: vec![], prompts: vec![] };
    told.push(By::Engine, Event::Started(Box::new(started)));
    for _ in 0..10_000 {
        match next(&told.state, &TreeOfTraversals, true) {
            Next::Decide { event, .. } => told.push(By::Engine, *event),
            Next::Ask { specs, .. } => {
                for spec in specs {
                    let id = AskId(u32::try_from(told.state.asks.len()).unwrap());
                    for event in ask_events(&told.state, &spec) {
                        told.push(By::World, event);
                    }
                    let ask = told.state.ask(id).unwrap().clone();
                    let event = match &ask.call {
                        Call::Kg(call) => {
                            told.calls.push((call.kg.to_string(), call.op.clone()));
                            match kgs.iter().find(|kg| *kg.name == *call.kg).unwrap().answer(&call.op) {
                                Ok(reply) => replied(id, Got::Kg(Box::new(reply))),
                                Err(error) => Event::Failed { ask: id, error },
                            }
                        }
                        Call::Llm(call) => {
                            let text: String = call.parts.iter().map(|p| format!("{}\n", told.state.parts[p.index()].text)).collect();
                            let sample = Sample::stopped(model(call.kind, &text));
                            told.prompts.push((call.kind, text));
                            replied(id, Got::Samples((0..call.slots).map(|slot| (slot, sample.clone())).collect()))
                        }
                    };
                    told.push(By::World, event);
                }
            }
            Next::Wait => panic!("nothing is on its way"),
            Next::Broken(why) => panic!("{why}"),
            Next::Done => {
                assert_eq!(State::from_entries(&told.entries).unwrap(), told.state, "the journal makes the same state");
                return told;
            }
        }
    }
    panic!("no end")
}

fn replied(ask: AskId, got: Got) -> Event {
    Event::Replied { ask, got, source: Source::Live, usage: None, took_ms: 0, tries: 1, nothing: false }
}

const fn facts() -> Table {
    Table {
        name: "facts",
        things: &[("Q1", "Anna"), ("Q2", "Ben"), ("Q3", "Cleo"), ("Q4", "Dora")],
        facts: &[("Q1", "child", "Q2"), ("Q1", "child", "Q3"), ("Q1", "child", "Q4"), ("Q1", "place", "Q4")],
        elsewhere: &[("Q1", "music", "m1"), ("Q2", "music", "m2")],
        down: false,
        no_edges: false,
    }
}

const fn music() -> Table {
    Table {
        name: "music",
        things: &[("m1", "Anna"), ("m2", "Ben"), ("m3", "Cleo"), ("m9", "Song"), ("m8", "Tune")],
        facts: &[("m1", "wrote", "m9"), ("m3", "wrote", "m8"), ("m1", "place", "m9")],
        elsewhere: &[],
        down: false,
        no_edges: false,
    }
}

/// A model that links Anna, expands the entity `who` over `relation`, and then answers `answer`.
fn walk(who: &'static str, relation: &'static str) -> impl Fn(PromptKind, &str) -> String {
    move |kind, prompt| match kind {
        PromptKind::Extract => "Anna - a person".to_owned(),
        PromptKind::Match => "1".to_owned(),
        PromptKind::Action if prompt.contains("SELECT RELATION") => "ANSWER: x".to_owned(),
        PromptKind::Action => "EXPAND: more".to_owned(),
        PromptKind::Entities => who.to_owned(),
        PromptKind::Relation => relation.to_owned(),
        PromptKind::ScoreState => "0.5".to_owned(),
        PromptKind::FinalAnswer => "ANSWER: x".to_owned(),
        PromptKind::ScoreAnswer => "Score: 1.0".to_owned(),
        PromptKind::Review => "Verdict: sound".to_owned(),
    }
}

#[test]
fn a_mention_matched_in_two_graphs_is_one_entity_with_all_its_ids() {
    let told = run(&[facts(), music()], 1, 4, &[], walk("Q1", "wrote"));
    let root = told.state.graph(NodeId(0));
    assert_eq!(root.entities().map(|e| &*e.id).collect::<Vec<_>>(), ["Q1"]);
    assert_eq!(root.id_in(&"music".into(), &"Q1".into()).as_deref(), Some("m1"));
}

#[test]
fn a_mention_whose_identifier_names_another_thing_stays_two() {
    let wrong = Table { elsewhere: &[("Q1", "music", "m3")], ..facts() };
    let told = run(&[wrong, music()], 1, 1, &[], walk("Q1", "wrote"));
    let root = told.state.graph(NodeId(0));
    assert_eq!(root.entities().map(|e| &*e.id).collect::<Vec<_>>(), ["Q1", "m1"]);
    assert_eq!(root.id_in(&"music".into(), &"Q1".into()).as_deref(), Some("m3"));
}

#[test]
fn a_match_whose_identifier_names_another_thing_stays_two_too() {
    let told = run(
        &[Table { elsewhere: &[], ..facts() }, Table { elsewhere: &[("m1", "facts", "Q4")], ..music() }],
        1,
        1,
        &[],
        walk("Q1", "wrote"),
    );
    let root = told.state.graph(NodeId(0));
    assert_eq!(root.entities().map(|e| &*e.id).collect::<Vec<_>>(), ["Q1", "m1"]);
}

#[test]
fn relations_come_from_each_graph_and_edges_stand_under_one_id() {
    let told = run(&[facts(), music()], 1, 4, &[], walk("Q1", "wrote"));
    let offered = told.prompts.iter().find(|(kind, _)| *kind == PromptKind::Relation).map(|(_, text)| text.clone()).unwrap();
    assert!(offered.contains("child: \"child\" in \"facts\"") && offered.contains("wrote: \"wrote\" in \"music\""), "{offered}");
    let node = told.nodes("R:wrote")[0];
    let graph = told.state.graph(node);
    let edge = graph.edges().iter().find(|e| &*e.r == "wrote").unwrap();
    assert_eq!((&*edge.s, &*edge.kg), ("Q1", "music"));
    assert_eq!(told.state.summary().answer_text.as_deref(), Some("x"));
}

#[test]
fn newcomers_are_linked_at_once_and_in_bulk() {
    let told = run(&[facts(), music()], 1, 3, &[], walk("Q1", "child"));
    let graph = told.state.graph(told.nodes("R:child")[0]);
    assert_eq!(graph.entities().len(), 4);
    assert_eq!(graph.id_in(&"music".into(), &"Q2".into()).as_deref(), Some("m2"), "by its identifier");
    assert_eq!(graph.id_in(&"music".into(), &"Q3".into()), None, "not by its label");
    // The start links one entity, the expansion three: one call to each graph each time.
    assert_eq!(told.links(), 4);
    let KgOp::Link { entities } = &told.calls.iter().rfind(|(_, op)| matches!(op, KgOp::Link { .. })).unwrap().1 else { panic!() };
    assert_eq!(entities.len(), 3);
}

#[test]
fn an_entity_without_a_link_is_looked_for_by_label_only_when_it_is_selected_and_once() {
    let model = |kind: PromptKind, prompt: &str| match kind {
        PromptKind::Action => "EXPAND: more".to_owned(),
        PromptKind::Entities if prompt.contains("R:child") || prompt.contains("Cleo") => "Q3".to_owned(),
        PromptKind::Relation if prompt.contains("wrote: \"wrote\"") && prompt.contains("Q3 Cleo") => "wrote".to_owned(),
        PromptKind::Relation => "child".to_owned(),
        other => walk("Q1", "child")(other, prompt),
    };
    let told = run(&[facts(), music()], 1, 8, &[], model);
    let labels: Vec<&str> = told
        .calls
        .iter()
        .filter_map(|(kg, op)| match op {
            KgOp::Search { mention, .. } if kg == "music" => Some(mention.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(labels, ["Anna", "Cleo"], "Ben has a link, Dora was never selected, Cleo is not looked for twice");
    let asked = told.prompts.iter().rfind(|(kind, _)| *kind == PromptKind::Match).map(|(_, text)| text.clone()).unwrap();
    assert!(asked.contains("Which of these is the same thing as \"Cleo\"?"), "{asked}");
    let graph = told.state.graph(told.nodes("R:wrote")[0]);
    assert_eq!(graph.id_in(&"music".into(), &"Q3".into()).as_deref(), Some("m3"));
    assert!(graph.edges().iter().any(|e| &*e.s == "Q3" && &*e.kg == "music" && e.o == Object::Entity("m8".into())));
}

#[test]
fn a_relation_that_two_graphs_offer_is_one_offer_and_asked_of_both() {
    let told = run(&[facts(), music()], 1, 4, &[], walk("Q1", "place"));
    let offered = told.prompts.iter().find(|(kind, _)| *kind == PromptKind::Relation).map(|(_, text)| text.clone()).unwrap();
    assert_eq!(offered.matches("- place: ").count(), 1, "{offered}");
    let graph = told.state.graph(told.nodes("R:place")[0]);
    let mut from: Vec<&str> = graph.edges().iter().map(|e| &*e.kg).collect();
    from.sort_unstable();
    assert_eq!(from, ["facts", "music"]);
}

#[test]
fn a_graph_that_is_down_is_said_and_the_search_goes_on() {
    let told = run(&[facts(), Table { down: true, ..music() }], 1, 4, &[], walk("Q1", "child"));
    assert_eq!(told.state.summary().answer_text.as_deref(), Some("x"));
    let said: Vec<&String> = told.state.steps.iter().flat_map(|s| &s.notices).collect();
    assert!(said.iter().any(|n| n.contains("music cannot be reached")), "{said:?}");
}

#[test]
fn given_entities_skip_the_linking_and_are_described() {
    let told = run(&[facts(), music()], 1, 4, &["Q1"], walk("Q1", "wrote"));
    assert!(told.prompts.iter().all(|(kind, _)| !matches!(kind, PromptKind::Extract | PromptKind::Match)));
    let root = told.state.graph(NodeId(0));
    assert_eq!((root.name("Q1"), root.id_in(&"music".into(), &"Q1".into()).as_deref()), ("Anna", Some("m1")));
    let unknown = run(&[facts(), music()], 1, 2, &["Q77"], walk("Q1", "wrote"));
    assert!(unknown.state.steps[0].notices.iter().any(|n| n == "no graph has a name for Q77: check the id"));
    assert_eq!(unknown.state.graph(NodeId(0)).name("Q77"), "Q77", "what has no name may have facts");
    let down = run(&[Table { down: true, ..facts() }], 1, 2, &["Q1"], walk("Q1", "child"));
    assert!(down.state.graph(NodeId(0)).entity("Q1").is_some(), "a graph that is down may answer later");
}

#[test]
fn a_graph_that_fails_on_the_edges_of_a_shared_relation_is_said() {
    let told = run(&[facts(), Table { no_edges: true, ..music() }], 1, 4, &[], walk("Q1", "place"));
    let node = told.nodes("R:place")[0];
    assert_eq!(told.state.graph(node).edges().iter().map(|e| &*e.kg).collect::<Vec<_>>(), ["facts"]);
    let step = told.state.step(told.state.node(node).unwrap().step).unwrap();
    assert_eq!(step.notices, ["edges of place failed: music cannot be reached"]);
}
