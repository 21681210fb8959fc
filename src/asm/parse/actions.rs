//! State `default`: which action does a reply name first?
//!
//! In this order: a keyword at the start of a line (or a JSON object that names an action); an upper-case keyword with a colon
//! in mid-line; a "Thought:" line. Nothing else is an action: a reply without one is never taken for an answer.

use super::Unusable;
use super::answers::{self, says_something};
use super::clean::Cleaned;
use super::half_json::{Half, cut_object};
use super::json;
use super::keywords::{self, Hit, Keyword};
use super::marks::{item, tidy, unfenced, unmarked};
use super::menu;
use super::play_on::{Strict, before_observation, played};
use crate::asm::Action;

/// Why an answer that runs into the cut is not taken.
pub(super) const ANSWER_CUT: &str = "the answer was cut off at the token limit";

/// Reads `reply`.
pub(super) fn action(reply: &Cleaned, known: &dyn Fn(&str) -> bool) -> Result<Action, Unusable> {
    let unfenced = unfenced(&reply.text);
    let (text, invented) = played(&unfenced, Strict::Yes);
    let played_on = invented.is_some();
    let cut = reply.cut && !played_on;
    if cut
        && let Some(half) = cut_object(&text)
        && let Some(line) = own_line(&text, half.start)
    {
        return Rows::new(&text[..line], false).at_starts(known).map_or_else(|| half_action(&half, known), |(action, _)| Ok(action));
    }
    let mut hollow = None;
    if let Some(found) = json::first_object(&text)
        && let Some(line) = own_line(&text, found.start)
    {
        let before = Rows::new(&text[..line], false).at_starts(known).map(|(action, _)| action);
        if let Some(action) = before.or_else(|| json::action(&found.object, known)) {
            return Ok(action);
        }
        hollow = json::names(&found.object);
    }
    let rows = Rows::new(&text, cut);
    match rows.at_starts(known).or_else(|| rows.in_middles(known)).or_else(|| rows.thoughts()) {
        Some((Action::Answer { .. }, true)) => Err(Unusable::Unreadable(ANSWER_CUT)),
        Some((action, _)) => Ok(action),
        None => Err(Unusable::Unreadable(rows.why_nothing(reply, hollow, played_on))),
    }
}

/// The action of a JSON object that was cut, by the rules of a text: a thought or a reason may end at the cut, an answer may not.
fn half_action(half: &Half, known: &dyn Fn(&str) -> bool) -> Result<Action, Unusable> {
    let why = match json::action(&half.all, known) {
        Some(answer @ Action::Answer { .. }) if json::action(&half.whole, known).as_ref() == Some(&answer) => return Ok(answer),
        Some(Action::Answer { .. }) => ANSWER_CUT,
        Some(action) => return Ok(action),
        None => why_cut(json::names(&half.all)),
    };
    Err(Unusable::Unreadable(why))
}

/// Why a reply that was cut names nothing usable, if `named` is what it names.
const fn why_cut(named: Option<Keyword>) -> &'static str {
    match named {
        Some(Keyword::Answer) => ANSWER_CUT,
        Some(_) => "the thought was cut off at the token limit",
        None => "the reply was cut off at the token limit before it named an action",
    }
}

/// Where the line of the JSON object at `start` begins, if the object is not part of the text of a step.
fn own_line(text: &str, start: usize) -> Option<usize> {
    let line = text[..start].rfind('\n').map_or(0, |i| i + 1);
    let lead = &text[line..start];
    (keywords::at_start(lead).is_none() && keywords::in_middle(lead).is_none()).then_some(line)
}

/// The lines of a reply, with what is known of them.
pub(super) struct Rows {
    rows: Vec<String>,
    menu: Vec<bool>,
    /// Whether the last line was cut at the token limit.
    cut: bool,
}

impl Rows {
    pub(super) fn new(text: &str, cut: bool) -> Self {
        let rows: Vec<String> = text.lines().map(unmarked).collect();
        let menu = menu::lines(&rows);
        Self { menu, rows, cut: cut && !text.ends_with('\n') }
    }

    /// The first usable action at the start of a line, and whether its text may go on behind the cut.
    fn at_starts(&self, known: &dyn Fn(&str) -> bool) -> Option<(Action, bool)> {
        (0..self.rows.len()).filter(|i| !self.menu[*i]).find_map(|i| self.read(i, &keywords::at_start(&self.rows[i])?, known))
    }

    fn in_middles(&self, known: &dyn Fn(&str) -> bool) -> Option<(Action, bool)> {
        (0..self.rows.len()).filter(|i| !self.menu[*i]).find_map(|i| {
            let mut rest = self.rows[i].as_str();
            (0..keywords::A_LINE).find_map(|_| {
                let hit = keywords::in_middle(rest)?;
                rest = hit.rest;
                self.read(i, &hit, known)
            })
        })
    }

    fn thoughts(&self) -> Option<(Action, bool)> {
        let text =
            self.rows.iter().find_map(|row| keywords::thought(row).map(|t| tidy(before_observation(t))).filter(|t| says_something(t)))?;
        (!menu::is_placeholder(&text)).then_some((Action::Think { text }, false))
    }

    /// The action of `hit` in row `i`; `None` if it is hollow.
    pub(super) fn read(&self, i: usize, hit: &Hit<'_>, known: &dyn Fn(&str) -> bool) -> Option<(Action, bool)> {
        if menu::is_placeholder(hit.rest) {
            return None;
        }
        let (text, ended) = up_to_next(hit.rest);
        let last = i + 1 == self.rows.len();
        let at_cut = self.cut && last && !ended;
        match hit.keyword {
            Keyword::Expand => Some((Action::Expand { text: self.reason(i, hit, text) }, at_cut)),
            Keyword::Think => {
                let text = if says_something(text) { tidy(text) } else { tidy(self.below(i)?) };
                (says_something(&text) && !menu::is_placeholder(&text)).then_some((Action::Think { text }, at_cut))
            }
            Keyword::Answer => {
                let (lines, to) = self.answer_lines(i, text, ended);
                answers::answer(&lines, known).map(|action| (action, self.cut && to + 1 == self.rows.len() && !ended))
            }
        }
    }

    /// What belongs to the action in row `i` and stands below it: under a label ("Action Input:", "Text:"), else the first line
    /// that is text of its own.
    fn below(&self, i: usize) -> Option<&str> {
        let is_text = |row: &&String| keywords::at_start(row).is_none() && keywords::in_middle(row).is_none();
        let mut rows = self.rows[i + 1..].iter().filter(|row| !row.trim().is_empty()).take_while(is_text);
        let first = rows.next()?;
        let labelled = std::iter::once(first).chain(rows.clone().take_while(|_| keywords::reason(first).is_some()));
        let text = match labelled.clone().find_map(|row| keywords::action_input(row)) {
            // `text: |`, and the text in the next line.
            Some(text) if !says_something(text) => labelled.chain(rows).skip_while(|row| keywords::action_input(row).is_none()).nth(1)?,
            Some(text) => text,
            None => keywords::thought(first).or_else(|| keywords::reason(first)).unwrap_or(first),
        };
        Some(item(text).unwrap_or(text))
    }

    /// The reason of an EXPAND: on its line, right below its colon, or as "Action Input:".
    fn reason(&self, i: usize, hit: &Hit<'_>, text: &str) -> String {
        if says_something(text) {
            return tidy(text);
        }
        match self.rows.get(i + 1) {
            Some(row)
                if keywords::action_input(row).is_some() || keywords::reason(row).is_some() || (!hit.bare && !row.trim().is_empty()) =>
            {
                self.below(i).map(tidy).unwrap_or_default()
            }
            _ => String::new(),
        }
    }

    /// The lines that an answer in row `i` consists of, and the last of them.
    fn answer_lines(&self, i: usize, text: &str, ended: bool) -> (Vec<String>, usize) {
        let list_below = |from: usize| {
            let mut to = from;
            while to < self.rows.len() && item(&self.rows[to]).is_some() && keywords::at_start(&self.rows[to]).is_none() {
                to += 1;
            }
            to
        };
        let tidied = text.trim();
        if ended {
            return (vec![tidied.to_owned()], i);
        }
        // Items below a label, a lead-in or a first item on the label's own line.
        let first = (i + 1..self.rows.len()).find(|j| !self.rows[*j].trim().is_empty());
        if let Some(first) = first {
            let to = list_below(first);
            let lead_in = !says_something(tidied) || tidied.ends_with([':', '：']);
            if to > first && (lead_in || (first == i + 1 && item(tidied).is_some())) {
                let head = if lead_in { String::new() } else { tidied.to_owned() };
                return (std::iter::once(head).chain(self.rows[first..to].iter().cloned()).collect(), to - 1);
            }
            // A bracketed list over several lines.
            if tidied.starts_with('[') && !tidied.contains(']') || (tidied.is_empty() && self.rows[first].trim() == "[") {
                let close = (first..self.rows.len()).find(|j| self.rows[*j].contains(']'));
                if let Some(close) = close {
                    return (
                        vec![
                            std::iter::once(tidied).chain(self.rows[first..=close].iter().map(|r| r.trim())).collect::<Vec<_>>().join(" "),
                        ],
                        close,
                    );
                }
            }
            if !says_something(tidied) {
                return (vec![self.below(i).map(before_observation).unwrap_or_default().to_owned()], first);
            }
        }
        self.with_commas(i, tidied)
    }

    /// A text that ends with a comma, with the lines that go on with it.
    fn with_commas(&self, i: usize, text: &str) -> (Vec<String>, usize) {
        let (mut joined, mut to) = (text.to_owned(), i);
        while joined.ends_with([',', '，'])
            && let Some(next) = self.rows.get(to + 1).filter(|row| !row.trim().is_empty() && keywords::at_start(row).is_none())
        {
            joined.push(' ');
            joined.push_str(next.trim());
            to += 1;
        }
        (vec![joined], to)
    }

    /// Why no action could be read; `hollow` = what a JSON object names without anything that belongs to it.
    fn why_nothing(&self, reply: &Cleaned, hollow: Option<Keyword>, played_on: bool) -> &'static str {
        if reply.unclosed {
            return "the reply ends inside its reasoning";
        }
        if played_on && self.menu.iter().all(|menu| !menu) {
            return "no action was named before the reply invents what comes next";
        }
        if self.rows.iter().all(|row| row.trim().is_empty()) {
            return "the reply is empty";
        }
        if self.menu.contains(&true) {
            return "the reply only repeats the menu";
        }
        let row = |row: &String| keywords::at_start(row).or_else(|| keywords::in_middle(row)).map(|hit| hit.keyword);
        match hollow.or_else(|| self.rows.iter().find_map(row)) {
            named if reply.cut && !played_on => why_cut(named),
            Some(Keyword::Answer) => "the answer is empty",
            Some(_) => "the thought is empty",
            None => "no action was named",
        }
    }
}

/// `text` up to the next keyword or invented observation in its line, and whether there was one.
fn up_to_next(text: &str) -> (&str, bool) {
    let seen = before_observation(text);
    match keywords::in_middle(seen) {
        Some(next) => (without_joint(&seen[..next.from]), true),
        None => (seen, seen.len() < text.len()),
    }
}

/// A text without what led over to the next step: a dash, an arrow, the next list number.
fn without_joint(text: &str) -> &str {
    let text = text.trim_end_matches(|c: char| {
        c.is_whitespace() || matches!(c, '-' | '–' | '—' | '/' | '|' | '→' | '>' | '(' | '[' | ';' | ',' | '*')
    });
    let digits = text.strip_suffix(['.', ')']).map_or("", |t| t.trim_start_matches(|c: char| !c.is_ascii_digit()));
    match text.rsplit_once(' ') {
        Some((before, number))
            if !digits.is_empty() && number.len() <= 3 && number[..number.len() - 1].chars().all(|c| c.is_ascii_digit()) =>
        {
            before.trim_end()
        }
        _ => text,
    }
}
