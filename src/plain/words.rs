//! Words in the place of the screen's signs.

use crate::text::one_line;
use crate::tui::theme::kg_sign;

/// What a sign that stands alone means. Those that only decorate mean nothing.
fn meaning(token: &str) -> Option<&'static str> {
    Some(match token {
        "▶" => "next:",
        "✎" => "by hand:",
        "⊘" => "rejected:",
        "⊖" => "outvoted:",
        "◐" => "partial:",
        "⚠" => "warning:",
        "✔" => "the answer:",
        "✂" => "pruned:",
        "↶" => "taken back:",
        "☑" => "on:",
        "☐" => "off:",
        "→" => "forward",
        "←" => "reverse",
        "Σ" => "computed:",
        "★" | "∴" | "⇲" | "◇" | "▸" | "›" | "✗" | "≈" | "◷" | "⑂" | "❚❚" | "◫" | "◆" | "▲" | "●" | "○" | "■" => {
            ""
        }
        _ if token.chars().all(|c| matches!(c, '\u{2500}'..='\u{259f}' | '\u{2800}'..='\u{28ff}')) => "",
        _ => return None,
    })
}

/// The position of the KG that a sign stands for.
fn position(token: &str) -> Option<usize> {
    // The last sign is that of every further KG.
    (0..3).find(|at| kg_sign(*at) == token)
}

/// The same, where the signs of KGs after an id become their names.
pub fn worded_with(line: &str, kgs: &[String]) -> String {
    if kgs.len() < 2 || !(0..3).any(|at| line.contains(kg_sign(at))) {
        return worded(line);
    }
    let line = one_line(line);
    let name = |(at, token): (usize, &str)| {
        let bare = token.trim_end_matches([',', ';', ':']);
        match position(bare).and_then(|at| kgs.get(at)).filter(|_| at > 0) {
            Some(kg) => format!("in {kg}{}", &token[bare.len()..]),
            None => token.to_owned(),
        }
    };
    worded(&line.split(' ').enumerate().map(name).collect::<Vec<_>>().join(" "))
}

/// A line of the screen in words: signs that stand alone become what they mean, a dot between two parts a comma, and every
/// run of blanks one blank.
pub fn worded(line: &str) -> String {
    let line = one_line(line);
    let mut out = String::with_capacity(line.len());
    let mut tokens = line.split(' ').peekable();
    while let Some(token) = tokens.next() {
        if token == "·" {
            if !out.is_empty() && !out.ends_with([',', ':', ';']) {
                out.push(',');
            }
            continue;
        }
        let (word, end) = one(token, tokens.peek().copied());
        if !word.is_empty() && !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
        if !out.is_empty() {
            out.push_str(end);
        }
    }
    out
}

/// What a token becomes, and the punctuation after it.
fn one<'a>(token: &'a str, next: Option<&str>) -> (&'a str, &'a str) {
    let bare = token.trim_end_matches([',', ';', ':']);
    let end = &token[bare.len()..];
    // A sign in parentheses only shows what was said in words before.
    if bare.strip_prefix('(').and_then(|bare| bare.strip_suffix(')')).is_some_and(|sign| !sign.is_empty() && meaning(sign).is_some()) {
        return ("", end);
    }
    match meaning(bare).filter(|_| !bare.is_empty()) {
        None => (token, ""),
        Some("forward") if end.is_empty() && next.is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit())) => ("to", end),
        Some(word) => {
            let name = word.trim_end_matches(':');
            let first = name.split(' ').next().unwrap_or(name);
            let said = !name.is_empty() && next.is_some_and(|next| next.trim_end_matches([',', ':']).eq_ignore_ascii_case(first));
            match (said, end.is_empty()) {
                (true, _) => ("", ""),
                (false, true) => (word, ""),
                (false, false) => (name, end),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{worded, worded_with};

    #[test]
    fn signs_become_words_and_decoration_goes() {
        assert_eq!(worded("✎ ∴ think: x  · node 3"), "by hand: think: x, node 3");
        assert_eq!(worded("◆ demo  edges   cast member"), "demo edges cast member");
        assert_eq!(worded("P161 →, 12, more"), "P161 forward, 12, more");
        assert_eq!(worded("⊘ nothing"), "rejected: nothing");
        assert_eq!(worded("P161 ← identifier"), "P161 reverse identifier");
        assert_eq!(worded("▌ reasoning ⠋ ── ▁▄█ 0.80"), "reasoning 0.80");
        assert_eq!(worded("Select an answer (★) to see"), "Select an answer to see");
        assert_eq!(worded("a list was cut (◐); more"), "a list was cut; more");
        assert_eq!(worded("a row with ◐, or ✎ by hand; ◐ partial: 3"), "a row with partial, or by hand; partial: 3");
        assert_eq!(worded("3 samples → 2 choices"), "3 samples to 2 choices");
        assert_eq!(worded(" · · "), "");
        assert_eq!(worded("a\u{1b}[31mb\u{9b}2J"), "a[31mb2J");
        assert_eq!(worded("a→b (→)"), "a→b (→)", "what is part of a word is the word's");
    }

    #[test]
    fn the_sign_after_an_id_is_the_name_of_its_graph() {
        let kgs = ["demo".to_owned(), "music".to_owned()];
        assert_eq!(worded_with("◆ demo  Q2831 ◆ · f27ec8db… ▲, found", &kgs), "demo Q2831 in demo, f27ec8db… in music, found");
        assert_eq!(worded_with("Q2831 ◆", &kgs[..1]), "Q2831");
    }
}
