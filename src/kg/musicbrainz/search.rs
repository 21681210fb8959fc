//! The operation `search`: candidates of every kind.
//!
//! The service searches one kind at a time, and it is asked once a second: a search of all eleven kinds takes eleven
//! seconds. None is left out all the same: whether "Liverpool" means the town is not to be seen from the artists of that
//! name. Two forms cost one request: `artist:Nirvana` searches one kind, and an id or an address on musicbrainz.org is
//! looked up. The service's scores say nothing across kinds (the best hit of each is 100), so kinds take turns.

use super::kinds::{Kind, SEARCHED};
use super::{Call, describe, id, json, link};
use crate::calls::{CallError, CallErrorKind, Candidate};
use serde_json::Value;

/// Hits of one kind at most.
const HITS: u32 = 25;
/// Searches that fail before the rest is given up.
const FAILURES: usize = 2;

/// A hit with what decides its place.
struct Hit {
    candidate: Candidate,
    /// 0 where the label or an alias is what was looked for.
    tier: u8,
    /// How many of its kind and tier stand before it.
    place: usize,
    score: u64,
    kind: usize,
}

/// Candidates for `mention`, best first: those whose name is the mention before all others, and of those the first of
/// each kind before the second of any, by score and by the order of the kinds.
pub async fn search(call: &mut Call<'_>, mention: &str, limit: u32) -> Result<Vec<Candidate>, CallError> {
    if let Some(candidates) = by_id(call, mention).await? {
        return Ok(candidates);
    }
    let (kinds, words) = kinds_of(mention);
    let query = lucene(words);
    if query.is_empty() || limit == 0 {
        return Ok(Vec::new());
    }
    let wanted = limit.min(HITS).to_string();
    let mut hits: Vec<Hit> = Vec::new();
    let mut failures: Vec<CallError> = Vec::new();
    for (at, kind) in kinds.iter().enumerate() {
        match call.kg.client.get(&[kind.path()], &[("query", &query), ("limit", &wanted)], &mut call.wire).await {
            Ok(Some(answer)) => hits.extend(read(call, *kind, at, json::list(&answer.body, kind.plural()), words)),
            Ok(None) => {}
            Err(error) => {
                let hopeless = !matches!(error.kind, CallErrorKind::BadReply | CallErrorKind::Refused);
                failures.push(error);
                if hopeless || failures.len() >= FAILURES {
                    let left: Vec<&str> = kinds[at..].iter().map(|kind| kind.words()).collect();
                    call.notes.push(format!("not searched: {}", left.join(", ")));
                    break;
                }
                call.notes.push(format!("not searched: {}", kind.words()));
            }
        }
    }
    if let Some(error) = failures.first() {
        // Without an answer there is none; with some, what failed is said.
        if hits.is_empty() {
            return Err(error.clone());
        }
        call.remark(error);
    }
    hits.sort_by_key(|hit| (hit.tier, hit.place, std::cmp::Reverse(hit.score), hit.kind));
    let mut candidates: Vec<Candidate> = Vec::new();
    for hit in hits {
        if !candidates.iter().any(|known| known.entity.id == hit.candidate.entity.id) {
            candidates.push(hit.candidate);
        }
    }
    candidates.truncate(limit as usize);
    Ok(candidates)
}

/// The entity itself, where the mention is an id.
async fn by_id(call: &mut Call<'_>, mention: &str) -> Result<Option<Vec<Candidate>>, CallError> {
    if id::parse(mention).is_none() {
        return Ok(None);
    }
    let found = call.record(mention).await?;
    Ok(Some(found.into_iter().map(|record| Candidate { entity: link::known(call.kg, &record), matched: None }).collect()))
}

/// The kinds that are searched, and for what: `artist:Nirvana` is one kind.
fn kinds_of(mention: &str) -> (Vec<Kind>, &str) {
    let named = mention.split_once(':').and_then(|(kind, rest)| Some((Kind::parse(kind)?, rest)));
    match named.filter(|(kind, _)| SEARCHED.contains(kind)) {
        Some((kind, rest)) => (vec![kind], rest.trim()),
        None => (SEARCHED.to_vec(), mention.trim()),
    }
}

/// `words` as a query in which nothing has a meaning of its own.
fn lucene(words: &str) -> String {
    let mut query = String::new();
    for word in crate::text::one_line(words).split_whitespace().take(40) {
        if !query.is_empty() {
            query.push(' ');
        }
        if matches!(word, "AND" | "OR" | "NOT") {
            query.push_str(&word.to_lowercase());
            continue;
        }
        for c in word.chars() {
            if "+-&|!(){}[]^\"~*?:\\/".contains(c) {
                query.push('\\');
            }
            query.push(c);
        }
    }
    query
}

/// The hits of one kind, in the service's order.
fn read(call: &Call<'_>, kind: Kind, at: usize, found: &[Value], words: &str) -> Vec<Hit> {
    let wanted = plain(words);
    let mut places = [0_usize; 2];
    let mut hits = Vec::new();
    for record in found {
        let Some(entity) = describe::entity(kind, record, &call.kg.name) else { continue };
        call.kg.shelf.see(kind, &entity);
        let is_label = entity.label.as_deref().is_some_and(|label| plain(label) == wanted);
        let alias = json::list(record, "aliases").iter().filter_map(|alias| json::text(alias, "name")).find(|name| plain(name) == wanted);
        let matched = alias.filter(|_| !is_label).map(str::to_owned);
        let tier = u8::from(!is_label && matched.is_none());
        let place = places[usize::from(tier)];
        places[usize::from(tier)] += 1;
        let score = json::number(record, "score").or_else(|| json::number(record, "ext:score")).unwrap_or(0);
        hits.push(Hit { candidate: Candidate { entity, matched }, tier, place, score, kind: at });
    }
    hits
}

/// A name without case, punctuation and doubled blanks; one that is nothing but punctuation stays.
fn plain(name: &str) -> String {
    let words: String = name.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    let words: Vec<&str> = words.split_whitespace().collect();
    if words.is_empty() { name.trim().to_owned() } else { words.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_is_a_query() {
        assert_eq!(lucene("AC/DC: \"Live\" (1991)"), "AC\\/DC\\: \\\"Live\\\" \\(1991\\)");
        assert_eq!(lucene("Rock AND Roll\u{1b}"), "Rock and Roll");
        assert_eq!(lucene("  "), "");
    }

    #[test]
    fn a_kind_may_be_named() {
        assert_eq!(kinds_of("artist: Nirvana"), (vec![Kind::Artist], "Nirvana"));
        assert_eq!(kinds_of("Release group:Nevermind"), (vec![Kind::ReleaseGroup], "Nevermind"));
        assert_eq!(kinds_of("Act 2: Dance").0.len(), 11);
        assert_eq!(kinds_of("genre: rock").1, "genre: rock");
    }

    #[test]
    fn names_are_compared_without_case_and_punctuation() {
        assert_eq!(plain("AC/DC"), plain("ac dc"));
        assert_eq!(plain("!!!"), "!!!");
        assert_ne!(plain("Motörhead"), plain("Motorhead"));
    }
}
