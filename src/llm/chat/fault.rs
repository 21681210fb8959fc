//! What a failed request means: ask differently, ask again, or give up with a sentence that says what to do.

use super::pause;
use super::quirks::Parameter;
use super::wording;
use crate::calls::{CallError, CallErrorKind};
use crate::redact::{self, Secrets};
use crate::text;
use reqwest::Url;
use reqwest::header::{HeaderMap, LOCATION};
use serde_json::Value;
use std::borrow::Cow;
use std::error::Error as _;
use std::time::{Duration, SystemTime};

/// A quoted sentence of a service has at most so many columns.
const SENTENCE: usize = 300;

/// What to do about a request that brought no reply.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The server refuses a part of the request: ask without it. The sentence is for the case that this changes nothing.
    Adapt(Parameter, CallError),
    /// It may pass: ask again, not before the time that the server named.
    Again(Passing, Option<Duration>),
    /// The connection ended before a reply began. Servers close kept connections when they like, llama.cpp's after each stream:
    /// ask again at once, over a new one. A second time it is an [`Again`](Self::Again).
    HungUp(Passing),
    /// Asking again brings nothing.
    Final(CallError),
}

/// A failure that may pass.
#[derive(Clone, Debug)]
pub struct Passing {
    kind: CallErrorKind,
    /// What happened: all there is to say while it is asked again anyway.
    pub fact: String,
    /// What the person can do when it does not pass.
    advice: &'static str,
}

impl Passing {
    /// The error of a request that is sent no more after so many tries.
    pub fn after(self, tries: u32) -> CallError {
        let tries = if tries > 1 { format!(" ({tries} tries)") } else { String::new() };
        CallError::new(self.kind, format!("{}; {}{tries}", self.fact, self.advice))
    }

    /// Whether no answer came in time.
    pub fn is_late(&self) -> bool {
        self.kind == CallErrorKind::TimedOut
    }
}

impl Fault {
    /// The error, where nothing more is tried.
    pub fn into_error(self) -> CallError {
        match self {
            Self::Adapt(_, error) | Self::Final(error) => error,
            Self::Again(passing, _) | Self::HungUp(passing) => passing.after(1),
        }
    }
}

/// Whom messages speak of, and what they must not show.
#[derive(Clone, Debug)]
pub struct Context {
    /// The model's name at its service.
    pub model: String,
    /// The address asked, without secrets.
    pub address: String,
    /// The host.
    pub host: String,
    /// What to do about a model that the service does not know.
    pub remedy: String,
    /// The environment variable that the key comes from.
    pub variable: &'static str,
    /// Whether a key was sent.
    pub has_key: bool,
    /// What is hidden from messages.
    pub secrets: Secrets,
}

impl Context {
    /// For calls of `model` at `address`.
    pub fn new(model: &str, remedy: String, address: &Url, variable: &'static str, has_key: bool, secrets: Secrets) -> Self {
        let host = text::one_line(address.host_str().unwrap_or_default());
        Self { model: text::one_line(model), address: redact::url(address.as_str()), host, remedy, variable, has_key, secrets }
    }

    /// For a call at this address of the same server.
    pub fn at(&self, address: &Url) -> Self {
        Self { address: redact::url(address.as_str()), ..self.clone() }
    }

    /// The error where replies have to be constrained and can't be.
    pub fn no_form(&self) -> CallError {
        let message = format!(
            "{} at {} takes no structured output, and --structured on wants it: use --structured auto, or another model",
            self.model, self.host
        );
        CallError::new(CallErrorKind::NoForm, message)
    }

    /// What the body of a failed reply says: its sentence, made safe to print.
    fn sentence(&self, body: &str) -> String {
        self.printable(&wording::message(body))
    }

    /// The first line of what a service or a model says, safe to print, at most [`SENTENCE`] columns.
    pub fn printable(&self, said: &str) -> String {
        let line = said.lines().map(text::one_line).find(|l| !l.is_empty()).unwrap_or_default();
        text::cut(&self.secrets.hide(&line), SENTENCE).trim_end_matches('.').to_owned()
    }

    /// What a reply under any status but 2xx means.
    pub fn of_status(&self, status: u16, headers: &HeaderMap, body: &str) -> Fault {
        let said = self.sentence(body);
        let asked = pause::asked(headers, SystemTime::now());
        if (300..400).contains(&status) {
            let target = headers.get(LOCATION).and_then(|l| l.to_str().ok()).unwrap_or_default();
            let target = text::one_line(&self.secrets.hide(target.split('?').next().unwrap_or_default()));
            let target = text::cut(&target, SENTENCE);
            return fatal(CallErrorKind::Unreachable, format!("{} redirects to {target}: give that server as --llm-url", self.address));
        }
        // Bedrock names the error in a header.
        let named = headers.get("x-amzn-errortype").and_then(|name| name.to_str().ok());
        let body = match (named, serde_json::from_str::<Value>(body)) {
            (Some(name), Ok(Value::Object(mut root))) => {
                root.insert("__type".to_owned(), name.into());
                Cow::Owned(Value::Object(root).to_string())
            }
            _ => Cow::Borrowed(body),
        };
        self.of_error(status, &said, &body, asked)
    }

    /// What an error object under status 200 means: the status it names counts; without one it is a bad reply that may pass.
    pub fn of_error_body(&self, root: &Value) -> Fault {
        let body = root.to_string();
        let said = self.sentence(&body);
        let stated = ["/error/code", "/error/status"].iter().find_map(|at| root.pointer(at).and_then(Value::as_u64));
        let stated = stated.and_then(|status| u16::try_from(status).ok());
        if let Some(status) = wording::hidden_status(&body).or(stated.filter(|s| matches!(s, 429 | 503 | 529))) {
            return self.of_error(status, &said, &body, None);
        }
        match self.of_error(stated.unwrap_or(0), &said, &body, None) {
            Fault::Final(e) if matches!(e.kind, CallErrorKind::Refused | CallErrorKind::Server) => {
                self.bad_reply(&format!("an error: {said}"))
            }
            Fault::Again(..) => self.bad_reply(&format!("an error: {said}")),
            fault => fault,
        }
    }

    /// A reply that is none; `what` it is instead.
    pub fn bad_reply(&self, what: &str) -> Fault {
        let fact = format!("{} sent no usable reply, {what}", self.host);
        let advice = "try again, or check that --llm-url is a chat server";
        Fault::Again(Passing { kind: CallErrorKind::BadReply, fact, advice }, None)
    }

    fn of_error(&self, status: u16, said: &str, body: &str, asked: Option<Duration>) -> Fault {
        let quote = quote(said);
        if wording::is_too_long(body) || status == 413 {
            let message = format!("the prompt is too long for {}{quote}; a smaller local graph is needed", self.model);
            return fatal(CallErrorKind::TooLong, message);
        }
        if status == 402 || wording::is_out_of_quota(body) {
            let message = format!("{} says that money or quota is used up{quote}; top up the account or use another model", self.host);
            return fatal(CallErrorKind::Quota, message);
        }
        let refused = || CallError::new(CallErrorKind::Refused, format!("{} refused the request (HTTP {status}){quote}", self.host));
        // Bedrock says 403 where a model has no cache of prefixes, OpenAI where it gives no log-probabilities.
        if let (403, Some(parameter @ (Parameter::Marks | Parameter::TokenLogs))) = (status, wording::refused_parameter(body)) {
            return Fault::Adapt(parameter, refused());
        }
        if matches!(status, 401 | 403) && !wording::is_unknown_model(body) || wording::is_bad_key(body) {
            return fatal(CallErrorKind::Key, self.key_message(status, &quote));
        }
        if wording::is_filtered(body) {
            let message = format!("the content filter of {} took the prompt{quote}; rephrase the question or use another model", self.host);
            return fatal(CallErrorKind::Filtered, message);
        }
        if status == 404 && wording::is_of_chat_server(body) && !wording::is_unknown_model(body) {
            let message = format!(
                "{} refused the request (HTTP 404){quote}; asked at {}: check what it says, the model's name, and --llm-url",
                self.host, self.address
            );
            return fatal(CallErrorKind::Unreachable, message);
        }
        if (status == 404 || status == 405) && !wording::is_unknown_model(body) {
            let message = format!("no chat server at {} (HTTP {status}{quote}): check --llm-url", self.address);
            return fatal(CallErrorKind::Unreachable, message);
        }
        if wording::is_unknown_model(body) {
            let message = format!("{} knows no model {}{quote}; asked at {}: {}", self.host, self.model, self.address, self.remedy);
            return fatal(CallErrorKind::Unreachable, message);
        }
        match status {
            408 | 409 | 424 | 425 | 429 | 500 | 502..=504 | 506.. => self.overloaded(status, &quote, asked, body),
            _ => wording::refused_parameter(body).map_or_else(|| Fault::Final(refused()), |p| Fault::Adapt(p, refused())),
        }
    }

    /// The server can't now. Some servers (template errors of llama.cpp) say 500 for a refused role.
    fn overloaded(&self, status: u16, quote: &str, asked: Option<Duration>, body: &str) -> Fault {
        let (fact, advice) = match status {
            429 => ("is asked too often", "wait a little, or lower `concurrency` of the model in the configuration"),
            _ => ("can't answer now", "go on later"),
        };
        let passing = Passing { kind: CallErrorKind::Server, fact: format!("{} {fact} (HTTP {status}){quote}", self.host), advice };
        if let (500, Some(Parameter::System)) = (status, wording::refused_parameter(body)) {
            return Fault::Adapt(Parameter::System, passing.after(1));
        }
        match asked.or_else(|| pause::asked_in(body, SystemTime::now())) {
            Some(wait) if wait > pause::LONGEST_ASKED => {
                let message = format!("{}; it wants {} s without a request: go on after that", passing.fact, wait.as_secs());
                fatal(CallErrorKind::Server, message)
            }
            asked => Fault::Again(passing, asked),
        }
    }

    fn key_message(&self, status: u16, quote: &str) -> String {
        if self.has_key {
            format!(
                "{} does not accept the key (HTTP {status}){quote}; set {} to a key that may use {}, or name a file that holds one with --key-file",
                self.host, self.variable, self.model
            )
        } else {
            format!(
                "{} wants a key (HTTP {status}){quote}; set {}, or name a file that holds one with --key-file",
                self.host, self.variable
            )
        }
    }

    /// What it means that no answer came within `limit`.
    pub fn of_silence(&self, limit: Duration) -> Fault {
        self.late(&format!("gave no answer within {} s", limit.as_secs_f32()))
    }

    /// What it means that a reply began to come, and then nothing more came for `limit`.
    pub fn of_stall(&self, limit: Duration) -> Fault {
        self.late(&format!("began its answer and sent nothing more for {} s", limit.as_secs_f32()))
    }

    fn late(&self, what: &str) -> Fault {
        let fact = format!("{} {what}", self.host);
        let advice = "raise `timeout` of the model in the configuration, or use a faster one";
        Fault::Again(Passing { kind: CallErrorKind::TimedOut, fact, advice }, None)
    }

    /// What a request that got no whole reply means.
    pub fn of_transport(&self, error: &reqwest::Error) -> Fault {
        let why = self.secrets.hide(&root_cause(error));
        if error.is_connect() {
            let message = format!("no connection to {} ({why}); start the server, or check --llm-url", self.address);
            return fatal(CallErrorKind::Unreachable, message);
        }
        if error.is_body() || error.is_decode() {
            return self.bad_reply(&format!("its reply was cut ({why})"));
        }
        let fact = format!("the connection to {} broke ({why})", self.address);
        Fault::HungUp(Passing { kind: CallErrorKind::Unreachable, fact, advice: "try again, or check --llm-url" })
    }
}

fn fatal(kind: CallErrorKind, message: String) -> Fault {
    Fault::Final(CallError::new(kind, message))
}

/// `: "sentence"`, or nothing.
pub fn quote(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(": \"{said}\"") }
}

/// The innermost cause, which names the fact ("connection refused"). reqwest's own text is left out: it may hold the URL.
fn root_cause(error: &reqwest::Error) -> String {
    let Some(mut cause) = error.source() else { return "no details".to_owned() };
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    text::cut(&text::one_line(&cause.to_string()), 120).into_owned()
}
