//! Where sessions are kept, and what was there lately.

use super::read::read;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A session in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    /// Its file.
    pub path: PathBuf,
    /// Its question.
    pub question: String,
    /// When it was last written, in seconds since 1970.
    pub when: u64,
    /// Its outcome, or that it goes on.
    pub outcome: String,
}

/// `$XDG_STATE_HOME/tot/sessions`, else `~/.local/state/tot/sessions`.
#[must_use]
pub fn sessions_folder() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
    let state = state.or_else(|| std::env::home_dir().map(|home| home.join(".local/state")))?;
    Some(state.join("tot/sessions"))
}

/// A name that no other session has: UTC time to the second and six letters.
#[must_use]
pub fn new_session_name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (date, time) = civil(now.as_secs());
    let random = crate::search::split_mix(u64::from(now.subsec_nanos()) ^ (u64::from(std::process::id()) << 32) ^ now.as_secs());
    format!("{date}-{time}-{:06x}", random & 0xff_ffff)
}

/// `20261129` and `193012` of seconds since 1970 (days to civil date after Howard Hinnant's algorithm).
fn civil(seconds: u64) -> (String, String) {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let z = days + 719_468;
    let era = z / 146_097;
    let doe = z % 146_097;
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + u64::from(month <= 2);
    (format!("{year:04}{month:02}{day:02}"), format!("{:02}{:02}{:02}", rest / 3600, rest / 60 % 60, rest % 60))
}

/// The sessions of `folder`, newest first, at most `limit`. Files that are no sessions are passed over.
#[must_use]
pub fn recent(folder: &Path, limit: usize) -> Vec<SessionInfo> {
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<(u64, PathBuf)> = files
        .filter_map(Result::ok)
        .filter(|f| f.path().extension().is_some_and(|e| e == "jsonl"))
        .filter_map(|f| {
            let changed = f.metadata().ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            Some((changed.as_secs(), f.path()))
        })
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    files.into_iter().take(limit).filter_map(|(when, path)| info(path, when)).collect()
}

/// What a session file says of itself.
fn info(path: PathBuf, when: u64) -> Option<SessionInfo> {
    let recording = read(&path).ok()?;
    let started = recording.state.started.as_ref()?;
    let summary = recording.state.summary();
    let outcome = match (summary.outcome, summary.answer_text) {
        (Some(outcome), Some(answer)) => format!("{}: {}", outcome.name().replace('_', " "), crate::text::one_line(&answer)),
        (Some(outcome), None) => outcome.name().replace('_', " "),
        (None, _) => format!("left after {} expansions", summary.expanded),
    };
    Some(SessionInfo { question: crate::text::one_line(&started.question), path, when, outcome })
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn dates_are_civil() {
        assert_eq!(civil(0), ("19700101".into(), "000000".into()));
        assert_eq!(civil(951_827_696), ("20000229".into(), "123456".into()));
        assert_eq!(civil(1_795_980_600), ("20261129".into(), "193000".into()));
    }
}
