//! `tot kg` over several graphs, and what is kept of their replies.

use super::support::{Home, Ran, finish, send};
use serde_json::{Value, json};
use std::process::Child;

/// The example program and its table.
fn museum() -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/adapters");
    format!("exec:python3 {folder}/csv_graph.py {folder}/museum.csv")
}

fn array(ran: &Ran) -> Vec<Value> {
    serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {ran:#?}"))
}

/// A home whose configuration names the graph `museum`, kept on disk, behind a program that counts how often it was started.
fn counting() -> Home {
    let home = Home::new();
    let command = museum().trim_start_matches("exec:").to_owned();
    let spec = format!("exec:echo start >> {}; exec {command}", home.arg("starts"));
    home.write("config/tot/config.yaml", json!({"kgs": {"museum": {"spec": spec, "cache": true}}}).to_string());
    home
}

fn starts(home: &Home) -> usize {
    std::fs::read_to_string(home.path("starts")).map_or(0, |text| text.lines().count())
}

#[test]
fn several_graphs_are_asked_and_told_apart() {
    let home = Home::new();
    let museum = museum();
    let ran = home.run(&["kg", "search", "amsterdam", "--kg", &museum, "--kg", "demo", "--json"]).ends(0);
    let rows = array(&ran);
    assert_eq!(rows[0], json!({"id": "exec:Amsterdam", "label": "Amsterdam", "description": null, "kg": "exec"}));
    let table = home.run(&["kg", "search", "rembrandt", "--kg", &museum, "--kg", "demo"]).ends(0);
    assert!(table.out.starts_with("kg    id              label") && table.out.contains("exec  exec:Rembrandt  Rembrandt"), "{table:#?}");
    // An id that carries the name of one graph is no concern of the other.
    let both = home.run(&["kg", "describe", "Q25188", "exec:Delft", "--kg", "demo", "--kg", &museum, "--json"]).ends(0);
    let told: Vec<_> = array(&both).iter().map(|row| format!("{} {}", row["kg"], row["label"])).collect();
    assert_eq!(told, [r#""demo" "Inception""#, r#""exec" "Delft""#], "{both:#?}");
    // Two graphs behind one name look like one until both have something to say.
    let demo = home.run(&["kg", "search", "Inception", "--json"]).ends(0);
    assert!(array(&demo)[0].get("kg").is_none() && array(&demo)[0]["id"] == "Q25188");
}

#[test]
fn one_that_is_down_is_said_and_the_rest_answers() {
    let home = Home::new();
    let museum = museum();
    let args = ["kg", "search", "delft", "--kg", &museum, "--kg", "exec:echo no database >&2; exit 3", "--kg", "file:none.ttl"];
    let ran = home.run(&args).ends(0).says(&["exec-2 is left out", "status 3", "no database", "none.ttl"]);
    assert!(ran.out.contains("exec:Delft"), "{ran:#?}");
    home.run(&["kg", "search", "delft", "--kg", "exec:exit 3"]).ends(1).says(&["status 3"]);
    home.run(&["kg", "search", "delft", "--kg", &museum, "--kg", "exce:x"]).ends(2).says(&["did you mean exec:COMMAND?"]);
}

#[test]
fn pages_notes_counts_and_descriptions() {
    let home = Home::new();
    let museum = museum();
    let kg = |args: &[&str]| home.run(&[&["kg"], args, &["--kg", &museum]].concat());
    let lived = kg(&["edges", "Rembrandt", "-r", "residence"]).ends(0);
    let wanted = "subject                     relation                    object                      notes\n\
                  Rembrandt (exec:Rembrandt)  residence (exec:residence)  Leiden (exec:Leiden)        from 1606, until 1631\n\
                  Rembrandt (exec:Rembrandt)  residence (exec:residence)  Amsterdam (exec:Amsterdam)  from 1631, until 1669\n";
    assert_eq!(lived.out, wanted);
    let second = kg(&["edges", "Rembrandt", "-r", "residence", "--limit", "1", "--page", "2", "--json"]).ends(0);
    let rows = array(&second);
    assert_eq!((rows.len(), &rows[0]["o"]), (1, &json!("exec:Amsterdam")));
    assert_eq!(rows[0]["notes"][0]["qualifiers"][0], json!({"relation": "exec:from", "label": "from", "value": "1631"}));
    let works = ["edges", "Rembrandt", "-r", "~creator", "--limit", "1"];
    kg(&[&works[..], &["--page", "1"]].concat()).ends(0).says(&["exec:Rembrandt: 1 of 3 shown; --page 2 goes on"]);
    kg(&[&works[..], &["--offset", "1"]].concat()).ends(0).says(&["--offset 2 goes on"]);
    kg(&works).ends(0).says(&["--limit N shows more"]);
    assert_eq!(kg(&["count", "Rembrandt", "-r", "creator", "--reverse"]).ends(0).out, "count  of\n3      is creator of\n");
    assert_eq!(
        array(&kg(&["count", "Rembrandt", "-r", "exec:residence", "--json"]).ends(0)),
        [json!({"count": 2, "reading": "residence"})]
    );
    let described = array(&kg(&["describe", "Delft", "Atlantis", "--json"]).ends(0));
    assert_eq!(described, [json!({"id": "exec:Delft", "label": "Delft", "description": null})]);
    kg(&["count", "Rembrandt", "-r", "creator", "--where", "nonsense"]).ends(2).says(&["is no condition"]);
}

#[test]
fn checking_says_which_graph_works() {
    let home = Home::new();
    let museum = museum();
    let good = home.run(&["kg", "check", "--kg", &museum, "--kg", "demo"]).ends(0);
    assert!(good.out.contains("16 facts of") && good.out.lines().count() >= 3, "{good:#?}");
    let bad = home.run(&["kg", "check", "--kg", "exec:exit 3", "--json"]).ends(1);
    assert_eq!((&array(&bad)[0]["works"], &array(&bad)[0]["kg"]), (&json!(false), &json!("exec")));
}

#[test]
fn a_second_run_asks_nothing_and_says_how_old_its_replies_are() {
    let home = counting();
    let search = ["kg", "search", "night", "--kg", "museum"];
    let first = home.run(&search).ends(0);
    assert_eq!(starts(&home), 1);
    let second = home.run(&search).ends(0).says(&["from the cache, ", "--fresh asks again"]);
    assert_eq!((second.out, starts(&home)), (first.out, 1));
    home.run(&[&search[..], &["--fresh"]].concat()).ends(0);
    assert_eq!(starts(&home), 2);
    let list = home.run(&["kg", "cache"]).ends(0).says(&["cache/tot/kg.redb"]);
    assert!(list.out.starts_with("kg      replies  size") && list.out.contains("museum  1 "), "{list:#?}");
    assert_eq!(array(&home.run(&["kg", "cache", "--json"]).ends(0))[0]["replies"], json!(1));
    home.run(&["kg", "cache", "--clear", "nobody"]).ends(0).says(&["forgotten: 0 replies of nobody"]);
    home.run(&["kg", "cache", "--clear"]).ends(0).says(&["forgotten: 1 replies"]);
    home.run(&["kg", "cache"]).ends(0).says(&["no replies are kept"]);
    home.run(&search).ends(0);
    assert_eq!(starts(&home), 3);
}

#[test]
fn a_search_counts_what_came_from_the_cache() {
    let home = counting();
    let ask = ["ask", "Who is the creator of The Milkmaid?", "--kg", "museum", "--json"];
    let first = home.run(&ask).json();
    let calls = first["kg"]["calls"].as_u64().unwrap();
    assert!(calls > 2 && first["kg"].get("oldest_cached_at").is_none(), "{first}");
    assert_eq!(starts(&home), 1);
    let second = home.run(&ask).json();
    assert_eq!((&second["kg"]["calls"], &second["kg"]["cached"]), (&json!(calls), &json!(calls)), "{second}");
    assert!(second["kg"]["oldest_cached_at"].as_u64().unwrap() > 1_700_000_000_000);
    assert_eq!((&second["answer"], starts(&home)), (&first["answer"], 1));
}

#[test]
fn many_programs_share_the_cache_and_a_killed_one_leaves_it_whole() {
    let home = counting();
    let run = |n: usize| -> Child { home.tot(&["kg", "search", &format!("thing {n}"), "--kg", "museum"]).spawn().unwrap() };
    for round in 0..3 {
        let mut running: Vec<Child> = (0..6).map(|n| run(round * 6 + n)).collect();
        // Some are killed wherever they happen to be.
        for child in running.drain(..2) {
            send("KILL", &child);
            finish(child);
        }
        for child in running {
            let ran = finish(child).ends(0);
            assert!(!ran.err.contains("cache") && !ran.err.contains("kept"), "{ran:#?}");
        }
    }
    let kept = array(&home.run(&["kg", "cache", "--json"]).ends(0));
    assert!(kept[0]["replies"].as_u64().unwrap() >= 12, "{kept:?}");
    let before = starts(&home);
    for n in [2, 5, 17] {
        finish(run(n)).ends(0);
    }
    assert_eq!(starts(&home), before, "what was replied is kept");
}

#[test]
fn a_full_disk_costs_one_remark() {
    let home = counting();
    // No file may grow, and the signal that would tell so is ignored: writing fails as it does on a full disk.
    let ran = home.shell(r#"trap '' XFSZ; ulimit -f 0; "$TOT" kg relations Rembrandt --kg museum 2>&1"#);
    assert!(ran.out.contains("museum:residence"), "{ran:#?}");
    assert_eq!(ran.out.matches("replies are not kept, since").count(), 1, "{ran:#?}");
}

#[test]
fn a_program_behind_a_graph_ends_with_tot() {
    let home = Home::new();
    let pid = home.arg("pid");
    let stubborn = format!("exec:echo $$ > {pid}; trap '' TERM INT HUP; while :; do sleep 1; done");
    for signal in ["INT", "TERM"] {
        let _ = std::fs::remove_file(home.path("pid"));
        let mut child = home.tot(&["kg", "search", "x", "--kg", &stubborn]).spawn().unwrap();
        assert!(super::support::wait_for_lines(&mut child, &home.path("pid"), 1));
        send(signal, &child);
        finish(child).ends(4);
        let program = std::fs::read_to_string(home.path("pid")).unwrap();
        let still = home.shell(&format!("kill -0 {} 2>/dev/null && ps -o stat= -p {0}", program.trim()));
        assert!(still.out.is_empty() || still.out.starts_with('Z'), "{still:#?}");
    }
}
