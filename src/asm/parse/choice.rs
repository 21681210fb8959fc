//! What a reply says of each id that it names: chosen, rejected, or only named.
//!
//! The rules, each with its rows in the tests. An id is *rejected* by a mark (an empty box, a cross, struck through), by what stands before it
//! ("not P57", "instead of P57", "不选P57") or after it in its clause ("P57 is not useful", "Q1: no", "P57 不相关"). It is *chosen*
//! by a ticked box, after a word of choice ("I choose P57", "Selected: Q1", "选择P57", "only Q2") or before one ("P57 is the best"). Ids of
//! one list share what is said of the list, and "all except Q2" takes the others. In a question an id is only *weighed*. What is said last of an
//! id counts. A line of ids alone in a reply of sentences is the reply as it was asked for; then come ids that are chosen, named,
//! weighed. A rejected id is never taken.

mod words;

use regex::{Captures, Regex};
use words::{
    ALL, ALSO, BEST_AFTER, BRACKETS, BUT_IT, CHOICE, CLAUSE, CONSIDERED, CORRECTED, DENYING, DOUBTED, EXCEPT, HYPOTHETICAL, IRI_START,
    JOINT, NONE, NOT_AFTER, NOT_BEFORE, NOT_REALLY, OF_THE_PROMPT, OVER_BEFORE, THEN, TICKED, UNTICKED, WITHOUT_BEFORE,
};

/// A reply that names more ids is a list, no prose.
const MOST: usize = 300;
/// So many letters before and after an id are looked at.
const NEAR: usize = 240;

/// What a reply says of an id where it names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Said {
    /// It is not wanted.
    Rejected,
    /// It is part of a question.
    Weighed,
    /// It is named.
    Named,
    /// It is the choice, or one of several.
    Chosen,
    /// It is a line of its own in a reply of sentences.
    Alone,
}

impl Said {
    /// What counts when `next` is said after this.
    pub(super) fn then(self, next: Self) -> Self {
        match (self, next) {
            (_, Self::Rejected | Self::Alone) => next,
            (Self::Rejected, Self::Chosen) => next,
            (Self::Rejected, _) => self,
            _ => self.max(next),
        }
    }
}

/// An offered id in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mention {
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// What is said of ids in a text.
#[derive(Debug)]
pub(super) struct Judged {
    /// Of each mention.
    pub said: Vec<Said>,
    /// Whether all that is on offer is chosen, but for what is rejected.
    pub all_others: bool,
}

/// What the words before an id say of it, and of the list that it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lead {
    /// "not Q1", "instead of Q1": of a list in commas alone the first only.
    Not,
    /// "ignore Q1, Q2": the whole list.
    Without,
    /// "all except Q1 and Q2".
    AllBut,
    /// "none but Q1": the list.
    Only,
    /// "I considered Q1 and Q2": the list.
    Considered,
    /// "I choose Q1 and Q2": to the end of the statement.
    Choice,
    /// "Selected: Q1": to the end of the paragraph.
    Heading,
}

/// What `text` (folded, lower case) says of each of `mentions`, which are in the order of the text.
pub(super) fn judge(text: &str, mentions: &[Mention]) -> Judged {
    let mut judged = Judged { said: vec![Said::Named; mentions.len()], all_others: false };
    if mentions.len() > MOST {
        return judged;
    }
    let rows: Vec<Row<'_>> = (0..mentions.len()).map(|i| Row::new(text, mentions, i)).collect();
    let mut lead = None;
    for (i, row) in rows.iter().enumerate() {
        // What the words before a list say goes on to its next id.
        lead = row.lead.or(lead.filter(|lead| i > 0 && passes_on(*lead, &rows[i - 1..])));
        judged.all_others |= lead == Some(Lead::AllBut);
        judged.said[i] = match lead {
            _ if row.mark.is_some() => row.mark.unwrap_or(Said::Named),
            Some(Lead::Not | Lead::Without | Lead::AllBut) => Said::Rejected,
            Some(Lead::Only) => Said::Chosen,
            _ if row.denied => Said::Rejected,
            Some(Lead::Choice | Lead::Heading) => Said::Chosen,
            None | Some(Lead::Considered) if row.denied_later => Said::Rejected,
            None | Some(Lead::Considered) if row.best => Said::Chosen,
            Some(Lead::Considered) => Said::Weighed,
            None if row.asked => Said::Weighed,
            None => Said::Named,
        };
    }
    // "Q1, Q2 and Q3 are irrelevant": what is said after a list is said of all of it.
    let mut tail = None;
    for (row, said) in rows.iter().zip(&mut judged.said).rev() {
        tail = match (row.denied || row.denied_later, row.best) {
            (true, _) => Some(Said::Rejected),
            (_, true) => Some(Said::Chosen),
            _ => tail.filter(|_| row.joined && !row.gap.contains('\n')),
        };
        if *said == Said::Named {
            *said = tail.unwrap_or(*said);
        }
    }
    alone(text, mentions, &mut judged.said);
    judged
}

/// Whether what was said before the id of the first row holds for that of the second too.
fn passes_on(lead: Lead, rows: &[Row<'_>]) -> bool {
    let row = &rows[0];
    match lead {
        Lead::Not => row.joined && rows.iter().take_while(|row| row.joined).any(|row| row.gap.contains(char::is_alphabetic)),
        Lead::Without | Lead::AllBut | Lead::Only | Lead::Considered => row.joined,
        Lead::Choice => row.joined || (row.gap.len() < NEAR && sentence_end(row.gap).is_none() && !CLAUSE.is_match(row.gap)),
        Lead::Heading => row.joined || (row.gap.len() < NEAR && heading_goes_on(row.gap)),
    }
}

/// Whether what stands between two ids under a heading is but the label of the first; the second begins a line or stands in the same one.
fn heading_goes_on(gap: &str) -> bool {
    match gap.rsplit_once('\n') {
        Some((before, line)) => !before.ends_with('\n') && !line.contains(char::is_alphabetic),
        None => !CLAUSE.is_match(gap),
    }
}

/// An id with what stands round it.
struct Row<'a> {
    lead: Option<Lead>,
    /// Whether what follows denies it, or chooses it.
    denied: bool,
    /// Whether it is denied after a "but": "P57 gives the director, but it does not help".
    denied_later: bool,
    best: bool,
    /// Whether its sentence is a question.
    asked: bool,
    /// What a box or a line through it says.
    mark: Option<Said>,
    /// What stands between it and the next id.
    gap: &'a str,
    /// Whether the next id belongs to the same list.
    joined: bool,
}

impl<'a> Row<'a> {
    fn new(text: &'a str, mentions: &[Mention], i: usize) -> Self {
        let Mention { start, end } = mentions[i];
        let previous = i.checked_sub(1).map_or(0, |before| mentions[before].end);
        let next = mentions.get(i + 1).map_or(text.len(), |next| next.start);
        let near = (text.ceil_char_boundary(start.saturating_sub(NEAR)), text.floor_char_boundary((end + NEAR).min(text.len())));
        let sentence = near.0 + sentence_start(&text[near.0..start]);
        let rest = &text[end..near.1];
        let sentence_end = sentence_end(rest).unwrap_or(rest.len());
        let before = leading(&text[sentence.max(previous)..start]);
        let behind = &rest[..sentence_end.min(next - end)];
        let (after, later) = CLAUSE.find(behind).map_or((behind, ""), |clause| behind.split_at(clause.start()));
        let after = without_labels(&plain(after));
        let denies = |text: &str| NOT_AFTER.is_match(text) && !NOT_REALLY.is_match(text);
        let denied = denies(&after) || DOUBTED.is_match(rest);
        let gap = &text[end..next];
        let whole = (&text[sentence..start], &rest[..sentence_end]);
        Self {
            lead: excepted(&before, whole).or_else(|| lead(&before, i > 0)),
            denied,
            denied_later: BUT_IT.is_match(later) && denies(later),
            best: !denied && BEST_AFTER.is_match(&after),
            asked: rest[sentence_end..].starts_with('?'),
            mark: mark(text, near, previous, mentions[i], next),
            joined: i + 1 < mentions.len() && gap.len() < NEAR && JOINT.is_match(&plain(gap)),
            gap,
        }
    }
}

/// `text` without Markdown's marks.
fn plain(text: &str) -> String {
    text.replace(['*', '_', '`'], "")
}

/// `text` without labels in brackets.
fn without_labels(text: &str) -> String {
    let kept = |found: &Captures<'_>| if DENYING.is_match(&found[0]) { found[0].to_owned() } else { "()".to_owned() };
    BRACKETS.replace_all(text, kept).into_owned()
}

/// What stands before an id, without what belongs to the id: a tilde, quotes, the prefix of an IRI.
fn leading(text: &str) -> String {
    const MARKS: [char; 9] = [' ', '~', '<', '"', '\'', '“', '(', '[', '-'];
    let plain = plain(text);
    let bare = plain.trim_end_matches(MARKS);
    let bare = IRI_START.find(bare).map_or(bare, |prefix| &bare[..prefix.start()]);
    format!("{} ", bare.trim_end_matches(MARKS))
}

const fn ends_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | ';' | '。' | '\n')
}

/// Where the first sentence of `text` ends.
fn sentence_end(text: &str) -> Option<usize> {
    let ends = |(at, c): &(usize, char)| {
        ends_sentence(*c) && (*c != '.' || text[at + 1..].chars().next().is_none_or(|next| !next.is_alphanumeric()))
    };
    text.char_indices().find(ends).map(|(at, _)| at)
}

/// Where the last sentence of `text` begins. A line that ends with a colon leads over to the next one.
fn sentence_start(text: &str) -> usize {
    let begins = |(at, c): &(usize, char)| match c {
        '\n' => !text[..*at].trim_end_matches(['*', '_', '`', ' ', '\n']).ends_with(':'),
        '.' => text[at + 1..].chars().next().is_none_or(char::is_whitespace) && !text[..*at].ends_with(|c: char| c.is_ascii_digit()),
        c => ends_sentence(*c),
    };
    text.char_indices().rev().find(begins).map_or(0, |(at, c)| at + c.len_utf8())
}

/// What the words `before` an id say of it.
fn lead(before: &str, is_second: bool) -> Option<Lead> {
    if WITHOUT_BEFORE.is_match(before) || (is_second && OVER_BEFORE.is_match(before)) {
        return Some(Lead::Without);
    }
    if NOT_BEFORE.is_match(before) && !NOT_REALLY.is_match(before) {
        return Some(Lead::Not);
    }
    if CONSIDERED.is_match(before) {
        return Some(Lead::Considered);
    }
    let choice = CHOICE.find_iter(before).last()?;
    let (words, rest) = (&before[..choice.start()], &before[choice.end()..]);
    let of_the_prompt = choice.as_str().starts_with(['s', 'c']) && OF_THE_PROMPT.is_match(rest);
    let asks = choice.as_str().starts_with(['i', 'w'])
        && ["should", "shall", "do", "can", "could"].iter().any(|word| words.trim_end().ends_with(word));
    let announces = !asks && !HYPOTHETICAL.is_match(words) && !CLAUSE.is_match(rest) && !of_the_prompt;
    let is_heading = choice.as_str().ends_with(':') || rest.contains(':');
    announces.then_some(if is_heading { Lead::Heading } else { Lead::Choice })
}

/// What an exception says of the id behind it: "all except Q1", "none but Q1"; `whole` = the sentence before and behind the id.
fn excepted(before: &str, whole: (&str, &str)) -> Option<Lead> {
    let except = EXCEPT.find(before)?.as_str().trim_end();
    let any = |pattern: &Regex| pattern.is_match(whole.0) || pattern.is_match(whole.1);
    match () {
        () if except.starts_with('除') && any(&ALSO) => None,
        () if any(&NONE) || (any(&ALL) && NOT_AFTER.is_match(whole.1)) => Some(Lead::Only),
        () if any(&ALL) => Some(Lead::AllBut),
        () if except.starts_with("but") => None,
        () => Some(Lead::Without),
    }
}

/// What a box before or after an id says, or that it is struck through. `near` = what is looked at; `previous` and `next` = where the
/// neighbours end and begin.
fn mark(text: &str, near: (usize, usize), previous: usize, Mention { start, end }: Mention, next: usize) -> Option<Said> {
    if is_struck(text, Mention { start, end }) {
        return Some(Said::Rejected);
    }
    let line = text[near.0..start].rfind('\n').map_or(near.0, |feed| near.0 + feed + 1);
    let line_end = text[end..near.1].find('\n').map_or(near.1, |feed| end + feed);
    let says = |text: &str, last: bool| {
        let place = |pattern: &Regex| {
            let mut found = pattern.find_iter(text).map(|found| found.start());
            if last { found.last() } else { found.next().map(|at| text.len() - at) }
        };
        match (place(&TICKED), place(&UNTICKED)) {
            (None, None) => None,
            (ticked, unticked) => Some(if ticked > unticked { Said::Chosen } else { Said::Rejected }),
        }
    };
    // In a line that begins with a mark, marks stand before what they mark.
    let first = text[line..start].trim_start_matches([' ', '-', '*', '•', '.', ')']).trim_start_matches(|c: char| c.is_ascii_digit());
    let first = first.trim_start_matches(['.', ')', ' ']);
    let leads = [&*TICKED, &*UNTICKED].iter().any(|pattern| pattern.find(first).is_some_and(|found| found.start() == 0));
    if leads { says(&text[line..start], true) } else { says(&text[end..line_end.min(next)], false) }.or_else(|| {
        // "Q1 [ ], Q2 [x]" has none before its first.
        if leads && previous > line { says(&text[line..start], true) } else { None }
    })
}

/// Whether an id is struck through, as Markdown does it.
pub(super) fn is_struck(text: &str, at: Mention) -> bool {
    text[..at.start].ends_with("~~") && text[at.end..].starts_with("~~")
}

/// How a reply comes from one choice to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// They are one list, or steps one after the other: the first is next.
    None,
    /// The later one is meant.
    Corrected,
    /// It can't be told which is meant.
    Unclear,
}

/// What the text `between` two choices makes of them.
pub(super) fn between_choices(between: &str) -> Change {
    if THEN.is_match(between) || sentence_end(between).is_none() && !CORRECTED.is_match(between) {
        Change::None
    } else if CORRECTED.is_match(between) {
        Change::Corrected
    } else {
        Change::Unclear
    }
}

/// Words that make a line a sentence.
const WORDS: usize = 5;

/// Marks the ids that have a line of their own in a reply of sentences.
fn alone(text: &str, mentions: &[Mention], said: &mut [Said]) {
    let (mut lonely, mut prose, mut at, mut i) = (Vec::new(), false, 0, 0);
    for line in text.split_inclusive('\n') {
        let (from, mut rest, mut last) = (i, String::new(), at);
        at += line.len();
        while let Some(mention) = mentions.get(i).filter(|mention| mention.start < at) {
            rest.push_str(&text[last.min(mention.start)..mention.start]);
            (last, i) = (mention.end, i + 1);
        }
        if from == i {
            continue;
        }
        rest.push_str(&text[last.min(at)..at]);
        let words = rest.split_whitespace().filter(|word| word.chars().filter(|c| c.is_alphabetic()).nth(1).is_some()).count();
        let spaceless = rest.chars().filter(|c| matches!(c, '\u{2e80}'..='\u{9fff}')).count();
        let begins = text[at - line.len()..mentions[from].start].chars().all(|c| !c.is_alphabetic());
        prose |= (words + spaceless / 2 >= WORDS) && (!begins || line.trim_end().ends_with(['.', '!', '?', '。']));
        if JOINT.is_match(plain(&rest).trim()) {
            lonely.extend(from..i);
        }
    }
    if prose {
        for i in lonely {
            said[i] = if said[i] == Said::Rejected { Said::Rejected } else { Said::Alone };
        }
    }
}
