//! The grammar of a computation, one line: `FUNCTION RELATION [by RELATION] [where RELATION TEST VALUE [and ...]]`.
//!
//! Forgiving in form (letter case, quotes, brackets, `id label`, the relation's label alone), never in substance: a piece
//! that can't be read is a reason, not a guess. The relation after the function is one on offer; the KG finds the others.

use super::Unusable;
use super::clean::{fold, fold_char};
use crate::calls::{Aggregate, Filter, Function, Test, Value};
use crate::graph::{Direction, KgName, Relation, RelationId};

/// Conditions of one computation, at most.
const FILTERS: usize = 8;
/// A longer line is no computation.
const LONGEST: usize = 2_000;

const fn unreadable<T>(why: &'static str) -> Result<T, Unusable> {
    Err(Unusable::Unreadable(why))
}

/// Reads a computation over one of `offered`, with the KG that offers it. `AGGREGATE:` may stand before it.
///
/// # Errors
/// [`Unusable::NotOffered`] when the relation is not on offer, else [`Unusable::Unreadable`], with a reason for people.
pub fn read_aggregate(text: &str, offered: &[Relation]) -> Result<(Aggregate, KgName), Unusable> {
    if text.len() > LONGEST {
        return unreadable("the computation is too long");
    }
    let line = normal(bare(text));
    let Some((function, rest)) = function(&line) else {
        return unreadable("it begins with none of count, max, min, first, intersect, filter");
    };
    let rest = unbracketed(rest)?;
    let (relation, rest) = main(&rest, offered)?;
    let (by, filters) = clauses(rest, function)?;
    let what = Aggregate { function, relation: relation.at.id.clone(), direction: relation.at.direction, filters, by };
    Ok((what, relation.at.kg.clone()))
}

/// `text` with plain double quotes, and plain signs outside of them, without white space and full stops at its ends.
fn normal(text: &str) -> String {
    let chars: Vec<char> = text.replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&").replace("&quot;", "\"").chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        match closing(&chars, at) {
            Some(close) => {
                out.push('"');
                for (i, inner) in chars[at + 1..close].iter().enumerate() {
                    // Another kind of quotes was meant to hold plain ones.
                    let bare = *inner == '"' && chars[at + i] != '\\';
                    out.push_str(if bare { "\\\"" } else { "" });
                    out.extend((!bare).then_some(*inner));
                }
                out.push('"');
                at = close + 1;
            }
            None => {
                out.push(fold_char(c));
                at += 1;
            }
        }
    }
    out.trim().trim_end_matches(['.', ';', ',', ' ']).trim().to_owned()
}

/// `text` without the keyword and without quotes round the whole of it.
fn bare(text: &str) -> &str {
    let line = without_keyword(text.trim()).trim();
    let quotes = [('"', '"'), ('“', '”'), ('\'', '\'')];
    let inner = quotes.into_iter().find_map(|(open, close)| line.strip_prefix(open)?.strip_suffix(close)).map(without_keyword);
    inner.filter(|inner| function(inner).is_some()).unwrap_or(line)
}

/// Where the quotes end that begin at `at`; an apostrophe begins none.
fn closing(chars: &[char], at: usize) -> Option<usize> {
    let after = |i: usize| chars.get(i + 1).copied();
    let rest = at + 1..chars.len();
    match chars[at] {
        '"' => {
            let mut escaped = false;
            rest.into_iter().find(|i| {
                let ends = chars[*i] == '"' && !escaped;
                escaped = chars[*i] == '\\' && !escaped;
                ends
            })
        }
        '“' | '„' | '”' => rest.into_iter().find(|i| matches!(chars[*i], '”' | '“')),
        '«' => rest.into_iter().find(|i| chars[*i] == '»'),
        '「' => rest.into_iter().find(|i| chars[*i] == '」'),
        '『' => rest.into_iter().find(|i| chars[*i] == '』'),
        '\'' | '‘' if at == 0 || !chars[at - 1].is_alphanumeric() => {
            let close = rest.into_iter().find(|i| matches!(chars[*i], '\'' | '’') && !after(*i).is_some_and(char::is_alphanumeric))?;
            (close > at + 1 && !chars[at..close].contains(&'"')).then_some(close)
        }
        _ => None,
    }
}

fn without_keyword(line: &str) -> &str {
    let word = "aggregate";
    match line.get(..word.len()) {
        Some(start) if start.eq_ignore_ascii_case(word) => line[word.len()..].trim_start_matches([' ', ':', '*']),
        _ => line,
    }
}

/// The function at the start of `line`, and what follows it.
fn function(line: &str) -> Option<(Function, &str)> {
    let line = line.trim_start_matches(['`', '*', '-', ' ']);
    let end = line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len());
    let function = match line[..end].to_ascii_lowercase().as_str() {
        "count" | "number" => Function::Count,
        "max" | "maximum" | "largest" | "highest" => Function::Max,
        "min" | "minimum" | "smallest" | "lowest" => Function::Min,
        "first" | "earliest" => Function::First,
        "intersect" | "intersection" => Function::Intersect,
        "filter" => Function::Filter,
        _ => return None,
    };
    let rest = line[end..].trim_start_matches([' ', ':']);
    let little = ["of ", "over ", "distinct "].into_iter().find_map(|word| {
        let start = rest.get(..word.len())?;
        start.eq_ignore_ascii_case(word).then(|| &rest[word.len()..])
    });
    Some((function, little.unwrap_or(rest).trim_start()))
}

/// `(~P17) where ...` as `~P17 where ...`.
fn unbracketed(rest: &str) -> Result<String, Unusable> {
    let Some(inside) = rest.strip_prefix('(') else { return Ok(rest.to_owned()) };
    let covered = covered(inside)?;
    let mut depth = 1;
    for (at, c) in inside.char_indices().filter(|(at, _)| !covered[*at]) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok(format!("{} {}", &inside[..at], &inside[at + 1..]));
        }
    }
    unreadable("a bracket is never closed")
}

/// For each byte, whether it stands in double quotes or in an IRI in angle brackets.
fn covered(text: &str) -> Result<Vec<bool>, Unusable> {
    let mut covered = vec![false; text.len()];
    let mut chars = text.char_indices();
    while let Some((from, c)) = chars.next() {
        let to = match c {
            '"' => {
                let mut escaped = false;
                let close = text[from + 1..].char_indices().find(|(_, c)| {
                    let ends = *c == '"' && !escaped;
                    escaped = *c == '\\' && !escaped;
                    ends
                });
                match close {
                    Some((at, _)) => from + 1 + at + 1,
                    None => return unreadable("a double quote is never closed"),
                }
            }
            '<' => match iri_end(&text[from..]) {
                Some(length) => from + length,
                None => continue,
            },
            _ => continue,
        };
        covered[from..to].fill(true);
        while chars.offset() < to {
            chars.next();
        }
    }
    Ok(covered)
}

/// The length of `<scheme:...>` at the start of `text`.
fn iri_end(text: &str) -> Option<usize> {
    let close = text.find('>')?;
    let inner = &text[1..close];
    let scheme = inner.split(':').next().filter(|scheme| scheme.len() < inner.len())?;
    let fits = scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(|c| c.is_ascii_alphanumeric());
    (fits && !inner.contains(char::is_whitespace)).then_some(close + 1)
}

/// The offered relation at the start of `rest`, the longest that fits, and what follows it.
fn main<'r, 't>(rest: &'t str, offered: &'r [Relation]) -> Result<(&'r Relation, &'t str), Unusable> {
    let (mut tilde, mut text) = (false, rest.trim_start());
    // `~"country"`, `"~P17"`, `<http://...>`, `wdt:P17`
    for _ in 0..3 {
        let stripped = text.trim_start_matches(['"', '<', ' ']);
        tilde |= stripped.starts_with('~');
        text = stripped.trim_start_matches('~');
    }
    let text = ["wdt:", "wd:"].into_iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(text);
    let mut best: Option<(usize, u8, &Relation)> = None;
    for relation in offered {
        let back = relation.at.direction == Direction::In;
        let reading = relation.reading();
        let names = [(Some(&*relation.at.id), false), (relation.label.as_deref(), false), (Some(reading.as_str()), true)];
        for (name, directed) in names.into_iter().filter_map(|(name, directed)| Some((name?, directed))) {
            let Some(length) = starts_with(text, name) else { continue };
            if tilde && !back {
                continue;
            }
            // Of the two directions of one name the one that was meant: as it reads, else forwards.
            let fit = if tilde || !back || directed { 1 } else { 0 };
            if best.is_none_or(|(longest, better, _)| (length, fit) > (longest, better)) {
                best = Some((length, fit, relation));
            }
        }
    }
    let Some((length, _, relation)) = best else {
        return Err(Unusable::NotOffered("the relation after the function is none of the offered ones"));
    };
    let after = text[length..].trim_start_matches(['"', '>', ' ']);
    Ok((relation, without_label(after, relation)))
}

/// The length of `name` at the start of `text`, in any letter case, if it is over there.
fn starts_with(text: &str, name: &str) -> Option<usize> {
    let name = fold(name);
    let mut length = 0;
    let mut chars = text.chars();
    for wanted in name.chars() {
        let found = chars.next()?;
        if found != wanted && !found.to_lowercase().eq(wanted.to_lowercase()) {
            return None;
        }
        length += found.len_utf8();
    }
    let goes_on = text[length..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '#' | ':'));
    (!name.is_empty() && !goes_on).then_some(length)
}

/// What follows the label that was written behind an id: `~P17 "is country of" where ...`.
fn without_label<'t>(rest: &'t str, relation: &Relation) -> &'t str {
    let bare = rest.trim_start_matches(['"', '(', '[', ' ']);
    let names = [Some(relation.reading()), relation.label.clone(), relation.inverse_label.clone()];
    let length = names.into_iter().flatten().filter_map(|name| starts_with(bare, &name)).max();
    length.map_or(rest, |length| bare[length..].trim_start_matches(['"', ')', ']', ' ']))
}

/// `by ...` and `where ...`, in this order or `by` at the very end.
fn clauses(rest: &str, function: Function) -> Result<(Option<RelationId>, Vec<Filter>), Unusable> {
    let rest = rest.trim_start_matches([' ', ',', ';', ':']);
    let cover = covered(rest)?;
    let (head, conditions) = match words(rest, &cover, "where").first() {
        Some(&at) => (rest[..at].trim(), Some(rest[at + 5..].trim())),
        None => (rest.trim(), None),
    };
    let mut by = match head {
        "" => None,
        head => match (head.get(..3), head.get(3..)) {
            (Some(start), Some(name)) if start.eq_ignore_ascii_case("by ") => Some(relation(name)?),
            _ => return unreadable("only `by RELATION` and `where CONDITION` can follow the relation"),
        },
    };
    let mut conditions = conditions.map(str::to_owned);
    if let Some(text) = &mut conditions
        && by.is_none()
    {
        let cover = covered(text)?;
        if let Some(&at) = words(text, &cover, "by").last() {
            by = Some(relation(&text[at + 2..])?);
            text.truncate(at);
        }
    }
    if by.is_some() && !function.compares() {
        return unreadable("only min, max and first compare something: leave `by` out");
    }
    let filters = conditions.map_or_else(|| Ok(Vec::new()), |text| filters(&text))?;
    if function == Function::Filter && filters.is_empty() {
        return unreadable("filter needs a condition: where RELATION = VALUE");
    }
    Ok((by, filters))
}

/// Where `word` stands in `text` as a word of its own, in any letter case.
fn words(text: &str, covered: &[bool], word: &str) -> Vec<usize> {
    let ends = |at: usize| text[at + word.len()..].chars().next().is_none_or(|c| c.is_whitespace() || c == '"');
    let begins = |at: usize| text[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '>' | ')'));
    let hit = |at: &usize| !covered[*at] && text.get(*at..at + word.len()).is_some_and(|t| t.eq_ignore_ascii_case(word));
    text.char_indices().map(|(at, _)| at).filter(hit).filter(|at| begins(*at) && ends(*at)).collect()
}

fn filters(text: &str) -> Result<Vec<Filter>, Unusable> {
    let cover = covered(text)?;
    let mut ends: Vec<(usize, usize)> = words(text, &cover, "and").into_iter().map(|at| (at, at + 3)).collect();
    for (at, c) in text.char_indices().filter(|(at, _)| !cover[*at]) {
        let length = match c {
            ';' => 1,
            // A comma between digits belongs to the number.
            ',' if text[at + 1..].starts_with(char::is_whitespace) => 1,
            '&' if text[at..].starts_with("&&") => 2,
            _ => continue,
        };
        ends.push((at, at + length));
    }
    ends.sort_unstable();
    let (mut filters, mut from) = (Vec::new(), 0);
    for (to, next) in ends.into_iter().chain([(text.len(), text.len())]) {
        let piece = &text[from..to];
        // `, and` is one joint.
        if !(piece.trim().is_empty() && !filters.is_empty() && to < text.len()) {
            filters.push(condition(piece)?);
        }
        from = next;
        if filters.len() > FILTERS {
            return unreadable("there are too many conditions");
        }
    }
    Ok(filters)
}

/// The comparisons as they are written, longest first.
const TESTS: [(&str, Test); 11] = [
    ("<=", Test::AtMost),
    (">=", Test::AtLeast),
    ("!=", Test::NotEqual),
    ("<>", Test::NotEqual),
    ("==", Test::Equal),
    ("=", Test::Equal),
    ("<", Test::Less),
    (">", Test::More),
    ("≤", Test::AtMost),
    ("≥", Test::AtLeast),
    ("≠", Test::NotEqual),
];

fn condition(text: &str) -> Result<Filter, Unusable> {
    let cover = covered(text)?;
    let mut spot = None;
    // An IRI without brackets may hold an equals sign: what comes after white space is meant.
    let in_iri = |at: usize| text[..at].rsplit(char::is_whitespace).next().is_some_and(|word| word.contains("://"));
    for (at, _) in text.char_indices().filter(|(at, _)| !cover[*at] && !in_iri(*at)) {
        if let Some((sign, test)) = TESTS.iter().find(|(sign, _)| text[at..].starts_with(sign)) {
            spot = Some((at, at + sign.len(), *test));
            break;
        }
    }
    let Some((at, after, test)) = spot else { return unreadable("a condition needs one of = != < <= > >= (names in double quotes)") };
    let value = value(&text[after..])?;
    if test.orders() && matches!(Value::read(&value), Value::Name(_)) {
        return unreadable("< and > need a number or a date on their right");
    }
    Ok(Filter { relation: relation(&text[..at])?, test, value })
}

/// The text of a name that is one double-quoted scalar; `None` when it is not quoted.
fn unquoted(text: &str) -> Result<Option<String>, Unusable> {
    if !text.contains('"') {
        return Ok(None);
    }
    let whole = text.strip_prefix('"').filter(|_| covered(text).is_ok_and(|cover| cover.iter().all(|c| *c)));
    let Some(inner) = whole.and_then(|rest| rest.strip_suffix('"')) else {
        return unreadable("a name is either whole in double quotes or without any");
    };
    let (mut out, mut escaped) = (String::new(), false);
    for c in inner.chars() {
        if c == '"' && !escaped {
            return unreadable("a name is either whole in double quotes or without any");
        }
        if escaped || c != '\\' {
            out.push(c);
        }
        escaped = c == '\\' && !escaped;
    }
    Ok(Some(out))
}

/// The id in `Q8502 mountain`, `P31 "instance of"`, `<http://...>` or `http://... label`.
fn id(text: &str) -> Option<&str> {
    if let Some(end) = text.starts_with('<').then(|| iri_end(text)).flatten() {
        return Some(&text[1..end - 1]);
    }
    let word = text.split_whitespace().next()?;
    let local = ["wdt:", "wd:"].into_iter().find_map(|prefix| word.strip_prefix(prefix)).unwrap_or(word);
    let mut letters = local.chars();
    let short = letters.next().is_some_and(|c| "QPLqpl".contains(c)) && local.len() > 1 && letters.all(|c| c.is_ascii_digit());
    if short { Some(local) } else { word.contains("://").then_some(word) }
}

fn short_upper(id: &str) -> String {
    if id.contains("://") { id.to_owned() } else { id.to_uppercase() }
}

fn name(text: &str) -> Result<String, Unusable> {
    let text = text.trim();
    if let Some(id) = id(text.trim_start_matches(['(', '['])).filter(|_| !text.starts_with('"')) {
        return Ok(short_upper(id));
    }
    let quoted = unquoted(text)?;
    // What stands in quotes is an id only as a whole.
    let whole = |inside: &String| id(inside).filter(|id| id.len() == inside.len() || *inside == format!("<{id}>")).map(short_upper);
    if let Some(id) = quoted.as_ref().and_then(whole) {
        return Ok(id);
    }
    let name = quoted.unwrap_or_else(|| text.to_owned());
    Ok(name.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A relation of the far ends.
fn relation(text: &str) -> Result<RelationId, Unusable> {
    let text = text.trim();
    if text.trim_start_matches('"').starts_with('~') {
        return unreadable("what the far ends are compared by is followed forwards only: leave ~ out");
    }
    match name(text)? {
        name if name.is_empty() => unreadable("a relation is missing"),
        name => Ok(name.into()),
    }
}

fn value(text: &str) -> Result<String, Unusable> {
    let text = text.trim();
    let value = match Value::read(text) {
        Value::Name(_) => name(text)?,
        _ => text.to_owned(),
    };
    if value.is_empty() { unreadable("a value is missing behind a comparison") } else { Ok(value) }
}

#[cfg(test)]
mod tests;
