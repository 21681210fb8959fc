//! Budgets: how much a search may spend. When one is used up the search stands still before its next call, until it is
//! raised.

use crate::money::Money;
use crate::text::{one_line, thousands};
use serde::{Deserialize, Serialize};

/// What can be limited. Amounts are whole numbers: calls, tokens, millionths of the currency, milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Budget {
    /// Calls to the model: asks, however many samples each wants and requests it takes.
    Calls,
    /// Tokens of prompts and replies.
    Tokens,
    /// Money, by the price table.
    Cost,
    /// Time that the search runs; pauses don't count.
    Time,
}

impl Budget {
    /// Every budget.
    pub const ALL: [Self; 4] = [Self::Calls, Self::Tokens, Self::Cost, Self::Time];

    /// In one word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Tokens => "tokens",
            Self::Cost => "cost",
            Self::Time => "time",
        }
    }

    /// The flag that sets it.
    #[must_use]
    pub const fn flag(self) -> &'static str {
        match self {
            Self::Calls => "--max-calls",
            Self::Tokens => "--max-tokens",
            Self::Cost => "--max-cost",
            Self::Time => "--max-time",
        }
    }

    /// A limit as a person writes it; `none` (or nothing): no limit.
    ///
    /// # Errors
    /// A sentence that says how it is written.
    pub fn read(self, text: &str) -> Result<Option<u64>, String> {
        let text = text.trim();
        if text.is_empty() || text.eq_ignore_ascii_case("none") {
            return Ok(None);
        }
        let amount = match self {
            Self::Calls | Self::Tokens => {
                text.parse().map_err(|_| format!("{}: a whole number, or none for no limit; not `{}`", self.name(), one_line(text)))?
            }
            Self::Cost => text.parse::<Money>().map_err(|e| format!("cost: {e}, or none for no limit"))?.0,
            Self::Time => {
                read_time(text).ok_or_else(|| format!("time: seconds, or 90s, 5m, 1.5h, or none for no limit; not `{}`", one_line(text)))?
            }
        };
        self.check(amount)?;
        Ok(Some(amount))
    }

    /// Whether a limit makes sense.
    ///
    /// # Errors
    /// A sentence that says what is possible.
    pub fn check(self, amount: u64) -> Result<(), String> {
        if amount == 0 { Err(format!("{}: a limit of nothing lets no search begin; write none for no limit", self.name())) } else { Ok(()) }
    }

    /// A limit as a person would write it.
    #[must_use]
    pub fn written(self, amount: u64) -> String {
        match self {
            Self::Calls | Self::Tokens => amount.to_string(),
            Self::Cost => Money(amount).to_string(),
            Self::Time => write_time(amount),
        }
    }

    /// A limit in words: `10 calls to the model`, `0.50 USD`.
    #[must_use]
    pub fn words(self, amount: u64, currency: &str) -> String {
        match self {
            Self::Calls => format!("{} {} to the model", thousands(amount), if amount == 1 { "call" } else { "calls" }),
            Self::Tokens => format!("{} {}", thousands(amount), if amount == 1 { "token" } else { "tokens" }),
            Self::Cost => format!("{} {}", Money(amount), one_line(currency)).trim_end().to_owned(),
            Self::Time => format!("{} of running time", write_time(amount)),
        }
    }
}

/// `90`, `90s`, `2.5m`, `1h`, `500ms`, in milliseconds.
fn read_time(text: &str) -> Option<u64> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[number.len()..] {
        "ms" => 1,
        "" | "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    // A decimal number of at most six places, exactly; what is less than a millisecond is cut.
    let millionths = u128::from(number.trim_end().parse::<Money>().ok()?.0);
    u64::try_from(millionths * unit / 1_000_000).ok()
}

/// In the largest unit that it is a whole number of.
fn write_time(ms: u64) -> String {
    match ms {
        ms if ms > 0 && ms.is_multiple_of(3_600_000) => format!("{}h", ms / 3_600_000),
        ms if ms > 0 && ms.is_multiple_of(60_000) => format!("{}m", ms / 60_000),
        ms if ms.is_multiple_of(1_000) => format!("{}s", ms / 1_000),
        ms => format!("{ms}ms"),
    }
}

/// The limits in force; `None`: no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budgets {
    /// Calls to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
    /// Tokens in and out.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    /// Millionths of the currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<u64>,
    /// Milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<u64>,
}

impl Budgets {
    /// No limits.
    pub const NONE: Self = Self { calls: None, tokens: None, cost: None, time: None };

    /// The limit of `budget`.
    #[must_use]
    pub const fn of(&self, budget: Budget) -> Option<u64> {
        match budget {
            Budget::Calls => self.calls,
            Budget::Tokens => self.tokens,
            Budget::Cost => self.cost,
            Budget::Time => self.time,
        }
    }

    /// Sets or lifts a limit.
    pub const fn set(&mut self, budget: Budget, limit: Option<u64>) {
        match budget {
            Budget::Calls => self.calls = limit,
            Budget::Tokens => self.tokens = limit,
            Budget::Cost => self.cost = limit,
            Budget::Time => self.time = limit,
        }
    }

    /// Whether nothing is limited.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_people_write_them() {
        for (budget, text, amount) in [
            (Budget::Calls, "10", 10),
            (Budget::Tokens, " 20000 ", 20_000),
            (Budget::Cost, "0.50", 500_000),
            (Budget::Time, "90", 90_000),
            (Budget::Time, "90s", 90_000),
            (Budget::Time, "5m", 300_000),
            (Budget::Time, "1.5h", 5_400_000),
            (Budget::Time, "250ms", 250),
        ] {
            assert_eq!(budget.read(text), Ok(Some(amount)), "{text}");
            assert_eq!(budget.read(&budget.written(amount)), Ok(Some(amount)), "{text}");
        }
        for budget in Budget::ALL {
            assert_eq!((budget.read("none"), budget.read(" ")), (Ok(None), Ok(None)));
            for wrong in ["0", "-1", "many", "1e3", "5 x", "\u{1b}[2J"] {
                let error = budget.read(wrong).unwrap_err();
                assert!(error.contains("none") && error.contains(budget.name()) && !error.contains('\u{1b}'), "{wrong}: {error}");
            }
        }
        assert!(Budget::Time.read("5d").is_err() && Budget::Calls.read("1.5").is_err() && Budget::Time.read("0.0001s").is_err());
    }

    #[test]
    fn limits_are_said_in_words() {
        assert_eq!(Budget::Calls.words(1, ""), "1 call to the model");
        assert_eq!(Budget::Tokens.words(20_000, ""), "20,000 tokens");
        assert_eq!(Budget::Cost.words(500_000, "USD"), "0.50 USD");
        assert_eq!(Budget::Time.words(90_000, ""), "90s of running time");
        assert_eq!(Budget::Time.words(1_500, ""), "1500ms of running time");
    }
}
