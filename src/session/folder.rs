//! Where sessions are kept, and what is there.

use super::journal::{ForkNote, Header, is_running};
use super::read::{self, ReadError, ReadErrorKind, next_line, read};
use crate::asm::Action;
use crate::search::{Entry, Event, NodeId, OutcomeKind, Seq, State};
use crate::text::one_line;
use std::collections::HashSet;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A file of the sessions folder, as `tot sessions list` shows it.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its file.
    pub path: PathBuf,
    /// The name that commands take: that of the file without its ending.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was last written, in seconds since 1970.
    pub when: u64,
    /// Whether a program writes it now.
    pub running: bool,
    /// What it says of itself, or why it can't be read.
    pub what: Result<About, (ReadErrorKind, String)>,
}

/// What a session says of itself. Texts are as they stand in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Its name, by which forks call it.
    pub session: String,
    /// The session that it was forked from, and how many of its entries were copied.
    pub parent: Option<(String, Seq)>,
    /// Why it was forked, and the answer that is expected.
    pub fork: ForkNote,
    /// Its question.
    pub question: String,
    /// Its model.
    pub model: String,
    /// How it ended; `None`: it has not.
    pub outcome: Option<OutcomeKind>,
    /// Its answer.
    pub answer: Option<String>,
    /// Why it stands still, if it does.
    pub halted: Option<String>,
    /// Expansions; not counted for large files.
    pub expanded: Option<u32>,
    /// Whether its last line is not whole.
    pub torn: bool,
}

impl About {
    fn of(header: Header, state: &State, torn: bool) -> Option<Self> {
        let started = state.started.as_deref()?;
        let finished = state.finished.as_deref().map(|(end, _)| end);
        let answer = finished.and_then(|end| end.answer).and_then(|id| state.node(id));
        let answer = answer.and_then(|node| if let Action::Answer { text, .. } = &node.action { Some(text.clone()) } else { None });
        Some(Self {
            session: header.session,
            parent: header.parent,
            fork: header.fork,
            question: started.question.clone(),
            model: started.model.clone(),
            outcome: finished.map(|end| end.outcome),
            answer,
            halted: state.halted.as_ref().map(|halt| halt.why.clone()),
            expanded: Some(state.expansions()),
            torn,
        })
    }

    /// How it ended, in a few words.
    #[must_use]
    pub fn end(&self) -> String {
        match (self.outcome, &self.answer, self.expanded) {
            (Some(outcome), Some(answer), _) => format!("{}: {}", outcome.name().replace('_', " "), one_line(answer)),
            (Some(outcome), None, _) => outcome.name().replace('_', " "),
            (None, _, Some(expanded)) => format!("left after {expanded} expansions"),
            (None, _, None) => "left before its end".to_owned(),
        }
    }
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

/// The session files of `folder` by name, newest first: when each was written, and its size.
fn files(folder: &Path) -> std::io::Result<Vec<(u64, PathBuf, u64)>> {
    let mut files: Vec<(u64, PathBuf, u64)> = std::fs::read_dir(folder)?
        .filter_map(Result::ok)
        .filter(|f| f.path().extension().is_some_and(|e| e == "jsonl"))
        .filter_map(|f| file(&f.path()))
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    Ok(files)
}

/// A file, with when it was written and its size; nothing else than a file is one.
fn file(path: &Path) -> Option<(u64, PathBuf, u64)> {
    let about = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some((about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_secs(), path.to_owned(), about.len()))
}

/// The sessions of `folder`, newest first, at most `limit` and, beyond them, those that these were forked from. Files that are no
/// sessions are passed over.
#[must_use]
pub fn recent(folder: &Path, limit: usize) -> Vec<Listed> {
    let files = files(folder).unwrap_or_default();
    let (newest, older) = files.split_at(limit.min(files.len()));
    let readable = |file: &(u64, PathBuf, u64)| Some(listed(file, Depth::Ends)).filter(|l| l.what.is_ok());
    let mut found: Vec<Listed> = newest.iter().filter_map(readable).collect();
    let mut at = 0;
    while at < found.len() && found.len() < 2 * limit {
        let parent = found[at].what.as_ref().ok().and_then(|about| about.parent.as_ref()).map(|(parent, _)| parent);
        let file = parent.and_then(|parent| older.iter().find(|(_, path, _)| path.file_stem().is_some_and(|stem| *stem == **parent)));
        let more = file.filter(|(_, path, _)| found.iter().all(|l| l.path != *path)).and_then(readable);
        found.extend(more);
        at += 1;
    }
    found
}

/// What a session can be compared with: the others of the folder that it stands in, those of the usual folder, and the file that it
/// was forked from, each once, newest first. A folder that can't be read has none.
#[must_use]
pub fn beside(session: Option<&Path>, parent: Option<&Path>) -> Vec<Listed> {
    // The folder of a bare file name is the one that the program runs in.
    let own = session
        .filter(|path| path.exists())
        .and_then(Path::parent)
        .map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let mut found: Vec<Listed> = Vec::new();
    let mut seen: HashSet<PathBuf> = session.and_then(|path| path.canonicalize().ok()).into_iter().collect();
    let folders = [own.map(Path::to_owned), sessions_folder()].into_iter().flatten();
    let there = folders.flat_map(|folder| list(&folder).unwrap_or_default());
    found.extend(there.filter(|listed| listed.path.canonicalize().is_ok_and(|path| seen.insert(path))));
    let parent = parent.filter(|path| path.canonicalize().is_ok_and(|path| seen.insert(path)));
    found.extend(parent.and_then(file).map(|file| listed(&file, Depth::Answer)));
    found.sort_by(|a, b| (b.when, &b.path).cmp(&(a.when, &a.path)));
    found
}

/// The file of a session: a path, or a name in the sessions folder.
#[must_use]
pub fn session_path(session: &str) -> PathBuf {
    let path = PathBuf::from(session);
    if path.exists() || session.contains('/') {
        return path;
    }
    let named = sessions_folder().map(|f| f.join(format!("{session}.jsonl"))).filter(|p| p.exists());
    named.unwrap_or(path)
}

/// What is listed of a file.
fn listed((when, path, bytes): &(u64, PathBuf, u64), depth: Depth) -> Listed {
    let what = about(path, *bytes, depth).map_err(|e| (e.kind(), e.to_string()));
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Listed { name, bytes: *bytes, when: *when, running: is_running(path), what, path: path.clone() }
}

/// Everything in `folder` that is named like a session, newest first; what can't be read is there, too.
///
/// # Errors
/// The folder can't be read.
pub fn list(folder: &Path) -> std::io::Result<Vec<Listed>> {
    let files = files(folder)?;
    // Reading takes its time where there are thousands: each core takes a share.
    let share = files.len().div_ceil(std::thread::available_parallelism().map_or(1, std::num::NonZero::get)).max(16);
    Ok(std::thread::scope(|scope| {
        let shares: Vec<_> = files
            .chunks(share)
            .map(|some| scope.spawn(move || some.iter().map(|file| listed(file, Depth::Answer)).collect::<Vec<_>>()))
            .collect();
        shares.into_iter().flat_map(|share| share.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    }))
}

/// Sessions up to this size are read whole for a list; of larger ones only what is needed.
const SMALL: u64 = 1 << 20;

/// Bytes of the end that are looked at.
const TAIL: i64 = 1 << 17;

/// How far a large file is looked into.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// Its two ends: the start page must not keep anybody waiting.
    Ends,
    /// Also for the answer, which stands where its node was made.
    Answer,
}

/// What a session file of so many bytes says of itself.
fn about(path: &Path, bytes: u64, depth: Depth) -> Result<About, ReadError> {
    let empty = || ReadError::of(ReadErrorKind::NoSession, path, "the session is empty");
    if bytes > SMALL {
        return ends(path, depth)?.ok_or_else(empty);
    }
    let recording = read(path)?;
    About::of(recording.header, &recording.state, recording.torn.is_some()).ok_or_else(empty)
}

/// What a large session file says at its two ends.
fn ends(path: &Path, depth: Depth) -> Result<Option<About>, ReadError> {
    let disk = |e: std::io::Error| ReadError::io(path, &e);
    let mut file = BufReader::new(read::open(path)?);
    let mut line = Vec::new();
    next_line(path, &mut file, 1, &mut line)?;
    let header = read::header(path, &line)?;
    next_line(path, &mut file, 2, &mut line)?;
    let mut state = State::default();
    let begun = serde_json::from_slice::<Entry>(&line).ok().and_then(|first| state.apply(&first).ok());
    let mut tail = Vec::new();
    file.seek(SeekFrom::End(-TAIL)).map_err(disk)?;
    file.read_to_end(&mut tail).map_err(disk)?;
    let torn = tail.last() != Some(&b'\n');
    let tail = String::from_utf8_lossy(&tail);
    let entries = tail.lines().rev().filter_map(|l| serde_json::from_str::<Entry>(l).ok());
    // Opening a session does not end its halt, nor does dropping calls.
    let mut entries = entries.skip_while(|entry| matches!(entry.ev, Event::Resumed { .. } | Event::Dropped { .. })).peekable();
    let halted = if let Some(Entry { ev: Event::Halted(halt), .. }) = entries.peek() { Some(halt.why.clone()) } else { None };
    let end = entries.find_map(|entry| if let Event::Finished(end) = entry.ev { Some(end) } else { None });
    let Some(mut about) = begun.and_then(|()| About::of(header, &state, torn)) else { return Ok(None) };
    about.outcome = end.as_ref().map(|end| end.outcome);
    (about.expanded, about.halted) = (None, halted);
    if let Some(node) = end.and_then(|end| end.answer).filter(|_| depth == Depth::Answer) {
        about.answer = answer_of(path, node)?;
    }
    Ok(Some(about))
}

/// The text of an answer's node: only the lines on which the tree grew are read.
fn answer_of(path: &Path, node: NodeId) -> Result<Option<String>, ReadError> {
    let (mut file, mut line, mut nodes) = (BufReader::with_capacity(1 << 18, read::open(path)?), Vec::new(), 0);
    for number in 1.. {
        next_line(path, &mut file, number, &mut line)?;
        if line.is_empty() {
            break;
        }
        // The kind of event stands near the beginning of its line.
        let start = &line[..line.len().min(160)];
        if !start.windows(6).any(|six| six == b"\"grew\"") {
            continue;
        }
        let Ok(Entry { ev: Event::Grew { children, .. }, .. }) = serde_json::from_slice(&line) else { continue };
        for child in children.into_iter().filter(|child| child.merged.is_none()) {
            if nodes == node.0 {
                return Ok(if let Action::Answer { text, .. } = child.action { Some(text) } else { None });
            }
            nodes += 1;
        }
    }
    Ok(None)
}

/// A moment (seconds since 1970) as `2026-11-30 07:05:10`, UTC.
#[must_use]
pub fn moment(seconds: u64) -> String {
    let (d, t) = civil(seconds);
    format!("{}-{}-{} {}:{}:{}", &d[..d.len() - 4], &d[d.len() - 4..d.len() - 2], &d[d.len() - 2..], &t[..2], &t[2..4], &t[4..])
}

#[cfg(test)]
mod tests {
    use super::{Depth, beside, civil, ends, list, moment, recent};
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
        let about = found[0].what.as_ref().unwrap();
        assert_eq!((&*about.question, &*about.end()), (shipped()[0].question, "answered: Michael Caine"));
        // A file that is as large as its tail is read from its end in the same way.
        let mut large = text.clone();
        let pad = large.lines().nth(2).unwrap().to_owned();
        let at = large.find(&pad).unwrap();
        large.insert_str(at, &format!("{}\n", " ".repeat(1 << 18)));
        std::fs::write(&path, &large).unwrap();
        let about = ends(&path, Depth::Ends).unwrap().unwrap();
        assert_eq!((&*about.question, &*about.end()), (shipped()[0].question, "answered"));
        assert_eq!(ends(&path, Depth::Answer).unwrap().unwrap().end(), "answered: Michael Caine");
        // What is no session is listed with the reason.
        std::fs::write(&path, &text).unwrap();
        let listed = list(folder.path()).unwrap();
        assert_eq!((listed.len(), listed.iter().filter(|l| l.what.is_ok()).count()), (2, 1));
    }

    #[test]
    fn what_a_session_is_compared_with_is_listed_once_and_without_itself() {
        let (here, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let text = include_str!("../../assets/sessions/straight.jsonl");
        let put = |path: std::path::PathBuf| std::fs::write(&path, text).map(|()| path).unwrap();
        let (own, twin) = (put(here.path().join("own.jsonl")), put(here.path().join("twin.jsonl")));
        let parent = put(elsewhere.path().join("parent.jsonl"));
        let paths = |parent: Option<&std::path::Path>| -> Vec<std::path::PathBuf> {
            let found = beside(Some(&own), parent).into_iter().map(|listed| listed.path.canonicalize().unwrap());
            found.filter(|path| path.starts_with(here.path()) || path.starts_with(elsewhere.path())).collect()
        };
        assert_eq!(paths(None), vec![twin.clone()]);
        let mut both = paths(Some(&parent));
        both.sort();
        let mut expected = [parent, twin.clone()];
        expected.sort();
        assert_eq!(both, expected);
        assert_eq!(paths(Some(&twin)), vec![twin.clone()], "each once");
        assert_eq!(paths(Some(&own)), [twin], "never itself");
    }

    #[test]
    fn dates_are_civil() {
        assert_eq!(civil(0), ("19700101".into(), "000000".into()));
        assert_eq!(civil(951_827_696), ("20000229".into(), "123456".into()));
        assert_eq!(civil(1_795_980_600), ("20261129".into(), "193000".into()));
        assert_eq!(moment(951_827_696), "2000-02-29 12:34:56");
    }
}
