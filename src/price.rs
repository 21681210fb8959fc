//! What tokens cost: prices by pattern of the model's name, and what a number of tokens comes to.
//!
//! No price is built in, since prices change: the configuration has them. Models that run in this program cost nothing;
//! those of an `ollama:` server of one's own neither, unless the table says otherwise.

use crate::calls::Usage;
use crate::money::Money;
use crate::text::one_line;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What a million tokens cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// Of the prompt.
    pub input: Money,
    /// Of the prompt, when the service read them from its own cache.
    pub cached: Money,
    /// Of the prompt, when the service wrote them to that cache.
    pub cache_write: Money,
    /// Of the reply, reasoning included.
    pub output: Money,
    /// The currency, as it is shown; empty: nothing is ever paid.
    pub currency: String,
}

/// What tokens came to, in millionths of a millionth of the currency's unit, so that sums are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost(u128);

impl std::ops::Add for Cost {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self(self.0 + more.0)
    }
}

impl Cost {
    /// To the nearest millionth.
    #[must_use]
    pub fn money(self) -> Money {
        Money(u64::try_from((self.0 + 500_000) / 1_000_000).unwrap_or(u64::MAX))
    }

    /// Whether `limit` is used up.
    #[must_use]
    pub const fn reaches(self, limit: Money) -> bool {
        self.0 >= limit.0 as u128 * 1_000_000
    }
}

impl Price {
    /// That of a model that costs nothing by its nature.
    pub const FREE: Self = Self { input: Money(0), cached: Money(0), cache_write: Money(0), output: Money(0), currency: String::new() };

    /// Whether tokens cost nothing.
    #[must_use]
    pub const fn is_free(&self) -> bool {
        self.input.0 == 0 && self.cached.0 == 0 && self.cache_write.0 == 0 && self.output.0 == 0
    }

    /// What these tokens come to. Tokens from and to the service's cache are part of the prompt's and not paid twice.
    #[must_use]
    pub fn of(&self, usage: &Usage) -> Cost {
        let plain = usage.prompt_tokens.saturating_sub(usage.cached_prompt_tokens).saturating_sub(usage.cache_write_tokens);
        let pay = |tokens: u64, price: Money| u128::from(tokens) * u128::from(price.0);
        Cost(
            pay(plain, self.input)
                + pay(usage.cached_prompt_tokens, self.cached)
                + pay(usage.cache_write_tokens, self.cache_write)
                + pay(usage.completion_tokens, self.output),
        )
    }
}

/// Why a budget of money is refused for a model whose price is not known, and what to do.
#[must_use]
pub fn needed(spec: &str) -> String {
    let spec = one_line(spec);
    format!(
        "a budget of money needs to know what {spec} costs: put its price under `prices` in the configuration, \
         `{spec}: {{input: 0.15, output: 0.60}}` for a million tokens (0 if it costs nothing), or leave the budget out (--max-cost none)"
    )
}

/// Kinds of models that run in this program: nobody is paid, whatever a pattern says.
const OF_OUR_OWN: [&str; 4] = ["lexical", "human", "script", "scenario"];

/// The price of a model that runs in this program, by its spec; `None` for every other one.
#[must_use]
pub fn by_nature(spec: &str) -> Option<&'static Price> {
    static FREE: Price = Price::FREE;
    OF_OUR_OWN.contains(&kind(spec)).then_some(&FREE)
}

fn kind(spec: &str) -> &str {
    spec.split(':').next().unwrap_or_default()
}

/// Prices by pattern, as the configuration has them under `prices`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Prices(BTreeMap<Pattern, Entry>);

impl Prices {
    /// The price of a model by its spec (`openai:gpt-4o-mini`): of the longest pattern that fits. `None`: not known. `own`: whether
    /// its server is somebody's own, as far as is known; what Ollama runs there costs nothing.
    #[must_use]
    pub fn of(&self, spec: &str, own: bool) -> Option<Price> {
        if let Some(free) = by_nature(spec) {
            return Some(free.clone());
        }
        let fitting = self.0.iter().filter(|(pattern, _)| pattern.fits(spec));
        let listed = fitting.max_by_key(|(pattern, _)| pattern.weight()).map(|(_, entry)| entry.price());
        // Models of that name run in Ollama's cloud, whichever server hands the requests on.
        let in_cloud = spec.ends_with("cloud");
        listed.or_else(|| (kind(spec) == "ollama" && own && !in_cloud).then_some(Price::FREE))
    }
}

/// A model's spec in which `*` stands for any text; letters count in either case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pattern(String);

impl Pattern {
    /// More letters first, then fewer stars.
    fn weight(&self) -> (usize, std::cmp::Reverse<usize>) {
        let stars = self.0.matches('*').count();
        (self.0.len() - stars, std::cmp::Reverse(stars))
    }

    fn fits(&self, spec: &str) -> bool {
        let spec = spec.to_lowercase();
        let mut pieces = self.0.split('*');
        let Some(mut rest) = spec.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
        let Some(last) = pieces.next_back() else { return rest.is_empty() };
        for piece in pieces {
            let Some(at) = rest.find(piece) else { return false };
            rest = &rest[at + piece.len()..];
        }
        rest.ends_with(last)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.trim() {
            "" => Err(D::Error::custom("a price needs the model that it is for: openai:MODEL, or a pattern with *")),
            pattern => Ok(Self(pattern.to_lowercase())),
        }
    }
}

/// A price as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    input: PerMillion,
    cached: Option<PerMillion>,
    cache_write: Option<PerMillion>,
    output: PerMillion,
    currency: Option<Currency>,
}

impl Entry {
    fn price(&self) -> Price {
        Price {
            input: self.input.0,
            cached: self.cached.unwrap_or(self.input).0,
            cache_write: self.cache_write.unwrap_or(self.input).0,
            output: self.output.0,
            currency: self.currency.as_ref().map_or_else(|| "USD".to_owned(), |c| c.0.clone()),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Currency(String);

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let fits = (1..=8).contains(&text.chars().count()) && !text.contains(|c: char| c.is_whitespace() || crate::text::is_unsafe(c));
        if fits { Ok(Self(text)) } else { Err(D::Error::custom("a currency is a short word or sign: USD, EUR, €")) }
    }
}

/// The price of a million tokens, written as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PerMillion(Money);

/// A price above this is a slip of the pen, whatever the currency.
const HIGHEST: f64 = 1e9;

impl<'de> Deserialize<'de> for PerMillion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Amount;
        impl Visitor<'_> for Amount {
            type Value = PerMillion;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the price of a million tokens, a number like 0.15")
            }

            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to lie between 0 and the highest")]
            fn visit_f64<E: Error>(self, value: f64) -> Result<PerMillion, E> {
                if (0.0..=HIGHEST).contains(&value) {
                    Ok(PerMillion(Money((value * 1e6).round() as u64)))
                } else {
                    Err(E::custom(format!("{value} is no price of a million tokens: it has to lie between 0 and {HIGHEST}")))
                }
            }

            #[expect(clippy::cast_precision_loss, reason = "what is too large for that is refused")]
            fn visit_u64<E: Error>(self, value: u64) -> Result<PerMillion, E> {
                self.visit_f64(value as f64)
            }

            #[expect(clippy::cast_precision_loss, reason = "negative numbers are refused")]
            fn visit_i64<E: Error>(self, value: i64) -> Result<PerMillion, E> {
                self.visit_f64(value as f64)
            }
        }
        deserializer.deserialize_any(Amount)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(yaml: &str) -> Prices {
        serde_yaml::from_str(yaml).unwrap()
    }

    fn input(prices: &Prices, spec: &str) -> Option<u64> {
        prices.of(spec, true).map(|p| p.input.0)
    }

    #[test]
    fn the_longest_pattern_that_fits_wins() {
        let prices = table(
            "openai:gpt-4o: {input: 2.5, output: 10}\n\
             openai:gpt-4o*: {input: 5, output: 15}\n\
             openai:gpt-4o-mini*: {input: 0.15, cached: 0.075, output: 0.60}\n\
             'openai:*': {input: 1, output: 1}\n\
             '*:*claude*-haiku*': {input: 0.8, cached: 0.08, cache_write: 1, output: 4, currency: EUR}\n",
        );
        assert_eq!(input(&prices, "openai:gpt-4o"), Some(2_500_000), "exact before the same letters with a star");
        assert_eq!(input(&prices, "openai:gpt-4o-2024-08-06"), Some(5_000_000));
        assert_eq!(input(&prices, "openai:gpt-4o-mini"), Some(150_000));
        assert_eq!(input(&prices, "openai:GPT-4o-mini-2024"), Some(150_000));
        assert_eq!(input(&prices, "openai:o3"), Some(1_000_000));
        assert_eq!(input(&prices, "anthropic:claude-3-5-haiku-latest"), Some(800_000));
        assert_eq!(input(&prices, "bedrock:eu.anthropic.claude-haiku-4"), Some(800_000));
        assert_eq!(input(&prices, "anthropic:claude-opus"), None);
        assert_eq!(input(&prices, "xopenai:gpt"), None);
    }

    #[test]
    fn what_is_not_said_follows_the_input() {
        let price = table("openai:a: {input: 3, output: 15}").of("openai:a", true).unwrap();
        assert_eq!((price.cached, price.cache_write, price.currency.as_str()), (Money(3_000_000), Money(3_000_000), "USD"));
        let price = table("openai:a: {input: 3, cached: 0.3, output: 15, currency: €}").of("openai:a", true).unwrap();
        assert_eq!((price.cached, price.cache_write, price.currency.as_str()), (Money(300_000), Money(3_000_000), "€"));
    }

    #[test]
    fn models_of_ones_own_are_free_and_the_rest_is_unknown() {
        let none = Prices::default();
        for spec in ["lexical", "human", "script:a.json", "scenario:a.json", "ollama:llama3"] {
            assert!(none.of(spec, true).unwrap().is_free(), "{spec}");
        }
        assert_eq!(none.of("openai:gpt-4o", true), None);
        assert_eq!(none.of("ollama:llama3", false), None, "a server of somebody else's may want money");
        assert_eq!(none.of("ollama:gpt-oss:120b-cloud", true), None, "it is handed on to a paid one");
        let all = table("'*': {input: 1, output: 2}");
        assert!(all.of("lexical", true).unwrap().is_free(), "nobody is paid for it");
        assert!(!all.of("ollama:gpt-oss:120b-cloud", true).unwrap().is_free(), "a server may be a paid one after all");
    }

    #[test]
    fn cost_is_exact_and_nothing_is_paid_twice() {
        let price = table("openai:a: {input: 0.15, cached: 0.075, cache_write: 0.1875, output: 0.60}").of("openai:a", true).unwrap();
        let usage = |prompt, cached, write, out| Usage {
            prompt_tokens: prompt,
            cached_prompt_tokens: cached,
            cache_write_tokens: write,
            completion_tokens: out,
            estimated: false,
        };
        // 100 at 0.15, 800 at 0.075, 100 at 0.1875, 50 at 0.60, per million.
        let cost = price.of(&usage(1000, 800, 100, 50));
        assert_eq!(cost, Cost(100 * 150_000 + 800 * 75_000 + 100 * 187_500 + 50 * 600_000));
        assert_eq!(cost.money(), Money(124), "123.75 millionths");
        // A million single tokens come to what a million at once does: nothing is lost on the way.
        let one = price.of(&usage(1, 0, 0, 0));
        assert_eq!((one.0 * 1_000_000, one.money()), (price.of(&usage(1_000_000, 0, 0, 0)).0, Money(0)));
        // A service that counts more cached than there are is not owed a negative sum.
        assert_eq!(price.of(&usage(10, 20, 0, 0)), Cost(20 * 75_000));
        assert!(cost.reaches(Money(123)) && !cost.reaches(Money(124)));
    }

    #[test]
    fn a_bad_entry_is_named_with_its_line() {
        let error = |yaml: &str| serde_yaml::from_str::<Prices>(yaml).unwrap_err().to_string();
        for (yaml, words) in [
            ("openai:a: {input: 1, output: 1}\nopenai:b:\n  input: cheap\n  output: 2", &["openai:b", "million tokens", "line 3"][..]),
            ("openai:a: {input: 1}", &["openai:a", "missing field `output`", "line 1"]),
            ("openai:a: {input: -1, output: 2}", &["openai:a", "-1 is no price", "line 1"]),
            ("openai:a: {input: 1, output: .inf}", &["openai:a", "is no price"]),
            ("openai:a: {input: 1, output: 2, ouput: 3}", &["openai:a", "unknown field `ouput`"]),
            ("openai:a: {input: 1, output: 2, currency: 'US Dollars of old'}", &["currency", "short word"]),
            ("'': {input: 1, output: 2}", &["the model that it is for"]),
        ] {
            let error = error(yaml);
            assert!(words.iter().all(|word| error.contains(word)), "{yaml}: {error}");
        }
    }
}
