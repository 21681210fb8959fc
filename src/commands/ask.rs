//! `tot ask`: no screen; progress on stderr, the answer on stdout.

use super::options::SearchOptions;
use super::setup::{Workshop, new_journal, options_of, session_path};
use super::{Status, report};
use crate::calls::AskId;
use crate::config::Config;
use crate::runner::{Command, Handle, Pace, Setup, Snapshot, launch, task};
use crate::scenario::compare;
use crate::search::{Event, NodeId, OutcomeKind, Preset, State, Stop};
use crate::session::Journal;
use crate::text::{clean, one_line};
use anyhow::{Context, bail};
use clap::Args;
use std::io::{BufRead, IsTerminal, Write};
use std::sync::Arc;

/// `tot ask`
#[derive(Args, Debug)]
pub struct AskArgs {
    /// The question (with --scenario: the scenario's, if none is given)
    pub question: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Go on with a session that was left
    #[arg(long, value_name = "SESSION", conflicts_with = "question")]
    pub resume: Option<String>,
    /// Compare with what the scenario expects; differences go to stderr, exit status 1
    #[arg(long, requires = "scenario")]
    pub check: bool,
    /// No progress on stderr
    #[arg(long, short)]
    pub quiet: bool,
    /// What the search is made of
    #[command(flatten)]
    pub search: SearchOptions,
}

/// Runs a search to its end.
///
/// # Errors
/// One readable sentence: what could not be opened, or why the search stands still (the session can be resumed).
pub async fn run(args: AskArgs) -> anyhow::Result<Status> {
    let config = Config::load()?;
    let (handle, workshop, warnings) =
        if let Some(session) = &args.resume { resume(session, &args.search, &config).await? } else { start(&args, &config).await? };
    for warning in warnings {
        say(&warning);
    }
    let snapshot = follow(&handle, args.quiet || args.json).await?;
    let state = &snapshot.state;
    let session = snapshot.live.path.as_ref().map_or_else(|| snapshot.live.session.clone(), |p| p.display().to_string());
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report::json(state, &session, snapshot.live.ran_ms))?)?;
    } else if state.halted.is_none() {
        write!(out, "{}", clean(&report::answer(state)))?;
    }
    drop(out);
    if let Some(why) = &state.halted {
        bail!("{}; go on with: tot ask --resume {session}", one_line(why));
    }
    if args.check {
        return Ok(check(&workshop, args.search.preset.map_or(Preset::Paper, Into::into), state));
    }
    Ok(status(state))
}

/// The exit status of a finished search.
#[must_use]
pub fn status(state: &State) -> Status {
    match state.finished.as_deref() {
        Some((f, _)) if f.outcome == OutcomeKind::Answered => Status::Ok,
        Some((f, _)) if f.outcome == OutcomeKind::BestEffort && f.stop == Stop::Accepted => Status::Ok,
        Some(_) => Status::NoAnswer,
        None => Status::Stopped,
    }
}

type Started = (Handle, Workshop, Vec<String>);

async fn start(args: &AskArgs, config: &Config) -> anyhow::Result<Started> {
    let workshop = Workshop::open(&args.search, config, loading()).await?;
    let scripted = workshop.scenario.as_ref().map(|s| s.query.clone());
    let question = args.question.clone().or(scripted).context("a question is needed: tot ask \"Who wrote Lady Susan?\"")?;
    if question.trim().is_empty() {
        bail!("the question is empty");
    }
    let (name, journal, warning) = new_journal(args.search.session.as_deref())?;
    let setup = Setup::New { started: Box::new(workshop.started(&question)), journal, name, note: warning };
    let equipment = workshop.equipment(&workshop.strategy, Pace::Run, false)?;
    let warnings = workshop.warnings.clone();
    Ok((launch(setup, equipment)?, workshop, warnings))
}

async fn resume(session: &str, given: &SearchOptions, config: &Config) -> anyhow::Result<Started> {
    let path = session_path(session);
    let recording = crate::session::read(&path)?;
    let options = options_of(&recording, given)?;
    let workshop = Workshop::open(&options, config, loading()).await?;
    // Read again under the lock: nobody else can have gone on with it meanwhile.
    let (journal, recording) = Journal::reopen(&path)?;
    let warnings = recording.note().into_iter().collect();
    let strategy = recording.state.started().strategy.clone();
    let equipment = workshop.equipment(&strategy, Pace::Run, false)?;
    Ok((launch(Setup::Resume { recording: Box::new(recording), journal }, equipment)?, workshop, warnings))
}

/// A status line on stderr while a graph is loaded.
fn loading() -> Option<crate::kg::Status> {
    let shown = std::io::stderr().is_terminal();
    shown.then(|| -> crate::kg::Status { Arc::new(|line: String| say(&line)) })
}

fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", clean(line));
}

/// Waits for the end; tells on stderr what happens.
async fn follow(handle: &Handle, quiet: bool) -> anyhow::Result<Arc<Snapshot>> {
    let mut snapshots = handle.snapshots.clone();
    let (mut told, mut noticed, mut asked) = (0, None, None::<(AskId, u32)>);
    loop {
        let snapshot = snapshots.borrow_and_update().clone();
        if !quiet {
            for entry in &snapshot.entries()[told..] {
                if let Some(line) = progress(&snapshot.state, &entry.ev) {
                    say(&line);
                }
            }
        }
        told = snapshot.entries().len();
        if let Some((number, notice)) = snapshot.live.notice.as_ref().filter(|(n, _)| noticed != Some(*n)) {
            noticed = Some(*number);
            say(notice);
        }
        answer_as_human(handle, &snapshot, &mut asked)?;
        let ended = snapshot.run_state() == crate::runner::RunState::Finished;
        if ended || (snapshot.live.pace == Pace::Paused && snapshot.live.flights.is_empty()) {
            let _ = handle.commands.send(Command::Quit);
            return Ok(snapshot);
        }
        tokio::select! {
            changed = snapshots.changed() => changed.context("the search ended unexpectedly")?,
            _ = tokio::signal::ctrl_c() => {
                let _ = handle.commands.send(Command::Abort);
            }
        }
    }
}

/// One line for what a person wants to follow.
fn progress(state: &State, event: &Event) -> Option<String> {
    match event {
        Event::Opened { node: Some(node), why, counts: true, .. } => {
            Some(format!("#{} {} ({why})", order(state, *node), report::label(state, *node)))
        }
        Event::Grew { notices, .. } if !notices.is_empty() => Some(format!("  {}", notices.join("; "))),
        Event::Failed { error, .. } => Some(format!("  {}", error.message)),
        Event::Finished(end) => Some(end.why.clone()),
        _ => None,
    }
}

fn order(state: &State, node: NodeId) -> u32 {
    state.node(node).and_then(|n| n.order).unwrap_or_default()
}

/// With `--llm human` each prompt is printed on stderr and one line is read from stdin.
fn answer_as_human(handle: &Handle, snapshot: &Snapshot, asked: &mut Option<(AskId, u32)>) -> anyhow::Result<()> {
    let Some(flight) = snapshot.live.flights.iter().find(|f| f.human) else { return Ok(()) };
    let Some(ask) = snapshot.state.ask(flight.ask) else { return Ok(()) };
    let Some(slot) = ask.samples.iter().position(Option::is_none).and_then(|s| u32::try_from(s).ok()) else { return Ok(()) };
    if *asked == Some((ask.id, slot)) {
        return Ok(());
    }
    *asked = Some((ask.id, slot));
    let strategy = super::setup::strategy_of(&snapshot.state.started().strategy)?;
    if let Some(job) = task::llm_job(&snapshot.state, &*strategy, ask).filter(|_| slot == 0) {
        say(&format!("\n{}\n", job.request.prompt()));
    }
    say(&format!("sample {} of {}:", slot + 1, ask.samples.len()));
    let mut line = String::new();
    if std::io::stdin().lock().read_line(&mut line)? == 0 {
        bail!("stdin ended: the session can be resumed");
    }
    let _ = handle.commands.send(Command::Reply { ask: ask.id, slot, text: line.trim_end_matches(['\r', '\n']).to_owned() });
    Ok(())
}

/// Compares with the scenario's block for this preset.
fn check(workshop: &Workshop, preset: Preset, state: &State) -> Status {
    let blocks = match workshop.scenario.as_ref().map(|s| s.expectations()) {
        Some(Ok(blocks)) => blocks,
        Some(Err(e)) => {
            say(&format!("{e:#}"));
            return Status::Error;
        }
        None => Vec::new(),
    };
    let wrong: Vec<String> = blocks.iter().filter(|b| b.preset == preset).flat_map(|b| compare(b, state)).collect();
    for line in &wrong {
        say(line);
    }
    if wrong.is_empty() { Status::Ok } else { Status::Error }
}
