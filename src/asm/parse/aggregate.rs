//! State `selecting relation` when AGGREGATE is on offer: a line `AGGREGATE: ...`, else a relation as ever.

use super::Unusable;
use super::clean::{Cleaned, fold, unfolded};
use super::grammar::read_aggregate;
use super::half_json::cut_object;
use super::ids;
use super::json;
use super::marks::{unfenced, unmarked, without_closing_quote};
use super::menu::is_placeholder;
use super::play_on::{Strict, before_observation, played};
use crate::asm::Action;
use crate::graph::{Relation, RelationRef};
use regex::Regex;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// The keyword with its colon, perhaps with marks between; in capitals also without.
static KEYWORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:^|[^\p{L}\p{N}_])(?P<all>(?:(?i:aggregate)[\])}>*_`"'”’»」』\s]*:[:*_`\s]*|AGGREGATE(?P<bare>\s+)))"#)
        .expect("constant")
});

const CUT: Unusable = Unusable::Unreadable("the computation was cut off at the token limit");

/// A computation if `reply` names one, else the first offered relation in it.
pub(super) fn relation_or_aggregate(reply: &Cleaned, offered: &[Relation]) -> Result<Action, Unusable> {
    if let Some(read) = aggregate(reply, offered) {
        return read;
    }
    let refs: Vec<RelationRef> = offered.iter().map(|relation| relation.at.clone()).collect();
    ids::relation(reply, &refs).map(|relation| Action::SelectRelation { relation })
}

/// The first computation of `reply` that can be read, else why the first one can't; `None` when it names none.
fn aggregate(reply: &Cleaned, offered: &[Relation]) -> Option<Result<Action, Unusable>> {
    let unfenced = unfenced(&reply.text);
    let (text, invented) = played(&unfenced, Strict::Yes);
    if reply.cut
        && invented.is_none()
        && let Some(half) = cut_object(&text)
    {
        let (whole, all) = (from_json(&half.whole), from_json(&half.all));
        return all.map(|line| if whole.as_ref() == Some(&line) { read(&line, offered) } else { Err(CUT) });
    }
    if let Some(line) = json::first_object(&text).and_then(|found| from_json(&found.object)) {
        return Some(read(&line, offered));
    }
    let rows: Vec<String> = text.lines().map(unmarked).collect();
    let cut_row = (reply.cut && invented.is_none() && !text.ends_with('\n')).then(|| rows.len().saturating_sub(1));
    let mut first_wrong = None;
    for (at, row) in rows.iter().enumerate() {
        let folded = fold(row);
        let Some(found) = KEYWORD.captures(&folded) else { continue };
        let Some(all) = found.name("all") else { continue };
        let rest = without_closing_quote(&row[..unfolded(row, &folded, all.start())], &row[unfolded(row, &folded, all.end())..]);
        let below = || (at + 1..rows.len()).find(|below| !rows[*below].trim().is_empty());
        let (body, from) = match below() {
            Some(below) if rest.trim().is_empty() => (rows[below].as_str(), below),
            _ => (rest, at),
        };
        if is_placeholder(body) {
            continue;
        }
        let result = if cut_row == Some(from) { Err(CUT) } else { read(before_observation(body), offered) };
        match result {
            Ok(action) => return Some(Ok(action)),
            // A bare word in capitals may be part of a sentence.
            Err(_) if found.name("bare").is_some() => {}
            Err(wrong) => first_wrong = first_wrong.or(Some(wrong)),
        }
    }
    first_wrong.map(Err)
}

fn read(line: &str, offered: &[Relation]) -> Result<Action, Unusable> {
    read_aggregate(line, offered).map(|(what, kg)| Action::Aggregate { what, kg })
}

/// `{"action": "AGGREGATE", "input": "count ~P17"}` or `{"AGGREGATE": "count ~P17"}` as a line.
fn from_json(object: &Map<String, Value>) -> Option<String> {
    let is_name = |text: &str| text.trim().eq_ignore_ascii_case("aggregate");
    if let Some((_, Value::String(line))) = object.iter().find(|(key, _)| is_name(key)) {
        return Some(line.clone());
    }
    let texts = || object.iter().filter(|(key, _)| !json::is_reasoning_key(key)).filter_map(|(_, value)| value.as_str());
    if texts().any(is_name) {
        return texts().find(|text| !is_name(text)).map(str::to_owned);
    }
    let folded = texts().find_map(|text| KEYWORD.captures(text).and_then(|found| found.name("all")).map(|all| (text, all.end())));
    folded.map(|(text, end)| text[end..].to_owned())
}
