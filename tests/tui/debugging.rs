//! The debugger in the real program: breakpoints, phases, samples that wait, corrected facts, and all of it again after a resume.

use super::terminal::{TOT, Terminal};

const QUESTION: &str = "Which actor played in both Inception and Interstellar?";
const BALLPARK: &str = "What is the name of the spring training ballpark of the team whose mascot is the Phillie Phanatic?";

fn halts(terminal: &Terminal) -> usize {
    terminal.count("halted")
}

#[test]
fn breakpoints_of_the_command_line_and_of_the_list_stop_it_and_are_counted() {
    let mut terminal = Terminal::open(&[QUESTION, "--pace", "0", "--break", "expansion 2"]);
    terminal.wait_for("● breakpoint");
    terminal.wait_for("expansion 2 is about to begin");
    assert_eq!(halts(&terminal), 1);
    terminal.press_for("B", "stands still for you when");
    terminal.wait_for("hit once");
    // One more from the forms, written over.
    terminal.press_for("a", "condition:");
    terminal.press_for("value>2\r", "is no value");
    terminal.press("\x7f\x7f\x7f\x7f\x7f\x7f\x7frelation P161\r");
    terminal.wait_for("● relation P161");
    // The first is switched off.
    terminal.press_for("g ", "○ expansion 2");
    terminal.press("\x1b");
    terminal.wait_until("the list is gone", |screen| !screen.contains("stands still for you when"));
    terminal.press(" ");
    terminal.wait_for("relation P161 was chosen");
    assert_eq!(halts(&terminal), 2);
    // It was hit where the choice was read, before anything came of it.
    let journal = terminal.journal();
    let at = journal.iter().position(|entry| entry["ev"]["halted"]["why"].as_str().is_some_and(|why| why.contains("P161"))).unwrap();
    assert!(journal[at - 1]["ev"].get("read").is_some(), "{}", journal[at - 1]);
    terminal.press_for("B", "hit once");
    // Escape and the next key, together, would be another key.
    terminal.press("\x1b");
    terminal.wait_until("the list is gone", |screen| !screen.contains("stands still for you when"));
    let (status, ..) = terminal.quit();
    assert_eq!(status, 0);
}

#[test]
fn step_by_phase_says_what_comes_next_and_does_it() {
    let mut terminal = Terminal::open(&[QUESTION, "--pace", "0", "--break", "expansion 1"]);
    terminal.wait_for("● breakpoint");
    terminal.wait_for("Next: build prompt");
    let asked = terminal.count("asked");
    terminal.press_for("S", "Next: sample");
    assert_eq!(terminal.count("asked"), asked + 1, "the prompt is built");
    let replied = terminal.count("replied");
    terminal.press_for("S", "Next: parse");
    assert!(terminal.count("replied") > replied, "and then asked");
    terminal.press_for("S", "Next: transition");
    terminal.press_for("S", "Next: build");
    terminal.press(" ");
    terminal.wait_for("✔ Michael Caine (1.00)");
    terminal.quit();
}

#[test]
fn samples_wait_are_dropped_and_replaced_and_the_model_is_told_why() {
    let mut terminal = Terminal::open(&[QUESTION, "--pace", "0", "--break", "expansion 1"]);
    terminal.wait_for("● breakpoint");
    terminal.press("i");
    terminal.press_for(" ", "Before it is applied: node 0");
    terminal.wait_for("✎ waiting for you");
    // Hidden and opened again: it still waits.
    terminal.press("\x1b");
    terminal.wait_until("it is hidden", |screen| !screen.contains("Before it is applied") && screen.contains("`i` opens them"));
    terminal.press_for("i", "Before it is applied: node 0");
    terminal.press_for(" ", "[ ]");
    terminal.press_for("a", "choice:");
    terminal.press_for("nonsense\r", "write THINK");
    terminal.press(&"\x7f".repeat(8));
    terminal.press_for("THINK: look at the casts\r", "yours");
    terminal.press_for("n", "the model reads:");
    terminal.press("the cast lists are whole\r");
    terminal.press("\r");
    terminal.wait_until("the thought", |screen| screen.lines().any(|line| line.contains("look at the casts") && line.contains('✎')));
    let read = terminal.journal().into_iter().rfind(|entry| entry["ev"]["read"]["note"] == "the cast lists are whole").unwrap();
    assert_eq!(read["by"], "you");
    // Asked no more: what is held next is applied as it was read.
    terminal.wait_for("Before it is applied");
    terminal.press("i");
    terminal.wait_until("an end", |screen| screen.contains('✔') || screen.contains("no answer") || screen.contains("best effort"));
    let check = terminal.tot(&["replay", &terminal.sessions()[0], "--check"]);
    assert!(check.contains("all as recorded"), "{check}");
    terminal.quit();
}

#[test]
fn the_outdated_name_is_corrected_undone_and_still_there_after_a_resume() {
    let mut terminal = Terminal::open(&[BALLPARK, "--pace", "0"]);
    terminal.wait_for("✔ Bright House Field");
    terminal.press_for("2jjw", "What is wrong with this fact?");
    terminal.wait_for("Bright House Field is called otherwise");
    terminal.press_for("\r", "Another label");
    terminal.press(&"\x7f".repeat(18));
    terminal.press_for("BayCare Ballpark\r", "Why?");
    terminal.press_for("renamed in 2018\r", "is asked again?");
    // What the answer was made of is checked already.
    terminal.wait_for("[x]");
    terminal.press("\r");
    terminal.wait_for("✔ BayCare Ballpark");
    // Every view of the graph says what was changed; the tree calls things by their new name.
    terminal.press_for(".", "✎ home venue");
    terminal.press_for(",,", "# changed by you (the model does not read these lines)");
    terminal.wait_for("renamed in 2018");
    terminal.wait_until("the new name", |screen| screen.contains("BayCare Ballpark") && !screen.contains("◇ Bright House"));
    terminal.press(".");
    let session = terminal.sessions()[0].clone();
    let show = terminal.tot(&["show", &session]);
    assert!(show.contains("BayCare Ballpark  (demo, Q650840 P115; other label by you: renamed in 2018)"), "{show}");
    let check = terminal.tot(&["replay", &session, "--check"]);
    assert!(check.contains("all as recorded"), "{check}");
    let patch = terminal.tot(&["export", &session, "--to", "corrections"]);
    assert!(
        patch.contains("A <local:spring-training-park> <http://www.w3.org/2000/01/rdf-schema#label> \"BayCare Ballpark\"@en ."),
        "{patch}"
    );
    terminal.press("q");
    let (home, status) = terminal.leave();
    assert_eq!(status, 0);
    let mut terminal = Terminal::at_home(TOT, home, &["resume", &session, "--pace", "0"], &[]);
    terminal.wait_for("✔ BayCare Ballpark");
    terminal.press_for("uuuuuu", "nothing to undo");
    terminal.quit();
}

#[test]
fn a_fork_with_the_expected_answer_is_compared_with_its_parent_and_judged() {
    let mut terminal = Terminal::open(&[BALLPARK, "--pace", "0"]);
    terminal.wait_for("✔ Bright House Field");
    terminal.press_for("f", "Fork after event");
    terminal.press("an outdated name?\tBayCare Ballpark");
    terminal.press_for("\r", "paused");
    terminal.wait_until("the form is gone", |screen| !screen.contains("Fork after event"));
    terminal.press_for("2jjw", "What is wrong with this fact?");
    terminal.press_for("\r", "Another label");
    terminal.press(&"\x7f".repeat(18));
    terminal.press_for("BayCare Ballpark\r", "Why?");
    terminal.press_for("\r", "is asked again?");
    terminal.wait_for("[x]");
    terminal.press("\r");
    terminal.wait_until("the form is gone", |screen| !screen.contains("is asked again?"));
    // A fork starts paused; until the acts have arrived its end stands, and there is nothing to go on with.
    terminal.wait_for("paused");
    terminal.press(" ");
    terminal.wait_for("✔ BayCare Ballpark");
    terminal.press_for("C", "parent: ");
    terminal.press_for("\r", "verdict: B is better: B has the expected answer (BayCare Ballpark), A has not (Bright House Field)");
    terminal.wait_for("forked because: an outdated name?");
    terminal.wait_for("B goes on where A stops");
    // To the first node that is not in both, and there in the tree.
    terminal.press_for("n", "≠");
    terminal.press("\r");
    terminal.wait_until("the comparison is gone", |screen| !screen.contains("side by side"));
    let mut sessions = terminal.sessions();
    sessions.sort_by_key(|session| std::fs::read_to_string(session).unwrap().lines().next().unwrap().contains("parent"));
    // A session that stands elsewhere is named by its path; a wrong one can be mended.
    terminal.press_for("C", "a session that stands elsewhere");
    terminal.press_for("G\r", "the path of a session file");
    terminal.press_for("no/such.jsonl\r", "no/such.jsonl: ");
    terminal.press(&"\x7f".repeat(13));
    terminal.press_for(&format!("{}\r", sessions[0]), "verdict: B is better");
    terminal.press("\x1b");
    terminal.wait_until("the comparison is gone", |screen| !screen.contains("side by side"));
    let diff = terminal.tot(&["diff", &sessions[0], &sessions[1]]);
    assert!(diff.contains("verdict: B is better") && diff.contains("its recording saved"), "{diff}");
    terminal.press("q");
    let (home, status) = terminal.leave();
    assert_eq!(status, 0);
    // The start page has the family.
    let mut terminal = Terminal::at_home(TOT, home, &[], &[]);
    terminal.wait_for("└ an outdated name?");
    terminal.press("\x03");
    assert_eq!(terminal.leave().1, 0);
}

#[test]
fn rules_and_pins_are_set_listed_switched_and_taken_back() {
    let mut terminal = Terminal::open(&[QUESTION, "--pace", "0", "--break", "state relation", "--rule", "forbid relation P161"]);
    terminal.wait_for("● breakpoint");
    terminal.press_for("!", "● forbid relation P161");
    // A proposal from the choice that is selected: the entity, below this node.
    terminal.press_for("a", "rule:");
    terminal.press_for("allow it\r", "is no rule");
    terminal.press(&"\x7f".repeat(8));
    terminal.press_for("forbid relation P57\r", "● forbid relation P57");
    terminal.press_for("g ", "○ forbid relation P161");
    terminal.press("\x1b");
    terminal.wait_until("the list is gone", |screen| !screen.contains("What must be chosen"));
    // The node that is next is pinned, and unpinned.
    terminal.press_for("'p", "⚑");
    terminal.press("p");
    terminal.wait_until("the pin is gone", |screen| !screen.contains('⚑'));
    // A breakpoint on it says so, and is marked.
    terminal.press_for("b", "● stands still before");
    terminal.wait_for("└ ● ∴ think");
    terminal.press_for("b", "is off");
    terminal.wait_until("the mark is gone", |screen| !screen.contains("└ ● ∴ think"));
    terminal.press_for("B", "stands still for you when");
    terminal.press_for("g ", "○ state relation");
    terminal.press("\x1b");
    terminal.wait_until("the list is gone", |screen| !screen.contains("stands still for you when"));
    terminal.press(" ");
    terminal.wait_for("✔ Michael Caine (1.00)");
    let session = terminal.sessions()[0].clone();
    let check = terminal.tot(&["replay", &session, "--check"]);
    assert!(check.contains("all as recorded"), "{check}");
    terminal.quit();
}
