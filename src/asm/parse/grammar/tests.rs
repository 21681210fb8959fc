use super::*;
use crate::graph::RelationRef;
use proptest::prelude::*;

fn relation_of(token: &str, label: &str, inverse: Option<&str>) -> Relation {
    let (id, direction) = token.strip_prefix('~').map_or((token, Direction::Out), |id| (id, Direction::In));
    Relation {
        at: RelationRef { kg: "kg".into(), id: id.into(), direction },
        label: Some(label.into()),
        inverse_label: inverse.map(Into::into),
        count: None,
        count_is_bound: false,
        identifier: false,
    }
}

fn offered() -> Vec<Relation> {
    vec![
        relation_of("P17", "country", None),
        relation_of("~P17", "country", None),
        relation_of("~P50", "author", Some("written by")),
        relation_of("P161", "cast member", None),
        relation_of("http://ex.org/made_by", "made by", None),
    ]
}

fn read(text: &str) -> Result<String, &'static str> {
    read_aggregate(text, &offered()).map(|(what, _)| what.to_string()).map_err(Unusable::why)
}

#[test]
fn one_meaning_in_many_forms() {
    let plain = "count ~P17 where P31 = Q8502 and P2044 > 3500";
    for text in [
        plain,
        "AGGREGATE: count ~P17 where P31 = Q8502 and P2044 > 3500",
        "Count ~p17 WHERE p31 = q8502 AND p2044 > 3500.",
        "count(~P17) where P31 = Q8502, P2044 > 3500",
        "count ~wdt:P17 where wdt:P31 == wd:Q8502; P2044>3500",
        "count of ~P17 is country of where P31 \"instance of\" = Q8502 mountain and P2044 (elevation) > 3500",
        "count ~\"country\" where 'P31' = \"Q8502\" && P2044 &gt; 3500",
        "count “is country of” where P31 = Q8502, and P2044 > 3500",
        "\"count ~P17 where P31=Q8502 and P2044 ＞ 3500\"",
    ] {
        assert_eq!(read(text).as_deref(), Ok(plain), "{text}");
    }
    assert_eq!(read("max P17 by P2044 where \"instance of\" = \"mountain\""), read("max country where instance of = mountain by P2044"));
    assert_eq!(read("first written by by \"publication date\"").as_deref(), Ok("first ~P50 by \"publication date\""));
    assert_eq!(read("count made by where P1 <= 3,500.5 m").as_deref(), Ok("count \"http://ex.org/made_by\" where P1 <= \"3,500.5 m\""));
    assert_eq!(read("filter P161 where P569 ≥ 13 May 1950").as_deref(), Ok("filter P161 where P569 >= \"13 May 1950\""));
    assert_eq!(read("intersect P161").as_deref(), Ok("intersect P161"));
    assert_eq!(
        read("count P161 where <http://ex.org/p> != <http://ex.org/x=1>").as_deref(),
        Ok("count P161 where http://ex.org/p != \"http://ex.org/x=1\"")
    );
}

#[test]
fn what_cannot_be_read_is_a_reason_and_no_guess() {
    for (text, why) in [
        ("", "begins with none of"),
        ("P17", "begins with none of"),
        ("sum ~P17", "begins with none of"),
        ("count", "none of the offered"),
        ("count P31 where P17 = Q1", "none of the offered"),
        ("count ~P161", "none of the offered"),
        ("count P170", "none of the offered"),
        ("count ~P17 P31 = Q8502", "only `by RELATION` and `where CONDITION`"),
        ("count ~P17 where", "needs one of ="),
        ("count ~P17 where mountain", "needs one of ="),
        ("count ~P17 where P31 =", "value is missing"),
        ("count ~P17 where = Q5", "relation is missing"),
        ("count ~P17 where P31 = Trinidad and Tobago", "needs one of ="),
        ("count ~P17 where P2044 > high", "need a number or a date"),
        ("count ~P17 where P31 = \"mountain", "never closed"),
        ("count ~P17 where P31 = big \"mountain\"", "either whole in double quotes"),
        ("count ~P17 where ~P31 = Q8502", "forwards only"),
        ("count ~P17 by P2044", "leave `by` out"),
        ("filter ~P17", "needs a condition"),
        ("count (~P17 where P31 = Q8502", "bracket is never closed"),
    ] {
        assert!(read(text).is_err_and(|found| found.contains(why)), "{text}: {:?}", read(text));
    }
    assert!(matches!(read_aggregate("count P9", &offered()), Err(Unusable::NotOffered(_))));
}

fn piece() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "count ",
        "max",
        "filter ",
        "~P17",
        "P161",
        " where ",
        " by ",
        " and ",
        "\"",
        "'",
        "\\",
        "<http://a.b/c>",
        "<",
        ">=",
        "=",
        " = ",
        "≠",
        "(",
        ")",
        "Q8502",
        " mountain",
        "3,500",
        ",",
        ";",
        "é",
        "AGGREGATE:",
        "İ",
        "1950-02-30",
        "&&",
        "\u{2212}1",
    ]);
    prop_oneof![4 => known.prop_map(str::to_owned), 1 => ".{0,6}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_line_is_too_odd_and_what_is_read_is_written_back(pieces in prop::collection::vec(piece(), 0..14)) {
        let text = pieces.concat();
        if let Ok((what, _)) = read_aggregate(&text, &offered()) {
            prop_assert!(offered().iter().any(|r| r.at.id == what.relation && r.at.direction == what.direction));
            let again = read_aggregate(&what.to_string(), &offered()).map(|(what, _)| what.to_string());
            prop_assert_eq!(again, Ok(what.to_string()), "{}", text);
            prop_assert!(!what.fact_id().contains(char::is_whitespace));
        }
    }

    #[test]
    fn names_survive_being_written(relation in "[^~\\p{Cc}]{1,12}", value in "[^\\p{Cc}]{1,12}") {
        let tidy = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (relation, value) = (tidy(&relation), tidy(&value));
        let line = Aggregate {
            function: Function::Count,
            relation: "P161".into(),
            direction: Direction::Out,
            filters: vec![Filter { relation: relation.as_str().into(), test: Test::Equal, value: value.clone() }],
            by: None,
        }
        .to_string();
        let read = read_aggregate(&line, &offered()).map(|(what, _)| what.filters);
        if relation.is_empty() || value.is_empty() {
            prop_assert!(read.is_err(), "{}", line);
        } else {
            prop_assert_eq!(read.map(|filters| filters.len()), Ok(1), "{}", line);
        }
    }
}
