//! How well a model follows the form that prompts ask for: sends it the prompts of real searches and counts the replies that
//! can be read, by kind. What the replies say does not matter.
//!
//! `cargo run --example format_eval -- --llm openai:NAME [--llm-url URL] [--profile NAME] [--prompts DIR] [--each N] [--show]`
//!
//! The searches are made by the built-in model on the demo graph, over questions of the demo; their prompts are worded anew by the
//! profile. Structured output is off.

use clap::Parser;
use indexmap::IndexMap;
use std::sync::{Arc, Mutex};
use tree_of_traversals::asm::{Expect, Reply, Templates, Unusable, parse, parse_match, parse_mentions};
use tree_of_traversals::calls::{LlmReply, PromptKind, Sample};
use tree_of_traversals::commands::models::{model_named, open_model};
use tree_of_traversals::commands::options::SearchOptions;
use tree_of_traversals::commands::setup::Workshop;
use tree_of_traversals::config::Config;
use tree_of_traversals::graph::{EntityId, Relation, RelationRef};
use tree_of_traversals::llm::{LanguageModel, LlmJob, OnWire};
use tree_of_traversals::runner::{Command, Pace, RunState, Setup, launch, task};
use tree_of_traversals::search::strategy::{Strategy, TreeOfTraversals};
use tree_of_traversals::search::{Ask, Entry, Event, NotYet, State, ask_events};

/// Flags.
#[derive(Parser, Debug)]
struct Args {
    /// Prompts of each kind, at most
    #[arg(long, default_value_t = 8)]
    each: usize,
    /// Questions of the demo that are searched for
    #[arg(long, default_value_t = 4)]
    questions: usize,
    /// Print every reply that could not be read
    #[arg(long)]
    show: bool,
    /// Print every reply
    #[arg(long)]
    show_all: bool,
    /// Model and prompts
    #[command(flatten)]
    search: SearchOptions,
}

/// Replies of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    prompts: usize,
    replies: usize,
    read: usize,
    not_offered: usize,
    failed: usize,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let spec = args.search.llm.clone().ok_or_else(|| anyhow::anyhow!("which model? --llm openai:NAME --llm-url URL"))?;
    let named = model_named(Some(&spec), args.search.llm_url.as_deref(), args.search.key_file.as_deref(), &Config::default());
    let model = open_model(&named, None, &mut Vec::new())?;
    let profile = args.search.profile.unwrap_or_default();
    let templates = match &args.search.prompts {
        Some(folder) => Templates::load(profile, folder)?,
        None => Templates::of(profile),
    };
    let built_in = SearchOptions {
        llm: Some("lexical".to_owned()),
        kg: vec!["demo".to_owned()],
        branching: args.search.branching,
        ..SearchOptions::default()
    };
    let workshop = Workshop::open(&built_in, &Config::default(), None).await?;
    let mut counts: IndexMap<PromptKind, Count> = IndexMap::new();
    let all = tree_of_traversals::kg::demo::questions();
    let step = (all.len() / args.questions.max(1)).max(1);
    let questions: Vec<String> = all.into_iter().step_by(step).take(args.questions).map(|q| q.question).collect();
    for question in questions.iter().chain(&["谁导演了电影《盗梦空间》？".to_owned()]) {
        let entries = searched(&workshop, question).await?;
        // A part of each kind from every question.
        let each = args.each.div_ceil(questions.len() + 1);
        let mut taken: IndexMap<PromptKind, usize> = IndexMap::new();
        for (state, job) in reworded(&entries, &templates)? {
            let kind = job.request.kind;
            let taken = taken.entry(kind).or_default();
            if *taken < each {
                *taken += 1;
                send(&*model.model, &state, job, counts.entry(kind).or_default(), &args).await;
            }
        }
    }
    println!(
        "{spec}, profile {profile}\n{:14} {:>8} {:>8} {:>8} {:>12} {:>7}",
        "kind", "prompts", "replies", "read", "not offered", "failed"
    );
    let mut sum = Count::default();
    for (kind, c) in &counts {
        let name = serde_json::to_value(kind)?;
        println!(
            "{:14} {:>8} {:>8} {:>8} {:>12} {:>7}",
            name.as_str().unwrap_or(""),
            c.prompts,
            c.replies,
            c.read,
            c.not_offered,
            c.failed
        );
        sum = Count {
            prompts: sum.prompts + c.prompts,
            replies: sum.replies + c.replies,
            read: sum.read + c.read,
            not_offered: sum.not_offered + c.not_offered,
            failed: sum.failed + c.failed,
        };
    }
    println!("{:14} {:>8} {:>8} {:>8} {:>12} {:>7}", "all", sum.prompts, sum.replies, sum.read, sum.not_offered, sum.failed);
    println!("{:.0} % of the replies can be used", 100.0 * sum.read as f64 / sum.replies.max(1) as f64);
    Ok(())
}

/// The journal of a search by the built-in model.
async fn searched(workshop: &Workshop, question: &str) -> anyhow::Result<Vec<Arc<Entry>>> {
    let setup =
        Setup::New { started: Box::new(workshop.started(question)), journal: None, name: "format-eval".to_owned(), note: None, bank: None };
    let handle = launch(setup, workshop.equipment(&workshop.strategy, Pace::Run, false)?)?;
    let mut snapshots = handle.snapshots.clone();
    loop {
        let snapshot = snapshots.borrow_and_update().clone();
        if snapshot.run_state() == RunState::Finished || snapshot.state.halted.is_some() {
            let _ = handle.commands.send(Command::Quit);
            return Ok(snapshot.entries().to_vec());
        }
        snapshots.changed().await?;
    }
}

/// Every request of a search as it would have been made with `templates`, and the state in which it was made.
fn reworded(entries: &[Arc<Entry>], templates: &Templates) -> anyhow::Result<Vec<(State, LlmJob)>> {
    let strategy = TreeOfTraversals;
    let (mut state, mut jobs) = (State::default(), Vec::new());
    for entry in entries {
        if let Event::Asked { key, .. } = &entry.ev
            && let Some(Err(NotYet::Ask(specs))) = state.step(key.step).map(|step| strategy.advance(&state, step))
            && let Some(spec) = specs.iter().find(|spec| spec.key == *key)
        {
            let mut asked = state.clone();
            for ev in ask_events(&state, spec) {
                asked.apply(&Entry { seq: asked.seq, at: 0, by: entry.by, ev })?;
            }
            let job = asked.asks.last().and_then(|ask| task::llm_job(&asked, &strategy, ask));
            jobs.extend(job.map(|job| (asked.clone(), job)));
        }
        let mut entry = Entry::clone(entry);
        if let Event::Started(started) = &mut entry.ev {
            started.templates = templates.clone();
        }
        state.apply(&entry)?;
    }
    Ok(jobs)
}

/// Sends a request and counts its replies.
async fn send(model: &dyn LanguageModel, state: &State, job: LlmJob, count: &mut Count, args: &Args) {
    let (kind, prompt) = (job.request.kind, job.request.prompt());
    let ask = state.asks.last().cloned();
    let replies: Arc<Mutex<Vec<LlmReply>>> = Arc::default();
    let sink = Arc::clone(&replies);
    let result = model
        .complete(
            job.clone(),
            Arc::new(move |came: OnWire| {
                if let (Some(reply), Ok(mut all)) = (came.reply(), sink.lock()) {
                    all.push(reply);
                }
            }),
        )
        .await;
    count.prompts += 1;
    if let Err(error) = result {
        count.failed += 1;
        eprintln!("{kind:?}: {error}");
    }
    let samples: Vec<Sample> =
        replies.lock().map(|all| all.iter().flat_map(|r| &r.samples).map(|(_, s)| s.clone()).collect()).unwrap_or_default();
    for sample in samples {
        count.replies += 1;
        let why = ask.as_deref().map_or(Ok(()), |ask| read(state, ask, &job, &sample));
        match &why {
            Ok(()) => count.read += 1,
            Err(Unusable::NotOffered(_)) => count.not_offered += 1,
            Err(Unusable::Unreadable(_)) => {}
        }
        if args.show_all || args.show && why.is_err() {
            let tail: Vec<&str> = prompt.lines().rev().take(4).collect();
            println!("{kind:?} {why:?}\n  prompt ends: {:?}\n  reply: {:?}", tail.into_iter().rev().collect::<Vec<_>>(), sample.text);
        }
    }
}

/// Whether a reply is one of the things that the prompt asks for.
fn read(state: &State, ask: &Ask, job: &LlmJob, sample: &Sample) -> Result<(), Unusable> {
    let options = &job.about.options;
    let entities: Vec<EntityId> = options.iter().map(|id| id.as_str().into()).collect();
    let node = state.asked_about(ask);
    let relations: Vec<RelationRef> = node
        .map(|node| tree_of_traversals::search::strategy::offered(state, node))
        .unwrap_or_default()
        .into_iter()
        .map(|r: Relation| r.at)
        .collect();
    let expect = match job.request.kind {
        PromptKind::Extract => return parse_mentions(sample).map(drop),
        PromptKind::Match => return parse_match(sample, candidates(state, ask)).map(drop),
        PromptKind::Action => Expect::Action,
        PromptKind::FinalAnswer => Expect::FinalAnswer,
        PromptKind::Entities => Expect::Entities(&entities),
        PromptKind::Relation => Expect::Relation(&relations),
        PromptKind::ScoreState => Expect::ScoreState,
        PromptKind::ScoreAnswer => Expect::ScoreAnswer,
        PromptKind::Review => Expect::Verdict,
    };
    match parse(&expect, sample, &|_| false)? {
        Reply::Action(_) | Reply::Score(_) | Reply::Verdict(..) => Ok(()),
    }
}

/// How many candidates a prompt lists: its numbered lines without `0. none of these`.
fn candidates(state: &State, ask: &Ask) -> usize {
    let prompt = state.prompt_of(ask).unwrap_or_default();
    let list = prompt.rsplit("0. none of these").next().unwrap_or_default();
    list.lines().filter(|line| line.split_once(". ").is_some_and(|(number, _)| number.parse::<usize>().is_ok())).count()
}
