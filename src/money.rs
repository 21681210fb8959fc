//! Amounts of money as integers: no `f64` sums, and none in an event.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An amount in millionths of its currency's unit. Which currency, the price table says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Money(pub u64);

const UNIT: u64 = 1_000_000;

impl Money {
    /// As a float, for JSON that other programs read.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "exact below nine thousand million units")]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl FromStr for Money {
    type Err = String;

    /// Reads `12`, `0.5`, `0.000001`: at most six decimals, nothing is rounded.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{}` is no amount of money: write it like 0.50", crate::text::one_line(text));
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if (whole.is_empty() && decimals.is_empty()) || !digits(whole) || !digits(decimals) {
            return Err(wrong());
        }
        if decimals.len() > 6 {
            return Err(format!("`{text}` has more than six decimals"));
        }
        let number = |part: &str| if part.is_empty() { Ok(0) } else { part.parse::<u64>().map_err(|_| wrong()) };
        let amount = number(whole)?.checked_mul(UNIT).and_then(|w| w.checked_add(number(&format!("{decimals:0<6}")).ok()?));
        amount.map(Self).ok_or_else(|| format!("`{text}` is more money than can be counted here"))
    }
}

impl fmt::Display for Money {
    /// Two decimals, more when there are more: `0.50`, `0.000135`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = format!("{:06}", self.0 % UNIT);
        let kept = decimals.trim_end_matches('0').len().max(2);
        write!(f, "{}.{}", self.0 / UNIT, &decimals[..kept])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_and_written_without_loss() {
        for (text, millionths, shown) in [
            ("0.5", 500_000, "0.50"),
            ("12", 12_000_000, "12.00"),
            (".000001", 1, "0.000001"),
            ("3.", 3_000_000, "3.00"),
            ("0.075", 75_000, "0.075"),
            ("1.230000", 1_230_000, "1.23"),
        ] {
            let money: Money = text.parse().unwrap();
            assert_eq!((money.0, money.to_string().as_str()), (millionths, shown), "{text}");
            assert_eq!(shown.parse::<Money>().unwrap(), money);
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in ["", ".", "-1", "+1", "1e3", "1,5", "0.0000001", "ten", "99999999999999999999", "1.\u{1b}[2J"] {
            let error = text.parse::<Money>().unwrap_err();
            assert!(!error.contains('\u{1b}'), "{error}");
        }
        assert!("0.0000001".parse::<Money>().unwrap_err().contains("six decimals"));
    }
}
