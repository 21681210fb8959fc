//! A session that another program writes, in the real program: it is looked at, with a sentence that says why.

use super::terminal::Terminal;
use tree_of_traversals::session::Journal;

#[test]
fn a_session_that_another_program_writes_opens_to_be_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shared.jsonl");
    let text = include_str!("../../assets/sessions/straight.jsonl");
    std::fs::write(&path, text).unwrap();
    let (writer, _) = Journal::reopen(&path).unwrap();
    let mut terminal = Terminal::open(&["resume", path.to_str().unwrap()]);
    terminal.wait_for("another tot writes this session");
    terminal.press_for("e", "this is a recorded session: fork it to go on");
    let (status, ..) = terminal.quit();
    assert_eq!(status, 0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    drop(writer);
    // Once it is free, it goes on.
    let mut terminal = Terminal::open(&["resume", path.to_str().unwrap()]);
    terminal.wait_until("the session, live", |screen| screen.contains("Michael Caine") && !screen.contains("another tot"));
    assert_eq!(terminal.quit().0, 0);
    assert_ne!(std::fs::read_to_string(&path).unwrap(), text, "that it was opened again is on record");
}
