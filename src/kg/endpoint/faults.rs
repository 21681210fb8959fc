//! How endpoints say that a query failed: by status, in JSON, in plain text, in the trace of an engine.

use crate::calls::{CallError, CallErrorKind};
use crate::kg::http::{Response, Service, Verdict};
use crate::text;

/// Words of a server that refuses a query by its estimate of the time, before it runs it: Virtuoso samples its data anew
/// for that, so that the same query passes at one time and not at another.
const ESTIMATE: &str = "estimated execution time";
/// Words of a server that ran out of time, in lower case.
const TIME: [&str; 12] = [
    "timeoutexception",
    "timed out",
    "query timeout",
    "timeout exceeded",
    "due to timeout",
    "time limit",
    "timelimitexceeded",
    "deadline exceeded",
    "execution time",
    "out of time",
    "queryinterrupted",
    "s1tat",
];
/// Words of a server that has too much to do, under a status that does not say so.
const BUSY: [&str; 3] = ["throttlingexception", "concurrentmodification", "toomanyrequests"];
/// Words of a server that does not understand the query.
const SYNTAX: [&str; 4] = ["malformed", "syntax error", "parse error", "lexical error"];

/// What is to be made of an answer, by its status and by what it says.
pub(super) fn judge(service: &Service, response: &Response) -> Verdict {
    if response.status.is_success() {
        return Verdict::Take;
    }
    let said = own_words(&response.body);
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let quote = || service.quote(&response.body);
    let fail = |kind, what: &str| Verdict::Fail(service.error(kind, what));
    let code = response.status.as_u16();
    // Fuseki and GraphDB say 503, QLever 429, most 500: a query that runs out of time does so again.
    let of_time = matches!(code, 400 | 408 | 429 | 500..=599) && response.retry_after().is_none() && says(&TIME) && !says(&SYNTAX);
    match code {
        400 | 500..=599 if said.contains(ESTIMATE) => {
            fail(CallErrorKind::TooCostly, &format!("refuses the query{}: ask for less", quote()))
        }
        _ if of_time => fail(CallErrorKind::TimedOut, &format!("ran out of time{}: ask for less, or try again", quote())),
        500 if says(&BUSY) => {
            Verdict::Busy(service.error(CallErrorKind::Busy, &format!("is busy (status 500){}", quote())), response.retry_after())
        }
        500 if said.contains("memory") => fail(CallErrorKind::Server, &format!("ran out of memory (status 500){}: ask for less", quote())),
        400 => fail(CallErrorKind::Refused, &format!("refuses the query{}", quote())),
        404 | 405 | 410 => fail(CallErrorKind::Refused, &format!("is no SPARQL endpoint (status {code}): check the path{}", quote())),
        413 | 414 | 431 => fail(CallErrorKind::Refused, &format!("takes no query of this length (status {code}): ask for less")),
        _ => service.by_status(response),
    }
}

/// What the server says, in lower case, without the query that many repeat: its words are not the server's.
fn own_words(body: &[u8]) -> String {
    let said = match serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(body) {
        Ok(mut json) => {
            json.retain(|key, _| key != "query");
            serde_json::Value::Object(json).to_string()
        }
        Err(_) => String::from_utf8_lossy(&body[..body.len().min(16_000)]).into_owned(),
    };
    let said = said.to_lowercase();
    said.split("sparql query:").next().unwrap_or_default().to_owned()
}

/// The error that a server tells inside of an answer with status 200.
pub(super) fn told(service: &Service, said: &str) -> CallError {
    let lower = said.to_lowercase();
    let line = text::one_line(&service.hide(said));
    let line = text::cut(&line, 200);
    if lower.contains(ESTIMATE) {
        return service.error(CallErrorKind::TooCostly, &format!("refuses the query: \"{line}\": ask for less"));
    }
    if TIME.iter().any(|word| lower.contains(word)) {
        return service.error(CallErrorKind::TimedOut, &format!("ran out of time: \"{line}\": ask for less, or try again"));
    }
    service.error(CallErrorKind::BadReply, &format!("failed: \"{line}\": try again, or ask for less"))
}

/// Whether an answer that cannot be read ends in the words of a server that ran out of time.
pub(super) fn breaks_off_for_time(body: &[u8]) -> bool {
    let tail = String::from_utf8_lossy(&body[body.len().saturating_sub(8000)..]).to_lowercase();
    TIME.iter().any(|word| tail.contains(word))
}

/// Whether an answer is a web page, whatever its content type says.
pub(super) fn is_page(body: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&body[..body.len().min(1000)]).to_lowercase();
    let head = head.trim_start_matches(['\u{feff}', ' ', '\r', '\n', '\t']);
    head.starts_with("<!doctype html") || head.starts_with("<html") || (head.starts_with('<') && head.contains("<html"))
}
