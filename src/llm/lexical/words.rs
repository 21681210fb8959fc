//! Words: tokens, stems, and the small words that carry no content.

use std::ops::Range;

/// A word or mark of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// Where it stands in the text, in bytes.
    pub at: Range<usize>,
    /// In lower case.
    pub lower: String,
    /// What it has in common with its other forms.
    pub stem: String,
    /// Whether it begins with a capital letter.
    pub capital: bool,
}

impl Token {
    /// Whether it begins with a digit.
    pub fn is_number(&self) -> bool {
        self.lower.starts_with(|c: char| c.is_ascii_digit())
    }

    /// Whether it is a word (and no mark).
    pub fn is_word(&self) -> bool {
        self.lower.starts_with(char::is_alphanumeric)
    }
}

/// Words that end with a full stop which ends no sentence.
const ABBREVIATIONS: &[&str] = &["jr", "sr", "st", "dr", "mr", "mrs", "ms", "bros", "inc", "co", "ltd", "no", "vol", "vs", "prof"];

/// Splits a text into words and marks; `'s` is a token of its own.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let end_of = |i: usize| chars.get(i).map_or(text.len(), |c| c.0);
    let letter = |i: usize| chars.get(i).is_some_and(|c| c.1.is_alphanumeric());
    let mut out = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let start = i;
        let c = chars[i].1;
        i += 1;
        if c.is_whitespace() {
            continue;
        }
        if c.is_alphanumeric() {
            while i < chars.len() {
                let c = chars[i].1;
                let inner = is_inner(c) && letter(i + 1) && !is_possessive(&chars, i);
                let short_form = || c == '.' && ends_short_form(&text[chars[start].0..chars[i].0]);
                if !c.is_alphanumeric() && !inner && !short_form() {
                    break;
                }
                i += 1;
            }
        } else if is_possessive(&chars, start) {
            i += 1;
        }
        out.push(token(text, chars[start].0..end_of(i)));
    }
    out
}

const fn is_inner(c: char) -> bool {
    matches!(c, '\'' | '’' | '-' | '.' | '–')
}

/// Whether an apostrophe and an `s` that ends the word stand here.
fn is_possessive(chars: &[(usize, char)], i: usize) -> bool {
    matches!(chars[i].1, '\'' | '’')
        && chars.get(i + 1).is_some_and(|c| c.1 == 's')
        && !chars.get(i + 2).is_some_and(|c| c.1.is_alphanumeric())
}

fn ends_short_form(word: &str) -> bool {
    let initial = word.chars().count() == 1 && word.starts_with(char::is_uppercase);
    initial || word.contains('.') || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

fn token(text: &str, at: Range<usize>) -> Token {
    let lower = text[at.clone()].to_lowercase().replace('’', "'");
    Token { stem: stem(&lower), capital: text[at.clone()].starts_with(char::is_uppercase), lower, at }
}

/// Forms that no rule finds.
const IRREGULAR: &[(&str, &str)] = &[
    ("when", "when"),
    ("date", "when"),
    ("year", "when"),
    ("years", "when"),
    ("day", "when"),
    ("month", "when"),
    ("century", "when"),
    ("broke", "break"),
    ("broken", "break"),
    ("wrote", "write"),
    ("written", "write"),
    ("died", "die"),
    ("dies", "die"),
    ("dead", "die"),
    ("birthday", "birth"),
    ("born", "birth"),
    ("sang", "sing"),
    ("sung", "sing"),
    ("led", "lead"),
    ("made", "make"),
    ("won", "win"),
    ("taught", "teach"),
    ("lay", "lie"),
    ("lies", "lie"),
    ("lying", "lie"),
    ("wed", "marry"),
    ("wedded", "marry"),
    ("held", "hold"),
    ("spoke", "speak"),
    ("spoken", "speak"),
    ("built", "build"),
    ("children", "child"),
    ("wives", "wife"),
    ("people", "person"),
    ("persons", "person"),
    ("men", "man"),
    ("women", "woman"),
    ("took", "take"),
    ("taken", "take"),
    ("came", "come"),
    ("drew", "draw"),
    ("drawn", "draw"),
    ("ran", "run"),
    ("began", "begin"),
    ("begun", "begin"),
    ("known", "know"),
    ("buried", "bury"),
    ("burial", "bury"),
    ("fought", "fight"),
    ("flown", "fly"),
    ("movies", "film"),
    ("movie", "film"),
    ("nation", "country"),
    ("nations", "country"),
    ("cities", "city"),
    ("actress", "actor"),
    ("studied", "study"),
    ("composition", "compose"),
    ("publication", "publish"),
    ("release", "release"),
    ("movement", "movement"),
];

/// The stem of a word in lower case: enough to bring the forms of one word together, no more.
pub(super) fn stem(lower: &str) -> String {
    if let Some((_, to)) = IRREGULAR.iter().find(|(from, _)| *from == lower) {
        return if *to == lower || *to == "when" { (*to).to_owned() } else { cut(to) };
    }
    // British and American spelling: colour, favourite, neighbour, honour.
    let american = ["lour", "vour", "bour", "nour"].iter().fold(lower.to_owned(), |w, b| w.replace(b, &b.replace('u', "")));
    cut(&american)
}

/// Verbs that tell little: what they ask for is in the nouns beside them.
pub(super) fn is_weak_verb(stemmed: &str) -> bool {
    ["belong", "lie", "locat", "situat", "stand", "come", "associat", "affiliat", "consider", "relat"].contains(&stemmed)
}

fn cut(lower: &str) -> String {
    let mut word = lower.to_owned();
    if !word.is_ascii() || word.len() < 4 || !word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-') {
        return word;
    }
    if let Some(base) = word.strip_suffix("ies").filter(|b| b.len() > 2) {
        word = format!("{base}y");
    } else if ["sses", "ches", "shes", "xes"].iter().any(|s| word.ends_with(s)) {
        word.truncate(word.len() - 2);
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|s| word.ends_with(s)) {
        word.pop();
    }
    for (suffix, least) in [("ied", 5), ("ing", 6), ("ed", 5)] {
        if word.len() >= least && word.ends_with(suffix) {
            word.truncate(word.len() - suffix.len());
            if suffix == "ied" {
                word.push('y');
            } else {
                undouble(&mut word);
            }
            break;
        }
    }
    for (suffix, least) in [("ment", 8), ("ion", 8), ("er", 6), ("or", 6), ("e", 4)] {
        if word.len() >= least && word.ends_with(suffix) {
            word.truncate(word.len() - suffix.len());
            break;
        }
    }
    word
}

fn undouble(word: &mut String) {
    let bytes = word.as_bytes();
    if let [.., a, b] = bytes
        && a == b
        && !matches!(a, b'l' | b's' | b'z' | b'e' | b'o')
    {
        word.pop();
    }
}

/// Words that ask or hold a sentence together.
const SMALL: &str = "a an the of in on at to for from with by into onto about as and or nor but not no so than then that this these those there here \
    is are was were be been being am do does did doing done has have had having can could may might shall should will would must \
    who whom whose which what why how i you he she it we they me him her us them my your his its our their one ones both either each any some all \
    also too very just ever still yet currently current present today now former formerly once only main exactly actually famous well-known known \
    name named names called call give list tell show find please many much more most other another same different between during while after before under over through across along near around among within against toward towards without via upon away \
    title word person people persons humans human thing used use get got goes go went whether if out up off down according wikidata musicbrainz graph dataset data";

/// Whether a word carries no content.
pub(super) fn is_small(lower: &str) -> bool {
    SMALL.split_ascii_whitespace().any(|w| w == lower) || !lower.starts_with(char::is_alphanumeric)
}

/// Words that end like a doer and are none.
const NO_DOERS: &str = "member river water mother father sister brother border order number minister partner daughter character center power tower mayor color other \
    officer quarter harbor theater letter master";

/// Whether a word names one who does something: "founder", "director".
pub(super) fn is_doer(lower: &str) -> bool {
    let singular = lower.strip_suffix('s').unwrap_or(lower);
    let ends = ["er", "or"].iter().any(|s| singular.ends_with(s));
    ends && singular.len() > 4 && !NO_DOERS.split_ascii_whitespace().any(|w| w == singular)
}

/// Forms of `be`, `do` and `have`, and modal verbs.
pub(super) fn is_auxiliary(lower: &str) -> bool {
    "is are was were be been do does did has have had can could may might will would shall should must".split(' ').any(|w| w == lower)
}

/// Question words and relative pronouns.
pub(super) fn is_wh(lower: &str) -> bool {
    "who whom whose which what where when why how that".split(' ').any(|w| w == lower)
}

/// Words that name a kind of thing in general: a question can use one without asking for a relation.
const KINDS: &str = "film series show song album single book novel poem play work painting opera piece track recording place city town village country state \
    county region borough province district continent island river lake sea ocean mountain peak bridge building stadium museum university college school \
    institution academy company organization team club band group orchestra party person man woman actor actress director writer author singer musician \
    composer poet painter scientist physicist chemist politician president king queen player artist laureate member character language award prize instrument genre \
    disease body water name kind type time planet war battle event airport game software brand product animal plant species leader ruler label part world";

/// Whether a word in lower case is a noun for a general kind of thing ("writers", but not "wrote").
pub(super) fn is_kind(lower: &str) -> bool {
    let singular = match lower {
        "people" => "person",
        "movie" | "movies" => "film",
        "men" => "man",
        "women" => "woman",
        _ => lower.strip_suffix('s').unwrap_or(lower),
    };
    let y = singular.strip_suffix("ie").map(|base| format!("{base}y")).unwrap_or_default();
    KINDS.split_ascii_whitespace().any(|w| w == lower || w == singular || w == y)
}

/// Whether a stem is that of a general kind of thing.
pub(super) fn is_kind_stem(stemmed: &str) -> bool {
    KINDS.split_ascii_whitespace().any(|w| stem(w) == stemmed)
}

/// Words that a relation's label can do without.
const TIES: &str = "a an the of in on at to for from with by into or and is are was as";

/// Stems of the words of a relation's label, without articles and prepositions: `placeOfBirth`, `place of birth`.
pub(super) fn label_stems(label: &str) -> Vec<String> {
    let tie = |lower: &str| TIES.split(' ').any(|w| w == lower);
    tokens(&spaced(label)).into_iter().filter(|t| t.is_word() && !tie(&t.lower)).map(|t| t.stem).collect()
}

/// Stems of the content words of a description, `(...)` left out.
pub(super) fn content_stems(text: &str) -> Vec<String> {
    tokens(&spaced(text)).into_iter().filter(|t| t.is_word() && !is_small(&t.lower)).map(|t| t.stem).collect()
}

/// A text without what stands in brackets, and with `camelCase` and `snake_case` taken apart.
fn spaced(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut depth = 0_u32;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '_' if depth == 0 => plain.push(' '),
            c if depth == 0 => {
                if c.is_uppercase() && plain.ends_with(char::is_lowercase) {
                    plain.push(' ');
                }
                plain.push(c);
            }
            _ => {}
        }
    }
    plain
}

/// A text for comparing names: lower case, words only, no leading article, nothing in brackets.
pub(super) fn name_key(text: &str) -> String {
    let cut = text.split(" (").next().unwrap_or(text);
    let words: Vec<String> = tokens(cut).into_iter().filter(Token::is_word).map(|t| t.lower).collect();
    let skip = usize::from(words.len() > 1 && matches!(words[0].as_str(), "the" | "a" | "an"));
    words[skip..].join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lowers(text: &str) -> Vec<String> {
        tokens(text).into_iter().map(|t| t.lower).collect()
    }

    #[test]
    fn words_and_marks() {
        assert_eq!(lowers("Emma Thomas's dog?"), ["emma", "thomas", "'s", "dog", "?"]);
        assert_eq!(
            lowers("H. P. Lovecraft, Jr. in Washington, D.C."),
            ["h.", "p.", "lovecraft", ",", "jr.", "in", "washington", ",", "d.c."]
        );
        assert_eq!(lowers("X-Men: Olivia d'Abo's"), ["x-men", ":", "olivia", "d'abo", "'s"]);
        assert_eq!(lowers("It ends."), ["it", "ends", "."]);
    }

    #[test]
    fn forms_of_one_word_share_a_stem() {
        for group in [
            &["direct", "directed", "director", "directing"][..],
            &["write", "wrote", "written", "writer"],
            &["compose", "composed", "composer"],
            &["educated", "education"],
            &["born", "birth"],
            &["country", "countries", "nation"],
            &["marry", "married"],
            &["govern", "government"],
            &["favourite", "favorite"],
            &["neighbours", "neighbor"],
            &["film", "films", "movie", "filmed"],
            &["year", "when", "date"],
            &["employer", "employed"],
            &["found", "founded", "founder"],
        ] {
            assert!(group.iter().all(|w| stem(w) == stem(group[0])), "{group:?} {:?}", group.iter().map(|w| stem(w)).collect::<Vec<_>>());
        }
        assert_ne!(stem("party"), stem("part"));
        assert_ne!(stem("county"), stem("country"));
        assert_ne!(stem("mother"), stem("father"));
    }

    #[test]
    fn labels_in_other_spellings() {
        assert_eq!(label_stems("placeOfBirth"), label_stems("place_of birth"));
        assert_ne!(label_stems("birth name"), label_stems("born"));
        assert_eq!(content_stems("British actor (born 1933)"), [stem("british"), stem("actor")]);
        assert_eq!(name_key("The Beatles"), "beatles");
        assert_eq!(name_key("Inception (film)"), "inception");
    }
}
