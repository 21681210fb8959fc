//! What a service says when it gives no answer, in one sentence that says what to do.

use super::login::offers;
use super::{Response, Service, Verdict};
use crate::calls::CallErrorKind;
use crate::text;
use serde_json::Value;

impl Service {
    /// What a status other than success usually means.
    #[must_use]
    pub fn by_status(&self, response: &Response) -> Verdict {
        if response.status.is_success() {
            return Verdict::Take;
        }
        let quote = if response.kind().contains("html") { String::new() } else { self.quote(&response.body) };
        let code = response.status.as_u16();
        // A gateway's own codes pass as well, and whatever failure names a time to come back.
        let passes = matches!(code, 429 | 502..=504 | 520..=529) || (code >= 500 && response.retry_after().is_some());
        let (kind, what) = match code {
            401 => (CallErrorKind::Key, self.wants_login(response)),
            403 => (CallErrorKind::Key, "forbids this; if it wants to know whom to contact, set TOT_CONTACT".to_owned()),
            404 => (CallErrorKind::Refused, "has nothing there (status 404)".to_owned()),
            429 => (CallErrorKind::Busy, "says that we ask too often (status 429)".to_owned()),
            500..=599 if passes => (CallErrorKind::Busy, format!("is busy or down (status {code})")),
            500..=599 => (CallErrorKind::Server, format!("failed (status {code})")),
            400..=499 => (CallErrorKind::Refused, format!("refuses the request (status {code})")),
            _ => (CallErrorKind::Refused, format!("answered with status {code}")),
        };
        let error = self.error(kind, &format!("{what}{quote}"));
        if passes { Verdict::Busy(error, response.retry_after()) } else { Verdict::Fail(error) }
    }

    /// What to do about a status 401.
    fn wants_login(&self, response: &Response) -> String {
        if let Some(auth) = self.auth() {
            return auth.refused(&response.headers).to_owned();
        }
        let has = |scheme| offers(&response.headers, scheme);
        if has("bearer") && !has("basic") && !has("digest") {
            return "wants a token: name the environment variable that holds it as `password_env` for this graph under `kgs` in the configuration"
                .to_owned();
        }
        let prefix = self.prefix();
        let in_url = if prefix.is_empty() { String::new() } else { format!("as {prefix}https://USER:PASSWORD@HOST/PATH, or ") };
        format!("wants a user and password: give them {in_url}as `user` and `password_env` for this graph under `kgs` in the configuration")
    }

    /// `: "what the service says, in one line"`, without secrets; nothing when it says nothing or sends a web page.
    #[must_use]
    pub fn quote(&self, body: &[u8]) -> String {
        let Some(line) = sentence(&body[..body.len().min(16_000)]) else { return String::new() };
        format!(": \"{}\"", text::cut(&self.hide(&line), 200))
    }
}

/// The one line of `body` that tells most: the message in JSON, the exception in a trace, else the first line.
fn sentence(body: &[u8]) -> Option<String> {
    if let Some(said) = serde_json::from_slice::<Value>(body).ok().as_ref().and_then(message) {
        return Some(said);
    }
    let body = String::from_utf8_lossy(body);
    let mut lines = body.lines().map(text::one_line).filter(|line| !line.is_empty());
    let first = lines.next()?;
    if first.starts_with('<') {
        return None;
    }
    // Blazegraph repeats the whole query before it says what is wrong.
    let telling = if first.starts_with("SPARQL-QUERY:") { lines.find(|line| line.contains("Exception")) } else { None };
    Some(telling.unwrap_or(first))
}

/// The message in an error that is JSON, as servers write it.
fn message(json: &Value) -> Option<String> {
    let keys = ["exception", "detailedMessage", "message", "error", "error_description", "info", "detail", "msg", "title", "code"];
    let said = keys.iter().find_map(|key| match json.get(key)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        inner @ Value::Object(_) => message(inner),
        _ => None,
    })?;
    Some(text::one_line(&said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_telling_line_is_found() {
        for (body, said) in [
            ("\r\n\r\n first line \nsecond", Some("first line")),
            ("<html><body>no</body></html>", None),
            ("", None),
            (r#"{"exception":"Operation timed out.","query":"SELECT"}"#, Some("Operation timed out.")),
            (r#"{"code":"TimeLimitExceededException","detailedMessage":"deadline exceeded"}"#, Some("deadline exceeded")),
            (r#"{"error":{"code":"maxlag","info":"Waiting for db7"}}"#, Some("Waiting for db7")),
            (r#"{"error":"Not Found","help":"see the documentation"}"#, Some("Not Found")),
            (
                "SPARQL-QUERY: queryStr=SELECT ?x\n{\njava.util.concurrent.ExecutionException: MalformedQueryException: Encountered \"x\"\n\tat a.B(C.java:1)",
                Some("java.util.concurrent.ExecutionException: MalformedQueryException: Encountered \"x\""),
            ),
        ] {
            assert_eq!(sentence(body.as_bytes()).as_deref(), said, "{body}");
        }
    }
}
