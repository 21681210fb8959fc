//! The reading of completions, row by row: `tests/data/llm-outputs.jsonl` (shared cases) and `llm-outputs-own.jsonl` (more of
//! the same kinds), through `tot parse` as a user would; then properties and the replies of linking.

#[path = "support/completions.rs"]
mod completions;

use completions::{folded, read_bytes, read_every_way, relation};
use proptest::prelude::*;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tree_of_traversals::asm::{Action, Expect, Reply, Unusable, mention_label, parse, parse_match, parse_mentions};
use tree_of_traversals::calls::Sample;
use tree_of_traversals::commands::parse::{run, run_to};
use tree_of_traversals::graph::{Direction, EntityId, RelationRef};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().map(|items| items.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

/// Whether `outcome` is what `expected` describes.
fn agrees(expected: &Value, outcome: &Value) -> bool {
    if let Some(list) = expected.get("any_of").and_then(Value::as_array) {
        return list.iter().any(|one| agrees(one, outcome));
    }
    if expected == "error" || outcome == "error" {
        return expected == outcome;
    }
    if let Some(score) = expected.get("score").and_then(Value::as_f64) {
        return outcome["score"].as_f64().is_some_and(|s| (s - score).abs() < 1e-6);
    }
    if expected.get("entities").is_some() {
        let sorted = |value: &Value| {
            let mut ids: Vec<String> = strings(value).into_iter().map(str::to_owned).collect();
            ids.sort();
            ids
        };
        return sorted(&expected["entities"]) == sorted(&outcome["entities"]);
    }
    if expected.get("aggregate").is_some() {
        return expected["aggregate"] == outcome["aggregate"];
    }
    if expected.get("relation").is_some() {
        return expected["relation"] == outcome["relation"] && expected["direction"] == outcome["direction"];
    }
    let text = folded(outcome["text"].as_str().unwrap_or_default());
    expected["action"] == outcome["action"]
        && expected.get("text").and_then(Value::as_str).is_none_or(|t| folded(t) == text)
        && expected.get("text_starts").and_then(Value::as_str).is_none_or(|t| text.starts_with(&folded(t)))
        && strings(&expected["text_not"]).iter().all(|t| !text.contains(t))
        && strings(&expected["answers"]).iter().all(|t| strings(&outcome["answers"]).contains(t))
}

fn check(file: &str, at_least: usize) {
    let mut out = vec![];
    run(&data(file), &mut out).unwrap();
    let outcomes: Vec<Value> = String::from_utf8(out).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let rows: Vec<Value> = std::fs::read_to_string(data(file)).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(rows.len(), outcomes.len());
    assert!(rows.len() >= at_least, "{} rows", rows.len());
    let mut wrong = vec![];
    for (row, got) in rows.iter().zip(&outcomes) {
        assert_eq!(row["id"], got["id"]);
        assert_eq!(got["outcome"] == "error", got["why"].is_string(), "an error says why: {got}");
        if !agrees(&row["expected"], &got["outcome"]) || row.get("why").is_some_and(|why| *why != got["why"]) {
            wrong.push(format!("{}: {}\n  expected {}\n  got      {got}", row["id"], row["completion"], row["expected"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn the_shared_rows() {
    check("llm-outputs.jsonl", 69);
}

#[test]
fn our_own_rows() {
    check("llm-outputs-own.jsonl", 928);
}

#[test]
fn bad_lines_are_named_and_the_others_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rows.jsonl");
    std::fs::write(
        &path,
        "{\"id\":1,\"state\":\"evaluate_state\",\"completion\":\"0.5\"}\nnot json\n\n{\"id\":2,\"state\":\"dreaming\",\"completion\":\"\"}\n{\"id\":3,\"state\":\"default\",\"completion\":null}\n",
    )
    .unwrap();
    let (mut out, mut messages) = (vec![], vec![]);
    let error = run_to(&path, &mut out, &mut messages).unwrap_err().to_string();
    let (out, messages) = (String::from_utf8(out).unwrap(), String::from_utf8(messages).unwrap());
    assert!(error.starts_with("2 lines of") && error.contains("the first at line 2"), "{error}");
    assert!(messages.contains("rows.jsonl:2: not a row") && messages.contains("rows.jsonl:4: unknown state \"dreaming\""), "{messages}");
    assert_eq!(out, "{\"id\":1,\"outcome\":{\"score\":0.5}}\n{\"id\":3,\"outcome\":\"error\",\"why\":\"the service sent no text\"}\n");
    let missing = run(&dir.path().join("none.jsonl"), &mut vec![]).unwrap_err().to_string();
    assert!(missing.contains("give the path of a JSON Lines file"), "{missing}");
}

#[test]
fn nothing_printed_moves_a_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rows.jsonl");
    std::fs::write(
        &path,
        "{\"id\":\"\\u001b[2J\u{9b}2J\u{202e}\",\"state\":\"select_entities\",\"options\":[\"Q1\\u009b\"],\"completion\":\"Q1\\u009b\"}\n",
    )
    .unwrap();
    let mut out = vec![];
    run(&path, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(out.trim_end().chars().all(|c| !tree_of_traversals::text::is_unsafe(c)), "{out:?}");
    assert!(out.contains("\\u009b") && out.contains("\\u202e"), "{out:?}");
}

fn read(expect: &Expect<'_>, text: &str) -> Result<Reply, Unusable> {
    parse(expect, &Sample::stopped(text), &|_| false)
}

#[test]
fn texts_that_differ_in_white_space_and_marks_are_equal() {
    let plain = read(&Expect::Action, "EXPAND: list the members").unwrap();
    for other in [
        "EXPAND:  list the  members",
        "**EXPAND:** \"list the members\"",
        "expand : list the\u{a0}members \r\n",
        "> EXPAND: _list the members_",
    ] {
        assert_eq!(read(&Expect::Action, other).unwrap(), plain, "{other}");
    }
    assert_ne!(read(&Expect::Action, "EXPAND: list the member").unwrap(), plain);
}

#[test]
fn ids_not_offered_and_unreadable_replies_are_told_apart() {
    let offered: Vec<EntityId> = vec!["Q100".into(), "Q205".into()];
    let relations = [relation("P57"), relation("~P161")];
    for text in ["none of these", "none", "Q10", "I don't know"] {
        assert!(matches!(read(&Expect::Entities(&offered), text), Err(Unusable::NotOffered(_))), "{text}");
    }
    for text in ["director", "none", "~P31", "P999", "~P57"] {
        assert!(matches!(read(&Expect::Relation(&relations), text), Err(Unusable::NotOffered(_))), "{text}");
    }
    for expect in [
        Expect::Action,
        Expect::FinalAnswer,
        Expect::Entities(&offered),
        Expect::Relation(&relations),
        Expect::ScoreState,
        Expect::ScoreAnswer,
        Expect::Verdict,
    ] {
        let no_text = parse(&expect, &Sample::default(), &|_| false);
        assert_eq!(no_text, Err(Unusable::Unreadable("the service sent no text")), "{expect:?}");
        for text in ["", " \n", "\u{200b}", "<think>Q100, P57, ANSWER: x, 0.7</think>", "</s>"] {
            let why = read(&expect, text).unwrap_err();
            assert_eq!(why.why(), "the reply is empty", "{expect:?} {text:?}");
            // It names nothing of what is on offer: so it is counted.
            let offers = matches!(expect, Expect::Entities(_) | Expect::Relation(_));
            assert_eq!(matches!(why, Unusable::NotOffered(_)), offers, "{expect:?} {text:?}");
            let cut = parse(&expect, &sample(text.to_owned(), None, true), &|_| false).unwrap_err();
            assert!(cut.why().starts_with("the reply is empty"), "{expect:?} {text:?} {cut}");
        }
        assert!(matches!(read(&expect, "<think>Q100, P57, ANSWER: x, 0.7"), Err(Unusable::Unreadable(_))));
    }
}

#[test]
fn entities_stand_in_the_order_of_the_offer_spelt_as_offered() {
    let offered: Vec<EntityId> =
        ["http://ex.org/BlueLine", "local:big-star", "Q7", "3ac9f1e2-8a55-4c6b-9b0e-1d2f3a4b5c6d"].map(Into::into).to_vec();
    let Reply::Action(Action::SelectEntities { ids }) =
        read(&Expect::Entities(&offered), "3AC9F1E2-8A55-4C6B-9B0E-1D2F3A4B5C6D, wd:Q7, <http://ex.org/BlueLine>; LOCAL:big-star, Q7")
            .unwrap()
    else {
        panic!("no selection")
    };
    assert_eq!(ids, offered);
    for text in ["http://ex.org/BlueLine2", "http://ex.org/BlueLine/stops", "local:big-star-2", "local:big", "big-star", "Q77", "AQ7"] {
        assert!(read(&Expect::Entities(&offered), text).is_err(), "{text}");
    }
}

#[test]
fn a_long_reply_over_hundreds_of_relations_is_read_fast() {
    let offered: Vec<RelationRef> = (0..600).map(|i| relation(&format!("http://example.org/property/{}{i}", "x".repeat(i % 60)))).collect();
    let mut text = "http://example.org/property/none of http: / these ".repeat(400);
    text.push_str("http://example.org/property/x1");
    let started = std::time::Instant::now();
    assert_eq!(read(&Expect::Relation(&offered), &text), Ok(Reply::Action(Action::SelectRelation { relation: offered[1].clone() })));
    assert!(started.elapsed() < std::time::Duration::from_secs(10), "{:?}", started.elapsed());
}

#[test]
fn a_reply_that_repeats_itself_is_read_fast() {
    let offered: Vec<EntityId> = vec!["Q1".into(), "http://ex.org/x".into()];
    let relations = [relation("P1"), relation("~P1")];
    let started = std::time::Instant::now();
    for piece in ["\n", "]", "_", "ANSWER:", "THINK: / ", "answer: ", "[", "0.5, ", "score ", "<think>", "{\"a\":", "- x\n"] {
        let text = piece.repeat(20_000 / piece.len());
        for expect in [
            Expect::Action,
            Expect::FinalAnswer,
            Expect::Entities(&offered),
            Expect::Relation(&relations),
            Expect::ScoreState,
            Expect::ScoreAnswer,
            Expect::Verdict,
        ] {
            let _ = read(&expect, &text);
        }
    }
    // 1.4 million characters; a quadratic step anywhere took 10 s and more for a single reply.
    assert!(started.elapsed() < std::time::Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn answers_split_into_items() {
    let known = |label: &str| ["Paris, Texas", "Spain", "Portugal", "Trinidad and Tobago"].contains(&label);
    let items = |text: &str| match parse(&Expect::Action, &Sample::stopped(text), &known) {
        Ok(Reply::Action(Action::Answer { items, .. })) => items,
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(items("ANSWER: [Spanish, Guarani]"), ["Spanish", "Guarani"]);
    assert_eq!(items("ANSWER: Paris, Texas"), ["Paris, Texas"]);
    assert_eq!(items("ANSWER: [\"Paris, Texas\", \"Alien\"]"), ["Paris, Texas", "Alien"]);
    assert_eq!(items("ANSWER: [Paris, Texas, Alien]"), ["Paris, Texas", "Alien"]);
    assert_eq!(items("ANSWER: July 08, 2010"), ["July 08, 2010"]);
    assert_eq!(items("ANSWER: Reno, Nevada"), ["Reno, Nevada"]);
    assert_eq!(items("ANSWER: Spain and Portugal"), ["Spain", "Portugal"]);
    assert_eq!(items("ANSWER: Trinidad and Tobago"), ["Trinidad and Tobago"]);
    assert_eq!(items("ANSWER: Simon and Garfunkel"), ["Simon and Garfunkel"]);
    assert_eq!(items("ANSWER: Ida Berg, Nils Berg and Siv Lund"), ["Ida Berg", "Nils Berg", "Siv Lund"]);
    assert_eq!(items("ANSWER: Ida Berg | Nils Berg"), ["Ida Berg", "Nils Berg"]);
    assert_eq!(items("ANSWER: Ida Berg; Nils Berg; Ida Berg"), ["Ida Berg", "Nils Berg"]);
    assert_eq!(items("ANSWER: 東京、大阪"), ["東京", "大阪"]);
    assert_eq!(items("ANSWER:\n1. Ida Berg\n2) **Nils Berg**\n\nThat is all."), ["Ida Berg", "Nils Berg"]);
    assert_eq!(items("ANSWER: \"Ida, the elder\", \"Nils\""), ["Ida, the elder", "Nils"]);
    assert_eq!(items("ANSWER: 1,234,567"), ["1,234,567"]);
    assert_eq!(
        items("ANSWER: He was born in Oulu, grew up in Turku, and died in Kemi."),
        ["He was born in Oulu, grew up in Turku, and died in Kemi."]
    );
}

#[test]
fn mentions_of_an_extraction() {
    let mentions = |text: &str| parse_mentions(&Sample::stopped(text)).unwrap();
    assert_eq!(mentions("Inception - film\nInterstellar - film"), ["Inception - film", "Interstellar - film"]);
    assert_eq!(
        mentions("Entities:\nChristopher Nolan - director\n\nQuery: something the model went on with"),
        ["Christopher Nolan - director"]
    );
    assert_eq!(mentions("**entities:** Inception - film\nInception - Film"), ["Inception - film"]);
    assert_eq!(
        mentions(
            "<think>two films</think>\n\nHere are the entities:\n\n1. \"Inception\" - film\n- 2001: A Space Odyssey - film\n24 - TV series\nQuery: next"
        ),
        ["Inception - film", "2001: A Space Odyssey - film", "24 - TV series"]
    );
    assert_eq!(mentions("[\"Inception - film\", \"Kelm - town\"]"), ["Inception - film", "Kelm - town"]);
    assert_eq!(mentions(&format!("{}\nKelm - town", "x".repeat(300))), ["Kelm - town"]);
    let none = |sample: &Sample| parse_mentions(sample).unwrap_err().why();
    for text in ["None", "Entities: none", "N/A.", "There are no entities in this question.", "- none"] {
        assert_eq!(none(&Sample::stopped(text)), "no mention was named", "{text}");
    }
    assert_eq!(none(&Sample::stopped("I'm sorry, but I can't assist with that.")), "the model refuses to answer");
    assert_eq!(none(&Sample::stopped("")), "the reply is empty");
    assert_eq!(none(&Sample::default()), "the service sent no text");
    let ended = |text: &str, finish: &str| Sample { finish: Some(finish.to_owned()), ..Sample::stopped(text) };
    assert_eq!(none(&ended("Kelm - to", "content_filter")), "the service's content filter took the reply");
    assert_eq!(none(&ended("I can't.", "refusal")), "the model refuses to answer");
    assert_eq!(none(&ended("", "length")), "the reply is empty: the token limit was met first");
    assert_eq!(mention_label("Inception - film - 2010"), "Inception");
    assert_eq!(mention_label("Inception – film"), "Inception");
    assert_eq!(mention_label("Spider-Man"), "Spider-Man");
}

#[test]
fn picks_of_a_matching() {
    let pick = |text: &str| parse_match(&Sample::stopped(text), 3);
    for text in [
        "1",
        "The best match is 1.",
        "[1]",
        "1. Inception (film)",
        "**1**",
        "Option 1, as 2 is a game",
        "{\"reasoning\": \"3 is a game\", \"match\": 1}",
        "１",
        "Of the 3 candidates, 1 fits.",
        "<think>2?</think>1",
    ] {
        assert_eq!(pick(text), Ok(Some(1)), "{text}");
    }
    for text in ["0", "none", "None of the 3 fits", "4", "-1", "No match.", "{\"match\": null}", "没有", "Neither 1 nor 2 fits"] {
        assert_eq!(pick(text), Ok(None), "{text}");
    }
    assert_eq!(pick("There is no exact match, but the closest option is 2."), Ok(Some(2)));
    assert_eq!(pick("Inception (2010 film), number 2"), Ok(Some(2)));
    for text in
        ["1 is not the film, so 2", "Not 1, rather 2", "1: no\n2: yes\n3: no", "2 instead of 1", "不选1，选2", "- [ ] 1\n- [x] 2\n- [ ] 3"]
    {
        assert_eq!(pick(text), Ok(Some(2)), "{text}");
    }
    assert_eq!(pick("1 is not the film."), Ok(None));
    for text in ["", "Inception", "<think>1"] {
        assert!(pick(text).is_err(), "{text}");
    }
    assert_eq!(pick("I'm sorry, but I can't assist with that.").unwrap_err().why(), "the model refuses to answer");
    assert_eq!(parse_match(&Sample::default(), 3).unwrap_err().why(), "the service sent no text");
    assert_eq!(pick(" ").unwrap_err().why(), "the reply is empty");
    let cut = |text: &str, candidates| parse_match(&sample(text.to_owned(), None, true), candidates);
    assert_eq!(cut("1", 3), Ok(Some(1)));
    assert_eq!(cut("{\"match\": 2", 3), Ok(Some(2)));
    assert_eq!(cut("{\"match\": 1, \"why\": \"2 is a ga", 12), Ok(Some(1)));
    for text in ["1", "{\"match\": 1", "{\"reasoning\": \"2 is a ga", "The best match is"] {
        let why = cut(text, 12).unwrap_err().why();
        assert_eq!(why, "the reply was cut off at the token limit before it named a candidate", "{text}");
    }
}

/// What replies are made of.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[A-Za-z0-9 .,:/%~*_\"'<>\\[\\]{}()|\\\\\n-]{0,20}",
        "[\u{0}-\u{1f}\u{7f}-\u{9f}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{feff}]{1,4}",
        prop::sample::select(PIECES).prop_map(str::to_owned),
    ]
}

const PIECES: &[&str] = &[
    "THINK:",
    "ANSWER:",
    "EXPAND",
    "Answer：",
    "<think>",
    "</think>",
    "<|channel|>final",
    "<|message|>",
    "Observation:",
    "\n",
    "\n- ",
    "1. ",
    "Q1",
    "~P57",
    "～",
    "http://ex.org/é",
    "0.7",
    ",5",
    "8/10",
    "-",
    "%",
    " to ",
    "score",
    "評価",
    "{\"action\":",
    "\"ANSWER\"",
    "}",
    "[",
    "]",
    "```json\n",
    "\\boxed{",
    "–0.5",
    "—.7",
    "−1",
    "$0.7$",
    "İ",
    "\u{200b}",
    "\u{202e}",
    "１",
    "**",
    "<answer>",
    "analysis",
    "assistantfinal",
    "AGGREGATE: ",
    "count ~P57 where ",
    "director by ",
    "P570 >= 3,500",
    " and \"",
    "<scratchpad>",
    "[THINK]",
    "[/THINK]",
    "◁think▷",
    "<|im_end|>",
    "</answer>",
    "count(",
    "Action Input:",
    "\"text\": ",
    ", ",
    "not ",
    "instead of ",
    "I choose ",
    " is not useful, ",
    "all except ",
    "[x] ",
    "- [ ] ",
    "❌",
    "~~",
    "不选",
    "I'm sorry, but I can't help with that. ",
    "Text: ",
    "? No. ",
];

/// Texts made of these, and of anything.
fn reply() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..12).prop_map(|pieces| pieces.concat())
}

/// Replies of a hundred thousand bytes: a few pieces again and again, or pieces within pieces that are closed or not.
fn long_reply() -> impl Strategy<Value = String> {
    const LONG: usize = 100_000;
    const PAIRS: &[(&str, &str)] = &[
        ("[", "]"),
        ("(", ")"),
        ("{\"a\":", "}"),
        ("{\"a\":[", "]}"),
        ("<think>", "</think>"),
        ("<think><cot>", "</think>"),
        ("\\boxed{", "}"),
        ("**", "**"),
        ("\"", "\""),
        ("> ", "\n"),
        ("- 1. ", "\n"),
        ("```json\n{", "}\n```\n"),
        ("ANSWER: [", "]"),
        ("count(", ") "),
        ("<|channel|>final<|message|>", "<|end|>"),
    ];
    let again = prop::collection::vec(piece(), 1..4).prop_map(|pieces| pieces.concat()).prop_map(|unit| match unit.len() {
        0 => "a".repeat(LONG),
        n => unit.repeat(LONG / n + 1),
    });
    let within = (prop::sample::select(PAIRS), reply(), any::<bool>()).prop_map(|((open, close), core, closed)| {
        let deep = LONG / (open.len() + close.len());
        format!("{}{core}{}", open.repeat(deep), if closed { close.repeat(deep) } else { String::new() })
    });
    (reply(), prop_oneof![again, within], reply()).prop_map(|(before, long, after)| format!("{before}{long}{after}"))
}

/// The target of the fuzzer, with what it begins with: it has to compile here, where every change is tested.
#[test]
fn bytes_are_read_in_every_way() {
    for bytes in
        [&b""[..], b"\x01", b"\xff\x03", b"\x00\x02THINK: a\0because", b"\x01\x07{\"action\": \"ANSWER\", \"te", b"\x03\x01\xff\xfe0.7"]
    {
        read_bytes(bytes);
    }
}

fn sample(text: String, reasoning: Option<String>, cut: bool) -> Sample {
    Sample { text: Some(text), reasoning, finish: Some(if cut { "length" } else { "stop" }.to_owned()), ..Sample::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_reply_is_too_odd(text in reply(), reasoning in prop::option::weighted(0.1, reply()), cut in any::<bool>(), candidates in 0_usize..5) {
        read_every_way(&sample(text, reasoning, cut), candidates);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn no_reply_is_too_long(text in long_reply(), cut in any::<bool>()) {
        let (started, length) = (std::time::Instant::now(), text.len());
        read_every_way(&sample(text, None, cut), 3);
        // Ten readings without optimisation; a quadratic step takes minutes.
        prop_assert!(started.elapsed() < std::time::Duration::from_secs(20), "{:?} for {length} bytes", started.elapsed());
    }
}

#[test]
fn what_is_offered_for_editing_is_read_as_what_it_was() {
    let texts = ["Facts about Inception, Interstellar are needed for: actor, played.", "a: b", "EXPAND is needed", "中文"];
    let actions = texts.iter().flat_map(|text| [Action::Think { text: (*text).to_owned() }, Action::Expand { text: (*text).to_owned() }]);
    for action in actions.chain([Action::Expand { text: String::new() }]) {
        let read = parse(&Expect::Action, &Sample::stopped(action.as_reply()), &|_| false);
        assert_eq!(read.ok(), Some(Reply::Action(action)));
    }
    let entities: Vec<EntityId> = vec!["Q1".into(), "Q2".into()];
    let action = Action::SelectEntities { ids: entities.clone() };
    assert_eq!(parse(&Expect::Entities(&entities), &Sample::stopped(action.as_reply()), &|_| false).ok(), Some(Reply::Action(action)));
    for direction in [Direction::Out, Direction::In] {
        let action = Action::SelectRelation { relation: RelationRef { id: "P57".into(), direction, kg: "demo".into() } };
        let offered = [
            RelationRef { id: "P57".into(), direction, kg: "demo".into() },
            RelationRef { id: "P58".into(), direction, kg: "demo".into() },
        ];
        assert_eq!(parse(&Expect::Relation(&offered), &Sample::stopped(action.as_reply()), &|_| false).ok(), Some(Reply::Action(action)));
    }
}
