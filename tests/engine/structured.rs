//! Structured output: what a form allows is read as the same choice that a text would bring.

use crate::world::World;
use proptest::prelude::*;
use serde_json::{Value, json};
use tree_of_traversals::asm::{Action, Expect, Reply, Unusable, parse};
use tree_of_traversals::calls::{Form, Sample};
use tree_of_traversals::graph::{Direction, EntityId, RelationRef};
use tree_of_traversals::runner::task::llm_job;
use tree_of_traversals::scenario::{Scenario, compare};
use tree_of_traversals::search::strategy::by_name;
use tree_of_traversals::search::{Call, Preset, Structured};

/// Ids of every kind that a KG may have: short, prefixed, whole IRIs, names with blanks, brackets, quotes and commas.
const IDS: [&str; 12] = [
    "Q25188",
    "Q2",
    "M:9a1b2c3d-0000-4000-8000-000000000001",
    "http://ex.org/Night Ferry",
    "http://ex.org/a,b",
    "local:Paris, Texas",
    "local:O'Neill",
    "local:\"quoted\"",
    "local:{x}",
    "local:[1]",
    "local:名前",
    "dbpedia:Lady_Susan_(novel)",
];

/// What is read from `text`.
fn read(expect: &Expect<'_>, text: String) -> Result<Reply, Unusable> {
    parse(expect, &Sample::stopped(text), &|_| false)
}

/// The values that the schema of a form allows at `at`.
fn allowed(form: &Form, at: &str) -> Vec<Value> {
    form.schema().pointer(at).and_then(Value::as_array).cloned().unwrap_or_default()
}

fn entity_ids() -> Vec<EntityId> {
    IDS.iter().map(|id| EntityId::from(*id)).collect()
}

fn relations() -> Vec<RelationRef> {
    let both = |id: &&str| [Direction::Out, Direction::In].map(|direction| RelationRef { kg: "kg".into(), id: (*id).into(), direction });
    IDS.iter().flat_map(both).collect()
}

#[test]
fn a_schema_names_every_property_and_allows_no_other() {
    for form in [
        Form::Action(vec!["THINK".to_owned()]),
        Form::Answer,
        Form::Entities(vec!["Q1".to_owned()]),
        Form::Relation(vec!["P1".to_owned(), "~P1".to_owned()]),
        Form::Value,
        Form::ReasonedValue,
    ] {
        let schema = form.schema();
        let named: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(json!(named), schema["required"]);
        assert_eq!(schema["additionalProperties"], false);
        assert!(form.name().bytes().all(|b| b.is_ascii_lowercase()));
    }
    // The reasons are written before the value that they are for.
    assert_eq!(Form::ReasonedValue.schema()["required"], json!(["reasoning", "value"]));
}

#[test]
fn every_relation_that_a_form_allows_is_read_as_that_relation() {
    let offered = relations();
    let form = Form::Relation(offered.iter().map(RelationRef::token).collect());
    let tokens = allowed(&form, "/properties/relation/enum");
    assert_eq!(tokens.len(), offered.len());
    for (token, relation) in tokens.iter().zip(&offered) {
        let chosen = Ok(Reply::Action(Action::SelectRelation { relation: relation.clone() }));
        assert_eq!(read(&Expect::Relation(&offered), json!({"relation": token}).to_string()), chosen, "{token}");
        let spaced = format!("{{\n  \"relation\" : {token}\n}}\n");
        assert_eq!(read(&Expect::Relation(&offered), spaced), chosen, "{token}");
    }
}

#[test]
fn simple_tokens_are_the_same_choice_as_text_and_as_an_object() {
    let offered: Vec<RelationRef> = [("P57", Direction::Out), ("P57", Direction::In), ("P161", Direction::In)]
        .map(|(id, direction)| RelationRef { kg: "kg".into(), id: id.into(), direction })
        .to_vec();
    for relation in &offered {
        let token = relation.token();
        let as_text = read(&Expect::Relation(&offered), token.clone());
        assert_eq!(as_text, read(&Expect::Relation(&offered), json!({"relation": token}).to_string()));
        assert!(as_text.is_ok());
    }
    for value in ["0", "0.0", "0.35", "0.8", "1", "1.0"] {
        let number: Value = serde_json::from_str(value).unwrap();
        let as_text = read(&Expect::ScoreState, value.to_owned());
        assert!(as_text.is_ok());
        assert_eq!(as_text, read(&Expect::ScoreState, json!({"value": number}).to_string()));
        let reasoned = json!({"reasoning": "The graph has 2 of 3 facts, so 0.9 is too much; Score: 0.1 is too little.", "value": number});
        assert_eq!(as_text, read(&Expect::ScoreAnswer, reasoned.to_string()));
    }
}

#[test]
fn actions_and_answers_are_the_same_as_text_and_as_an_object() {
    for (word, text) in [
        ("THINK", "the casts of both films are needed"),
        ("EXPAND", "cast of \"Inception\" {both}"),
        ("EXPAND", ""),
        ("ANSWER", "Michael Caine"),
        ("ANSWER", "Michael Caine | Tom Hardy"),
        ("ANSWER", "1912"),
    ] {
        let as_text = read(&Expect::Action, format!("{word}: {text}"));
        assert!(as_text.is_ok(), "{word} {text}");
        assert_eq!(as_text, read(&Expect::Action, json!({"action": word, "text": text}).to_string()), "{word} {text}");
    }
    for answer in ["Michael Caine", "Paris | London", "3"] {
        let as_text = read(&Expect::FinalAnswer, format!("Reasoning: the graph shows it.\nANSWER: {answer}"));
        assert!(as_text.is_ok(), "{answer}");
        assert_eq!(
            as_text,
            read(&Expect::FinalAnswer, json!({"reasoning": "the graph shows it", "answer": answer}).to_string()),
            "{answer}"
        );
    }
    assert!(read(&Expect::Action, json!({"action": "THINK", "text": ""}).to_string()).is_err());
}

#[test]
fn a_value_out_of_range_is_no_value_in_either_form() {
    for value in ["1.5", "-0.2", "85", "null", "\"high\""] {
        let as_object = read(&Expect::ScoreState, format!("{{\"value\": {value}}}"));
        let as_text = read(&Expect::ScoreState, value.trim_matches('"').to_owned());
        assert_eq!(as_object.is_ok(), as_text.is_ok(), "{value}");
    }
}

#[test]
fn an_object_with_nothing_chosen_is_no_choice() {
    let offered = entity_ids();
    assert!(read(&Expect::Entities(&offered), "{\"entities\": []}".to_owned()).is_err());
    assert!(read(&Expect::Entities(&offered), "{\"entities\": [\"Q99\"]}".to_owned()).is_err());
}

proptest! {
    #[test]
    fn every_list_of_entities_that_a_form_allows_is_read_as_that_list(chosen in prop::collection::vec(0..IDS.len(), 1..6)) {
        let offered = entity_ids();
        let form = Form::Entities(IDS.iter().map(|id| (*id).to_owned()).collect());
        let options = allowed(&form, "/properties/entities/items/enum");
        let list: Vec<&Value> = chosen.iter().map(|at| &options[*at]).collect();
        let Ok(Reply::Action(Action::SelectEntities { ids })) = read(&Expect::Entities(&offered), json!({"entities": list}).to_string()) else {
            panic!("{list:?} is no choice");
        };
        // Which ones counts, once each; their order is the search's own.
        let mut wanted: Vec<EntityId> = chosen.iter().map(|at| offered[*at].clone()).collect();
        wanted.sort();
        wanted.dedup();
        let mut read = ids.clone();
        read.sort();
        prop_assert_eq!(read, wanted);
    }
}

/// The form of every request is what was on offer, and wanting it changes nothing of the walk.
#[test]
fn requests_carry_what_is_on_offer() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scenarios/film-backtrack.json");
    let scenario = Scenario::load(&file).unwrap();
    let mut settings = scenario.settings(Preset::Paper);
    settings.structured = Structured::Auto;
    let mut world = World::with_settings(&scenario, settings, 1);
    world.run(usize::MAX);
    let block = scenario.expectations().unwrap().into_iter().find(|b| b.preset == Preset::Paper).unwrap();
    assert_eq!(compare(&block, &world.state), Vec::<String>::new());
    assert_eq!(world.reloaded(), world.state, "reload == live");
    let strategy = by_name("tree-of-traversals").unwrap();
    let mut forms = std::collections::BTreeMap::new();
    for ask in &world.state.asks {
        let (Call::Llm(call), Some(job)) = (&ask.call, llm_job(&world.state, &*strategy, ask)) else { continue };
        assert_eq!(call.structured, job.request.form.is_some(), "{:?}", call.kind);
        let Some(form) = job.request.form else { continue };
        *forms.entry(form.name()).or_insert(0) += 1;
        match form {
            Form::Action(options) | Form::Entities(options) | Form::Relation(options) => {
                assert!(!options.is_empty());
                let prompt = llm_job(&world.state, &*strategy, ask).unwrap().request.prompt();
                assert!(options.iter().all(|option| prompt.contains(option)), "{options:?}");
            }
            Form::Answer | Form::Value | Form::ReasonedValue | Form::Verdict => {}
        }
    }
    assert_eq!(forms.keys().copied().collect::<Vec<_>>(), ["action", "entities", "relation", "value"]);
}
