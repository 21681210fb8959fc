//! The program, its files and folders, and the terminal.

use super::{Finding, Health};
use crate::config::Config;
use crate::kg::cache;
use crate::session::sessions_folder;
use crate::tui::theme::{Depth, Themes};
use std::io::IsTerminal;
use std::path::Path;

/// The smallest window in which every pane has room.
const ROOM: (u16, u16) = (80, 24);

pub(super) fn program() -> Finding {
    Finding::new("program", Health::Works, format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")))
}

/// The file of a configuration that could be read.
pub(super) fn configuration(config: &Config) -> Finding {
    let what = "configuration";
    match Config::path() {
        None => Finding::new(what, Health::Remark, "there is no home folder, so there is no file: set HOME or XDG_CONFIG_HOME to have one"),
        Some(path) if !path.exists() => Finding::new(what, Health::Works, format!("none at {}: everything is as usual", path.display())),
        Some(path) => {
            let kgs = config.kgs.len();
            let names = if kgs == 1 { "1 name for a graph".to_owned() } else { format!("{kgs} names for graphs") };
            Finding::new(what, Health::Works, format!("{}, {names}", path.display()))
        }
    }
}

pub(super) fn terminal() -> Finding {
    let get = |name: &str| std::env::var(name).ok();
    let what = "terminal";
    if !std::io::stdout().is_terminal() {
        return Finding::new(what, Health::Remark, "standard output is none, so the explorer can't be shown here; tot ask needs none");
    }
    let term = get("TERM").filter(|term| !term.is_empty());
    let colours = match Depth::of_environment(get) {
        Depth::None => "no colours",
        Depth::Sixteen => "16 colours",
        Depth::Indexed => "256 colours",
        Depth::True => "all colours",
    };
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(get).find(|value| !value.is_empty());
    let utf8 = locale.as_deref().is_some_and(is_utf8);
    let size = crossterm::terminal::size().ok();
    let mut remarks = Vec::new();
    match (&term, size) {
        (None, _) => remarks.push("TERM is not set: set it to what the terminal is, such as xterm-256color".to_owned()),
        (Some(term), _) if term == "dumb" => {
            remarks.push("TERM is `dumb`: the explorer talks in plain lines there, as with --plain".to_owned())
        }
        (_, Some((columns, rows))) if columns < ROOM.0 || rows < ROOM.1 => {
            remarks.push(format!("{} x {} or more has room for every pane", ROOM.0, ROOM.1));
        }
        _ => {}
    }
    if !utf8 {
        remarks
            .push("the locale does not say UTF-8: signs and names may be garbled; set LANG to one that does, such as C.UTF-8".to_owned());
    }
    let size = size.map_or_else(|| "size unknown".to_owned(), |(columns, rows)| format!("{columns} x {rows}"));
    let state = if remarks.is_empty() { Health::Works } else { Health::Remark };
    let facts =
        [term.unwrap_or_else(|| "of unknown kind".to_owned()), size, colours.to_owned(), locale.unwrap_or_else(|| "no locale".to_owned())];
    Finding::new(what, state, [vec![facts.join(", ")], remarks].concat().join("; "))
}

/// Whether a locale's name says that texts are UTF-8.
fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// Whether a file can be made in `folder`, which is made if it is not there.
fn writable(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let probe = folder.join(format!(".tot-doctor-{}", std::process::id()));
    std::fs::OpenOptions::new().write(true).create_new(true).open(&probe)?;
    std::fs::remove_file(&probe)
}

pub(super) fn sessions() -> Finding {
    let what = "sessions";
    let Some(folder) = sessions_folder() else {
        return Finding::new(
            what,
            Health::Fails,
            "there is no home folder, so nothing is recorded: set HOME or XDG_STATE_HOME, or give --session PATH",
        );
    };
    match writable(&folder) {
        Ok(()) => Finding::new(what, Health::Works, format!("recorded in {}", folder.display())),
        Err(error) => {
            let says =
                format!("{} can't be written ({error}): mend its rights, set XDG_STATE_HOME, or give --session PATH", folder.display());
            Finding::new(what, Health::Fails, says)
        }
    }
}

pub(super) fn cache() -> Finding {
    let what = "cache";
    let Some(settings) = cache::usual() else {
        return Finding::new(what, Health::Remark, "there is no home folder, so replies are not kept: set HOME or XDG_CACHE_HOME");
    };
    let path = &settings.path;
    let tried = path.parent().map_or(Ok(()), writable).map_err(anyhow::Error::from).and_then(|()| cache::list(path));
    match tried {
        Ok(kept) => {
            let replies: u64 = kept.iter().map(|kg| kg.replies).sum();
            Finding::new(what, Health::Works, format!("{}, {replies} replies of {} graphs (tot kg cache)", path.display(), kept.len()))
        }
        Err(error) => {
            let says =
                format!("{} can't be used, so replies are not kept ({error:#}): mend its rights, or set XDG_CACHE_HOME", path.display());
            Finding::new(what, Health::Remark, says)
        }
    }
}

/// Theme and prompts, where the configuration names some.
pub(super) fn looks(config: &Config) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(theme) = &config.theme {
        let (_, warnings) = Themes::new(Some(theme), Depth::True);
        let says = warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        findings.push(Finding::of(format!("theme {theme}"), if says.is_empty() { Ok("it can be read".to_owned()) } else { Err(says) }));
    }
    if let Some(folder) = &config.prompts {
        let what = "prompts";
        if folder.is_dir() {
            let read = crate::asm::Templates::load(config.profile.unwrap_or_default(), folder);
            let flaws = |flaws: crate::asm::Flaws| flaws.0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            findings.push(Finding::of(what, read.map(|_| folder.display().to_string()).map_err(flaws)));
        } else {
            findings.push(Finding::new(
                what,
                Health::Fails,
                format!("{} is no folder: mend `prompts` in the configuration", folder.display()),
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales_say_whether_they_are_utf8() {
        assert!(is_utf8("de_DE.UTF-8") && is_utf8("C.utf8"));
        assert!(!is_utf8("C") && !is_utf8("de_DE.ISO-8859-1"));
    }

    #[test]
    fn a_folder_is_made_and_left_as_it_was() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("a/b");
        writable(&folder).unwrap();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        std::fs::write(home.path().join("file"), "").unwrap();
        assert!(writable(&home.path().join("file/b")).is_err());
    }

    #[test]
    fn what_the_configuration_names_is_looked_at() {
        let home = tempfile::tempdir().unwrap();
        let bad = Config { theme: Some("no-such-theme".into()), prompts: Some(home.path().join("none")), ..Config::default() };
        assert!(looks(&bad).iter().all(|finding| finding.state == Health::Fails) && looks(&bad).len() == 2);
        let good = Config { theme: Some("light".into()), prompts: Some(home.path().into()), ..Config::default() };
        assert!(looks(&good).iter().all(|finding| finding.state == Health::Works));
        assert!(looks(&Config::default()).is_empty());
    }
}
