//! Replies on disk: one file for KGs, one for models, each found by a hash of everything that it depends on.
//!
//! What can't be read or written costs a request and one remark, never a reply: a file that is damaged is set aside, and
//! where there is no room or no right to write, calls go on as if there were no cache.

mod contents;
mod store;

pub use contents::{clear, list};
pub use store::{About, Kept, Key, Store, write_all};

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Where and how long replies are kept.
#[derive(Clone, Debug)]
pub struct CacheSettings {
    /// The file.
    pub path: PathBuf,
    /// Older replies are asked for again.
    pub max_age: Duration,
    /// Everything is asked again, and what comes replaces what was kept.
    pub fresh: bool,
}

impl CacheSettings {
    /// The file `name` in the usual place, `$XDG_CACHE_HOME/tot` (else below `~/.cache`). `None` without a home folder.
    #[must_use]
    pub fn usual(name: &str, max_age: Duration) -> Option<Self> {
        let folder = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
        let folder = folder.or_else(|| std::env::home_dir().map(|h| h.join(".cache")))?;
        Some(Self { path: folder.join("tot").join(name), max_age, fresh: false })
    }
}

/// How old something is, in words: `3 days old`.
#[must_use]
pub fn age(seconds: u64) -> String {
    let count = |n: u64, unit: &str| if n == 1 { format!("1 {unit} old") } else { format!("{n} {unit}s old") };
    match seconds {
        0..60 => count(seconds, "second"),
        60..3_600 => count(seconds / 60, "minute"),
        3_600..86_400 => count(seconds / 3_600, "hour"),
        _ => count(seconds / 86_400, "day"),
    }
}

/// Milliseconds since 1970.
#[must_use]
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::age;

    #[test]
    fn ages_are_told_in_the_largest_unit() {
        assert_eq!(
            [age(1), age(59), age(60), age(7_300), age(86_399), age(3 * 86_400 + 5)].join(", "),
            "1 second old, 59 seconds old, 1 minute old, 2 hours old, 23 hours old, 3 days old"
        );
    }
}
