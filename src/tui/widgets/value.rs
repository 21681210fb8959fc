//! A value as number, bar and colour: three ways to read the same thing.

use super::super::theme::{Role, Theme};
use crate::micro::Micro;
use ratatui::text::Span;

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// It has none and gets none (a root, a node that is not scored).
    None,
    /// It is being asked for.
    Pending,
    /// The model's replies could not be read.
    Unreadable,
    /// From the model.
    Scored(Micro),
    /// From a person.
    ByHand(Micro),
}

impl Level {
    /// The number, where there is one.
    #[must_use]
    pub const fn micro(self) -> Option<Micro> {
        match self {
            Self::Scored(value) | Self::ByHand(value) => Some(value),
            _ => None,
        }
    }
}

/// The bar of a value in one cell, from low to high.
#[must_use]
pub const fn bar(value: Micro) -> &'static str {
    match value.millionths() {
        0..62_500 => "▁",
        62_500..187_500 => "▁",
        187_500..312_500 => "▂",
        312_500..437_500 => "▃",
        437_500..562_500 => "▄",
        562_500..687_500 => "▅",
        687_500..812_500 => "▆",
        812_500..937_500 => "▇",
        _ => "█",
    }
}

/// Number and bar, always 6 columns wide: `0.80 ▆`, `0.80✎▆` by hand, `   … ` pending, `   ? ` unreadable.
#[must_use]
pub fn spans(level: Level, theme: &Theme) -> Vec<Span<'static>> {
    let number = |value: Micro, sign: &'static str, role: Role| {
        let style = theme.style(Role::of_value(value));
        vec![Span::styled(value.to_string(), style), Span::styled(sign, theme.style(role)), Span::styled(bar(value), style)]
    };
    match level {
        Level::None => vec![Span::raw("      ")],
        Level::Pending => vec![Span::styled("   … ·", theme.style(Role::Unknown))],
        Level::Unreadable => vec![Span::styled("   ? ·", theme.style(Role::Unknown))],
        Level::Scored(value) => number(value, " ", Role::Text),
        Level::ByHand(value) => number(value, "✎", Role::ByHand),
    }
}

/// A gauge of `width` cells in eighths: `used` of `limit`.
#[must_use]
pub fn gauge(used: u64, limit: u64, width: usize) -> String {
    let eighths =
        if limit == 0 { 0 } else { usize::try_from(u128::from(used.min(limit)) * width as u128 * 8 / u128::from(limit)).unwrap_or(0) };
    let mut out = "█".repeat(eighths / 8);
    if eighths % 8 > 0 {
        out.push(['▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8 - 1]);
    }
    let filled = eighths.div_ceil(8);
    out.push_str(&"·".repeat(width.saturating_sub(filled)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_takes_six_columns_and_differs_without_colour() {
        let theme = Theme::default();
        let text = |level| spans(level, &theme).iter().map(|span| span.content.to_string()).collect::<String>();
        let half = Micro::from_f64(0.5).unwrap();
        let all =
            [Level::None, Level::Pending, Level::Unreadable, Level::Scored(half), Level::ByHand(half), Level::Scored(Micro::ONE)].map(text);
        for (i, one) in all.iter().enumerate() {
            assert_eq!(crate::text::width(one), 6, "{one:?}");
            assert!(!all[..i].contains(one), "{one:?} twice");
        }
        assert_eq!(all[3], "0.50 ▄");
        assert_eq!(all[5], "1.00 █");
    }

    #[test]
    fn a_gauge_fills_with_what_is_used() {
        assert_eq!(gauge(0, 20, 4), "····");
        assert_eq!(gauge(10, 20, 4), "██··");
        assert_eq!(gauge(1, 32, 4), "▏···");
        assert_eq!(gauge(99, 20, 4), "████");
        assert_eq!(gauge(1, 0, 4), "····");
    }
}
