//! How well a name fits a mention.

/// A thing whose name is like a mention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its IRI.
    pub iri: String,
    /// The name that fits.
    pub name: String,
    /// Whether the name is an alias.
    pub alias: bool,
}

/// How a name fits, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fit {
    /// The same text.
    Same,
    /// The same but for case, diacritics and punctuation.
    Folded,
    /// The same but for an article, a possessive or a bracketed remark.
    Variant,
    /// The name begins with the mention's words.
    Prefix,
    /// The mention's words stand in the name, one after the other.
    Phrase,
    /// Every word of the mention is part of the name.
    Words,
}

/// `text` in lower case, without diacritics (of Latin letters) and punctuation, words parted by one blank. A text of
/// punctuation alone stays as it is.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            '\u{300}'..='\u{36f}' | '\'' | '\u{2019}' | '\u{2bc}' => {}
            c if c.is_alphanumeric() || (!c.is_ascii() && !c.is_whitespace() && !is_dash(c)) => match base(c) {
                Some(plain) => out.push_str(plain),
                None => out.push(c),
            },
            _ if out.is_empty() || out.ends_with(' ') => {}
            _ => out.push(' '),
        }
    }
    out.truncate(out.trim_end().len());
    if out.is_empty() { text.trim().to_lowercase() } else { out }
}

fn is_dash(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2015}' | '\u{2018}'..='\u{201f}' | '\u{2026}' | '\u{b7}' | '\u{ab}' | '\u{bb}')
}

/// The plain letters of a Latin letter with a mark (Latin-1 Supplement, Latin Extended-A).
fn base(c: char) -> Option<&'static str> {
    Some(match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' => "a",
        'æ' => "ae",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'ĥ' | 'ħ' => "h",
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => "i",
        'ĵ' => "j",
        'ķ' => "k",
        'ĺ' | 'ļ' | 'ľ' | 'ŀ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' => "n",
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' => "o",
        'œ' => "oe",
        'ŕ' | 'ŗ' | 'ř' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => "s",
        'ß' => "ss",
        'ţ' | 'ť' | 'ŧ' | 'ț' => "t",
        'þ' => "th",
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => "u",
        'ŵ' => "w",
        'ý' | 'ÿ' | 'ŷ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        _ => return None,
    })
}

/// A regular expression for `folded` in which every letter that often carries a mark may carry any: such a letter may
/// be followed by, or stand as, letters beyond ASCII. (Engines differ in how they match letters beyond ASCII by name;
/// what is found is compared again.) `None` when no plain letter would be left to hold on to.
#[must_use]
pub fn with_any_marks(folded: &str) -> Option<String> {
    let mut out = String::new();
    let mut anchors = 0;
    for c in folded.chars() {
        match c {
            'a' | 'c' | 'd' | 'e' | 'g' | 'i' | 'l' | 'n' | 'o' | 'r' | 's' | 't' | 'u' | 'y' | 'z' => {
                out.push_str(&format!("({c}[^ -~]*|[^ -~]+)"));
            }
            ' ' => out.push_str("[^a-z0-9]+"),
            c if c.is_ascii_alphanumeric() => {
                anchors += 1;
                out.push(c);
            }
            _ => return None,
        }
    }
    (anchors > 0).then_some(out)
}

/// `mention` and how else it may be written: without quotes, brackets, possessive or article, or with "The".
#[must_use]
pub fn variants(mention: &str) -> Vec<String> {
    let mention = mention.trim().trim_matches(['"', '\u{201c}', '\u{201d}']).trim();
    let mut all = vec![mention.to_owned()];
    let mut add = |text: &str| {
        let text = text.trim();
        if !text.is_empty() && !all.iter().any(|known| known == text) {
            all.push(text.to_owned());
        }
    };
    let bare = mention.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")).map_or(mention, |(name, _)| name);
    let owned = ["'s", "\u{2019}s"].iter().find_map(|end| bare.strip_suffix(end)).unwrap_or(bare);
    let owned = owned.strip_suffix(['\'', '\u{2019}']).unwrap_or(owned);
    for text in [bare, owned].into_iter().filter(|text| !text.trim().is_empty()) {
        add(text);
        match ["the ", "a ", "an "]
            .iter()
            .find(|article| text.get(..article.len()).is_some_and(|start| start.eq_ignore_ascii_case(article)))
        {
            Some(article) => add(&text[article.len()..]),
            None => add(&format!("The {text}")),
        }
    }
    all
}

/// `mention` as words alone, without what a search engine takes for operators: `-word`, `"..."`, `in:`, `*`, `~`.
#[must_use]
pub fn without_operators(mention: &str) -> String {
    let plain: String = mention.chars().map(|c| if c.is_control() || "\"~*?!\\/:()[]{}|^<>=+".contains(c) { ' ' } else { c }).collect();
    let words = plain.split_whitespace().map(|word| word.trim_start_matches('-'));
    // In capitals, these are operators.
    let words = words
        .filter(|word| !word.is_empty())
        .map(|word| if matches!(word, "AND" | "OR" | "NOT") { word.to_lowercase() } else { word.to_owned() });
    words.collect::<Vec<_>>().join(" ")
}

/// A mention, ready to be compared with many names.
#[derive(Clone, Debug)]
pub struct Matcher {
    same: String,
    folded: Vec<String>,
}

impl Matcher {
    /// For `mention`.
    #[must_use]
    pub fn new(mention: &str) -> Self {
        let variants = variants(mention);
        let folded = variants.iter().map(|text| fold(text)).filter(|text| !text.is_empty()).collect();
        Self { same: variants.into_iter().next().unwrap_or_default(), folded }
    }

    /// The folded forms of the mention, as written first.
    #[must_use]
    pub fn folded(&self) -> &[String] {
        &self.folded
    }

    /// How `name`, folded to `folded`, fits.
    #[must_use]
    pub fn fit(&self, name: &str, folded: &str) -> Option<Fit> {
        if name == self.same {
            return Some(Fit::Same);
        }
        let (first, rest) = self.folded.split_first()?;
        if folded == first {
            return Some(Fit::Folded);
        }
        if rest.iter().any(|variant| folded == variant) {
            return Some(Fit::Variant);
        }
        // The shortest form is the mention without all that may be missing from a name.
        let core = self.folded.iter().min_by_key(|text| text.len())?;
        let after = |at: usize| folded[at + core.len()..].chars().next().is_none_or(|c| c == ' ');
        match folded.find(core.as_str()) {
            Some(0) if after(0) => Some(Fit::Prefix),
            Some(at) if folded[..at].ends_with(' ') && after(at) => Some(Fit::Phrase),
            _ => core.split(' ').all(|word| folded.contains(word)).then_some(Fit::Words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding() {
        assert_eq!(fold("Beyoncé"), "beyonce");
        assert_eq!(fold("Beyonce\u{301}"), "beyonce");
        assert_eq!(fold("J. R. R. Tolkien"), fold("J.R.R.  Tolkien"));
        assert_eq!(fold("Spider-Man"), "spider man");
        assert_eq!(fold("Schindler\u{2019}s List"), "schindlers list");
        assert_eq!(fold("+/-"), "+/-");
        assert_eq!(fold("北京"), "北京");
    }

    #[test]
    fn operators_of_search_engines_are_taken_out() {
        assert_eq!(without_operators("Mission: Impossible – \"Fallout\" (film)"), "Mission Impossible – Fallout film");
        assert_eq!(without_operators("-inception insource:/x/ Spider-Man AND you"), "inception insource x Spider-Man and you");
        assert_eq!(without_operators(" \"* - "), "");
    }

    #[test]
    fn letters_may_carry_marks() {
        let pattern = regex::Regex::new(&format!("(?i){}", with_any_marks("beyonce knowles").unwrap())).unwrap();
        for name in ["Beyoncé Knowles", "Bèyonce-Knowles", "BEYONCÉ  KNOWLES"] {
            assert!(pattern.is_match(name), "{name}");
        }
        assert!(!pattern.is_match("Beyonc Knowles"));
        assert_eq!(with_any_marks("anna"), None);
        assert_eq!(with_any_marks("a+(b["), None);
    }

    #[test]
    fn fits_from_best_to_worst() {
        let fit = |mention: &str, name: &str| Matcher::new(mention).fit(name, &fold(name));
        assert_eq!(fit("Inception", "Inception"), Some(Fit::Same));
        assert_eq!(fit("inception", "Inception"), Some(Fit::Folded));
        assert_eq!(fit("Beatles", "The Beatles"), Some(Fit::Variant));
        assert_eq!(fit("the Beatles", "Beatles"), Some(Fit::Variant));
        assert_eq!(fit("Inception (film)", "Inception"), Some(Fit::Variant));
        assert_eq!(fit("Nolan's", "Nolan"), Some(Fit::Variant));
        assert_eq!(fit("Dark Knight", "The Dark Knight Rises"), Some(Fit::Phrase));
        assert_eq!(fit("Dark", "Darkness"), Some(Fit::Words));
        assert_eq!(fit("Dark", "Dark Star"), Some(Fit::Prefix));
        assert_eq!(fit("Knight Dark", "The Dark Knight"), Some(Fit::Words));
        assert_eq!(fit("Memento", "Inception"), None);
        for nothing in ["", "  ", "\"\"", "'"] {
            assert_eq!(fit(nothing, "The Inception"), None, "{nothing}");
        }
    }
}
