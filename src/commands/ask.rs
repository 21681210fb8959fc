//! `tot ask`: no screen; progress on stderr, the answer on stdout.

use super::follow::{End, Followed, follow, say};
use super::options::{SearchOptions, no_session};
use super::prompts::without_broken_prompts;
use super::setup::{Workshop, new_journal, options_of, path_to_go_on};
use super::{Status, UsageError, report};
use crate::attach::{Door, launch};
use crate::config::Config;
use crate::runner::{Command, Handle, Pace, Setup};
use crate::scenario::compare;
use crate::search::{HaltCause, OutcomeKind, Preset, State, Stop};
use crate::session::Journal;
use crate::text::{clean, one_line, printable_json};
use anyhow::{Context, bail};
use clap::Args;
use std::io::{IsTerminal, Write};
use std::sync::Arc;

/// `tot ask`
#[derive(Args, Debug)]
pub struct AskArgs {
    /// The question, in quotes or as words (with --scenario: the scenario's, if none is given)
    #[arg(value_name = "QUESTION")]
    pub question: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Go on with a session that was left
    #[arg(long, value_name = "SESSION", conflicts_with = "question")]
    pub resume: Option<String>,
    /// Compare with what the scenario expects, prompts included; differences go to stderr, exit status 1
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
    let config = args.search.configured()?;
    let Begun { handle, mut door, workshop, warnings, recorded } =
        if let Some(session) = &args.resume { resume(session, &args.search, &config).await? } else { start(&args, &config).await? };
    for warning in warnings {
        say(&warning);
    }
    let followed = follow(&handle, &mut door, recorded, args.quiet || args.json).await;
    // The journal is safe on disk when the runner has ended, and no socket is left.
    let _ = handle.commands.send(Command::Quit);
    let _ = handle.task.await;
    door.closed().await;
    let Followed { snapshot, end } = followed?;
    let state = &snapshot.state;
    let session = snapshot.live.path.as_ref().map_or_else(|| snapshot.live.session.clone(), |p| p.display().to_string());
    let stopped = workshop.from.as_ref().filter(|from| !from.live && matches!(&end, End::Halted(halt) if halt.cause == HaltCause::Miss));
    let go_on = match &snapshot.live.path {
        Some(_) if stopped.is_some() => stopped.map(|from| from.remedy(&session)).unwrap_or_default(),
        Some(_) => format!("go on with: tot ask --resume {session}"),
        None => "it was not recorded, so it can't be resumed".to_owned(),
    };
    let mut out = std::io::stdout().lock();
    if args.json {
        let mut object = report::json(state, &session, snapshot.live.ran_ms);
        if let Some(remarks) = object["remarks"].as_array_mut() {
            remarks.extend(snapshot.live.learnt.notes().map(|note| note.as_str().into()));
        }
        if let End::Halted(halt) = &end {
            object["halted"] = halt.why.as_str().into();
        }
        writeln!(out, "{}", printable_json(&object.to_string()))?;
    } else if matches!(end, End::Finished) || end.budget().is_some() {
        write!(out, "{}", clean(&report::answer(state)))?;
    }
    out.flush()?;
    drop(out);
    match end {
        End::Halted(halt) => match halt.cause {
            HaltCause::Budget(budget) => {
                let more = match (&snapshot.live.path, state.settings().budgets.of(budget)) {
                    (Some(_), Some(limit)) => format!(" {} N, with N above {}", budget.flag(), budget.written(limit)),
                    _ => String::new(),
                };
                say(&format!("{}; {go_on}{more}", one_line(&halt.why)));
                Ok(Status::Stopped)
            }
            HaltCause::Breakpoint => {
                say(&format!("{}; {go_on}", one_line(&halt.why)));
                Ok(Status::Stopped)
            }
            HaltCause::Service | HaltCause::Template | HaltCause::Miss => bail!("{}; {go_on}", one_line(&halt.why)),
        },
        End::Unwritten => bail!("the search stands still; when there is room again, {go_on}"),
        End::Stopped => {
            say(&format!("stopped; {go_on}"));
            Ok(Status::Stopped)
        }
        End::Finished if args.check => Ok(check(&workshop, args.search.preset.map_or(Preset::Paper, Into::into), state)),
        End::Finished => Ok(status(state)),
    }
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

/// A search that began, or goes on.
struct Begun {
    handle: Handle,
    door: Door,
    workshop: Workshop,
    warnings: Vec<String>,
    /// Entries that were there before.
    recorded: usize,
}

async fn start(args: &AskArgs, config: &Config) -> anyhow::Result<Begun> {
    let needed = || UsageError::of("a question is needed: tot ask \"Who wrote Lady Susan?\"");
    let given = (!args.question.is_empty()).then(|| args.question.join(" "));
    match &given {
        Some(question) if question.trim().is_empty() => bail!(UsageError::of("the question is empty: write one after `ask`")),
        Some(question) => no_session(question, "tot ask --resume")?,
        None if args.search.scenario.is_none() && args.search.from.is_none() => bail!(needed()),
        _ => {}
    }
    args.search.fit_model(config)?;
    let workshop = Workshop::open(&args.search, config, loading()).await?;
    workshop.check_budgets()?;
    let scripted = workshop.scenario.as_ref().map(|s| s.query.clone());
    let recorded = workshop.from.as_ref().map(|from| from.started().question.clone());
    let question = given.or(recorded).or(scripted).ok_or_else(needed)?;
    let (name, journal, warning) = new_journal(args.search.session.as_deref())?;
    let setup = Setup::New {
        started: Box::new(workshop.started(question.trim())),
        journal,
        name,
        note: warning,
        bank: workshop.bank(&args.search),
    };
    let equipment = workshop.equipment(&workshop.strategy, Pace::Run, false)?;
    let mut warnings = workshop.warnings.clone();
    let named = args.search.llm.is_some() || config.llm.is_some() || workshop.scenario.is_some() || workshop.from.is_some();
    if !named && !args.quiet && !args.json {
        warnings.push(
            "no model is named, so the built-in `lexical` answers (no neural network, nothing is spent): --llm names another".to_owned(),
        );
    }
    warnings.extend(workshop.from.as_ref().map(|from| format!("answered from the recording {}", from.file)));
    let (handle, door) = launch(setup, equipment, unattached)?;
    Ok(Begun { handle, door, workshop, warnings, recorded: 0 })
}

async fn resume(session: &str, given: &SearchOptions, config: &Config) -> anyhow::Result<Begun> {
    given.fit_resuming()?;
    let (path, unpacked) = path_to_go_on(session)?;
    let recording = crate::session::read(&path)?;
    let options = options_of(&recording, given).with_context(|| path.display().to_string())?;
    options.fit_model(config)?;
    let mut config = config.clone();
    let wrong = without_broken_prompts(&mut config);
    let workshop = Workshop::open(&options, &config, loading()).await?;
    // Read again under the lock: nobody else can have gone on with it meanwhile.
    let (journal, recording) = Journal::reopen(&path)?;
    let mut warnings: Vec<String> = unpacked.into_iter().chain(recording.note()).chain(wrong).collect();
    let ignored = given.fixed_at_start();
    if !ignored.is_empty() {
        warnings.push(format!("{}: left as the session began with; a new session takes them", ignored.join(", ")));
    }
    let strategy = recording.state.started().strategy.clone();
    let equipment = workshop.equipment(&strategy, Pace::Run, false)?;
    let recorded = recording.entries.len();
    let changes = workshop.changes(&recording.state, given)?;
    let (handle, door) = launch(Setup::Resume { recording: Box::new(recording), journal, changes }, equipment, unattached)?;
    Ok(Begun { handle, door, workshop, warnings, recorded })
}

/// Says why no other terminal can attach.
fn unattached(why: String) {
    say(&one_line(&why));
}

/// A status line on stderr while a graph is loaded.
fn loading() -> Option<crate::kg::Status> {
    let shown = std::io::stderr().is_terminal();
    shown.then(|| -> crate::kg::Status { Arc::new(|line: String| say(&line)) })
}

/// Compares with the scenario's block for this preset, and checks the prompts.
fn check(workshop: &Workshop, preset: Preset, state: &State) -> Status {
    let Some(scenario) = workshop.scenario.as_ref() else { return Status::Ok };
    let blocks = match scenario.expectations() {
        Ok(blocks) => blocks,
        Err(e) => {
            say(&format!("{e:#}"));
            return Status::Error;
        }
    };
    let mut wrong: Vec<String> = blocks.iter().filter(|b| b.preset == preset).flat_map(|b| compare(b, state)).collect();
    wrong.extend(scenario.check_prompts(state));
    for line in &wrong {
        say(line);
    }
    if wrong.is_empty() { Status::Ok } else { Status::Error }
}
