//! Seeded variation: at temperature 0 the best, above it sometimes the second best.

/// A small generator (SplitMix64); the same seed and temperature give the same draws.
pub(super) struct Chance {
    state: u64,
    /// 0.0 = none, 1.0 = as much as the weights say.
    heat: f64,
}

impl Chance {
    /// Draws for one sample.
    pub fn new(temperature_milli: u32, seed: u64) -> Self {
        Self { state: seed, heat: (f64::from(temperature_milli) / 1000.0).min(1.5) }
    }

    /// The next draw, 0.0 to 1.0.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    fn draw(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether something with this chance (at temperature 1) happens; never at temperature 0.
    pub fn happens(&mut self, chance: f64) -> bool {
        self.draw() < chance * self.heat
    }

    /// One of `ranked`, best first: each is taken with chance `keep` before the next one is looked at.
    pub fn pick<'a, T>(&mut self, ranked: &'a [T], keep: f64) -> Option<&'a T> {
        let pass = (1.0 - keep) * self.heat;
        ranked.iter().find(|_| self.draw() >= pass).or_else(|| ranked.first())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cold_is_the_best_and_warm_varies() {
        let ranked = ["a", "b", "c"];
        assert!((0..50).all(|seed| Chance::new(0, seed).pick(&ranked, 0.7) == Some(&"a")));
        let warm: Vec<_> = (0..50).map(|seed| Chance::new(1000, seed).pick(&ranked, 0.7).unwrap()).collect();
        assert!(warm.contains(&&"a") && warm.contains(&&"b"));
        assert!(warm.iter().filter(|w| **w == &"a").count() > 25);
        assert_eq!(Chance::new(1000, 7).pick(&ranked, 0.7), Chance::new(1000, 7).pick(&ranked, 0.7));
        assert!(!(0..50).any(|seed| Chance::new(0, seed).happens(0.9)));
    }
}
