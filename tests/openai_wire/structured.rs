//! Replies that are constrained by a schema, where the server can.

use super::server::{Answer, Seen, Server};
use super::{adapter, job, run};
use serde_json::json;
use tree_of_traversals::calls::{CallErrorKind, Form};
use tree_of_traversals::llm::{LanguageModel, LlmJob};

fn constrained(form: Form) -> LlmJob {
    let mut job = job(1);
    job.request.form = Some(form);
    job
}

fn relations() -> Form {
    Form::Relation(vec!["P57".to_owned(), "~P161".to_owned()])
}

#[tokio::test]
async fn what_is_on_offer_goes_as_a_strict_schema() {
    let said = r#"{"relation":"~P161"}"#;
    let server = Server::replies(vec![Answer::texts(&[said])]).await;
    assert_eq!(run(&adapter(&server), constrained(relations())).await.texts(), [said]);
    assert_eq!(
        server.seen()[0].body["response_format"],
        json!({"type": "json_schema", "json_schema": {"name": "relation", "strict": true, "schema": {
            "type": "object", "additionalProperties": false, "required": ["relation"],
            "properties": {"relation": {"type": "string", "enum": ["P57", "~P161"]}},
        }}})
    );
    // Without a form there is none.
    run(&adapter(&server), job(1)).await;
    assert!(!server.seen()[1].has("response_format"));
}

#[tokio::test]
async fn an_object_is_not_cut_at_its_line_feeds() {
    let said = "{\n  \"relation\": \"P57\"\n}";
    let server = Server::start(move |_, seen| Answer::texts(&[if seen.has("response_format") { said } else { "P57\nbecause" }])).await;
    let model = adapter(&server);
    assert_eq!(run(&model, constrained(relations())).await.texts(), [said]);
    assert!(!server.seen()[0].has("stop"));
    assert_eq!(run(&model, job(1)).await.texts(), ["P57"], "a text is");
}

/// Refuses schemas in the words of several servers.
fn refusing(words: serde_json::Value) -> impl Fn(usize, &Seen) -> Answer {
    move |_, seen| if seen.has("response_format") { Answer::new(400, &words) } else { Answer::texts(&["P57"]) }
}

#[tokio::test]
async fn a_refusal_is_learnt_and_the_reply_is_text() {
    for words in [
        json!({"error": {"message": "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", "param": null}}),
        json!({"error": {"message": "No.", "param": "response_format.json_schema"}}),
        json!({"error": {"message": "This response_format type is unavailable now"}}),
    ] {
        let server = Server::start(refusing(words)).await;
        let model = adapter(&server);
        assert_eq!(run(&model, constrained(relations())).await.texts(), ["P57"]);
        assert_eq!(run(&model, constrained(Form::Value)).await.texts(), ["P57"]);
        assert_eq!(server.count(), 3, "tried once");
        assert!(model.notes()[0].contains("structured output"), "{:?}", model.notes());
    }
}

#[tokio::test]
async fn a_refusal_is_an_error_where_the_form_is_required() {
    let server = Server::start(refusing(json!({"error": {"message": "'response_format' is not supported"}}))).await;
    let model = adapter(&server);
    let mut wanted = constrained(relations());
    wanted.request.form_required = true;
    let got = run(&model, wanted.clone()).await;
    assert_eq!((got.kind(), server.count()), (CallErrorKind::NoForm, 1));
    assert!(got.kind().about_service(), "no other request fares better");
    assert!(got.error().message.contains("use --structured auto"), "{}", got.error());
    assert_eq!(run(&model, wanted).await.kind(), CallErrorKind::NoForm);
    assert_eq!(server.count(), 1, "known by now");
}

/// Takes schemas of up to two values, and says so in OpenAI's words of others.
fn small_schemas_only(_: usize, seen: &Seen) -> Answer {
    let listed = seen.body.pointer("/response_format/json_schema/schema/properties/entities/items/enum").and_then(|all| all.as_array());
    match listed {
        Some(all) if all.len() > 2 => {
            let message = "Invalid schema for response_format 'entities': 'enum' has too many values.";
            Answer::new(400, json!({"error": {"message": message, "param": "response_format"}}))
        }
        _ => Answer::texts(&["{\"entities\":[\"Q1\"]}"]),
    }
}

#[tokio::test]
async fn a_schema_that_is_too_large_says_nothing_of_smaller_ones() {
    let entities = |n: usize| Form::Entities((1..=n).map(|n| format!("Q{n}")).collect());
    for required in [false, true] {
        let server = Server::start(small_schemas_only).await;
        let model = adapter(&server);
        let mut wide = constrained(entities(3));
        wide.request.form_required = required;
        let got = run(&model, wide).await;
        if required {
            assert_eq!((got.kind(), got.kind().about_service()), (CallErrorKind::Refused, false), "this call fails, the search goes on");
        } else {
            assert_eq!(got.texts().len(), 1, "it is read as text");
        }
        assert!(model.notes().is_empty(), "{:?}", model.notes());
        run(&model, constrained(entities(2))).await;
        assert!(server.seen().last().unwrap().has("response_format"), "the next schema is sent");
    }
}

#[tokio::test]
async fn a_limit_that_one_prompt_leaves_no_room_for_is_left_out_of_its_request_only() {
    let words = json!({"message": "'max_tokens' or 'max_completion_tokens' is too large: 100. This model's maximum context length is 4096 tokens and your request has 4000 input tokens (100 > 4096 - 4000)"});
    let server =
        Server::start(move |at, seen| if at == 1 && seen.has("max_tokens") { Answer::new(400, &words) } else { Answer::texts(&["x"]) })
            .await;
    let model = adapter(&server);
    for _ in 0..3 {
        run(&model, job(1)).await.texts();
    }
    let sent: Vec<bool> = server.seen().iter().map(|seen| seen.has("max_tokens")).collect();
    assert_eq!(sent, [true, true, false, true]);
    assert!(model.notes().is_empty());
}

#[tokio::test]
async fn what_no_schema_can_list_is_asked_for_as_text() {
    let server = Server::replies(vec![Answer::texts(&["x"])]).await;
    let many = (0..400).map(|n| format!("Q{n}")).collect();
    for form in [Form::Entities(Vec::new()), Form::Entities(many)] {
        run(&adapter(&server), constrained(form)).await;
    }
    assert!(server.seen().iter().all(|seen| !seen.has("response_format")));
}
