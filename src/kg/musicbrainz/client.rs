//! Requests to the web service: addresses, manners, and what an answer is.

use super::json;
use crate::calls::{CallError, CallErrorKind, Waiting, WireNote};
use crate::kg::KgProfile;
use crate::kg::http::{HttpSettings, Request, Response, Service, ServiceError, Verdict};
use crate::redact;
use reqwest::Url;
use serde_json::Value;
use std::time::Duration;

/// The public service's rule is one request a second. A little more, since what counts is when requests arrive.
const EVERY: Duration = Duration::from_millis(1050);

/// The web service at one address.
pub struct Client {
    service: Service,
    base: Url,
}

/// An answer that is there.
#[derive(Debug)]
pub struct Answer {
    /// The whole JSON object.
    pub body: Value,
}

impl Client {
    /// The service at the address of `profile`, else at `public`. Nothing is sent yet.
    ///
    /// # Errors
    /// When the address is none.
    pub fn new(public: &str, profile: &KgProfile, http: &HttpSettings) -> Result<Self, ServiceError> {
        let address = profile.url.as_deref().map(str::trim).filter(|url| !url.is_empty()).unwrap_or(public);
        let mut http = http.clone();
        http.every = every(address, http.every);
        // One at a time: a slow answer must not be overtaken by the next request.
        http.parallel = 1;
        let (service, mut base) = Service::new(address, &http)?;
        let path = match base.path().trim_end_matches('/') {
            "" => "/ws/2".to_owned(),
            path => path.to_owned(),
        };
        base.set_path(&path);
        base.set_query(None);
        base.set_fragment(None);
        Ok(Self { service: service.called("MusicBrainz"), base })
    }

    /// Where it is, without secrets.
    pub fn shown(&self) -> String {
        redact::url(self.base.as_str())
    }

    /// Why requests are held back now, if they are.
    pub fn waiting(&self) -> Option<Waiting> {
        self.service.waiting()
    }

    /// An error that names the service.
    pub fn error(&self, kind: CallErrorKind, what: &str) -> CallError {
        self.service.error(kind, what)
    }

    /// Gets `path` (`artist/MBID`) with `query`; `None` when the service knows no such thing. Every request is noted.
    ///
    /// # Errors
    /// Those of the connection; `Server` when it stays busy; `BadReply` for what is no whole JSON object.
    pub async fn get(&self, path: &[&str], query: &[(&str, &str)], wire: &mut Vec<WireNote>) -> Result<Option<Answer>, CallError> {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url.query_pairs_mut().extend_pairs(query).append_pair("fmt", "json");
        let query = redact::url(url.as_str());
        let response = self.service.send(&Request::get(url, "application/json"), &|response| self.judge(response)).await?;
        let note = |rows| WireNote { query, rows, took_ms: response.took_ms, tries: response.tries };
        if response.status.as_u16() == 404 {
            wire.push(note(0));
            return Ok(None);
        }
        let body = self.read(&response)?;
        wire.push(note(rows(&body)));
        Ok(Some(Answer { body }))
    }

    fn judge(&self, response: &Response) -> Verdict {
        let busy = |what: &str| {
            let error = self.error(CallErrorKind::Busy, &format!("{what}{}", self.says(response)));
            Verdict::Busy(error, response.retry_after())
        };
        match response.status.as_u16() {
            404 if !is_page(response) => Verdict::Take,
            404 => Verdict::Fail(
                self.error(CallErrorKind::Refused, &format!("has no web service at {}: its address ends in /ws/2", self.shown())),
            ),
            400 => Verdict::Fail(self.error(CallErrorKind::Refused, &format!("refuses the request{}", self.says(response)))),
            429 => busy("says that we ask too often (status 429)"),
            503 => busy("is busy (status 503)"),
            _ => self.service.by_status(response),
        }
    }

    fn read(&self, response: &Response) -> Result<Value, CallError> {
        let bad = |what: &str| self.error(CallErrorKind::BadReply, what);
        if is_page(response) {
            return Err(bad("answered with a web page, not with data: is this the address of its web service (.../ws/2)?"));
        }
        // The content type is not asked: proxies write any, and what is a whole JSON object is one.
        let body: Value = serde_json::from_slice(&response.body).map_err(|error| {
            if error.is_eof() {
                return bad(&format!("broke off its answer after {} bytes: try again, or ask for less", response.body.len()));
            }
            let at = format!("line {}, column {}", error.line(), error.column());
            bad(&format!("sent what is no JSON (at {at}){}; try again later", self.service.quote(&response.body)))
        })?;
        if !body.is_object() {
            return Err(bad("sent JSON that is no record; is this the address of its web service (.../ws/2)?"));
        }
        // What stands before the service may answer in its name.
        let something = body.get("id").is_some() || body.as_object().is_some_and(|fields| fields.values().any(Value::is_array));
        if !something && json::text(&body, "error").is_none() {
            return Err(bad(&format!("sent JSON that is no record{}; try again later", self.says(response))));
        }
        // A refusal under status 200.
        if json::text(&body, "error").is_some() && body.get("id").is_none() {
            return Err(bad(&format!("answered with an error{}", self.says(response))));
        }
        Ok(body)
    }

    /// What the service says about a failure: its `error`, else its first line; nothing of a web page.
    fn says(&self, response: &Response) -> String {
        if is_page(response) {
            return String::new();
        }
        let said = serde_json::from_slice::<Value>(&response.body).ok().and_then(|body| json::text(&body, "error").map(str::to_owned));
        self.service.quote(said.as_deref().map_or(response.body.as_slice(), str::as_bytes))
    }
}

/// The time between two requests: what was set; nothing set is the public rule, and the public service is never asked
/// faster than that.
fn every(address: &str, set: Duration) -> Duration {
    let public = Url::parse(address).ok().and_then(|url| url.host_str().map(str::to_owned));
    let public = public.is_some_and(|host| host == "musicbrainz.org" || host.ends_with(".musicbrainz.org"));
    if set.is_zero() {
        EVERY
    } else if public {
        set.max(EVERY)
    } else {
        set
    }
}

fn is_page(response: &Response) -> bool {
    response.kind().contains("html") || response.body.trim_ascii_start().starts_with(b"<")
}

/// How many things an answer holds: the members of its longest list, and one of a record without any.
fn rows(body: &Value) -> u64 {
    let lists = body.as_object().into_iter().flat_map(|fields| fields.values()).filter_map(Value::as_array);
    let longest = lists.map(Vec::len).max().unwrap_or(0);
    let least = usize::from(body.get("id").is_some());
    longest.max(least) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_service_is_never_asked_faster_than_its_rule() {
        let ms = Duration::from_millis;
        assert_eq!(every("https://musicbrainz.org/ws/2", ms(0)), EVERY);
        assert_eq!(every("https://musicbrainz.org/ws/2", ms(10)), EVERY);
        assert_eq!(every("https://beta.musicbrainz.org/ws/2", ms(2000)), ms(2000));
        assert_eq!(every("http://127.0.0.1:5000/ws/2", ms(10)), ms(10));
        assert_eq!(every("http://127.0.0.1:5000/ws/2", ms(0)), EVERY);
        assert_eq!(every("https://notmusicbrainz.org/ws/2", ms(10)), ms(10));
    }

    #[test]
    fn the_address_may_be_given_with_or_without_the_path() {
        for url in ["http://127.0.0.1:5000", "http://127.0.0.1:5000/", "http://127.0.0.1:5000/ws/2/", "http://127.0.0.1:5000/ws/2?fmt=xml"]
        {
            let profile = KgProfile { url: Some(url.to_owned()), ..KgProfile::default() };
            let client = Client::new("https://musicbrainz.org/ws/2", &profile, &HttpSettings::default()).unwrap();
            assert_eq!(client.shown(), "http://127.0.0.1:5000/ws/2", "{url}");
        }
    }
}
