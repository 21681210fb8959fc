//! How long to wait before a request is tried again.

use super::wording;
use crate::retry_after::retry_after;
use regex::Regex;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use serde_json::Value;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Longer pauses are not made on our own account.
const LONGEST: Duration = Duration::from_secs(30);

/// A server that wants more time than this is not waited for.
pub const LONGEST_ASKED: Duration = Duration::from_secs(120);

/// The pause after failed try number `tries` (from 1): twice as long each time, between half and all of it by chance, never
/// shorter than the server asks, and a little longer than that, by chance as well.
pub fn after(tries: u32, first: Duration, asked: Option<Duration>) -> Duration {
    let grown = first.saturating_mul(1 << (tries.saturating_sub(1)).min(10)).min(LONGEST);
    // Chance: so that several programs that failed together don't come back together. `RandomState` is seeded anew each time.
    let share = u32::try_from(RandomState::new().hash_one(tries) % 1000).unwrap_or(0);
    let own = grown / 2 + (grown / 2) * share / 1000;
    asked.map_or(own, |asked| own.max(asked + (first / 2) * share / 1000))
}

/// What the headers ask for: `retry-after-ms`, `Retry-After` as seconds or a date (RFC 9110, 10.2.3), or the time at which
/// a limit that is used up is set back (OpenAI's, Anthropic's and OpenRouter's headers).
pub fn asked(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let number = |text: &str| text.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
    if let Some(ms) = text("retry-after-ms").and_then(number) {
        return Duration::try_from_secs_f64(ms / 1000.0).ok();
    }
    if let Some(asked) = text(RETRY_AFTER.as_str()).and_then(|asked| retry_after(asked, now)) {
        return Some(asked);
    }
    let used_up = |left: String, reset: String| {
        let reset = text(&reset).filter(|_| text(&left).and_then(number) == Some(0.0))?;
        spell(reset).or_else(|| Some(moment(reset)?.duration_since(now).unwrap_or_default()))
    };
    let limits = ["x-ratelimit", "anthropic-ratelimit"].into_iter().flat_map(|family| {
        ["requests", "tokens", "input-tokens", "output-tokens"].map(move |kind| match family {
            "x-ratelimit" => (format!("{family}-remaining-{kind}"), format!("{family}-reset-{kind}")),
            _ => (format!("{family}-{kind}-remaining"), format!("{family}-{kind}-reset")),
        })
    });
    // OpenRouter and others have one limit and say the time as a number.
    let one_limit = || {
        let reset = text("x-ratelimit-reset").filter(|_| text("x-ratelimit-remaining").and_then(number) == Some(0.0))?;
        number(reset).and_then(|n| from_number(n, now)).or_else(|| spell(reset))
    };
    limits.filter_map(|(left, reset)| used_up(left, reset)).max().or_else(one_limit)
}

/// What the body of an error asks for: Google's `RetryInfo`, the headers of the service behind OpenRouter, or a sentence such
/// as "Please try again in 2.5s".
pub fn asked_in(body: &str, now: SystemTime) -> Option<Duration> {
    let root = serde_json::from_str::<Value>(body).unwrap_or_default();
    let error = ["/error", "/0/error"].iter().find_map(|at| root.pointer(at)).unwrap_or(&root);
    let delay = |detail: &Value| spell(detail["retryDelay"].as_str()?);
    let details = error["details"].as_array().into_iter().flatten();
    let header = |(name, value): (&String, &Value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Some((name.parse::<HeaderName>().ok()?, text.parse::<HeaderValue>().ok()?))
    };
    let headers = || error.pointer("/metadata/headers").and_then(Value::as_object).into_iter().flatten().filter_map(header).collect();
    details.filter_map(delay).max().or_else(|| asked(&headers(), now)).or_else(|| in_words(&wording::message(body)))
}

/// `Please retry in 3.1s.`, `try again in 1m2.5s`, `Please retry after 20 seconds`.
fn in_words(said: &str) -> Option<Duration> {
    static ASKS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:(?:try|retry|trying|retrying)(?: again)?|wait)(?: in| after| for| at least| about)* (\d)")
            .expect("the pattern is a constant and valid")
    });
    let start = ASKS.captures(said)?.get(1)?.start();
    Some(span(&said[start..])?.0)
}

/// A duration as Go writes it: `6m0s`, `1.5s`, `120ms`, `1h2m`.
fn spell(text: &str) -> Option<Duration> {
    span(text).filter(|(_, rest)| rest.is_empty()).map(|(duration, _)| duration)
}

/// The duration that `text` begins with (`1m2.5s`, `20 seconds`), and what follows it.
fn span(text: &str) -> Option<(Duration, &str)> {
    let (mut rest, mut all) = (text, None);
    while let Some((seconds, after)) = one_unit(rest) {
        (rest, all) = (after, Some(all.unwrap_or(0.0) + seconds));
    }
    Some((Duration::try_from_secs_f64(all?).ok()?, rest))
}

/// The seconds of a number and its unit at the beginning of `text`, and what follows them.
fn one_unit(text: &str) -> Option<(f64, &str)> {
    let (number, after) = text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.')?);
    let number: f64 = number.parse().ok()?;
    let after = after.strip_prefix(' ').unwrap_or(after);
    let (unit, rest) = after.split_at(after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len()));
    let seconds = match unit.to_ascii_lowercase().as_str() {
        "ms" | "millisecond" | "milliseconds" => 0.001,
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hour" | "hours" => 3_600.0,
        "d" | "day" | "days" => 86_400.0,
        _ => return None,
    };
    Some((number * seconds, rest))
}

/// The time that a bare number stands for: milliseconds or seconds since 1970, or, if it is small, seconds from `now`.
fn from_number(number: f64, now: SystemTime) -> Option<Duration> {
    let since = match number {
        n if n >= 1e11 => n / 1000.0,
        n if n >= 1e9 => n,
        n => return Duration::try_from_secs_f64(n).ok(),
    };
    let moment = UNIX_EPOCH.checked_add(Duration::try_from_secs_f64(since).ok()?)?;
    Some(moment.duration_since(now).unwrap_or_default())
}

/// `2015-10-21T07:28:00Z` (RFC 3339, in UTC, as Anthropic writes it).
fn moment(text: &str) -> Option<SystemTime> {
    let (date, clock) = text.strip_suffix('Z')?.split_once('T')?;
    let mut date = date.splitn(3, '-').map(|n| n.parse::<u64>().ok());
    let year = date.next()??.clamp(1970, 9999);
    let month = date.next()?.filter(|m| (1..=12).contains(m))?;
    let day = date.next()?.filter(|d| (1..=31).contains(d))?;
    let mut clock = clock.split('.').next()?.splitn(3, ':').map(|n| n.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    // Days from the civil calendar, with years that begin in March.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = (365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day).checked_sub(719_469)?;
    UNIX_EPOCH.checked_add(Duration::from_secs(days * 86_400 + hour * 3600 + minute * 60 + second))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())])
    }

    #[test]
    fn pauses_grow_and_have_an_end() {
        let first = Duration::from_millis(100);
        for tries in 1..40 {
            let full = Duration::from_millis(100 * (1 << (tries - 1).min(10))).min(LONGEST);
            let pause = after(tries, first, None);
            assert!(pause >= full / 2 && pause <= full, "{tries}: {pause:?}");
        }
        let asked = after(1, first, Some(Duration::from_secs(7)));
        assert!(asked >= Duration::from_secs(7) && asked <= Duration::from_millis(7_050), "{asked:?}");
    }

    #[test]
    fn every_form_of_retry_after_is_read() {
        let now = UNIX_EPOCH + Duration::from_secs(1_445_412_480 - 90); // 21 Oct 2015 07:26:30
        assert_eq!(asked(&headers("retry-after", "3"), now), Some(Duration::from_secs(3)));
        assert_eq!(asked(&headers("retry-after", "0.25"), now), Some(Duration::from_millis(250)));
        assert_eq!(asked(&headers("retry-after", "120, 120"), now), Some(Duration::from_secs(120)), "two headers in one");
        assert_eq!(asked(&headers("retry-after-ms", "40"), now), Some(Duration::from_millis(40)));
        assert_eq!(asked(&headers("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"), now), Some(Duration::from_secs(90)));
        assert_eq!(asked(&headers("retry-after", "Wed, 21 Oct 2015 07:00:00 GMT"), now), Some(Duration::ZERO));
        for bad in ["soon", "-1", "Wed, 99 Oct 2015 07:28:00 GMT", "NaN"] {
            assert_eq!(asked(&headers("retry-after", bad), now), None, "{bad}");
        }
    }

    #[test]
    fn the_end_of_a_used_up_limit_is_waited_for() {
        let now = UNIX_EPOCH + Duration::from_secs(1_445_412_480 - 90); // 21 Oct 2015 07:26:30
        let of = |all: &[(&'static str, &'static str)]| {
            let all = all.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
            asked(&HeaderMap::from_iter(all), now)
        };
        let requests = ("x-ratelimit-remaining-requests", "0");
        assert_eq!(of(&[requests, ("x-ratelimit-reset-requests", "1m30.5s")]), Some(Duration::from_millis(90_500)));
        assert_eq!(of(&[requests, ("x-ratelimit-reset-requests", "120ms")]), Some(Duration::from_millis(120)));
        let anthropic = [("anthropic-ratelimit-tokens-remaining", "0"), ("anthropic-ratelimit-tokens-reset", "2015-10-21T07:28:00Z")];
        assert_eq!(of(&anthropic), Some(Duration::from_secs(90)));
        assert_eq!(of(&[("x-ratelimit-remaining-tokens", "5"), ("x-ratelimit-reset-tokens", "1m")]), None, "not used up");
        for bad in ["", "soon", "5", "2015-13-21T07:28:00Z", "1y", "T"] {
            assert_eq!(of(&[requests, ("x-ratelimit-reset-requests", bad)]), None, "{bad}");
        }
        assert_eq!(moment("1970-01-01T00:00:00Z"), Some(UNIX_EPOCH));
        assert_eq!(moment("2024-02-29T12:00:00.5Z"), Some(UNIX_EPOCH + Duration::from_secs(1_709_208_000)));
    }

    #[test]
    fn one_limit_is_set_back_at_a_time_that_is_a_number() {
        let now = UNIX_EPOCH + Duration::from_secs(1_445_412_390);
        let of = |left: &str, reset: &str| {
            let all = [("x-ratelimit-remaining", left), ("x-ratelimit-reset", reset)];
            asked(&HeaderMap::from_iter(all.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))), now)
        };
        assert_eq!(of("0", "1445412393000"), Some(Duration::from_secs(3)), "milliseconds");
        assert_eq!(of("0", "1445412400"), Some(Duration::from_secs(10)), "seconds");
        assert_eq!(of("0", "1445412000"), Some(Duration::ZERO), "it is over");
        assert_eq!(of("0", "20"), Some(Duration::from_secs(20)));
        assert_eq!(of("7", "1445412393000"), None, "not used up");
        for bad in ["", "soon", "-5", "1e400", "NaN"] {
            assert_eq!(of("0", bad), None, "{bad}");
        }
    }

    #[test]
    fn the_body_of_an_error_may_ask_for_a_pause() {
        let now = UNIX_EPOCH + Duration::from_secs(1_445_412_390);
        let google = r#"[{"error":{"code":429,"message":"Quota exceeded. Please retry in 9s.","details":[{"@type":"x"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3.1s"}]}}]"#;
        assert_eq!(asked_in(google, now), Some(Duration::from_millis(3_100)));
        assert_eq!(asked_in(google.trim_matches(['[', ']']), now), Some(Duration::from_millis(3_100)));
        let openrouter = r#"{"error":{"code":429,"message":"x","metadata":{"headers":{"X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1445412394000"}}}}"#;
        assert_eq!(asked_in(openrouter, now), Some(Duration::from_secs(4)));
        for (said, ms) in [
            ("Rate limit reached for x on tokens per min: Limit 30000. Please try again in 2.5s. Visit https://x", Some(2_500)),
            ("Please retry in 3.1s.", Some(3_100)),
            ("please try again in 1m2.5s", Some(62_500)),
            ("Please try again in 250ms.", Some(250)),
            ("Please retry after 20 seconds.", Some(20_000)),
            ("wait for at least 2 minutes", Some(120_000)),
            ("Please try again later", None),
            ("try again in 5 messages", None),
            ("try again in 20.", None),
            ("try again in 99999999999999999999999999 days", None),
            ("This model costs 5s", None),
        ] {
            let body = serde_json::json!({"error": {"message": said}}).to_string();
            assert_eq!(asked_in(&body, now), ms.map(Duration::from_millis), "{said}");
        }
        for body in ["", "[]", "<html>retry in 5s</html>", r#"{"error":{"details":[{"retryDelay":"soon"}]}}"#] {
            assert_eq!(asked_in(body, now), None, "{body}");
        }
    }
}
