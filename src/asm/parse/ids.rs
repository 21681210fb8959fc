//! Ids in a reply: only whole, only if on offer, next to any punctuation and any letter that is not ASCII; those that it chooses.

use super::Unusable;
use super::choice::{Change, Mention, Said, between_choices, is_struck, judge};
use super::clean::{Cleaned, fold_char};
use super::half_json::cut_object;
use super::json;
use super::play_on::{Strict, played};
use crate::graph::{Direction, EntityId, RelationRef};
use std::collections::HashMap;

/// Ids by their folded form. Wikidata's IRIs are also known by the id alone.
struct Offered<T> {
    by_key: HashMap<String, T>,
    /// Lengths of the keys in bytes, longest first.
    lengths: Vec<usize>,
}

impl<T: Default> Offered<T> {
    fn new<'a>(ids: impl Iterator<Item = &'a str>, mut add: impl FnMut(&mut T, usize)) -> Self {
        let mut by_key: HashMap<String, T> = HashMap::new();
        for (i, id) in ids.enumerate() {
            let key = folded(id);
            if let Some(short) = wikidata_id(&key) {
                add(by_key.entry(short.to_owned()).or_default(), i);
            }
            add(by_key.entry(key).or_default(), i);
        }
        let mut lengths: Vec<usize> = by_key.keys().map(String::len).filter(|n| *n > 0).collect();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        lengths.dedup();
        Self { by_key, lengths }
    }

    /// Every whole offered id in `text` (folded) with where it stands, in the order of the text. With `cut`, an id that ends
    /// the text is left out if a longer offered one begins with it.
    fn named<'s>(&'s self, text: &'s str, cut: bool) -> impl Iterator<Item = (Mention, &'s T)> + 's {
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < text.len() {
                let here = at;
                let hit = if begins(text, here) { self.longest(text, here) } else { None };
                let Some((length, value)) = hit else {
                    at += text[here..].chars().next().map_or(1, char::len_utf8);
                    continue;
                };
                at = here + length;
                let key = &text[here..at];
                if cut && at == text.len() && self.by_key.keys().any(|k| k.len() > key.len() && k.starts_with(key)) {
                    continue;
                }
                return Some((Mention { start: here, end: at }, value));
            }
            None
        })
    }

    fn longest(&self, text: &str, at: usize) -> Option<(usize, &T)> {
        self.lengths.iter().find_map(|length| {
            let key = text.get(at..at + length)?;
            let value = self.by_key.get(key)?;
            ends(text, key, at + length).then_some((*length, value))
        })
    }
}

/// The id at the end of a Wikidata IRI (lower case), as it stands in prompts and replies.
fn wikidata_id(iri: &str) -> Option<&str> {
    if !iri.contains("wikidata.org/") {
        return None;
    }
    let (_, id) = iri.rsplit_once('/')?;
    (id.len() > 1 && id.starts_with(['q', 'p', 'l']) && id[1..].bytes().all(|b| b.is_ascii_digit())).then_some(id)
}

/// `text` in lower case with look-alikes folded; a backslash before punctuation (Markdown's escape) is dropped.
fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().map(fold_char).peekable();
    while let Some(c) = chars.next() {
        if c == '\\' && chars.peek().is_some_and(char::is_ascii_punctuation) {
            continue;
        }
        let mut lower = c.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(one), None) => out.push(one),
            _ => out.push(c),
        }
    }
    out
}

const fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric()
}

/// So many underscores next to an id are looked past, as Markdown marks.
const UNDERSCORES: usize = 8;

/// Whether an id may begin at `at`: no ASCII letter or digit before it, nor an underscore that belongs to a word.
fn begins(text: &str, at: usize) -> bool {
    let before = text[..at].bytes().rev().take(UNDERSCORES).find(|b| *b != b'_');
    !before.is_some_and(|b| b.is_ascii_alphanumeric())
}

/// Whether the id `key` is over at `at`: no ASCII letter or digit follows, and an id with inner punctuation (IRI, `local:big-star`)
/// does not go on behind a joint.
fn ends(text: &str, key: &str, at: usize) -> bool {
    let rest = &text[at..];
    let Some(next) = rest.chars().next() else { return true };
    if rest.bytes().take(UNDERSCORES).find(|b| *b != b'_').is_some_and(|b| b.is_ascii_alphanumeric()) {
        return false;
    }
    if key.ends_with(|c: char| !c.is_ascii() && c.is_alphanumeric()) && next.is_alphanumeric() {
        return false;
    }
    let wide = key.contains(|c: char| c.is_ascii_punctuation() && c != '_');
    let joint = matches!(next, '/' | '#' | '-' | '.' | ':' | '%' | '?' | '=' | '&' | '+' | '@' | '~');
    let goes_on = rest[next.len_utf8()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    // A bare number is no id inside a decimal.
    let number = key.bytes().all(|b| b.is_ascii_digit());
    !(goes_on && ((wide && joint) || (number && matches!(next, '.' | ','))))
}

/// The part of a reply in which ids count.
struct Readable {
    /// Folded.
    text: String,
    /// Whether `text` runs up to the cut.
    ends_open: bool,
    /// Whether the reply was cut.
    cut: bool,
    /// Whether JSON says "reverse".
    reverse: bool,
}

fn readable(reply: &Cleaned) -> Readable {
    let (text, invented) = played(&reply.text, Strict::Yes);
    let cut = reply.cut && invented.is_none();
    if cut && let Some(half) = cut_object(&text) {
        let (whole, all) = (json::said(&half.whole), json::said(&half.all));
        let ends_open = whole != all;
        let text = if ends_open { all.trim_end() } else { &whole };
        return Readable { text: folded(text), ends_open, cut, reverse: json::is_reverse(&half.all) };
    }
    match json::first_object(&text) {
        Some(found) => {
            let reverse = json::is_reverse(&found.object);
            Readable { text: folded(&json::said(&found.object)), ends_open: false, cut: false, reverse }
        }
        None => Readable { text: folded(&text), ends_open: cut, cut, reverse: false },
    }
}

/// Why nothing of what is on offer was named: `cut` or `missing`.
const fn nothing(reply: &Cleaned, readable: &Readable, cut: &'static str, missing: &'static str) -> Unusable {
    match (reply.unclosed, readable.cut) {
        (true, _) => Unusable::Unreadable("the reply ends inside its reasoning"),
        (false, true) => Unusable::Unreadable(cut),
        (false, false) => Unusable::NotOffered(missing),
    }
}

/// The offered entities that `reply` chooses, else those that it names: a set, in the order of the offer.
pub(super) fn entities(reply: &Cleaned, offered: &[EntityId]) -> Result<Vec<EntityId>, Unusable> {
    let index: Offered<Vec<usize>> = Offered::new(offered.iter().map(AsRef::as_ref), |places: &mut Vec<usize>, i| places.push(i));
    let readable = readable(reply);
    // Two offered ids that differ in letter case only: the first is meant.
    let (mentions, named): (Vec<Mention>, Vec<usize>) =
        index.named(&readable.text, readable.ends_open).filter_map(|(at, places)| Some((at, *places.first()?))).unzip();
    let judged = judge(&readable.text, &mentions);
    let said = by_id(offered.len(), &named, &judged.said);
    let best = said.iter().flatten().max().copied();
    let is_taken = |said: &Option<Said>| match best {
        Some(Said::Rejected) | None => judged.all_others && said.is_none(),
        best => *said == best,
    };
    let ids: Vec<EntityId> = offered.iter().zip(&said).filter(|(_, said)| is_taken(said)).map(|(id, _)| id.clone()).collect();
    let cut = "the reply was cut off at the token limit before it named an offered entity";
    match (ids.is_empty(), best) {
        (false, _) => Ok(ids),
        (true, Some(_)) if !readable.cut => Err(Unusable::Unreadable("it names offered entities only to reject them")),
        _ => Err(nothing(reply, &readable, cut, "it names none of the offered entities")),
    }
}

/// What is said of each of `count` ids in the end; `named` = which id each mention is.
fn by_id(count: usize, named: &[usize], said: &[Said]) -> Vec<Option<Said>> {
    let mut all: Vec<Option<Said>> = vec![None; count];
    for (i, said) in named.iter().zip(said) {
        all[*i] = Some(all[*i].map_or(*said, |before| before.then(*said)));
    }
    all
}

/// Where a relation is on offer, by direction.
#[derive(Default)]
struct Ways {
    out: Option<usize>,
    incoming: Option<usize>,
}

/// The offered relation that `reply` chooses, else the first that it names. A bare id that is offered in reverse only is the
/// reverse; an id with a tilde is never the forward relation.
pub(super) fn relation(reply: &Cleaned, offered: &[RelationRef]) -> Result<RelationRef, Unusable> {
    let index: Offered<Ways> = Offered::new(offered.iter().map(|r| r.id.as_ref()), |ways: &mut Ways, i| {
        let way = if offered[i].direction == Direction::Out { &mut ways.out } else { &mut ways.incoming };
        way.get_or_insert(i);
    });
    let readable = readable(reply);
    let text = &readable.text;
    let pick = |at: Mention, ways: &Ways| {
        let back = readable.reverse || (has_tilde(&text[..at.start]) && !is_struck(text, at));
        let way = if back { ways.incoming } else { ways.out.or(ways.incoming) };
        way.map(|way| (at, way))
    };
    let (mentions, named): (Vec<Mention>, Vec<usize>) =
        index.named(text, readable.ends_open).filter_map(|(at, ways)| pick(at, ways)).unzip();
    let judged = judge(text, &mentions);
    let said = by_id(offered.len(), &named, &judged.said);
    let best = said.iter().flatten().max().copied();
    // Of several that are as good the first counts, but one that was chosen later may correct it.
    let mut taken = named.iter().filter(|i| said[**i] == best);
    let cut = "the reply was cut off at the token limit before it named an offered relation";
    match (best, taken.next()) {
        (Some(best), Some(first)) if best != Said::Rejected => {
            let last = taken.next_back().unwrap_or(first);
            if best != Said::Chosen || first == last {
                return Ok(offered[*first].clone());
            }
            let place = |i: &usize| named.iter().zip(&judged.said).position(|(at, said)| at == i && *said == best);
            let between = place(first).zip(place(last)).map_or("", |(a, b)| &text[mentions[a].end..mentions[b].start]);
            match between_choices(between) {
                Change::None => Ok(offered[*first].clone()),
                Change::Corrected => Ok(offered[*last].clone()),
                Change::Unclear => Err(Unusable::Unreadable("it chooses several relations where one is wanted")),
            }
        }
        (Some(_), _) if !readable.cut => Err(Unusable::Unreadable("it names offered relations only to reject them")),
        _ => Err(nothing(reply, &readable, cut, "it names none of the offered relations")),
    }
}

/// Whether a tilde stands before an id, perhaps with a prefix (`~wdt:`), a bracket or Markdown marks between.
fn has_tilde(before: &str) -> bool {
    const MARKS: [char; 8] = ['<', '*', '_', '`', '"', '\'', '(', '['];
    let before = before.trim_end_matches(MARKS);
    if before.ends_with('~') || before.strip_suffix(' ').is_some_and(|b| b.ends_with('~') && !b.ends_with("~~")) {
        return true;
    }
    if !before.ends_with([':', '/', '#']) {
        return false;
    }
    let start = before.trim_end_matches(|c: char| is_word(c) || matches!(c, ':' | '/' | '.' | '#' | '_' | '-'));
    start.trim_end_matches(MARKS).ends_with('~')
}
