//! What is new in a text: lines that the earlier one does not have are marked.

use super::super::super::theme::Role;
use super::super::super::widgets::wrap::Document;
use std::collections::HashMap;

/// Adds `text` with `+` before every line that `before` does not have (as often).
pub fn push(document: &mut Document, role: Role, text: &str, before: &str) {
    let mut known: HashMap<&str, usize> = HashMap::new();
    for line in before.lines() {
        *known.entry(line).or_default() += 1;
    }
    for line in text.trim_end().lines() {
        match known.get_mut(line).filter(|left| **left > 0) {
            Some(left) => {
                *left -= 1;
                document.push_line([(Role::Dim, "  ".to_owned()), (role, line.to_owned())]);
            }
            None => document.push_line([(Role::New, "+ ".to_owned()), (Role::New, line.to_owned())]),
        }
    }
}
