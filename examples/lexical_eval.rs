//! How well the built-in lexical model does: asks every question of a file and counts.
//!
//! `cargo run --release --example lexical_eval -- [--questions FILE.tsv] [--show] [search flags of tot ask]`
//!
//! The file is tab-separated with a header that names `question`, `gold_answers` (separated by `|`, empty when the
//! graph has no answer) and `kind`; or JSON: a list of objects with `question`, `answers`, and perhaps `aliases` (other names
//! of the answers, where there is one) and `type`. Without flags: the questions of the demo graph, on the demo graph.

use clap::Parser;
use indexmap::IndexMap;
use std::path::PathBuf;
use tree_of_traversals::commands::options::SearchOptions;
use tree_of_traversals::commands::setup::Workshop;
use tree_of_traversals::config::Config;
use tree_of_traversals::runner::{Command, Pace, RunState, Setup, launch};
use tree_of_traversals::search::{OutcomeKind, State};

/// Flags.
#[derive(Parser, Debug)]
struct Args {
    /// The questions
    #[arg(long, default_value = "assets/demo/questions.tsv")]
    questions: PathBuf,
    /// Only so many questions, evenly taken from all
    #[arg(long)]
    sample: Option<usize>,
    /// Print every question whose answer is not wholly right
    #[arg(long)]
    show: bool,
    /// What the search is made of
    #[command(flatten)]
    search: SearchOptions,
}

/// A question with what is expected.
struct Row {
    question: String,
    gold: Vec<String>,
    /// Other names of the one right answer.
    aliases: Vec<String>,
    kind: String,
}

/// Counts over the questions of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    questions: u32,
    em_in: f64,
    right: u32,
    right_and_answered: u32,
    expansions: u32,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let workshop = Workshop::open(&args.search, &Config::default(), None).await?;
    let mut scores: IndexMap<String, Score> = IndexMap::new();
    let text = std::fs::read_to_string(&args.questions)?;
    let mut rows = if text.trim_start().starts_with('[') { read_json(&text)? } else { read(&text) };
    if let Some(sample) = args.sample.filter(|n| *n > 0 && *n < rows.len()) {
        let all = rows.len();
        let mut at = 0;
        rows.retain(|_| {
            at += 1;
            at * sample / all > (at - 1) * sample / all
        });
    }
    let mut calls = (0, 0);
    for row in rows {
        let state = ask(&workshop, &row.question).await?;
        let summary = state.summary();
        let answered = summary.outcome == Some(OutcomeKind::Answered);
        let text = summary.answer_text.clone().unwrap_or_default();
        let em_in = if row.gold.is_empty() { f64::from(u8::from(!answered)) } else { em_in(&row, &text) };
        let counters = state.counters();
        calls = (calls.0 + counters.kg_calls, calls.1 + counters.kg_cached);
        let score = scores.entry(row.kind.clone()).or_default();
        score.questions += 1;
        score.em_in += em_in;
        score.right += u32::from(em_in > 0.0);
        score.right_and_answered += u32::from(em_in > 0.0 && answered);
        score.expansions += state.expansions();
        if args.show && em_in < 1.0 {
            println!("{em_in:.2} {} {} -> {text} (expected: {})", row.kind, row.question, row.gold.join(" | "));
        }
    }
    println!("{:16} {:>9} {:>6} {:>15} {:>10}", "kind", "questions", "EM-in", "right answered", "expansions");
    for (kind, s) in &scores {
        let n = f64::from(s.questions);
        let answered = if kind == "unanswerable" { "-".to_owned() } else { format!("{} of {}", s.right_and_answered, s.right) };
        println!("{kind:16} {:>9} {:>6.2} {answered:>15} {:>10.1}", s.questions, s.em_in / n, f64::from(s.expansions) / n);
    }
    let all = scores.values().fold((0, 0.0), |sum, s| (sum.0 + s.questions, sum.1 + s.em_in));
    println!("{:16} {:>9} {:>6.2}", "all", all.0, all.1 / f64::from(all.0.max(1)));
    println!("graph calls: {}, of these answered from what was known: {}", calls.0, calls.1);
    println!("(unanswerable: the share for which no answer was given, or one below the threshold)");
    Ok(())
}

/// The questions of a tab-separated file.
fn read(text: &str) -> Vec<Row> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| header.iter().position(|h| *h == name);
    let (question, gold, kind) = (column("question"), column("gold_answers"), column("kind"));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let cell = |i: Option<usize>| i.and_then(|i| cells.get(i)).copied().unwrap_or_default();
            Row {
                question: cell(question).to_owned(),
                gold: cell(gold).split('|').filter(|g| !g.is_empty()).map(str::to_owned).collect(),
                aliases: Vec::new(),
                kind: cell(kind).to_owned(),
            }
        })
        .collect()
}

/// A question in JSON.
#[derive(serde::Deserialize)]
struct Listed {
    question: String,
    answers: Vec<String>,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
}

/// The questions of a JSON file.
fn read_json(text: &str) -> anyhow::Result<Vec<Row>> {
    let listed: Vec<Listed> = serde_json::from_str(text)?;
    let row =
        |l: Listed| Row { question: l.question, gold: l.answers, aliases: l.aliases, kind: l.kind.unwrap_or_else(|| "all".to_owned()) };
    Ok(listed.into_iter().map(row).collect())
}

/// Runs one search to its end.
async fn ask(workshop: &Workshop, question: &str) -> anyhow::Result<State> {
    let setup = Setup::New {
        started: Box::new(workshop.started(question)),
        journal: None,
        name: "lexical-eval".to_owned(),
        note: None,
        bank: None,
    };
    let handle = launch(setup, workshop.equipment(&workshop.strategy, Pace::Run, false)?)?;
    let mut snapshots = handle.snapshots.clone();
    loop {
        let snapshot = snapshots.borrow_and_update().clone();
        if snapshot.run_state() == RunState::Finished || snapshot.state.halted.is_some() {
            let _ = handle.commands.send(Command::Quit);
            return Ok(State::clone(&snapshot.state));
        }
        snapshots.changed().await?;
    }
}

/// The mean over the gold answers of whether each occurs in the answer: words compared, case, articles and marks aside. One
/// answer may also be given by another name.
fn em_in(row: &Row, answer: &str) -> f64 {
    let answer = normal(answer);
    let says = |name: &String| answer.contains(&normal(name));
    if row.gold.len() == 1 && row.aliases.iter().any(says) {
        return 1.0;
    }
    let found = row.gold.iter().filter(|name| says(name)).count();
    f64::from(u32::try_from(found).unwrap_or(u32::MAX)) / f64::from(u32::try_from(row.gold.len()).unwrap_or(u32::MAX))
}

/// Words in lower case between blanks, without articles and punctuation.
fn normal(text: &str) -> String {
    let plain: String = text.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    let words: Vec<&str> = plain.split_whitespace().filter(|w| !matches!(*w, "the" | "a" | "an")).collect();
    format!(" {} ", words.join(" "))
}
