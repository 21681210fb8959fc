//! `tot review`: the model judges each fact that an answer rests on. The session is added to; nothing else of it goes on.

use super::follow::say;
use super::models::{OpenModel, opener};
use super::options::SearchOptions;
use super::setup::{Workshop, options_of, path_to_go_on};
use super::{Status, UsageError, report};
use crate::asm::Verdict;
use crate::calls::{CallError, CallErrorKind};
use crate::config::Config;
use crate::llm::Absent;
use crate::redact::Secrets;
use crate::runner::{Changes, Command, Equipment, Handle, Opened, Pace, Setup, Snapshot, launch};
use crate::search::{Act, NodeId, OtherModel, State, StepKind};
use crate::session::{Journal, Recording, read};
use crate::text::{one_line, printable_json};
use anyhow::{Context, bail};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// `tot review`
#[derive(Args, Debug)]
pub struct ReviewArgs {
    /// A session file, or its name in the sessions folder
    pub session: String,
    /// The answer, by the number of its node (tot show lists them); without it the answer of the search
    #[arg(long, value_name = "N")]
    pub node: Option<u32>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// The model that judges, in the form of `tot ask --llm`; without it the session's own
    #[arg(long, value_name = "SPEC")]
    pub llm: Option<String>,
    /// The address of the model's server
    #[arg(long, value_name = "URL")]
    pub llm_url: Option<String>,
    /// A file (mode 0600) that holds the model's key and nothing else
    #[arg(long, value_name = "PATH")]
    pub key_file: Option<PathBuf>,
}

/// Judges the facts of an answer.
///
/// # Errors
/// One readable sentence: no such answer, a model that can't be opened or asked, a session that another program writes.
pub async fn run(args: &ReviewArgs) -> anyhow::Result<Status> {
    let config = Config::load()?;
    let (path, unpacked) = path_to_go_on(&args.session)?;
    let recording = read(&path)?;
    let act = wanted(&recording, args)?;
    let given =
        SearchOptions { llm: args.llm.clone(), llm_url: args.llm_url.clone(), key_file: args.key_file.clone(), ..SearchOptions::default() };
    given.llm.as_ref().map_or(Ok(()), |_| given.fit_model(&config))?;
    let judge = judge(&recording, &given, &config)?;
    // Read again under the lock: nobody else can have gone on with it meanwhile.
    let (journal, recording) = Journal::reopen(&path)?;
    quiet(&recording.state)?;
    unpacked.iter().for_each(|note| say(note));
    let strategy = super::setup::strategy_of(&recording.state.started().strategy)?;
    let act = match (act, &judge) {
        (Act::Review { node, facts, .. }, Judge::Other(opened)) => {
            Act::Review { node, facts, model: Some(Box::new(opened.record.clone())) }
        }
        (act, _) => act,
    };
    let first = recording.state.steps.len();
    let session = path.display().to_string();
    let setup = Setup::Resume { recording: Box::new(recording), journal, changes: Changes::default() };
    let handle = launch(setup, judge.equipment(strategy))?;
    let ended = judged(handle, act, first).await?;
    let node = ended.state.steps.iter().skip(first).find(|step| step.kind == StepKind::Review).and_then(|step| step.node);
    let node = node.context("the facts were not judged")?;
    print(&ended.state, node, &session, args.json)
}

/// The act that the flags ask for.
fn wanted(recording: &Recording, args: &ReviewArgs) -> anyhow::Result<Act> {
    let state = &recording.state;
    anyhow::ensure!(state.started.is_some(), "the session is empty: there is nothing to judge");
    quiet(state)?;
    let ended = state.finished.as_deref().and_then(|(end, _)| end.answer.or(end.best_candidate));
    let node = match args.node {
        Some(node) => NodeId(node),
        None => ended.or_else(|| state.answers().first().copied()).context("the session has no answer yet: there is nothing to judge")?,
    };
    let act = Act::review(state, node, None);
    act.check(state).map_err(|refused| UsageError::of(format!("node {}: {}", node.0, refused.0)))?;
    Ok(act)
}

/// Only what is asked for is asked: what a person left under way is for `tot resume`.
fn quiet(state: &State) -> anyhow::Result<()> {
    let waits = state.acts.iter().any(|act| {
        let wants_step = matches!(act.what, Act::Choose { .. } | Act::AskAgain { .. } | Act::More { .. } | Act::Review { .. });
        act.active && wants_step && !state.steps.iter().any(|step| step.act == Some(act.id))
    });
    if waits || state.open_steps().any(crate::search::Step::by_hand) {
        bail!("something that was done by hand is still under way in this session: go on with it first (tot resume)");
    }
    Ok(())
}

/// Who judges.
enum Judge {
    /// The model that the session asks now.
    Own(OpenModel, Vec<crate::redact::Secret>),
    /// The one that `--llm` names.
    Other(Opened),
}

fn judge(recording: &Recording, given: &SearchOptions, config: &Config) -> anyhow::Result<Judge> {
    let error = |error: CallError| anyhow::Error::from(error);
    if let Some(llm) = &given.llm {
        let url = given.llm_url.as_deref().map(crate::redact::url);
        return opener(given, config)(&OtherModel::named(llm.trim(), url)).map(Judge::Other).map_err(error);
    }
    let options = options_of(recording, given)?;
    options.fit_model(config)?;
    let mut secrets = Vec::new();
    let model = Workshop::model_alone(&options, config, &mut secrets)?;
    Ok(Judge::Own(model, secrets))
}

impl Judge {
    fn equipment(&self, strategy: Box<dyn crate::search::strategy::Strategy>) -> Equipment {
        let gone = || CallError::new(CallErrorKind::Refused, "another model was asked to judge");
        let (model, others, secrets): (Arc<dyn crate::llm::LanguageModel>, _, _) = match self {
            Self::Own(model, secrets) => (model.model.clone(), crate::runner::no_others(), secrets.clone()),
            Self::Other(opened) => {
                let named = opened.clone();
                let others: crate::runner::Opener = Arc::new(move |_| Ok(named.clone()));
                (Arc::new(Absent::new("", "", gone())), others, opened.secrets.clone())
            }
        };
        Equipment {
            strategy,
            model,
            others,
            kgs: Vec::new(),
            pace: Pace::Paused,
            pause: Duration::ZERO,
            secrets: Secrets::new(secrets),
            breaks: Vec::new(),
            rules: Vec::new(),
            watched: false,
            can_fork: false,
            folder: None,
        }
    }
}

/// Does the act and waits until the facts are judged. Where not one of them could be, the act is taken back.
async fn judged(mut handle: Handle, act: Act, first: usize) -> anyhow::Result<Arc<Snapshot>> {
    let before = handle.snapshots.borrow().clone();
    let (told, acts) = (before.live.notice.as_ref().map(|(n, _)| *n), before.state.acts.len());
    let _ = handle.commands.send(Command::Do(act));
    let review = |s: &Snapshot| s.state.steps.iter().skip(first).find(|step| step.kind == StepKind::Review && step.closed).cloned();
    let refused = |s: &Snapshot| s.state.acts.len() == acts && s.live.notice.as_ref().map(|(n, _)| *n) != told;
    let mut wrong = None;
    loop {
        let now = handle.snapshots.borrow_and_update().clone();
        if let Some(step) = review(&now) {
            let mut asks = now.state.asks.iter().filter(|ask| ask.key.step == step.id);
            let failed = now.state.asks.iter().rfind(|ask| ask.key.step == step.id).and_then(|ask| ask.error.as_ref());
            let nobody = failed.filter(|_| asks.all(|ask| ask.error.is_some()));
            match nobody {
                Some(_) if now.state.acts.last().is_some_and(|act| !act.active) => break,
                Some(error) if wrong.is_none() => {
                    wrong = Some(one_line(&error.message));
                    let _ = handle.commands.send(Command::Undo);
                }
                Some(_) => {}
                None => break,
            }
        } else if refused(&now) {
            wrong = now.live.notice.as_ref().map(|(_, text)| one_line(text));
            break;
        }
        if handle.snapshots.changed().await.is_err() {
            break;
        }
    }
    let _ = handle.commands.send(Command::Quit);
    let _ = handle.task.await;
    match wrong {
        Some(why) => bail!("{why}; nothing was judged"),
        None => Ok(handle.snapshots.borrow().clone()),
    }
}

fn print(state: &State, node: NodeId, session: &str, json: bool) -> anyhow::Result<Status> {
    let mut out = std::io::stdout().lock();
    if json {
        let mut object = report::review(state, node);
        object["session"] = session.into();
        writeln!(out, "{}", printable_json(&object.to_string()))?;
        return Ok(Status::Ok);
    }
    let Some((step, judged)) = state.review(node) else { bail!("the facts were not judged") };
    let graph = state.graph(node);
    let model = one_line(state.reviewer(step));
    writeln!(out, "{}: judged by {model}", report::label(state, node))?;
    for judged in judged {
        writeln!(out, "  {}  {}", graph.sentence(&judged.fact), report::verdict(judged))?;
        if let Some(before) = state.verdict(node, &judged.fact).filter(|stands| stands.step.id != step.id) {
            let by = one_line(state.reviewer(before.step));
            writeln!(out, "    what was said before stands: {}, by {by}", report::verdict(before.judged))?;
        }
    }
    let with = |verdict| judged.iter().filter(|judged| judged.verdict == verdict).count();
    let (sound, doubtful, unknown) = (with(Verdict::Sound), with(Verdict::Doubtful), with(Verdict::Unknown));
    writeln!(out, "{sound} sound, {doubtful} doubtful, {unknown} unknown")?;
    if doubtful > 0 {
        writeln!(out, "a fact that you doubt too: tot resume {session}, select it in the local graph, w")?;
    }
    let left = state.evidence(node).len().saturating_sub(judged.len());
    if left > 0 {
        writeln!(out, "{left} more facts were not judged: {} at once", judged.len())?;
    }
    if model == "lexical" {
        say("the built-in model knows no facts and judges none: name another one with --llm");
    }
    Ok(Status::Ok)
}
