//! Words in the place of the screen's signs.

use crate::text::one_line;

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

/// A line of the screen in words: signs that stand alone become what they mean, a dot between two parts a comma, and every
/// run of blanks one blank.
pub fn worded(line: &str) -> String {
    let line = one_line(line);
    let mut out = String::with_capacity(line.len());
    for token in line.split(' ') {
        if token == "·" {
            if !out.is_empty() && !out.ends_with([',', ':', ';']) {
                out.push(',');
            }
            continue;
        }
        let bare = token.trim_end_matches([',', ';', ':']);
        let (word, end) = match meaning(bare).filter(|_| !bare.is_empty()) {
            Some(word) => (word, &token[bare.len()..]),
            None => (token, ""),
        };
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
        out.push_str(end);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::worded;

    #[test]
    fn signs_become_words_and_decoration_goes() {
        assert_eq!(worded("✎ ∴ think: x  · node 3"), "by hand: think: x, node 3");
        assert_eq!(worded("◆ demo  edges   cast member"), "demo edges cast member");
        assert_eq!(worded("P161 →, 12, more"), "P161 forward, 12, more");
        assert_eq!(worded("⊘ nothing"), "rejected: nothing");
        assert_eq!(worded("P161 ← identifier"), "P161 reverse identifier");
        assert_eq!(worded("▌ reasoning ⠋ ── ▁▄█ 0.80"), "reasoning 0.80");
        assert_eq!(worded(" · · "), "");
        assert_eq!(worded("a\u{1b}[31mb\u{9b}2J"), "a[31mb2J");
        assert_eq!(worded("a→b (→)"), "a→b (→)", "what is part of a word is the word's");
    }
}
