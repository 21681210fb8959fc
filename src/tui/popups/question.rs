//! The same flows in words, for the text dialogue: what a popup asks now, and what is made of a line that was typed to it.

use super::super::scene::Scene;
use super::super::widgets::list::{Item, PickList};
use super::{Desk, Reaction};

/// What a flow asks now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// What it is about.
    pub title: String,
    /// What is to be read before it is answered, a line each.
    pub text: Vec<String>,
    /// Whether that text stands as it is, with its signs and blanks: a prompt, a template.
    pub exact: bool,
    /// What there is to pick from: numbered from 1.
    pub rows: Vec<String>,
    /// What can be typed. Without it there is nothing to answer, only to read.
    pub how: String,
    /// What was wrong with the last answer.
    pub wrong: Option<String>,
    /// Whether something is on its way: it is asked when that is there.
    pub waits: bool,
    /// Whether it stays when it was answered: a list of switches.
    pub stays: bool,
}

impl Question {
    /// Whether there is only something to read.
    #[must_use]
    pub const fn only_tells(&self) -> bool {
        self.how.is_empty()
    }
}

/// A flow as a dialogue. Its steps and what they lead to are those of the popup; going back a step, and leaving, is Escape.
pub trait InWords {
    /// The step that is open.
    fn question(&self, desk: &Desk<'_>) -> Question;

    /// Takes a line that was typed to it; it is not empty.
    fn answer(&mut self, line: &str, desk: &Desk<'_>) -> Reaction;
}

/// The items of a list, a line each.
pub fn rows(list: &PickList, scene: Option<&Scene>) -> Vec<String> {
    let checked = list.is_several().then(|| list.picked());
    let row = |(at, item): (usize, &Item)| {
        let mark = match &checked {
            Some(checked) if checked.contains(&at) => "chosen: ",
            _ => "",
        };
        format!("{mark}{}", told(item, scene))
    };
    list.items().iter().enumerate().map(row).collect()
}

/// An item in words.
fn told(item: &Item, scene: Option<&Scene>) -> String {
    let kg = item.kg.and_then(|kg| Some(&scene?.state.started.as_deref()?.kgs.get(kg)?.0));
    let from = kg.map(|kg| format!("from {kg}")).unwrap_or_default();
    let why = match &item.dimmed {
        Some(why) if item.barred => format!("can't be picked: {why}"),
        Some(why) => why.clone(),
        None => String::new(),
    };
    let parts = [item.label.trim(), item.detail.trim(), item.right.trim(), &from, &why];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The item that a line means: by its number, else by its name or a part of it that no other has.
pub fn one(list: &PickList, line: &str) -> Result<usize, String> {
    let items = list.items();
    let at = position(items.len(), line, |at| &items[at].label)?;
    match &items[at] {
        Item { barred: true, dimmed, .. } => {
            Err(format!("{} can't be picked: {}", at + 1, dimmed.as_deref().unwrap_or("it is there already")))
        }
        _ => Ok(at),
    }
}

/// The items that a line means, in the order of the list: numbers or names with commas between.
pub fn several(list: &PickList, line: &str) -> Result<Vec<usize>, String> {
    if let Ok(at) = one(list, line) {
        return Ok(vec![at]);
    }
    let mut all = Vec::new();
    for part in line.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let at = one(list, part)?;
        if !all.contains(&at) {
            all.push(at);
        }
    }
    // What is sent does not depend on the order of picking.
    all.sort_unstable();
    if all.is_empty() { Err("type one or several numbers, such as 1, 3".to_owned()) } else { Ok(all) }
}

/// A position by its number from 1, or by a name.
fn position<'a>(count: usize, line: &str, name: impl Fn(usize) -> &'a str) -> Result<usize, String> {
    let line = line.trim();
    if count == 0 {
        return Err("there is nothing to pick from".to_owned());
    }
    if line.chars().all(|c| c.is_ascii_digit()) && !line.is_empty() {
        let number = line.parse::<usize>().ok().filter(|number| (1..=count).contains(number));
        return number.map(|number| number - 1).ok_or_else(|| format!("there is no {line}: type a number from 1 to {count}"));
    }
    let wanted = line.to_lowercase();
    let same: Vec<usize> = (0..count).filter(|at| name(*at).to_lowercase() == wanted).collect();
    let part: Vec<usize> = (0..count).filter(|at| !wanted.is_empty() && name(*at).to_lowercase().contains(&wanted)).collect();
    match (&same[..], &part[..]) {
        ([at], _) | ([], [at]) => Ok(*at),
        ([], []) => Err(format!("none is called “{line}”: type a number from 1 to {count}")),
        _ => Err(format!("several are called “{line}”: type the number")),
    }
}

/// The first word of a line, and the rest.
pub fn split(line: &str) -> (&str, &str) {
    let line = line.trim();
    line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_taken_and_what_is_neither_says_so() {
        let barred = Item { barred: true, dimmed: Some("is node 3".to_owned()), ..Item::new("director") };
        let list = PickList::several(vec![Item::new("cast member"), Item::new("film"), Item::new("film crew"), barred], |_| false);
        assert_eq!(one(&list, "2"), Ok(1));
        assert_eq!(one(&list, " Film "), Ok(1), "a whole name before a part of one");
        assert_eq!(one(&list, "crew"), Ok(2));
        assert_eq!(several(&list, "3, cast"), Ok(vec![0, 2]));
        assert!(one(&list, "0").is_err_and(|why| why.contains("1 to 4")));
        assert!(one(&list, "99999999999999999999").is_err_and(|why| why.contains("1 to 4")));
        assert!(one(&list, "i").is_err_and(|why| why.contains("several")));
        assert!(one(&list, "4").is_err_and(|why| why.contains("is node 3")));
        assert!(several(&list, ",").is_err());
        assert!(one(&PickList::one(Vec::new()), "1").is_err());
    }

    #[test]
    fn a_row_says_everything_that_the_list_shows() {
        let item =
            Item { detail: "P161".to_owned(), right: "3".to_owned(), dimmed: Some("already used: node 4".to_owned()), ..Item::new("cast") };
        let list = PickList::several(vec![item, Item::new("film")], |at| at == 1);
        assert_eq!(rows(&list, None), ["cast, P161, 3, already used: node 4", "chosen: film"]);
    }
}
