//! What a typed line means: a command of the one table or a word of the dialogue's own, by name, by the beginning of a
//! name, by words in it, or by the explorer's key; the rest of the line is its argument.

use crate::tui::command::{Control, KeyMap};
use crate::tui::views::inspector::Tab;

/// What can be typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// A command of the table.
    Control(Control),
    /// A tab of the inspector.
    Tab(Tab),
    /// Select a node.
    Go,
    /// Ask a question.
    Ask,
    /// Go on with a session of the list.
    Resume,
    /// Questions, models and sessions to pick from.
    Start,
    /// Look at the state after an event.
    At,
    /// Set a breakpoint by a condition.
    Breakpoint,
    /// Where things stand.
    Status,
    /// Take the next line when the search rests.
    Wait,
    /// There is no question to leave.
    Cancel,
}

/// Words besides the table: name, meaning, help.
pub const OWN: [(&str, Word, &str); 22] = [
    ("go", Word::Go, "select a node by its number: go 12, or 12 alone"),
    ("tree", Word::Control(Control::Pane1), "the search tree, a line a node; tree 3: what is below node 3"),
    ("graph", Word::Control(Control::Pane2), "the local graph of the selected node, a line a fact; graph text: as the model reads it"),
    ("prompt", Word::Tab(Tab::Prompt), "the prompts of the selected node, as sent; a plus sign begins what is new"),
    ("samples", Word::Tab(Tab::Samples), "what the model replied there, votes, and what was rejected"),
    ("value", Word::Tab(Tab::Value), "its value and what the model said for it"),
    ("calls", Word::Tab(Tab::Calls), "what the KGs were asked for it"),
    ("why", Word::Tab(Tab::Why), "why this node, why not, what comes next, why the search ended"),
    ("trajectory", Word::Tab(Tab::Trajectory), "the walk from the question to it"),
    ("fact", Word::Control(Control::Details), "all ids of a fact of its graph, and where it comes from: fact 3"),
    ("evidence", Word::Tab(Tab::Evidence), "the facts that an answer rests on"),
    ("status", Word::Status, "the question, what the search does, the selected node"),
    ("phase", Word::Control(Control::StepPhase), "the same as step one phase"),
    ("breakpoint", Word::Breakpoint, "stand still when a condition holds: breakpoint value<0.3; breakpoints lists the forms"),
    ("at", Word::At, "look at the state after an event, by its number in the timeline: at 12"),
    ("wait", Word::Wait, "take the next line only when the search rests; for scripts"),
    ("ask", Word::Ask, "ask a question: ask Who directed Inception?"),
    (
        "open",
        Word::Control(Control::Enter),
        "a question, recording or session of the list, by its number: open 3; or the prompt that waits for you",
    ),
    ("resume", Word::Resume, "go on with a session of the list, by its number: resume 3"),
    ("start", Word::Start, "questions to try, models, recordings and sessions, with their numbers"),
    ("sessions", Word::Start, "the same as start"),
    ("cancel", Word::Cancel, "leave a question without a trace, as an empty line does; back goes one step back in it"),
];

/// Reads a line: what it means and what is left of it; or what is wrong, in a sentence.
pub fn read<'a>(line: &'a str, keys: &KeyMap) -> Result<(Word, &'a str), String> {
    let line = line.trim();
    let ends: Vec<usize> = words(line).collect();
    let first = &line[..ends.first().copied().unwrap_or(0)];
    let rest = |end: usize| line[end..].trim_start();
    let phrase = |end: usize| line[..end].split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    for end in ends.iter().rev() {
        let phrase = phrase(*end);
        if let Some((_, word)) = all().find(|(name, _)| *name == phrase) {
            return Ok((word, rest(*end)));
        }
    }
    if let Some(control) = keys.named(first) {
        return Ok((Word::Control(control), rest(first.len())));
    }
    for fits in [begins as fn(&str, &str) -> bool, has_words] {
        for end in ends.iter().rev() {
            let phrase = phrase(*end);
            let found: Vec<(&str, Word)> = all().filter(|(name, _)| fits(name, &phrase)).collect();
            match found.first() {
                Some((_, word)) if found.iter().all(|(_, other)| other == word) => return Ok((*word, rest(*end))),
                Some(_) => {
                    let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
                    return Err(format!("`{phrase}` can be {}: type more of it", names.join(", ")));
                }
                None => {}
            }
        }
    }
    Err(format!("there is no command `{}`; did you mean `{}`? help lists them all", crate::text::cut(line, 60), nearest(line, first)))
}

/// Every name with its meaning; the dialogue's own words come first.
fn all() -> impl Iterator<Item = (&'static str, Word)> {
    let own = OWN.iter().map(|(name, word, _)| (*name, *word));
    // Its own word for it says what it is here.
    let table = Control::ALL.iter().map(|control| (control.spec().name, Word::Control(*control)));
    own.chain(table)
}

/// Where each word of a line ends.
fn words(line: &str) -> impl Iterator<Item = usize> + '_ {
    let blank_after = |at: usize| line[at..].chars().next().is_none_or(char::is_whitespace);
    let inner = line.char_indices().map(|(at, letter)| (at + letter.len_utf8(), letter));
    // No name has more words than six.
    inner.filter(move |(end, letter)| !letter.is_whitespace() && blank_after(*end)).map(|(end, _)| end).take(6)
}

fn begins(name: &str, phrase: &str) -> bool {
    name.starts_with(phrase)
}

/// Whether the words of `phrase` begin words of `name`, in its order.
fn has_words(name: &str, phrase: &str) -> bool {
    let mut of_name = name.split(' ');
    phrase.split(' ').all(|word| word.chars().count() > 2 && of_name.any(|other| other.starts_with(word)))
}

/// The name that is written most like a line, or like its first word.
fn nearest(line: &str, first: &str) -> &'static str {
    let (line, first) = (line.to_lowercase(), first.to_lowercase());
    let far = |name: &str| {
        let short = name.split(' ').next().unwrap_or(name);
        distance(name, &line).min(distance(name, &first)).min(distance(short, &first))
    };
    all().min_by_key(|(name, _)| far(name)).map_or("help", |(name, _)| name)
}

/// Letters to be changed, added, dropped or swapped with the next to get from one to the other; long texts are compared by their
/// beginning.
fn distance(one: &str, other: &str) -> usize {
    const MOST: usize = 40;
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().take(MOST).collect(), other.chars().take(MOST).collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for (i, letter) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, with) in other.iter().enumerate() {
            let change = rows[i][j] + usize::from(letter != with);
            let mut least = change.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *letter == other[j - 1] && one[i - 1] == *with {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows.last().and_then(|row| row.last()).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(line: &str) -> Result<(Word, String), String> {
        read(line, &KeyMap::default()).map(|(word, rest)| (word, rest.to_owned()))
    }

    fn control(line: &str) -> (Control, String) {
        match meant(line) {
            Ok((Word::Control(control), rest)) => (control, rest),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn every_command_has_its_name_and_its_keys() {
        let keys = KeyMap::default();
        for at in Control::ALL {
            let spec = at.spec();
            assert_eq!(meant(spec.name), Ok((Word::Control(*at), String::new())), "{}", spec.name);
            assert_eq!(meant(&spec.name.to_uppercase()), Ok((Word::Control(*at), String::new())), "{}", spec.name);
            for key in spec.keys {
                assert_eq!(keys.named(key), Some(*at), "{key}");
                let is_name = all().any(|(name, _)| name == key.to_lowercase());
                assert!(is_name || control(key).0 == *at, "{key}");
            }
        }
        for (name, word, _) in OWN {
            assert_eq!(meant(name), Ok((word, String::new())), "{name}");
        }
    }

    #[test]
    fn beginnings_words_and_arguments() {
        assert_eq!(control("s"), (Control::Step, String::new()));
        assert_eq!(control("S"), (Control::StepPhase, String::new()));
        assert_eq!(control("hint  look at   the films"), (Control::Hint, "look at   the films".to_owned()));
        assert_eq!(control("set value 0.7"), (Control::SetValue, "0.7".to_owned()));
        assert_eq!(control("set 0.7"), (Control::SetValue, "0.7".to_owned()));
        assert_eq!(control("answer Michael Caine"), (Control::AnswerByHand, "Michael Caine".to_owned()));
        assert_eq!(control("v 0.7"), (Control::SetValue, "0.7".to_owned()));
        assert_eq!(control("continue"), (Control::Pause, String::new()));
        assert_eq!(control("breakpoint here"), (Control::BreakHere, String::new()));
        assert_eq!(control("corr 3"), (Control::Correct, "3".to_owned()));
        assert_eq!(meant("breakpoint value<0.3"), Ok((Word::Breakpoint, "value<0.3".to_owned())));
        assert_eq!(meant("go 12"), Ok((Word::Go, "12".to_owned())));
        assert_eq!(meant("traj"), Ok((Word::Tab(Tab::Trajectory), String::new())));
    }

    #[test]
    fn what_is_none_says_the_nearest() {
        assert!(meant("undoo").is_err_and(|why| why.contains("`undo`")));
        assert!(meant("expnad by hand").is_err_and(|why| why.contains("`expand by hand`")));
        assert!(meant("hlep").is_err_and(|why| why.contains("`help`")));
        assert!(meant("tre").is_ok(), "the beginning of a name is enough");
        assert!(meant("event").is_err_and(|why| why.contains("event back") && why.contains("event forward")));
        assert!(meant("").is_err() && meant("§").is_err() && meant("\u{301}").is_err());
    }
}
