//! One request until it has a reply: adapted where the server refuses a part, tried again where it may pass.

use super::Inner;
use super::ask::{Order, Prepared};
use super::completion::{Completion, NoReply};
use super::fault::{Context, Fault};
use super::pause;
use super::quirks::{Forming, Parameter, Refusal, Shape};
use super::stream::{Framing, Reader, Splitter};
use super::underway::Underway;
use crate::calls::CallError;
use crate::llm::Wire;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// A longer reply is no reply to a prompt of ours.
const LONGEST_BODY: usize = 16 << 20;

/// A request that gets no answer in time is sent so often: each try is paid.
const TRIES_IN_TIME: u32 = 2;

/// How long the end of a stream is waited for after its last event.
const LEFTOVER: Duration = Duration::from_millis(100);

/// A slot that is still to be filled.
#[derive(Clone, Debug)]
pub struct Want {
    /// Its number.
    pub slot: u32,
    /// Its seed.
    pub seed: u64,
    /// Whether it is asked without stop strings, because with them nothing came.
    pub bare: bool,
    /// Whether a reply for it was broken off already.
    pub broken: bool,
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
        /// What was asked for.
        order: Box<Order>,
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
    /// The connection broke.
    Transport(reqwest::Error),
    /// No answer came for so long.
    Late(Duration),
    /// Text had come, and then no more for so long.
    Stalled(Duration),
    /// It is too long.
    TooLong,
}

impl Context {
    /// What an unreadable body means.
    pub fn of_body(&self, error: BodyError) -> Fault {
        match error {
            BodyError::Transport(error) => self.of_transport(&error),
            BodyError::Late(limit) => self.of_silence(limit),
            BodyError::Stalled(limit) => self.of_stall(limit),
            BodyError::TooLong => self.bad_reply("its reply is longer than 16 MB"),
        }
    }
}

/// The whole body, up to [`LONGEST_BODY`], before `until`.
pub async fn read_body(reply: reqwest::Response, until: Instant, limit: Duration) -> Result<Vec<u8>, BodyError> {
    let mut body = Vec::new();
    read_into(&mut body, reply, until, limit).await?;
    Ok(body)
}

/// As [`read_body`], into `body`, which holds what came also where the rest did not.
async fn read_into(body: &mut Vec<u8>, mut reply: reqwest::Response, until: Instant, limit: Duration) -> Result<(), BodyError> {
    while let Some(piece) = in_time(until, limit, reply.chunk()).await? {
        if body.len() + piece.len() > LONGEST_BODY {
            return Err(BodyError::TooLong);
        }
        body.extend_from_slice(&piece);
    }
    Ok(())
}

impl Inner {
    /// Asks for `wants` (which agree on `bare`) in one request, until it has a reply or fails for good. Once `ending` says so,
    /// nothing more is sent.
    pub(super) async fn send(&self, ask: &Prepared, mut wants: Vec<Want>, mut ending: watch::Receiver<bool>, wire: &Wire) -> Sent {
        let Some(first) = wants.first().cloned() else { return Sent::Back(wants) };
        let (mut tries, mut failures, mut hung_up) = (wants.iter().map(|w| w.sent).sum::<u32>(), 0, false);
        // What the server refuses of this request, and not of others.
        let mut only_here: Vec<(Parameter, Order)> = Vec::new();
        loop {
            // The place comes first: while waiting for it, another request may bring what is to be learnt.
            let place = tokio::select! {
                place = self.gate.enter() => place,
                _ = ending.wait_for(|ending| *ending) => None,
            };
            let mut shape = self.quirks.shape();
            for (parameter, sent) in &only_here {
                shape.leave_out(*parameter, sent);
            }
            if wants.len() > shape.width || *ending.borrow() {
                for (at, want) in wants.iter_mut().enumerate() {
                    want.sent = if at == 0 { tries } else { 0 };
                }
                return Sent::Back(wants);
            }
            if ask.form_required && ask.form.is_some() && shape.form == Forming::None {
                return Sent::Failed(self.context.no_form());
            }
            let order = ask.order(&shape, self.config.reasoning_floor, wants.len(), first.seed, first.bare);
            if let Some(error) = self.dialect.refuse(ask, &order) {
                return Sent::Failed(error);
            }
            let started = Instant::now();
            let mut underway = Underway::new(wire, &wants, ask.letters());
            let got = self.exchange(ask, &order, &mut underway).await;
            underway.end(&got);
            let took = started.elapsed();
            drop(place);
            tries += 1;
            let (passing, asked) = match got {
                Ok((completion, streamed)) => {
                    self.quirks.took(&order, &completion, streamed);
                    let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
                    return Sent::Arrived { wants, completion, shape, order: Box::new(order), took_ms, tries };
                }
                Err(Fault::Adapt(parameter, error)) => match self.quirks.refused(parameter, &order) {
                    Refusal::Learnt => continue,
                    Refusal::Here if !ask.form_required || !parameter.is_form() => {
                        only_here.push((parameter, order));
                        continue;
                    }
                    Refusal::Here | Refusal::Nothing => return Sent::Failed(error),
                },
                Err(Fault::HungUp(_)) if !std::mem::replace(&mut hung_up, true) => continue,
                Err(Fault::Final(error)) => return Sent::Failed(error),
                Err(Fault::Again(passing, asked)) => (passing, asked),
                Err(Fault::HungUp(passing)) => (passing, None),
            };
            failures += 1;
            let most = if passing.is_late() { TRIES_IN_TIME.min(self.config.max_tries) } else { self.config.max_tries };
            if failures >= most {
                return Sent::Failed(passing.after(failures));
            }
            let until = Instant::now() + pause::after(failures, self.config.first_pause, asked);
            if asked.is_some() {
                self.gate.shut(until, &passing.fact);
            }
            tokio::select! {
                () = self.gate.pause(until, passing.fact.clone()) => {}
                _ = ending.wait_for(|ending| *ending) => return Sent::Failed(passing.after(failures)),
            }
        }
    }

    /// Sends one request and reads what comes back, and whether it came in pieces; `underway` gets these.
    async fn exchange(&self, ask: &Prepared, order: &Order, underway: &mut Underway<'_>) -> Result<(Completion, bool), Fault> {
        let limit = self.config.timeout;
        let until = Instant::now() + limit;
        let (url, body) = self.dialect.write(ask, order);
        let context = self.context.at(&url);
        let broken = |error: BodyError| context.of_body(error);
        let request = self.authorized(self.client.post(url).json(&body)).await.map_err(Fault::Final)?;
        underway.out();
        let reply = in_time(until, limit, request.send()).await.map_err(|error| broken(underway.broke(error)))?;
        let (status, headers) = (reply.status(), reply.headers().clone());
        if !status.is_success() {
            let body = read_body(reply, until, limit).await.map_err(broken)?;
            return Err(context.of_status(status.as_u16(), &headers, &String::from_utf8_lossy(&body)));
        }
        let letters = ask.letters();
        let reader = self.dialect.reader(letters).filter(|_| order.stream && !is_whole(&headers));
        let streamed = reader.is_some();
        let read = match reader {
            Some((framing, reader)) => self.read_stream(reply, framing, reader, until, letters, underway).await,
            None => self.read_whole(reply, until, letters, underway).await,
        };
        let read = read.map_err(|error| broken(underway.broke(error)))?;
        read.map(|completion| (completion, streamed)).map_err(|no_reply| match no_reply {
            NoReply::Error(root) => {
                underway.refused();
                context.of_error_body(&root)
            }
            NoReply::Unreadable(what) => context.bad_reply(what),
        })
    }

    /// Reads a reply that comes whole, before `until`.
    async fn read_whole(
        &self,
        reply: reqwest::Response,
        until: Instant,
        letters: usize,
        underway: &mut Underway<'_>,
    ) -> Result<Result<Completion, NoReply>, BodyError> {
        let mut body = Vec::new();
        let all = read_into(&mut body, reply, until, self.config.timeout).await;
        let read = all.map(|()| self.dialect.read(&body, letters));
        if matches!(read, Err(_) | Ok(Err(NoReply::Unreadable(_)))) {
            underway.came_in_part(&body);
        }
        read
    }

    /// Reads a reply in pieces. Its first text has to come before `until`, each later piece within the limit between pieces.
    async fn read_stream(
        &self,
        mut reply: reqwest::Response,
        framing: Framing,
        mut reader: Box<dyn Reader>,
        mut until: Instant,
        letters: usize,
        underway: &mut Underway<'_>,
    ) -> Result<Result<Completion, NoReply>, BodyError> {
        let (mut splitter, mut bytes, mut limit) = (Splitter::new(framing), 0, self.config.timeout);
        // What came before the first event: a reply that came whole, perhaps.
        let (mut first, mut is_stream, mut begun) = (Vec::new(), false, false);
        loop {
            let piece = in_time(until, limit, reply.chunk()).await;
            let (events, end) = match piece {
                Ok(Some(piece)) => {
                    bytes += piece.len();
                    if bytes > LONGEST_BODY {
                        return Err(BodyError::TooLong);
                    }
                    if !is_stream {
                        first.extend_from_slice(&piece);
                    }
                    (splitter.feed(&piece), None)
                }
                Ok(None) => (splitter.end(), Some(None)),
                Err(BodyError::Transport(error)) => (splitter.end(), Some(Some(BodyError::Transport(error)))),
                Err(BodyError::Late(limit)) if begun => return Err(BodyError::Stalled(limit)),
                Err(error) => return Err(error),
            };
            let mut spoken = false;
            is_stream |= !events.is_empty();
            for event in events {
                match reader.event(&event) {
                    Ok(deltas) => spoken |= underway.came(&deltas, reader.counted()),
                    // The last line of a connection that broke is no event.
                    Err(NoReply::Unreadable(_)) if matches!(end, Some(Some(_))) => {}
                    Err(error) => return Ok(Err(error)),
                }
            }
            match end {
                // A reply that was over before the connection broke is a reply.
                Some(Some(error)) => return reader.finish().map(Ok).map_err(|_| error),
                Some(None) if !is_stream && first.trim_ascii_start().starts_with(b"{") => {
                    let read = self.dialect.read(&first, letters);
                    if matches!(read, Err(NoReply::Unreadable(_))) {
                        underway.came_in_part(&first);
                    }
                    return Ok(read);
                }
                Some(None) => return Ok(reader.finish()),
                None if reader.is_done() => {
                    // What is left is the end of the message: read, so that the connection can be used again.
                    let _ = tokio::time::timeout(LEFTOVER, async { while let Ok(Some(_)) = reply.chunk().await {} }).await;
                    return Ok(reader.finish());
                }
                // Only text counts: a proxy keeps a line alive whose other end is dead.
                None if spoken => {
                    begun = true;
                    limit = self.config.stall;
                    until = Instant::now() + limit;
                }
                None => {}
            }
        }
    }
}

/// Whether the headers say that the reply comes whole although it was asked for in pieces.
fn is_whole(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_lowercase();
    kind.starts_with("application/json") || kind.starts_with("text/html")
}

/// What `work` brings before `until`.
pub async fn in_time<T>(until: Instant, limit: Duration, work: impl Future<Output = Result<T, reqwest::Error>>) -> Result<T, BodyError> {
    match tokio::time::timeout_at(until.into(), work).await {
        Ok(done) => done.map_err(BodyError::Transport),
        Err(_) => Err(BodyError::Late(limit)),
    }
}
