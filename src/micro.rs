//! Scores as integers: no `f64` enters an event, so a journal reads back bit for bit.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A score in millionths, 0 to 1,000,000 (0.0 to 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Micro(u32);

impl Micro {
    /// 0.0
    pub const ZERO: Self = Self(0);
    /// 1.0
    pub const ONE: Self = Self(1_000_000);

    /// The nearest score to `value`, or `None` outside 0.0 to 1.0 (never clamped: a score out of range is unknown).
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to lie in 0 to 1,000,000")]
    pub fn from_f64(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then(|| Self((value * 1e6).round() as u32))
    }

    /// The score of `millionths`, at most 1,000,000.
    #[must_use]
    pub const fn from_millionths(millionths: u32) -> Option<Self> {
        if millionths <= 1_000_000 { Some(Self(millionths)) } else { None }
    }

    /// In millionths.
    #[must_use]
    pub const fn millionths(self) -> u32 {
        self.0
    }

    /// As a float, for display and for people's files.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / 1e6
    }
}

impl fmt::Display for Micro {
    /// Two decimals, as the screen shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2}", self.as_f64())
    }
}
