//! How well the built-in lexical model does: asks every question of a file and counts.
//!
//! `cargo run --release --example lexical_eval -- [--questions FILE.tsv] [--show] [search flags of tot ask]`
//!
//! The file is tab-separated with a header that names `question`, `gold_answers` (separated by `|`, empty when the
//! graph has no answer) and `kind`. Without flags: the questions of the demo graph, on the demo graph.

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
    for row in read(&std::fs::read_to_string(&args.questions)?) {
        let state = ask(&workshop, &row.question).await?;
        let summary = state.summary();
        let answered = summary.outcome == Some(OutcomeKind::Answered);
        let text = summary.answer_text.clone().unwrap_or_default();
        let em_in = if row.gold.is_empty() { f64::from(u8::from(!answered)) } else { em_in(&row.gold, &text) };
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
                kind: cell(kind).to_owned(),
            }
        })
        .collect()
}

/// Runs one search to its end.
async fn ask(workshop: &Workshop, question: &str) -> anyhow::Result<State> {
    let setup = Setup::New { started: Box::new(workshop.started(question)), journal: None, name: "lexical-eval".to_owned(), note: None };
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

/// The mean over the gold answers of whether each occurs in the answer: words compared, case, articles and marks aside.
fn em_in(gold: &[String], answer: &str) -> f64 {
    let answer = normal(answer);
    let found = gold.iter().filter(|g| answer.contains(&normal(g))).count();
    f64::from(u32::try_from(found).unwrap_or(u32::MAX)) / f64::from(u32::try_from(gold.len()).unwrap_or(u32::MAX))
}

/// Words in lower case between blanks, without articles and punctuation.
fn normal(text: &str) -> String {
    let plain: String = text.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    let words: Vec<&str> = plain.split_whitespace().filter(|w| !matches!(*w, "the" | "a" | "an")).collect();
    format!(" {} ", words.join(" "))
}
