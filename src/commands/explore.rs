//! `tot`, `tot resume`, `tot replay`: the explorer.

use super::Status;
use super::cli::{ExploreArgs, Looks, ReplayArgs, ResumeArgs};
use super::models::{Named, model_named};
use super::options::{SearchOptions, no_session};
use super::prompts::{PromptsUse, prompts_folder, without_broken_prompts};
use super::setup::{Workshop, new_journal, options_of, path_to_go_on, session_path};
use crate::asm::{Profile, Saved, save_template};
use crate::attach::{Door, launch};
use crate::config::Config;
use crate::llm::ModelProfile;
use crate::llm::found::{self, Found, Places};
use crate::plain;
use crate::runner::{Handle, Pace, Setup};
use crate::session::{Journal, ReadErrorKind, Recording, family, last_event, read, recent, sessions_folder};
use crate::text::one_line;
use crate::tui::{self, Connection, Ended, First, Host, Light, Offer, OpenHow, Options, Other, PromptSaved, SampleQuestion, SessionInfo};
use anyhow::Context;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::runtime::Runtime;

/// Sessions that the start page lists.
const RECENT: usize = 12;

/// `tot [QUESTION]`
///
/// # Errors
/// One readable sentence.
pub fn question(runtime: &Runtime, args: &ExploreArgs) -> anyhow::Result<Status> {
    if let Some(status) = no_terminal(&args.looks, "ask it without a screen: tot ask QUESTION") {
        return Ok(status);
    }
    args.question.as_deref().map_or(Ok(()), |question| no_session(question, "tot resume"))?;
    // A model without its key is told of on the start page, where another one can be chosen.
    let lenient = args.question.is_none() && args.search.llm.is_none();
    let bench = Bench::open(runtime, &args.search, lenient)?;
    bench.workshop().check_budgets()?;
    let scripted = bench.workshop().scenario.as_ref().map(|s| s.query.clone());
    let recorded = bench.workshop().from.as_ref().map(|from| from.started().question.clone());
    let first = match args.question.clone().or(recorded).or(scripted) {
        Some(question) => First::Session(bench.start_at(&question, args.search.session.as_deref()).map_err(|e| anyhow::anyhow!("{e}"))?),
        None => First::StartPage,
    };
    explore(&bench, first, &args.looks)
}

/// `tot resume`
///
/// # Errors
/// One readable sentence.
pub fn resume(runtime: &Runtime, args: &ResumeArgs) -> anyhow::Result<Status> {
    args.search.fit_resuming()?;
    if let Some(status) = no_terminal(&args.looks, "go on without a screen: tot ask --resume SESSION") {
        return Ok(status);
    }
    let (path, unpacked) = path_to_go_on(&args.session)?;
    let recording = read(&path)?;
    if let Some(why) = only_to_look_at(&path)? {
        return look_at(runtime, recording, Some(why), &path, &args.looks);
    }
    let bench = Bench::open_for_session(runtime, &options_of(&recording, &args.search)?)?;
    bench.workshop.lock().unwrap_or_else(PoisonError::into_inner).warnings.extend(unpacked);
    let ignored = args.search.fixed_at_start();
    if !ignored.is_empty() {
        let told = format!("{}: left as the session began with; a new session takes them", ignored.join(", "));
        bench.workshop.lock().unwrap_or_else(PoisonError::into_inner).warnings.push(told);
    }
    // The bench is open with what the flags name: a model given here is the one that goes on.
    let first = First::Session(bench.resume(bench.workshop(), &path, &args.search)?);
    explore(&bench, first, &args.looks)
}

/// `tot replay`
///
/// # Errors
/// One readable sentence.
pub fn replay(runtime: &Runtime, args: &ReplayArgs) -> anyhow::Result<Status> {
    if let Some(status) = no_terminal(&args.looks, "print it: tot show SESSION") {
        return Ok(status);
    }
    let path = session_path(&args.session);
    look_at(runtime, read(&path)?, None, &path, &args.looks)
}

/// Why a session can only be looked at, if that is so.
///
/// # Errors
/// It can't even be looked at.
fn only_to_look_at(path: &Path) -> anyhow::Result<Option<String>> {
    match Journal::check(path) {
        Ok(()) => Ok(None),
        Err(e) if e.kind() == ReadErrorKind::Locked => Ok(Some(
            "another tot writes this session: you see what it had written, and can't go on here; fork it, or close the other one"
                .to_owned(),
        )),
        Err(e) if e.can_be_looked_at() => {
            Ok(Some("you may not write this session's file, so you only look at it; fork it to go on".to_owned()))
        }
        Err(e) => Err(e.into()),
    }
}

/// The explorer on a recording.
fn look_at(runtime: &Runtime, recording: Recording, note: Option<String>, path: &Path, looks: &Looks) -> anyhow::Result<Status> {
    anyhow::ensure!(recording.state.started.is_some(), "{}: the session is empty", path.display());
    // Whatever the configuration names, a recording can be looked at.
    let built_in = SearchOptions {
        llm: Some("lexical".to_owned()),
        kg: vec!["demo".to_owned()],
        profile: Some(Profile::Default),
        ..SearchOptions::default()
    };
    let bench = Bench::open_for_session(runtime, &built_in)?;
    let first = First::Session(bench.replay(recording, note)?);
    explore(&bench, first, looks)
}

/// The explorer needs a terminal on both ends; in plain lines it needs none.
fn no_terminal(looks: &Looks, instead: &str) -> Option<Status> {
    let terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if terminal || looks.plain {
        return None;
    }
    let why = if is_dumb() { "this terminal can't place text (TERM=dumb)" } else { "the explorer needs a terminal" };
    eprintln!("tot: {why}; {instead}; or talk with it in plain lines: --plain");
    Some(Status::Usage)
}

/// Whether the terminal can't place text: there the explorer talks in plain lines by itself.
fn is_dumb() -> bool {
    std::env::var("TERM").is_ok_and(|term| term == "dumb")
}

fn explore(bench: &Bench<'_>, first: First, looks: &Looks) -> anyhow::Result<Status> {
    let theme = looks.theme.clone().or_else(|| bench.config.theme.clone());
    let options = Options { theme, mouse: looks.mouse, theme_warnings: bench.workshop().warnings.clone(), keys: bench.config.keys.clone() };
    let ended = if looks.plain || is_dumb() { plain::run(first, bench, &options)? } else { tui::run(first, bench, options)? };
    bench.close();
    let Ended::Signal(session) = ended else { return Ok(Status::Ok) };
    let goes_on = session.map_or_else(String::new, |path| format!("; go on with: tot resume {}", one_line(&path.display().to_string())));
    // After SIGHUP there may be nobody to tell.
    let _ = writeln!(std::io::stderr(), "tot: a signal ended the explorer{goes_on}");
    Ok(Status::Stopped)
}

/// What the explorer asks of the rest of the program.
struct Bench<'a> {
    runtime: &'a Runtime,
    workshop: Mutex<Workshop>,
    /// Whether nobody named a model that can be used: what is found is offered.
    offers: bool,
    /// Whether flags say which model answers.
    bound: bool,
    /// What was found.
    found: Arc<Mutex<Vec<Found>>>,
    options: SearchOptions,
    config: Config,
    status: Arc<Mutex<Vec<tui::Status>>>,
    running: Mutex<Vec<(Handle, Door)>>,
    /// Where prompts that are changed in the explorer are saved.
    prompts: Option<(PathBuf, PromptsUse)>,
}

impl<'a> Bench<'a> {
    fn open(runtime: &'a Runtime, options: &SearchOptions, lenient: bool) -> anyhow::Result<Self> {
        Self::open_with(runtime, options, options.configured()?, lenient)
    }

    /// For a session of the disk, which has its prompts.
    fn open_for_session(runtime: &'a Runtime, options: &SearchOptions) -> anyhow::Result<Self> {
        let mut config = options.configured()?;
        let wrong = without_broken_prompts(&mut config);
        let bench = Self::open_with(runtime, options, config, false)?;
        bench.workshop.lock().unwrap_or_else(PoisonError::into_inner).warnings.extend(wrong);
        Ok(bench)
    }

    fn open_with(runtime: &'a Runtime, options: &SearchOptions, config: Config, lenient: bool) -> anyhow::Result<Self> {
        options.fit_model(&config)?;
        let loading: crate::kg::Status = Arc::new(|line: String| eprintln!("{}", one_line(&line)));
        let quiet = options.kg.iter().all(|k| k == "demo");
        let workshop = runtime.block_on(Workshop::open_leniently(options, &config, (!quiet).then_some(loading), lenient))?;
        let prompts = prompts_folder(options, &config);
        Ok(Self::around(runtime, workshop, config, options, prompts))
    }

    fn around(
        runtime: &'a Runtime,
        workshop: Workshop,
        config: Config,
        options: &SearchOptions,
        prompts: Option<(PathBuf, PromptsUse)>,
    ) -> Self {
        let bound = options.llm.is_some() || workshop.scenario.is_some() || workshop.from.is_some();
        let offers = !(bound || config.llm.is_some()) || workshop.model.missing.is_some();
        let (workshop, options) = (Mutex::new(workshop), options.clone());
        let bench = Self {
            runtime,
            workshop,
            offers,
            bound,
            found: Arc::default(),
            options,
            config,
            status: Arc::default(),
            running: Mutex::default(),
            prompts,
        };
        bench.check();
        bench.look_around();
        bench
    }

    /// What the next question is asked with.
    fn workshop(&self) -> Workshop {
        self.workshop.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks for models, while the start page is shown already.
    fn look_around(&self) {
        if !self.offers {
            return;
        }
        let found = self.found.clone();
        let keys = found::keys(|name| std::env::var(name).ok());
        found.lock().unwrap_or_else(PoisonError::into_inner).extend(keys);
        self.runtime.spawn(async move {
            let servers = Places::of_environment(|name| std::env::var(name).ok()).servers().await;
            // What costs nothing comes first.
            found.lock().unwrap_or_else(PoisonError::into_inner).splice(0..0, servers);
        });
    }

    /// Asks model and KGs whether they can be used; the start page shows what they say.
    fn check(&self) {
        let workshop = self.workshop();
        let model = workshop.model.model.clone();
        let mut checks = vec![(format!("model {}", model.name()), model.check())];
        checks.extend(workshop.kgs.iter().map(|(name, _, kg)| (format!("graph {name}"), kg.check())));
        let asked = |what: &str| tui::Status { what: what.to_owned(), light: Light::Checking, line: "checking".to_owned() };
        *self.status.lock().unwrap_or_else(PoisonError::into_inner) = checks.iter().map(|(what, _)| asked(what)).collect();
        for (i, (_, check)) in checks.into_iter().enumerate() {
            let status = self.status.clone();
            self.runtime.spawn(async move {
                let (light, line) = match check.await {
                    Ok(line) => (Light::Ready, line),
                    Err(e) => (light_of(e.kind), e.message),
                };
                if let Some(shown) = status.lock().unwrap_or_else(PoisonError::into_inner).get_mut(i) {
                    (shown.light, shown.line) = (light, one_line(&line));
                }
            });
        }
    }

    /// The model and the KGs that a session was made with: those that are open, if they are the same.
    fn world_of(&self, recording: &Recording) -> anyhow::Result<Workshop> {
        let options = options_of(recording, &SearchOptions::default())?;
        let started = recording.state.started();
        let workshop = self.workshop();
        let open: Vec<&String> = workshop.kgs.iter().map(|(_, spec, _)| spec).collect();
        let model = recording.state.model(recording.state.model_now());
        if (model.spec, model.url) == (workshop.model.spec.as_str(), workshop.model.url.as_deref())
            && started.kgs.iter().map(|(_, spec)| spec).eq(open)
        {
            return Ok(workshop.clone());
        }
        self.runtime.block_on(Workshop::open(&options, &self.config, None))
    }

    fn connect(&self, workshop: &Workshop, setup: Setup, strategy: &str, pace: Pace) -> anyhow::Result<Connection> {
        let equipment = workshop.equipment(strategy, pace, true)?;
        let _inside = self.runtime.enter();
        let status = self.status.clone();
        let (handle, door) = launch(setup, equipment, move |why| {
            let told = tui::Status { what: "second terminal".to_owned(), light: Light::Broken, line: one_line(&why) };
            let mut shown = status.lock().unwrap_or_else(PoisonError::into_inner);
            shown.retain(|status| status.what != told.what);
            shown.push(told);
        })?;
        let connection = Connection { snapshots: handle.snapshots.clone(), commands: handle.commands.clone() };
        self.running.lock().unwrap_or_else(PoisonError::into_inner).push((handle, door));
        Ok(connection)
    }

    fn start_at(&self, question: &str, session: Option<&Path>) -> Result<Connection, String> {
        if question.trim().is_empty() {
            return Err("the question is empty".to_owned());
        }
        let workshop = self.workshop();
        if let Some(why) = &workshop.model.missing {
            return Err(format!("{}; or choose another model (F2)", one_line(why)));
        }
        workshop.check_budgets().map_err(|e| format!("{e:#}"))?;
        let (name, journal, note) = new_journal(session).map_err(|e| format!("{e:#}"))?;
        let setup =
            Setup::New { started: Box::new(workshop.started(question.trim())), journal, name, note, bank: workshop.bank(&self.options) };
        self.connect(&workshop, setup, &workshop.strategy, Pace::Run).map_err(|e| format!("{e:#}"))
    }

    fn resume(&self, workshop: Workshop, path: &Path, given: &SearchOptions) -> anyhow::Result<Connection> {
        let (journal, recording) = Journal::reopen(path)?;
        let strategy = recording.state.started().strategy.clone();
        let changes = workshop.changes(&recording.state, given)?;
        self.connect(&workshop, Setup::Resume { recording: Box::new(recording), journal, changes }, &strategy, Pace::Paused)
    }

    /// A session of the start page, live; one that another program writes is looked at.
    fn go_on(&self, path: &Path) -> anyhow::Result<Connection> {
        let recording = read(path)?;
        if let Some(why) = only_to_look_at(path)? {
            return self.replay(recording, Some(why));
        }
        let workshop = self.world_of(&recording)?;
        self.resume(workshop, path, &SearchOptions::default())
    }

    /// A replay needs neither model nor KG; they are opened so that a fork can go live, and if that fails it can't.
    fn replay(&self, recording: Recording, note: Option<String>) -> anyhow::Result<Connection> {
        let strategy = recording.state.started.as_ref().map(|s| s.strategy.clone()).context("the session is empty")?;
        // What only looks at a recording runs no program that the recording names.
        let programs = recording.state.started().kgs.iter().any(|(_, spec)| spec.starts_with("exec:"));
        let world = if programs { None } else { self.world_of(&recording).ok() };
        let workshop = world.unwrap_or_else(|| Workshop { kgs: Vec::new(), world_is_gone: true, ..self.workshop() });
        self.connect(&workshop, Setup::Replay { recording: Box::new(recording), note }, &strategy, Pace::Paused)
    }

    /// Ends every session; each is on disk when this returns.
    fn close(&self) {
        let handles = std::mem::take(&mut *self.running.lock().unwrap_or_else(PoisonError::into_inner));
        for (handle, door) in handles {
            let _ = handle.commands.send(crate::runner::Command::Quit);
            drop(handle.snapshots);
            let _ = self.runtime.block_on(handle.task);
            self.runtime.block_on(door.closed());
        }
    }
}

const fn light_of(kind: crate::calls::CallErrorKind) -> Light {
    use crate::calls::CallErrorKind as K;
    match kind {
        K::Key | K::Quota => Light::NoKey,
        K::Unreachable | K::TimedOut => Light::Unreachable,
        _ => Light::Broken,
    }
}

/// `today 19:30`-like words need a clock and a zone; how long ago it was does not.
fn ago(when: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    match now.saturating_sub(when) {
        s if s < 90 => "just now".to_owned(),
        s if s < 5_400 => format!("{} min ago", s / 60),
        s if s < 172_800 => format!("{} h ago", s / 3_600),
        s => format!("{} days ago", s / 86_400),
    }
}

impl Host for Bench<'_> {
    fn start(&self, question: &str) -> Result<Connection, String> {
        self.start_at(question, None)
    }

    fn open(&self, path: &Path, how: OpenHow) -> Result<Connection, String> {
        let opened = match how {
            OpenHow::Resume => self.go_on(path),
            OpenHow::Replay => match crate::session::recorded(path) {
                Some(recording) => self.replay(recording, None),
                None => read(path).map_err(anyhow::Error::from).and_then(|r| self.replay(r, None)),
            },
        };
        opened.map_err(|e| format!("{e:#}"))
    }

    fn samples(&self) -> Vec<SampleQuestion> {
        let workshop = self.workshop();
        if !workshop.kgs.iter().any(|(name, _, _)| &**name == "demo") {
            return Vec::new();
        }
        // The questions over two graphs need the second one.
        let both = workshop.kgs.iter().any(|(name, _, _)| &**name == "demo-musicbrainz");
        let questions = crate::kg::demo::questions().into_iter().filter(|q| both || q.kind != "two-kgs");
        questions.map(|q| SampleQuestion { question: q.question, kind: q.kind, hops: q.hops }).collect()
    }

    fn sessions(&self) -> Vec<SessionInfo> {
        let found = sessions_folder().map(|folder| recent(&folder, RECENT)).unwrap_or_default();
        let rows = family(&found).into_iter();
        rows.filter_map(|row| {
            let (listed, about) = (&found[row.at], found[row.at].what.as_ref().ok()?);
            let note = match &about.parent {
                None => String::new(),
                Some((parent, copied)) if row.orphan => format!("fork of {} after event {}", one_line(parent), last_event(*copied)),
                Some((_, copied)) => format!("fork after event {}", last_event(*copied)),
            };
            let is_fork = about.parent.is_some();
            Some(SessionInfo {
                path: listed.path.clone(),
                question: one_line(&about.question),
                because: if is_fork { one_line(&about.fork.why) } else { String::new() },
                depth: row.depth,
                when: ago(listed.when),
                outcome: about.end(),
                note,
            })
        })
        .collect()
    }

    fn recorded(&self) -> Vec<SessionInfo> {
        let shipped = crate::session::shipped().iter();
        shipped
            .map(|s| SessionInfo {
                path: s.path.into(),
                question: s.question.to_owned(),
                when: String::new(),
                outcome: String::new(),
                because: String::new(),
                depth: 0,
                note: s.note.to_owned(),
            })
            .collect()
    }

    fn status(&self) -> Vec<tui::Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn save_prompt(&self, name: &str, text: &str, replace: bool) -> Result<PromptSaved, String> {
        let (folder, use_) = self.prompts.clone().ok_or("there is no home folder: name one for prompts with --prompts DIR")?;
        Ok(match save_template(&folder, name, text, replace)? {
            Saved::Written(path) => PromptSaved::Written { path, by_itself: use_ == PromptsUse::ByItself },
            Saved::Exists(path) => PromptSaved::Exists(path),
        })
    }

    fn model_line(&self) -> String {
        self.workshop().model.model.about()
    }

    fn models(&self) -> Vec<Offer> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let configured = self.config.models.iter().filter(|_| self.offers || !self.bound);
        let configured: Vec<(&String, &ModelProfile)> = configured.collect();
        if found.is_empty() && configured.is_empty() {
            return Vec::new();
        }
        let open = self.workshop().model;
        let is_open = |profile: &ModelProfile| profile.spec == open.spec && profile.url.as_deref().map(crate::redact::url) == open.url;
        let mut offers: Vec<Offer> = vec![Offer {
            spec: "lexical".to_owned(),
            about: "built in, no neural network".to_owned(),
            chosen: open.spec == "lexical",
            configured: false,
            proposed: false,
        }];
        offers.extend(configured.into_iter().map(|(name, profile)| Offer {
            spec: name.clone(),
            about: format!("of the configuration: {}", profile.spec),
            chosen: *name == open.spec,
            configured: true,
            proposed: false,
        }));
        offers.extend(found.iter().map(|found| Offer {
            spec: found.profile.spec.clone(),
            about: format!("{} · {}", found.of, found.because),
            chosen: is_open(&found.profile),
            configured: false,
            proposed: found.proposed,
        }));
        if !offers.iter().any(|offer| offer.chosen) {
            offers.insert(0, Offer { spec: open.spec, about: open.model.about(), chosen: true, configured: false, proposed: false });
        }
        offers
    }

    fn others(&self) -> Vec<Other> {
        let other = |spec: &str, url: Option<&str>, about: String| Other { spec: spec.to_owned(), url: url.map(crate::redact::url), about };
        let named = self.config.models.iter().map(|(name, model)| other(name, None, format!("of the configuration: {}", model.spec)));
        let mut all: Vec<Other> = named.collect();
        let keys = found::keys(|name| std::env::var(name).ok());
        let servers = self.found.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for found in servers.iter().chain(&keys) {
            all.push(other(&found.profile.spec, found.profile.url.as_deref(), format!("{} · {}", found.of, found.because)));
        }
        all.push(other("lexical", None, "built in".to_owned()));
        all.push(other("human", None, "the replies are typed".to_owned()));
        all
    }

    fn choose(&self, offer: &Offer, spec: &str) -> Result<String, String> {
        if offer.chosen && offer.spec == spec {
            return Ok(format!("{} answers already", one_line(spec)));
        }
        let named = if offer.configured {
            model_named(Some(spec), None, None, &self.config)
        } else {
            let found = self.found.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let of = found.iter().find(|found| found.profile.spec == offer.spec && offer.about.starts_with(&found.of));
            let mut profile = of.map_or_else(|| ModelProfile::of("lexical"), |found| found.profile.clone());
            spec.clone_into(&mut profile.spec);
            Named { name: None, profile, usual: self.config.requests, probe: false }
        };
        let keep = match &named.profile.url {
            Some(url) if named.name.is_none() => format!("llm: {spec}, llm_url: {}", crate::redact::url(url)),
            _ => format!("llm: {spec}"),
        };
        let mut workshop = self.workshop();
        workshop.take_model(&named, &self.options, &self.config).map_err(|e| one_line(&format!("{e:#}")))?;
        *self.workshop.lock().unwrap_or_else(PoisonError::into_inner) = workshop;
        self.check();
        let file = Config::path().map_or_else(|| "the configuration".to_owned(), |path| path.display().to_string());
        Ok(one_line(&format!("{spec} answers the next question; to keep it, write into {file}: {keep}")))
    }
}
