//! Where sessions are kept, and what was there lately.

use super::read::read;
use crate::search::{Entry, Event};
use crate::text::one_line;
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

/// Sessions up to this size are read whole for the list; of larger ones only the ends are.
const SMALL: u64 = 1 << 20;

/// Bytes of the end that are looked at.
const TAIL: i64 = 1 << 17;

/// What a large session file says at its two ends: reading it whole would keep the start page waiting.
fn ends(path: &Path) -> Option<(String, String)> {
    use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
    let mut file = BufReader::new(std::fs::File::open(path).ok()?);
    let mut line = String::new();
    file.by_ref().take(SMALL).read_line(&mut line).ok()?;
    line.clear();
    file.by_ref().take(SMALL).read_line(&mut line).ok()?;
    let first: Entry = serde_json::from_str(&line).ok()?;
    let Event::Started(started) = first.ev else { return None };
    let mut tail = Vec::new();
    file.seek(SeekFrom::End(-TAIL)).ok()?;
    file.read_to_end(&mut tail).ok()?;
    let tail = String::from_utf8_lossy(&tail);
    let entries = tail.lines().rev().filter_map(|l| serde_json::from_str::<Entry>(l).ok());
    let end = entries.into_iter().find_map(|e| if let Event::Finished(end) = e.ev { Some(end) } else { None });
    let outcome = end.map_or_else(|| "left before its end".to_owned(), |end| end.outcome.name().replace('_', " "));
    Some((one_line(&started.question), outcome))
}

/// What a session file says of itself.
fn info(path: PathBuf, when: u64) -> Option<SessionInfo> {
    if path.metadata().ok()?.len() > SMALL {
        let (question, outcome) = ends(&path)?;
        return Some(SessionInfo { path, question, when, outcome });
    }
    let recording = read(&path).ok()?;
    let started = recording.state.started.as_ref()?;
    let summary = recording.state.summary();
    let outcome = match (summary.outcome, summary.answer_text) {
        (Some(outcome), Some(answer)) => format!("{}: {}", outcome.name().replace('_', " "), one_line(&answer)),
        (Some(outcome), None) => outcome.name().replace('_', " "),
        (None, _) => format!("left after {} expansions", summary.expanded),
    };
    Some(SessionInfo { question: one_line(&started.question), path, when, outcome })
}

#[cfg(test)]
mod tests {
    use super::{civil, ends, recent};
    use crate::session::shipped;

    #[test]
    fn small_sessions_and_the_ends_of_large_ones_tell_their_question_and_outcome() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let text = include_str!("../../assets/sessions/straight.jsonl").to_owned();
        std::fs::write(&path, &text).unwrap();
        std::fs::write(folder.path().join("no-session.jsonl"), "{}").unwrap();
        let found = recent(folder.path(), 5);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].question, shipped()[0].question);
        assert_eq!(found[0].outcome, "answered: Michael Caine");
        // A file that is as large as its tail is read from its end in the same way.
        let mut large = text.clone();
        let pad = large.lines().nth(2).unwrap().to_owned();
        let at = large.find(&pad).unwrap();
        large.insert_str(at, &format!("{}\n", " ".repeat(1 << 18)));
        std::fs::write(&path, &large).unwrap();
        assert_eq!(ends(&path), Some((shipped()[0].question.to_owned(), "answered".to_owned())));
    }

    #[test]
    fn dates_are_civil() {
        assert_eq!(civil(0), ("19700101".into(), "000000".into()));
        assert_eq!(civil(951_827_696), ("20000229".into(), "123456".into()));
        assert_eq!(civil(1_795_980_600), ("20261129".into(), "193000".into()));
    }
}
