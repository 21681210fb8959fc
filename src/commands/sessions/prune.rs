//! `tot sessions prune`: deletes sessions of the sessions folder.
//!
//! A fork is whole by itself (the entries before it are copied into it), so a session may go while forks of it stay.

use super::super::{Status, UsageError};
use super::{counted, folder, list, size};
use crate::session::{Listed, ReadErrorKind, delete, moment};
use crate::text::{cut, one_line};
use clap::Args;
use std::io::{BufRead, IsTerminal, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// `tot sessions prune`
#[derive(Args, Debug)]
pub struct PruneArgs {
    /// Only what was last written longer ago: 12h, 30d, 8w
    #[arg(long, value_name = "AGE", value_parser = age)]
    older_than: Option<Duration>,
    /// Keep the N newest
    #[arg(long, value_name = "N")]
    keep: Option<usize>,
    /// Only what has no answer
    #[arg(long)]
    without_answer: bool,
    /// Only say what would go
    #[arg(long)]
    dry_run: bool,
    /// Don't ask
    #[arg(long, short)]
    yes: bool,
}

fn age(text: &str) -> Result<Duration, String> {
    let wrong = || "a whole number of hours, days or weeks: 12h, 30d, 8w".to_owned();
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?);
    let seconds = match unit {
        "h" => 3_600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return Err(wrong()),
    };
    number.parse::<u64>().ok().and_then(|n| n.checked_mul(seconds)).map(Duration::from_secs).ok_or_else(wrong)
}

/// Deletes what fits.
///
/// # Errors
/// Nothing says what is to go; nobody can be asked; a folder that can't be read.
pub fn run(args: &PruneArgs) -> anyhow::Result<Status> {
    if args.older_than.is_none() && args.keep.is_none() && !args.without_answer {
        let why = "say what is to go: --older-than 30d, --keep 50, --without-answer; given together, all must fit (--dry-run only tells)";
        return Err(UsageError::of(why).into());
    }
    let folder = folder()?;
    let all = list::read(&folder)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let mut out = std::io::stdout().lock();
    let (mut goes, mut stays) = (Vec::new(), Vec::new());
    let mut readable = 0;
    for listed in &all {
        let newer = readable;
        readable += usize::from(listed.what.is_ok());
        match keeps(args, listed, newer, now) {
            None => goes.push(listed),
            Some(why) => stays.push((listed, why)),
        }
    }
    let verb = if args.dry_run { "would go" } else { "goes" };
    for listed in &goes {
        writeln!(out, "{verb}   {}", told(listed, &all))?;
    }
    // What only does not fit is the ordinary case: it is counted. What fits and stays all the same is named.
    let (ordinary, named): (Vec<_>, Vec<_>) = stays.into_iter().partition(|(_, why)| why.is_ordinary());
    for (listed, why) in &named {
        writeln!(out, "stays  {}: {}", one_line(&listed.name), why.words())?;
    }
    for why in [Why::Young, Why::Kept, Why::Answered] {
        let n = ordinary.iter().filter(|(_, w)| *w == why).count();
        if n > 0 {
            writeln!(out, "stays  {}: {}", counted(n, "session"), why.words())?;
        }
    }
    let bytes = goes.iter().map(|l| l.bytes).sum();
    if args.dry_run || goes.is_empty() {
        writeln!(out, "{} of {} {}, {}", goes.len(), all.len(), if args.dry_run { "would go" } else { "go" }, size(bytes))?;
        return Ok(Status::Ok);
    }
    out.flush()?;
    if !args.yes && !agreed(goes.len(), bytes)? {
        writeln!(out, "nothing was deleted")?;
        return Ok(Status::Ok);
    }
    let (mut gone, mut freed, mut status) = (0, 0, Status::Ok);
    for listed in goes {
        match delete(&listed.path) {
            Ok(()) => (gone, freed) = (gone + 1, freed + listed.bytes),
            Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => {
                writeln!(out, "stays  {}: {}", one_line(&listed.name), Why::Running.words())?;
            }
            Err(e) => {
                status = Status::Error;
                writeln!(std::io::stderr(), "tot: {}: {e}", one_line(&listed.path.display().to_string()))?;
            }
        }
    }
    writeln!(out, "{} deleted, {}", counted(gone, "session"), size(freed))?;
    Ok(status)
}

/// Why a session stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    Young,
    Kept,
    Answered,
    Running,
    Newer,
    NoSession,
    Unreadable,
}

impl Why {
    const fn words(self) -> &'static str {
        match self {
            Self::Young => "written since then",
            Self::Kept => "among the newest",
            Self::Answered => "answered",
            Self::Running => "another tot writes it now",
            Self::Newer => "a newer tot wrote it: let that one judge it",
            Self::NoSession => "it is no session, or an empty one: not touched",
            Self::Unreadable => "it can't be read whole: look at it, and delete it by hand",
        }
    }

    const fn is_ordinary(self) -> bool {
        matches!(self, Self::Young | Self::Kept | Self::Answered)
    }
}

/// Why a session stays; `None`: it goes. `newer`: how many sessions were written after it.
fn keeps(args: &PruneArgs, listed: &Listed, newer: usize, now: u64) -> Option<Why> {
    let about = match &listed.what {
        Ok(about) => about,
        Err((ReadErrorKind::Newer, _)) => return Some(Why::Newer),
        Err((ReadErrorKind::NoSession, _)) => return Some(Why::NoSession),
        Err(_) => return Some(Why::Unreadable),
    };
    if args.older_than.is_some_and(|age| now.saturating_sub(listed.when) < age.as_secs()) {
        return Some(Why::Young);
    }
    if args.keep.is_some_and(|keep| newer < keep) {
        return Some(Why::Kept);
    }
    if args.without_answer && about.outcome.is_some() && about.answer.is_some() {
        return Some(Why::Answered);
    }
    listed.running.then_some(Why::Running)
}

fn told(listed: &Listed, all: &[Listed]) -> String {
    let about = listed.what.as_ref().ok();
    let question = about.map_or(String::new(), |a| cut(&one_line(&a.question), 60).into_owned());
    let end = about.map_or(String::new(), |a| cut(&a.end(), 60).into_owned());
    let is_fork = |l: &&Listed| {
        l.what.as_ref().is_ok_and(|a| a.parent.as_ref().is_some_and(|(parent, _)| about.is_some_and(|own| own.session == *parent)))
    };
    let forks = all.iter().filter(is_fork).count();
    let forks = match forks {
        0 => String::new(),
        1 => "  (its 1 fork is whole without it)".to_owned(),
        n => format!("  (its {n} forks are whole without it)"),
    };
    format!("{}  {}  {}  {end}  {question}{forks}", one_line(&listed.name), moment(listed.when), size(listed.bytes))
}

/// Asks the person.
fn agreed(sessions: usize, bytes: u64) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(UsageError::of("nothing was deleted: there is no terminal to ask on; --yes deletes without asking").into());
    }
    write!(std::io::stderr(), "delete {} ({})? [y/N] ", counted(sessions, "session"), size(bytes))?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_whole_numbers_with_a_unit() {
        assert_eq!(age("30d"), Ok(Duration::from_secs(30 * 86_400)));
        assert_eq!(age("12h"), Ok(Duration::from_secs(12 * 3_600)));
        assert_eq!(age("0d"), Ok(Duration::ZERO));
        for wrong in ["30", "d", "", "-1d", "1.5d", "30 d", "30days", "99999999999999999999d"] {
            assert!(age(wrong).is_err(), "{wrong}");
        }
    }
}
