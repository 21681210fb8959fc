//! One request until it has a reply: adapted where the server refuses a part, tried again where it may pass.

use super::Inner;
use super::ask::{Order, Prepared};
use super::completion::{Completion, NoReply};
use super::fault::{Context, Fault};
use super::pause;
use super::quirks::Shape;
use crate::calls::{CallError, CallErrorKind};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// A longer reply is no reply to a prompt of ours.
const LONGEST_BODY: usize = 16 << 20;

/// A request that gets no answer in time is sent so often: each try is paid.
const TRIES_IN_TIME: u32 = 2;

/// A slot that is still to be filled.
#[derive(Clone, Debug)]
pub struct Want {
    /// Its number.
    pub slot: u32,
    /// Its seed.
    pub seed: u64,
    /// Whether it is asked without stop strings, because with them nothing came.
    pub bare: bool,
    /// Requests sent for it that brought no reply and are not reported yet.
    pub sent: u32,
}

/// How one request for some slots ended.
pub enum Sent {
    /// With a reply.
    Arrived {
        /// The slots asked for.
        wants: Vec<Want>,
        /// What came.
        completion: Completion,
        /// The shape of the request.
        shape: Shape,
        /// Whether stop strings were sent.
        with_stop: bool,
        /// Milliseconds of the try that brought it.
        took_ms: u64,
        /// Requests sent for it.
        tries: u32,
    },
    /// Not at all: the server takes fewer slots at once, or the call is ending.
    Back(Vec<Want>),
    /// Without.
    Failed(CallError),
}

/// Why a body could not be read.
pub enum BodyError {
    /// The connection broke or timed out.
    Transport(reqwest::Error),
    /// It is too long.
    TooLong,
}

impl Context {
    /// What an unreadable body means.
    pub fn of_body(&self, error: BodyError, limit: Duration) -> Fault {
        match error {
            BodyError::Transport(error) => self.of_transport(&error, limit),
            BodyError::TooLong => self.bad_reply("its reply is longer than 16 MB"),
        }
    }
}

/// The whole body, up to [`LONGEST_BODY`].
pub async fn read_body(mut reply: reqwest::Response) -> Result<Vec<u8>, BodyError> {
    let mut body = Vec::new();
    while let Some(piece) = reply.chunk().await.map_err(BodyError::Transport)? {
        if body.len() + piece.len() > LONGEST_BODY {
            return Err(BodyError::TooLong);
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

impl Inner {
    /// Asks for `wants` (which agree on `bare`) in one request, until it has a reply or fails for good. Once `ending` says so,
    /// nothing more is sent.
    pub(super) async fn send(&self, ask: &Prepared, mut wants: Vec<Want>, mut ending: watch::Receiver<bool>) -> Sent {
        let Some(first) = wants.first().cloned() else { return Sent::Back(wants) };
        let (mut tries, mut failures) = (wants.iter().map(|w| w.sent).sum::<u32>(), 0);
        loop {
            // The place comes first: while waiting for it, another request may bring what is to be learnt. (Never closed.)
            let place = self.wire_places.acquire().await;
            let shape = self.quirks.shape();
            if wants.len() > shape.width || *ending.borrow() {
                for (at, want) in wants.iter_mut().enumerate() {
                    want.sent = if at == 0 { tries } else { 0 };
                }
                return Sent::Back(wants);
            }
            let order = ask.order(&shape, self.config.reasoning_floor, wants.len(), first.seed, first.bare);
            let started = Instant::now();
            let got = self.exchange(ask, &order).await;
            let took = started.elapsed();
            drop(place);
            tries += 1;
            let (error, asked) = match got {
                Ok(completion) => {
                    let with_stop = !order.stops.is_empty();
                    let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
                    return Sent::Arrived { wants, completion, shape, with_stop, took_ms, tries };
                }
                Err(Fault::Adapt(parameter, _)) if self.quirks.refused(parameter, &order) => continue,
                Err(Fault::Adapt(_, error) | Fault::Final(error)) => return Sent::Failed(error),
                Err(Fault::Again(error, asked)) => (error, asked),
            };
            failures += 1;
            let most = if error.kind == CallErrorKind::TimedOut { TRIES_IN_TIME.min(self.config.max_tries) } else { self.config.max_tries };
            if failures >= most {
                return Sent::Failed(tired(error, failures));
            }
            tokio::select! {
                () = tokio::time::sleep(pause::after(failures, self.config.first_pause, asked)) => {}
                _ = ending.wait_for(|ending| *ending) => return Sent::Failed(tired(error, failures)),
            }
        }
    }

    /// Sends one request and reads what comes back.
    async fn exchange(&self, ask: &Prepared, order: &Order) -> Result<Completion, Fault> {
        let limit = self.config.timeout;
        let (url, body) = self.dialect.write(ask, order);
        let request = self.authorized(self.client.post(url)).json(&body);
        let reply = request.send().await.map_err(|e| self.context.of_transport(&e, limit))?;
        let (status, headers) = (reply.status(), reply.headers().clone());
        let body = read_body(reply).await.map_err(|e| self.context.of_body(e, limit))?;
        if !status.is_success() {
            return Err(self.context.of_status(status.as_u16(), &headers, &String::from_utf8_lossy(&body)));
        }
        self.dialect.read(&body, ask.letters()).map_err(|no_reply| match no_reply {
            NoReply::Error(root) => self.context.of_error_body(&root),
            NoReply::Unreadable(what) => self.context.bad_reply(what),
        })
    }
}

/// `error` with the number of tries it stands for.
fn tired(mut error: CallError, tries: u32) -> CallError {
    if tries > 1 {
        error.message = format!("{} ({tries} tries)", error.message);
    }
    error
}
