//! Spark lines, and the one thing that moves: the spinner of calls in flight.

use super::value::bar;
use crate::micro::Micro;

/// The last `width` of `values` as bars, oldest first; an unknown value is a dot.
#[must_use]
pub fn line(values: &[Option<Micro>], width: usize) -> String {
    let shown = &values[values.len().saturating_sub(width)..];
    shown.iter().map(|value| value.map_or("·", bar)).collect()
}

/// The spinner after `elapsed_ms` of waiting: ten frames a second.
#[must_use]
pub const fn spinner(elapsed_ms: u64) -> &'static str {
    ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"][(elapsed_ms / 100 % 10) as usize]
}

/// A duration as people read it: `0.4 s`, `12 s`, `3 min 05 s`.
#[must_use]
pub fn seconds(ms: u64) -> String {
    match ms {
        0..10_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        10_000..60_000 => format!("{} s", ms / 1000),
        _ => format!("{} min {:02} s", ms / 60_000, ms % 60_000 / 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_values_are_shown() {
        let values = [None, Micro::from_f64(0.1), Micro::from_f64(0.5), Some(Micro::ONE)];
        assert_eq!(line(&values, 10), "·▁▄█");
        assert_eq!(line(&values, 2), "▄█");
        assert_eq!(line(&values, 0), "");
    }

    #[test]
    fn durations_are_readable() {
        assert_eq!(seconds(440), "0.4 s");
        assert_eq!(seconds(12_900), "12 s");
        assert_eq!(seconds(185_000), "3 min 05 s");
        assert_ne!(spinner(0), spinner(100));
    }
}
