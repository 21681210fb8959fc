//! Any other graph: a program that speaks the interface as JSON lines on its standard input and output. The protocol is
//! told in `assets/adapters/README.md`, with an example.
//!
//! `program` starts and ends the process and brings lines to and from it, `lines` cuts its output, `requests`,
//! `replies` and `wire` are the protocol, `ids` what an id means outside the program, `groups` knows every process that runs.

mod groups;
mod ids;
mod lines;
mod program;
mod replies;
mod requests;
mod wire;

pub use groups::end_all;

use super::http::HttpSettings;
use super::spec::SpecError;
use super::{IdSpace, KgProfile, KgSettings, KnowledgeGraph};
use crate::calls::{AskId, CallError, CallErrorKind, KgData, KgOp, KgReply, WireNote};
use crate::graph::KgName;
use crate::text;
use futures_util::future::BoxFuture;
use ids::Ids;
use program::Program;
use replies::Hello;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::Semaphore;

/// So often in a row is a program started again that ended without one good reply.
const RESTARTS: u32 = 3;

/// The graph behind `command` (run by the shell), called `name`. The program is started at the first call.
///
/// # Errors
/// None now; in the form of its sisters.
pub fn open(name: &str, command: &str, _profile: &KgProfile, settings: &KgSettings) -> Result<Arc<dyn KnowledgeGraph>, SpecError> {
    let inner = Inner {
        name: name.into(),
        command: command.to_owned(),
        lang: settings.languages.chain().to_vec(),
        turns: Semaphore::new(settings.http.parallel.max(1)),
        http: settings.http.clone(),
        others: Mutex::default(),
        known: Mutex::default(),
        running: tokio::sync::Mutex::default(),
    };
    Ok(Arc::new(Exec { inner: Arc::new(inner) }))
}

/// A graph behind a program.
struct Exec {
    inner: Arc<Inner>,
}

struct Inner {
    name: KgName,
    command: String,
    lang: Vec<String>,
    http: HttpSettings,
    /// So many calls are under way at once.
    turns: Semaphore,
    others: Mutex<Vec<(KgName, IdSpace)>>,
    /// What the program last said of itself.
    known: Mutex<Option<Arc<Hello>>>,
    running: tokio::sync::Mutex<Running>,
}

#[derive(Default)]
struct Running {
    program: Option<(Arc<Program>, Arc<Hello>)>,
    /// Ends in a row without one good reply between them.
    failures: u32,
    /// Why it ended last.
    why: String,
}

impl Inner {
    /// The program, started and greeted if it does not run.
    async fn program(&self) -> Result<(Arc<Program>, Arc<Hello>), CallError> {
        let mut running = self.running.lock().await;
        if let Some((program, hello)) = &running.program {
            let Some(why) = program.over() else { return Ok((Arc::clone(program), Arc::clone(hello))) };
            running.failures = if program.was_good() { 1 } else { running.failures + 1 };
            running.why = why.message;
            running.program = None;
        }
        if running.failures > RESTARTS {
            let message = format!(
                "{} is not started again, since it failed {} times in a row: mend the program; {}",
                self.name, running.failures, running.why
            );
            return Err(CallError::new(CallErrorKind::Unreachable, message));
        }
        match self.start().await {
            Ok((program, hello)) => {
                running.program = Some((Arc::clone(&program), Arc::clone(&hello)));
                Ok((program, hello))
            }
            Err(error) => {
                running.failures += 1;
                running.why.clone_from(&error.message);
                Err(error)
            }
        }
    }

    async fn start(&self) -> Result<(Arc<Program>, Arc<Hello>), CallError> {
        let program = Arc::new(Program::start(&self.name, &self.command, self.http.largest_answer)?);
        let greeting = requests::hello(&self.name, &self.lang);
        let (answer, _) = program.call(greeting, self.http.client.total).await?;
        let hello = Arc::new(replies::hello(answer).map_err(|why| self.misfit("hello", &why))?);
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&hello));
        Ok((program, hello))
    }

    async fn perform(&self, op: KgOp) -> Result<KgReply, CallError> {
        let closed = |_| CallError::new(CallErrorKind::Server, format!("{} is closed", self.name));
        let _turn = self.turns.acquire().await.map_err(closed)?;
        let (program, hello) = self.program().await?;
        let others = self.others.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let ids = Ids { kg: Arc::clone(&self.name), space: hello.space, others };
        let (word, request) = requests::of(&op, &ids);
        if !hello.ops.iter().any(|known| known == word) {
            return match op {
                KgOp::Link { .. } => Ok(KgReply::of(KgData::Entities(Vec::new()))),
                op => Err(super::cannot(&self.name, &op)),
            };
        }
        let begun = Instant::now();
        let (answer, query) = program.call(request, self.http.client.total).await?;
        let mut reply = replies::read(answer, &op, &ids).map_err(|why| self.misfit(word, &why))?;
        program.did_well();
        let took_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        reply.wire.push(WireNote { query, rows: replies::rows(&reply.data), took_ms, tries: 1 });
        Ok(reply)
    }

    fn misfit(&self, word: &str, why: &str) -> CallError {
        let why = text::one_line(why);
        let message = format!(
            "the reply of {} to `{word}` is not in the form of the protocol: {}; mend the program",
            self.name,
            text::cut(&why, 200)
        );
        CallError::new(CallErrorKind::BadReply, message)
    }

    fn about(&self) -> String {
        let program = program::shown(&self.command);
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match known.as_ref().and_then(|hello| hello.about.as_deref()) {
            Some(about) => format!("{} ({program})", text::cut(&text::one_line(about), 100)),
            None => program,
        }
    }
}

impl KnowledgeGraph for Exec {
    fn name(&self) -> &str {
        &self.inner.name
    }

    fn about(&self) -> String {
        self.inner.about()
    }

    fn check(&self) -> BoxFuture<'static, Result<String, CallError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            inner.program().await?;
            Ok(inner.about())
        })
    }

    /// What the program said; before it did, its own.
    fn id_space(&self) -> IdSpace {
        self.inner.known.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map_or(IdSpace::Own, |hello| hello.space)
    }

    fn meet(&self, others: &[(KgName, IdSpace)]) {
        *self.inner.others.lock().unwrap_or_else(PoisonError::into_inner) = others.to_vec();
    }

    fn perform(&self, _ask: Option<AskId>, op: KgOp) -> BoxFuture<'static, Result<KgReply, CallError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move { inner.perform(op).await })
    }
}
