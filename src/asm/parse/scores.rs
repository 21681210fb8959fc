//! The value that a reply states: 0 to 1, or unreadable; never a made-up default.
//!
//! For an intermediate node a number with which the first line begins decides. Else the number stated by the last cue word
//! ("score", "rating", "Bewertung", "评分", ...), corrections after it included; else the last number after a cue; else the last
//! number between 0 and 1 that counts nothing. A reply that was cut states a score only under its label, in a sentence that ended or
//! in JSON: its reasoning may have been all there was. Of a range ("0.5 to 0.7") the upper end counts: it is the last that was stated. A number out of range
//! without a scale is unreadable, and so are the rubric or the bounds of the scale sent back.

use super::Unusable;
use super::clean::{Cleaned, fold};
use super::half_json::cut_object;
use super::json;
use super::marks::{tail, unfenced, unmarked};
use super::numbers::{Number, Numbers, numbers};
use super::play_on::{Strict, played};
use crate::micro::Micro;
use regex::Regex;
use serde_json::{Map, Value};
use std::sync::LazyLock;

const NOTHING: Unusable = Unusable::Unreadable("no score was stated");
const OUT_OF_RANGE: Unusable = Unusable::Unreadable("the score is out of range and states no scale");
const CUT: Unusable = Unusable::Unreadable("the score was cut off at the token limit");
const CUT_BEFORE: Unusable = Unusable::Unreadable("the reply was cut off at the token limit before it gave a score");

/// So far a number may stand from what it is read with.
const NEAR: usize = 1_000;

/// Words that announce a score.
const STRONG: &str = r"\b(?:scor(?:e|es|ed|ing)|rat(?:ing|ings|ed)|bewertung|bewerte|punktzahl|puntuaci[oó]n|puntaje|calificaci[oó]n|valoraci[oó]n|pontua[cç][aã]o|avalia[cç][aã]o|valutazione|punteggio|voto|[eé]valuation|ocena|wynik|puan|skor|skóre|poäng|betyg|pisteet|arvio|hodnocení|pontszám|értékelés|điểm)\b|оценк[аиуе]|балл|рейтинг|评分|得分|分数|評分|分數|评价|評価|スコア|点数|評点|점수|평점|평가|คะแนน|स्कोर|تقييم|درجة|ציון|βαθμολογία|σκορ";
/// Words that may announce one, but have other uses: only if no other word does.
const FAINT: &str =
    r"\b(?:value|rate|grade|mark|verdict|wert|valor|valeur|valore|nota|note|cote|punkte|points|værdi|karakter)\b|значение|分值|得点|値";

static STRONG_CUE: LazyLock<Regex> = LazyLock::new(|| Regex::new(&format!("(?i){STRONG}")).expect("constant"));
static FAINT_CUE: LazyLock<Regex> = LazyLock::new(|| Regex::new(&format!("(?i){FAINT}")).expect("constant"));
static CUE_KEY: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!("(?i){}|{}", STRONG.replace(r"\b", ""), FAINT.replace(r"\b", ""))).expect("constant"));
static SENTENCE_END: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[.!?](?:\s|$)|[。！？]|\n").expect("constant"));
static DENIED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:cannot|not|never|minus|below|above|under|over|than|most|least|nicht|kein)\b|n't\b").expect("constant")
});
static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\W{0,3}(?:(?:is|are|only|would be|be|should be) )*(?:if|when|means|requires?|would (?:require|need|mean)|given when|given only|reserved|only|wenn|nur)\b").expect("constant")
});
static RUBRIC_LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?m)^[ \t>*+•"'-]*(?:\d+[.)][ \t]+)?(?P<number>[01]?[.,]\d+|[01])[*"']*[ \t]*(?:=|:|-|–|—|→|\(|if\b|means\b)[ \t]*[^\d\s.,)][^\n]*"#).expect("constant")
});
static RUBRIC_INLINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?P<number>\b[01](?:[.,]\d+)?)\s*(?:=|means\b|\(?if\b|\(?when\b|only if\b|only when\b)\s*\p{L}").expect("constant")
});
static RUBRIC_WORDS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?P<number>\b[01][.,]\d+)\s+\p{L}[^,;\n\d]*(?:[,;\n]|$)").expect("constant"));
static CHAIN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^\s*(?:[,;/|]|(?:,\s*)?(?:or|and|oder|und|ou|et|o|y))\s*$").expect("constant"));
static CORRECTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:wait|actually|hmm|but rather|but|rather|instead|revised?|lowered|raised|reduced|changed|corrected|correction|final(?:ly)?|make that|reconsider\w*|or better|so i|therefore)\b|\bno[:,]|→|->|=>").expect("constant")
});
/// What makes a number the one that was not given.
static REJECTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:not|never|minus|than|instead of|below|above|under|over|nicht|kein[er]?)\s+(?:an? |the )?$").expect("constant")
});
static CONTINUES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:because|since|as|and|but|so|for|with|due|given|out|von|per|weil|da|porque|car|which|while|although|though|on|in|at|is|overall)\b").expect("constant")
});
/// What may stand between a number without a cue and the end of what is said of it.
static NO_THING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:to|or|not|if|here|this|that|it|i|would|should|seems?|feels?|looks?|appears?|fits|confiden\w+|certain\w*|probab\w+|likel\w+|sure|points?|score|rating|rather|instead|only|just|at|again|therefore|thus|then|based|given|considering|assuming|until|unless|when|where|the|my|no)\b").expect("constant")
});
/// Counts and measures in scripts that need no space before them.
static MEASURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s?(?:[亿億万萬千百兆年月日元円圓人米억만천년]|公里|公斤|千米|млн|млрд|тыс|миллион|миллиард|тысяч|километр|лет|год)")
        .expect("constant")
});
/// A label that was just written.
static LABEL: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^[*_`\s]*[:=]").expect("constant"));
/// A score that is being taken back.
static RETHOUGHT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:wait|hmm|hm|actually|correct(?:ion|ed|ing)?|on reflection|on second thought|reconsider\w*|revis\w*|lower(?:ed|ing)?|rais(?:e|ed|ing))\b|\bno[:,]").expect("constant")
});
static RANGE_JOINT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^\s*(?:-|–|—|~|to|and|or|bis|und|oder|à|et|a|y|до|или|至|到|から)\s*$").expect("constant"));

/// Reads `reply`; `state` = the score of an intermediate node, for which only a number was asked.
pub(super) fn score(reply: &Cleaned, state: bool) -> Result<Micro, Unusable> {
    if reply.unclosed && reply.text.trim().is_empty() {
        return Err(Unusable::Unreadable("the reply ends inside its reasoning"));
    }
    let text = unfenced(&reply.text);
    let (strict, invented) = played(&text, Strict::Yes);
    let played_on = invented.is_some();
    let first = read(&strict, reply.cut && !played_on, state);
    if first == Err(NOTHING) && (played_on || strict.trim().is_empty()) {
        // "Observation:" may be the model's own heading, as long as no score stood before it.
        let (lax, invented) = played(&text, Strict::ObservationsAllowed);
        return read(&lax, reply.cut && invented.is_none(), state);
    }
    first
}

fn read(text: &str, cut: bool, state: bool) -> Result<Micro, Unusable> {
    let half = if cut { cut_object(text) } else { None };
    if let Some(half) = &half {
        match (keyed(&half.whole), keyed(&half.all)) {
            (Some(written), Some(last)) if written == last => return micro(&written),
            (_, Some(open)) if open.whole || open.scaled => return Err(CUT),
            (_, Some(open)) => return micro(&open),
            (_, None) => {}
        }
    } else if let Some(found) = json::first_object(text) {
        match keyed(&found.object) {
            Some(number) => return micro(&number),
            None if found.start == 0 && text.trim().ends_with('}') => return Err(NOTHING),
            None => {}
        }
    }
    // What stands in a JSON object that was cut is its reasoning.
    let text = half.as_ref().map_or(text, |half| &text[..half.start]);
    let ends_open = cut && half.is_none() && !text.ends_with('\n');
    let mut folded = fold(&text.lines().map(unmarked).collect::<Vec<_>>().join("\n"));
    if cut && !ends_open {
        folded.push('\n');
    }
    let numbers = numbers(&folded);
    let seen =
        Seen { text: &folded, list: usable(&folded, &numbers), bounds: &numbers.bounds, open_end: ends_open.then_some(folded.len()) };
    let number = match seen.first_line(state)? {
        Some(number) => number,
        None if cut => seen.stated_before_a_cut()?.ok_or(CUT_BEFORE)?,
        None => seen.stated()?.or_else(|| seen.last_of_all()).ok_or(NOTHING)?,
    };
    if seen.may_go_on(&number) {
        return Err(CUT);
    }
    micro(&number)
}

fn micro(number: &Number) -> Result<Micro, Unusable> {
    Micro::from_f64(number.value).ok_or(OUT_OF_RANGE)
}

/// The score in a JSON object: the last value under a key that is a cue word.
fn keyed(object: &Map<String, Value>) -> Option<Number> {
    let scale = ["scale", "out_of", "max", "max_score", "maximum"]
        .iter()
        .find_map(|k| object.get(*k).and_then(Value::as_f64))
        .filter(|max| *max > 0.0);
    let of = |value: &Value| {
        let number = match value {
            Value::Number(n) => Number { start: 0, end: 0, value: n.as_f64()?, scaled: false, whole: !n.is_f64() },
            Value::String(text) => *numbers(&fold(text)).list.last()?,
            Value::Object(inner) => return keyed(inner),
            _ => return None,
        };
        Some(match scale {
            Some(max) if !number.scaled => Number { value: number.value / max, scaled: true, ..number },
            _ => number,
        })
    };
    let named =
        |(key, _): &(&String, &Value)| CUE_KEY.is_match(key) && !key.to_lowercase().starts_with("max") && !json::is_reasoning_key(key);
    object.iter().filter(named).filter_map(|(_, value)| of(value)).next_back()
}

/// The numbers that are no rubric and no list of what can be chosen.
fn usable(text: &str, numbers: &Numbers) -> Vec<Number> {
    let mut rubric: Vec<usize> = vec![];
    for (pattern, at_least) in [(&*RUBRIC_LINE, 2), (&*RUBRIC_INLINE, 2), (&*RUBRIC_WORDS, 3)] {
        let places: Vec<usize> = pattern.captures_iter(text).filter_map(|found| found.name("number").map(|m| m.start())).collect();
        if places.len() >= at_least {
            rubric.extend(places);
        }
    }
    let list: Vec<Number> = numbers.list.iter().filter(|n| !rubric.contains(&n.start)).copied().collect();
    let mut chains: Vec<Vec<Number>> = vec![];
    for number in list {
        match chains.last_mut() {
            Some(chain) if chain.last().is_some_and(|last| CHAIN.is_match(&text[last.end..number.start])) => chain.push(number),
            _ => chains.push(vec![number]),
        }
    }
    chains.into_iter().filter(|chain| chain.len() < 3).flatten().collect()
}

/// A text with the numbers that may be scores.
struct Seen<'a> {
    text: &'a str,
    list: Vec<Number>,
    bounds: &'a [(usize, usize)],
    /// The length of the text, if it was cut there.
    open_end: Option<usize>,
}

impl Seen<'_> {
    /// Whether the number ends where the reply was cut, and more of it may be missing: `0`, `1`, `8/1`, `0.`
    fn may_go_on(&self, number: &Number) -> bool {
        let rest = |end: usize| self.text[number.end..end].chars().all(|c| c == '.' || c == ',');
        self.open_end.is_some_and(|end| rest(end) && (number.whole || number.scaled) && !self.text[..number.end].ends_with('%'))
    }

    /// The number of the first line: alone in it, or (for a state) at its beginning with a decimal mark or a scale.
    /// An error if the first line is a bare number out of range.
    fn first_line(&self, state: bool) -> Result<Option<Number>, Unusable> {
        let start = self.text.len() - self.text.trim_start().len();
        let line = &self.text[start..start + self.text[start..].find('\n').unwrap_or(self.text.len() - start)];
        let Some(number) = self.list.first().filter(|n| n.start < start + line.len()) else { return Ok(None) };
        let is_mark = |c: char| !c.is_alphanumeric() && !matches!(c, '-' | '–' | '—');
        if !state || !self.text[start..number.start].chars().all(is_mark) {
            return Ok(None);
        }
        let after = &self.text[number.end.min(start + line.len())..start + line.len()];
        if after.chars().all(|c| !c.is_alphanumeric()) {
            return if number.in_range() { Ok(Some(*number)) } else { Err(OUT_OF_RANGE) };
        }
        let alone = self.list.get(1).is_none_or(|next| next.start >= start + line.len()) && !STRONG_CUE.is_match(after);
        Ok((alone && number.in_range() && (!number.whole || number.scaled)).then_some(*number))
    }

    /// The score that a cue word states.
    fn stated(&self) -> Result<Option<Number>, Unusable> {
        for cue in [&*STRONG_CUE, &*FAINT_CUE] {
            let cues: Vec<usize> = cue.find_iter(self.text).map(|m| m.end()).collect();
            for (i, from) in cues.iter().enumerate().rev() {
                let until = cues.get(i + 1).copied().unwrap_or(self.text.len());
                if let Some(number) = self.after(*from, until) {
                    return if number.in_range() { Ok(Some(number)) } else { Err(OUT_OF_RANGE) };
                }
            }
            let last = cues.first().and_then(|from| self.list.iter().rfind(|n| n.start >= *from && self.is_plain(n)));
            if last.is_some() && std::ptr::eq(cue, &*STRONG_CUE) {
                return Ok(last.copied());
            }
        }
        Ok(None)
    }

    /// The score that was stated for certain in a reply that goes on behind the cut: under a label, in a sentence that ended, or
    /// alone in a line.
    fn stated_before_a_cut(&self) -> Result<Option<Number>, Unusable> {
        let rethought = RETHOUGHT.find_iter(self.text).last().map_or(0, |m| m.start());
        for cue in [&*STRONG_CUE, &*FAINT_CUE] {
            let cues: Vec<usize> = cue.find_iter(self.text).map(|m| m.end()).collect();
            for (i, from) in cues.iter().enumerate().rev() {
                let until = cues.get(i + 1).copied().unwrap_or(self.text.len());
                match self.after(*from, until) {
                    Some(number) if rethought > number.start => return Ok(None),
                    Some(number) if self.is_certain(*from, &number) => {
                        return if number.in_range() { Ok(Some(number)) } else { Err(OUT_OF_RANGE) };
                    }
                    // The label of a score that did not come any more.
                    None if LABEL.is_match(&self.text[*from..]) => return Ok(None),
                    _ => {}
                }
            }
        }
        Ok(self.list.iter().rfind(|n| self.has_a_line(n) && self.is_plain(n)).copied())
    }

    /// Whether what is said of a number is over before the cut, or it stands under a label.
    fn is_certain(&self, from: usize, number: &Number) -> bool {
        let gap = self.text[from..number.start].trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, ':' | '='));
        let labelled = gap.ends_with([':', '=']) || gap.chars().all(|c| !c.is_alphanumeric());
        let rest = self.text[number.end..].trim_start_matches(['*', '"', '\'', ')', ']', '_', '`', '}']);
        let mut letters = rest.chars();
        let ended = match (letters.next(), letters.next()) {
            (Some('\n' | '。'), _) => true,
            (Some('.' | '!'), next) => next.is_some_and(char::is_whitespace),
            _ => false,
        };
        let words = rest.trim_start();
        let explained = words.starts_with(['(', ',', ';', '-', '–', '—', '.']) || CONTINUES.is_match(words);
        ended || (labelled && (words.is_empty() || explained))
    }

    /// Whether a number is alone in a line that ended.
    fn has_a_line(&self, number: &Number) -> bool {
        let blank = |text: &str| text.chars().all(|c| !c.is_alphanumeric());
        let before = self.text[..number.start].rsplit('\n').next().unwrap_or_default();
        self.text[number.end..].split_once('\n').is_some_and(|(after, _)| blank(after)) && blank(before)
    }

    /// The number that the cue ending at `from` states, corrections up to `until` included.
    fn after(&self, from: usize, until: usize) -> Option<Number> {
        let mut stated: Option<Number> = None;
        for number in self.list.iter().filter(|n| n.start >= from && n.start < until) {
            let Some(before) = stated else {
                if self.is_attached(from, number) && !self.counts_things(number) && !self.is_condition(number) {
                    stated = Some(*number);
                }
                continue;
            };
            let gap = &self.text[before.end..number.start.max(before.end)];
            let range = RANGE_JOINT.is_match(gap) || (gap.is_empty() && self.text[number.start..].starts_with(['-', '–', '—']));
            let corrected = gap.len() <= 120 && CORRECTION.is_match(gap) && self.is_plain(number);
            if (range || corrected) && number.in_range() && !self.is_condition(number) {
                stated = Some(*number);
            }
        }
        stated
    }

    /// Whether nothing but words of the same sentence stand between a cue and a number.
    fn is_attached(&self, from: usize, number: &Number) -> bool {
        if number.start - from > NEAR {
            return false;
        }
        let mut gap = self.text[from..number.start].to_owned();
        for (start, end) in self.bounds.iter().filter(|b| b.0 >= from && b.1 <= number.start) {
            gap.replace_range(start - from..end - from, &" ".repeat(end - start));
        }
        let below = gap.chars().all(|c| !c.is_alphanumeric());
        let near = gap.chars().count() <= 80 && !SENTENCE_END.is_match(&gap) && !gap.contains(|c: char| c.is_ascii_digit());
        (below || near) && !DENIED.is_match(&gap)
    }

    /// "3 edges": a whole number without scale that counts something.
    fn counts_things(&self, number: &Number) -> bool {
        let rest = &self.text[number.end..];
        number.whole
            && !number.scaled
            && rest.starts_with(' ')
            && rest.trim_start().starts_with(char::is_alphabetic)
            && !CONTINUES.is_match(rest.trim_start())
    }

    /// "1.0 only when confirmed": a rule, not a verdict.
    fn is_condition(&self, number: &Number) -> bool {
        CONDITION.is_match(&self.text[number.end..])
    }

    /// Whether a number can be a score without a cue right before it.
    fn is_plain(&self, number: &Number) -> bool {
        let rest = &self.text[number.end..];
        let ends = rest.trim_start_matches(['.', ')', '!', '"', ' ', '。']).chars().next().is_none_or(|c| c == '\n');
        let line = tail(&self.text[..number.start], NEAR).rsplit('\n').next().unwrap_or_default();
        let set_off = line.chars().all(|c| !c.is_alphanumeric()) || line.trim_end().ends_with([':', '=', ';', ',', '-', '–']);
        let fits = if number.whole && number.scaled {
            ends || !rest.trim_start().starts_with(char::is_alphabetic)
                || CONTINUES.is_match(rest.trim_start())
                || self.text[..number.end].ends_with('%')
        } else if number.whole {
            ends && set_off
        } else {
            !self.measures(rest)
        };
        fits && number.in_range() && !self.is_condition(number) && !REJECTS.is_match(tail(&self.text[..number.start], 24))
    }

    /// "0.8 billion dollars": what follows a number says that it measures something.
    fn measures(&self, rest: &str) -> bool {
        let word = rest.strip_prefix([' ', '-']).unwrap_or(rest).trim_start();
        let names = word.len() < rest.len() && word.starts_with(|c: char| c.is_ascii_alphabetic());
        MEASURE.is_match(rest) || (names && !CONTINUES.is_match(word) && !NO_THING.is_match(word))
    }

    /// The last number that can be a score.
    fn last_of_all(&self) -> Option<Number> {
        self.list.iter().rfind(|n| self.is_plain(n)).copied()
    }
}
