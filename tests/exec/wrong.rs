//! Programs that say what they should not.

use super::{edges_op, patient, python, search, within};
use std::path::Path;
use tree_of_traversals::calls::{CallErrorKind, KgData, KgOp};
use tree_of_traversals::graph::Direction;
use tree_of_traversals::kg::{IdSpace, KgProfile, KgSpec, open_all};
use tree_of_traversals::text::is_unsafe;

/// The error of a search that is answered by `body`.
async fn error_of(body: &str) -> (CallErrorKind, String) {
    let folder = tempfile::tempdir().unwrap();
    let kg = python(folder.path(), "{}", body, &patient()).await;
    let error = search(&*kg, "x").await.unwrap_err();
    assert!(!error.message.contains(is_unsafe), "{error:?}");
    assert!(error.message.contains("museum") && error.message.len() < 900, "{error:?}");
    (error.kind, error.message)
}

#[tokio::test]
async fn lines_that_are_no_replies_fail_the_call_at_once() {
    for (body, says) in [
        ("out('Loading \\x1b[31m...\\n')", "no JSON: \"Loading [31m...\""),
        ("out('[1, 2]\\n')", "no JSON object"),
        ("out('{\"id\": 99, \"ok\": {}}\\n')", "never made (id 99)"),
        ("out('{\"ok\": {}}\\n')", "without the `id`"),
        ("out('{\"id\": %d}\\n' % id)", "neither `ok` nor `error`"),
        ("sys.stdout.buffer.write(b'{\"id\": \\xff\\xfe}\\n'); sys.stdout.flush()", "no JSON"),
        ("out('{\"id\": %d, \"ok\": %s}\\n' % (id, '[' * 100000))", "no JSON"),
        ("out('{\"id\": %d, \"ok\": {\"candidates\": 7}}\\n' % id)", "not in the form of the protocol"),
        ("out('{\"id\": %d, \"ok\": {\"candidates\": [{\"label\": \"x\"}]}}\\n' % id)", "missing field `id`"),
        ("out('{\"id\": %d, \"ok\": {\"candidates\": [{\"id\": \"a b\"}]}}\\n' % id)", "white space"),
        ("out('{\"id\": %d, \"ok\": {\"candidates\": [null]}}\\n' % id)", "not in the form"),
    ] {
        let (kind, message) = error_of(body).await;
        assert_eq!(kind, CallErrorKind::BadReply, "{body}: {message}");
        assert!(message.contains(says), "{body}: {message}");
    }
}

#[tokio::test]
async fn an_error_of_the_program_is_told_in_its_words() {
    let (kind, message) = error_of("out(json.dumps({'id': id, 'error': 'no such \\x1bthing'}) + '\\n')").await;
    assert_eq!((kind, &*message), (CallErrorKind::Refused, "museum: no such thing"));
    let (kind, message) =
        error_of("out(json.dumps({'id': id, 'error': {'kind': 'quota', 'message': 'come back tomorrow'}}) + '\\n')").await;
    assert_eq!((kind, &*message), (CallErrorKind::Quota, "museum: come back tomorrow"));
}

#[tokio::test]
async fn a_stray_line_costs_the_calls_under_way_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let body = "if ask['mention'] == 'bad': out('oops\\n')\nout(json.dumps({'id': id, 'ok': {'candidates': []}}) + '\\n')";
    let kg = python(folder.path(), "{}", body, &patient()).await;
    assert!(search(&*kg, "bad").await.is_err());
    assert_eq!(search(&*kg, "good").await.unwrap().data, KgData::Candidates(Vec::new()));
}

#[tokio::test]
async fn a_line_without_end_is_given_up_before_memory_is() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = patient();
    settings.http.largest_answer = 1 << 20;
    let body = "for _ in range(100): out('x' * 1000000)";
    let kg = python(folder.path(), "{}", body, &settings).await;
    let error = search(&*kg, "x").await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::BadReply);
    assert!(error.message.contains("more than 1,048,576 bytes"), "{error}");
}

#[tokio::test]
async fn large_replies_and_much_on_standard_error_are_no_trouble() {
    let folder = tempfile::tempdir().unwrap();
    let body = "sys.stderr.write('chatter ' * 1000000)\n\
                entities = [{'id': 'e%d' % n, 'label': 'x' * 1000} for n in range(3000)]\n\
                out(json.dumps({'id': id, 'ok': {'candidates': entities}}) + '\\n')";
    let kg = python(folder.path(), "{}", body, &patient()).await;
    let KgData::Candidates(found) = search(&*kg, "x").await.unwrap().data else { panic!() };
    assert_eq!((found.len(), &*found[9].entity.id), (10, "museum:e9"));
}

#[tokio::test]
async fn edges_about_something_else_are_refused_and_too_many_are_cut_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let body = "near = 'b' if ask['relation'] == 'odd' else 'a'\n\
                out(json.dumps({'id': id, 'ok': {'edges': [{'s': near, 'o': n} for n in range(5)]}}) + '\\n')";
    let kg = python(folder.path(), "{}", body, &patient()).await;
    let error = kg.perform(None, edges_op(&["museum:a"], "odd", Direction::Out, 9, 0)).await.unwrap_err();
    assert!(error.message.contains("museum:b, which was not asked for"), "{error}");
    let reply = kg.perform(None, edges_op(&["museum:a"], "r", Direction::Out, 2, 10)).await.unwrap();
    let KgData::Edges(list) = reply.data else { panic!() };
    assert_eq!((list.edges.len(), list.partial[0].shown, list.partial[0].of), (2, 12, Some(15)));
    assert_eq!((list.entities.len(), list.entities[0].label.as_deref()), (1, None));
    // A value can't be what a reverse relation was asked for.
    let error = kg.perform(None, edges_op(&["museum:a"], "r", Direction::In, 2, 0)).await.unwrap_err();
    assert!(error.message.contains("has a value in its place"), "{error}");
}

#[tokio::test]
async fn replies_come_in_any_order_and_late_ones_are_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let body = "kept = globals().setdefault('kept', [])\n\
                kept.append(ask)\n\
                if len(kept) == 2:\n    \
                    for ask in reversed(kept):\n        \
                        out(json.dumps({'id': ask['id'], 'ok': {'candidates': [{'id': ask['mention']}]}}) + '\\n')\n    \
                    kept.clear()";
    let kg = python(folder.path(), "{}", body, &patient()).await;
    let (a, b) = tokio::join!(search(&*kg, "a"), search(&*kg, "b"));
    let id = |reply: tree_of_traversals::calls::KgReply| match reply.data {
        KgData::Candidates(found) => found[0].entity.id.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!((id(a.unwrap()), id(b.unwrap())), ("museum:a".to_owned(), "museum:b".to_owned()));
    // A call that is dropped is forgotten; what answers it later disturbs nobody.
    let dropped = tokio::time::timeout(std::time::Duration::from_millis(300), search(&*kg, "c")).await;
    assert!(dropped.is_err());
    assert_eq!(id(search(&*kg, "d").await.unwrap()), "museum:d");
}

#[tokio::test]
async fn a_program_may_speak_of_the_ids_of_another_graph() {
    let folder = tempfile::tempdir().unwrap();
    let body =
        "out(json.dumps({'id': id, 'ok': {'candidates': [{'id': ask.get('mention', 'Q1'), 'also': [['wikidata', 'Q2']]}]}}) + '\\n')";
    let kg = python(folder.path(), "{'ids': 'wikidata', 'about': 'a mirror'}", body, &patient()).await;
    assert!(kg.check().await.unwrap().starts_with("a mirror (program `exec python3"), "{:?}", kg.check().await);
    assert_eq!(kg.id_space(), IdSpace::Wikidata);
    let KgData::Candidates(found) = search(&*kg, "Q42").await.unwrap().data else { panic!() };
    assert_eq!((&*found[0].entity.id, &*found[0].entity.also[0].1), ("Q42", "Q2"));
    assert!(search(&*kg, "fortytwo").await.unwrap_err().message.contains("no id of the kind"));
}

/// The path of a program that greets, and links every entity with its own `same`.
fn linker(folder: &Path) -> String {
    let path = folder.join("linker.py");
    let program = "import json, sys\n\
        for line in sys.stdin:\n    \
            ask = json.loads(line)\n    \
            ok = {'ids': 'own', 'ops': ['link']}\n    \
            if ask['op'] == 'link':\n        \
                ok = {'entities': [{'id': 'same', 'label': json.dumps(ask['kgs']), 'also': [[e['kg'], e['id']]]} for e in ask['entities']]}\n    \
            print(json.dumps({'id': ask['id'], 'ok': ok}), flush=True)\n";
    std::fs::write(&path, program).unwrap();
    format!("python3 {}", path.display())
}

#[tokio::test]
async fn two_programs_are_introduced_and_link_each_others_entities() {
    let folder = tempfile::tempdir().unwrap();
    let greeting = "{'ids': 'wikidata'}";
    std::fs::write(folder.path().join("wd.py"), format!("import json, sys\nfor line in sys.stdin:\n    print(json.dumps({{'id': json.loads(line)['id'], 'ok': {greeting}}}), flush=True)\n")).unwrap();
    let one = |name: &str, command: String| (Some(name.to_owned()), KgProfile::default(), KgSpec::Exec(command));
    let specs = vec![one("wd", format!("python3 {}", folder.path().join("wd.py").display())), one("museum", linker(folder.path()))];
    let opened = open_all(specs, &within(60.0)).await.unwrap();
    assert_eq!(opened[0].kg.id_space(), IdSpace::Wikidata, "it is known before the first call");
    let entity = tree_of_traversals::graph::Entity { id: "Q42".into(), kg: "wd".into(), label: None, description: None, also: Vec::new() };
    let KgData::Entities(linked) = opened[1].kg.perform(None, KgOp::Link { entities: vec![entity] }).await.unwrap().data else { panic!() };
    assert_eq!((&*linked[0].id, &*linked[0].also[0].0, &*linked[0].also[0].1), ("museum:same", "wd", "Q42"));
    assert_eq!(linked[0].label.as_deref(), Some(r#"[{"name": "wd", "ids": "wikidata"}]"#));
}
