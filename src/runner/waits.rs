//! KGs and models that were busy and are asked again later: what the screen and the lines of text say of it.

use crate::graph::KgName;
use crate::text::one_line;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A KG or a model that requests wait for: it was busy, and is asked again later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Its name.
    pub who: String,
    /// The KG; none: a model.
    pub kg: Option<KgName>,
    /// Until when.
    pub until: Instant,
    /// Why, for people.
    pub why: String,
}

impl Wait {
    /// Who, for how long yet, and why.
    #[must_use]
    pub fn said(&self, now: Instant) -> String {
        format!("{} waits {} s: {}", one_line(&self.who), self.seconds(now), one_line(&self.why))
    }

    /// For how many seconds yet, the last one begun counted whole.
    #[must_use]
    pub fn seconds(&self, now: Instant) -> u128 {
        self.until.saturating_duration_since(now).as_millis().div_ceil(1000)
    }
}

/// Where news come as lines: a shorter wait is over before its line is read.
const WORTH_A_LINE: Duration = Duration::from_secs(2);

/// The waits that were told as lines, by who waits: until when.
#[derive(Debug, Default)]
pub struct ToldWaits(BTreeMap<String, Instant>);

impl ToldWaits {
    /// The waits that are news: once for each time that somebody waits, however many requests do.
    pub fn news(&mut self, waits: &[Wait], now: Instant) -> Vec<String> {
        let mut lines = Vec::new();
        for wait in waits.iter().filter(|wait| wait.until.saturating_duration_since(now) >= WORTH_A_LINE) {
            if self.0.get(&wait.who).is_none_or(|told| *told <= now) {
                self.0.insert(wait.who.clone(), wait.until);
                lines.push(wait.said(now));
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_once() {
        let now = Instant::now();
        let later = |ms| now + Duration::from_millis(ms);
        let wait = |who: &str, until| Wait { who: who.to_owned(), kg: None, until, why: "busy\x1b[2J".to_owned() };
        let mut told = ToldWaits::default();
        assert_eq!(told.news(&[wait("m", later(4_500)), wait("n", later(600))], now), ["m waits 5 s: busy[2J"]);
        // Another request of the same wait.
        assert!(told.news(&[wait("m", later(4_700))], later(300)).is_empty());
        assert_eq!(told.news(&[wait("m", later(14_500))], later(4_600)).len(), 1, "it was busy again");
    }
}
