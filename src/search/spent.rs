//! What was spent: calls, tokens and money, altogether and by kind of call, and which budget that uses up.

use super::ask::Ask;
use super::budget::Budget;
use super::event::{ActId, Source, StepKind};
use super::state::State;
use crate::calls::{CallErrorKind, PromptKind, Usage};
use crate::money::Money;
use crate::price::{Cost, Price};
use crate::text::one_line;
use std::collections::HashSet;

/// What calls to the model took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Asks.
    pub calls: u32,
    /// Requests that brought what was received: a call takes more than one where a server gives too few samples at once, or is
    /// tried again. Those of a call that failed as a whole are not known.
    pub requests: u32,
    /// Samples received.
    pub samples: u32,
    /// Tokens, as the service counts them; with those of requests that brought nothing.
    pub tokens: Usage,
    /// What the tokens cost; `None` when the price is not known.
    pub cost: Option<Cost>,
    /// Of this, what requests took that brought nothing.
    pub nothing: Nothing,
}

/// What requests to the model took that were cancelled, broke off or got no answer in time: services charge for what they have read and
/// written, whoever takes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nothing {
    /// Requests.
    pub requests: u32,
    /// Tokens, always estimated.
    pub tokens: Usage,
    /// What the tokens cost; `None` when the price is not known.
    pub cost: Option<Cost>,
}

impl Tally {
    /// Nothing yet, of a model whose price is known or not.
    fn new(priced: bool) -> Self {
        let cost = priced.then(Cost::default);
        Self { cost, nothing: Nothing { cost, ..Nothing::default() }, ..Self::default() }
    }

    /// Takes up what an ask to the model took.
    fn add(&mut self, ask: &Ask, price: Option<&Price>) {
        self.calls += 1;
        self.requests = self.requests.saturating_add(ask.requests);
        self.samples += u32::try_from(ask.samples.iter().flatten().count()).unwrap_or(u32::MAX);
        self.nothing.requests = self.nothing.requests.saturating_add(ask.fruitless);
        self.nothing.tokens += ask.wasted;
        self.tokens += ask.usage;
        self.tokens += ask.wasted;
        let add = |to: Option<Cost>, tokens: &Usage| to.zip(price).map(|(cost, price)| cost + price.of(tokens));
        self.nothing.cost = add(self.nothing.cost, &ask.wasted);
        self.cost = add(add(self.cost, &ask.usage), &ask.wasted);
    }
}

/// What was spent in one currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paid<'a> {
    /// The currency.
    pub currency: &'a str,
    /// How much.
    pub cost: Cost,
    /// Whether some of the tokens are estimates.
    pub estimated: bool,
}

impl std::fmt::Display for Paid<'_> {
    /// `~0.50 USD`; `~` where tokens are estimates.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{} {}", if self.estimated { "~" } else { "" }, self.cost.money(), one_line(self.currency))
    }
}

/// What was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Of the model, altogether.
    pub llm: Tally,
    /// Of the model, by kind of call, in the order of [`PromptKind::ALL`].
    pub by_kind: [Tally; PromptKind::ALL.len()],
    /// Of the asks to the model, those that a recording answered: they cost nothing.
    pub recorded: u32,
    /// Of the asks to the model, those that the cache on disk answered whole.
    pub llm_cached: u32,
    /// Samples from there, of asks that it answered whole or in part.
    pub samples_cached: u32,
    /// When the oldest of these came (milliseconds since 1970).
    pub llm_oldest: Option<u64>,
    /// Sequential rounds of model calls.
    pub llm_rounds: u32,
    /// Calls to KGs.
    pub kg_calls: u32,
    /// Of these, answered from the recording of another session (which may have had them from the cache on disk).
    pub kg_recorded: u32,
    /// Of these, answered from this session's earlier replies, or from the cache on disk.
    pub kg_cached: u32,
    /// When the oldest of those that were once read from the cache on disk came (milliseconds since 1970).
    pub kg_oldest: Option<u64>,
    /// Asks that failed.
    pub failed: u32,
    /// Asks that were sent again after a crash and may be paid twice.
    pub perhaps_paid: u32,
    /// Expansions that count.
    pub expansions: u32,
    /// Growths by hand.
    pub by_hand: u32,
    /// Milliseconds that the search ran, as far as it was recorded (only with a budget of time).
    pub ran_ms: u64,
}

impl Counters {
    /// The kinds of calls that were made, with what each took.
    pub fn kinds(&self) -> impl Iterator<Item = (PromptKind, &Tally)> {
        PromptKind::ALL.into_iter().zip(&self.by_kind).filter(|(_, tally)| tally.calls > 0)
    }

    /// What counts against a budget, in its unit. Money that is not known counts as none.
    #[must_use]
    pub fn against(&self, budget: Budget) -> u64 {
        match budget {
            Budget::Calls => u64::from(self.llm.calls - self.recorded - self.llm_cached),
            Budget::Tokens => self.llm.tokens.prompt_tokens + self.llm.tokens.completion_tokens,
            Budget::Cost => self.llm.cost.map_or(0, |cost| cost.money().0),
            Budget::Time => self.ran_ms,
        }
    }

    /// Whether a limit on what the model may take is used up.
    #[must_use]
    pub fn reaches(&self, budget: Budget, limit: u64) -> bool {
        match budget {
            Budget::Cost => self.llm.cost.is_some_and(|cost| cost.reaches(Money(limit))),
            other => self.against(other) >= limit,
        }
    }
}

impl State {
    /// What was spent so far; of money, by the price of the model that each ask went to.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let mut c = Counters { perhaps_paid: self.perhaps_paid, expansions: self.expansions(), ran_ms: self.ran_ms, ..Counters::default() };
        let mut rounds = HashSet::new();
        if self.common_price().is_some() {
            std::iter::once(&mut c.llm).chain(&mut c.by_kind).for_each(|tally| *tally = Tally::new(true));
        }
        for ask in &self.asks {
            c.failed += u32::from(ask.error.as_ref().is_some_and(|error| error.kind != CallErrorKind::Superseded));
            if let Some(kind) = ask.kind() {
                let price = self.price_of(self.asked_of(ask));
                c.llm.add(ask, price);
                c.by_kind[kind.index()].add(ask, price);
                let kept = ask.kept > 0 && ask.kept as usize == ask.samples.len();
                c.recorded += u32::from(matches!(ask.source, Some(Source::Recorded | Source::Cached)) && !ask.is_paid());
                c.llm_cached += u32::from(kept);
                c.samples_cached += ask.kept;
                c.llm_oldest = ask.kept_since.into_iter().chain(c.llm_oldest).min();
                rounds.insert((ask.key.step, ask.key.purpose, ask.key.round));
            } else {
                c.kg_calls += 1;
                let on_disk = ask.reply.as_ref().and_then(|reply| reply.cached_at);
                let recorded = ask.source == Some(Source::Recorded);
                c.kg_recorded += u32::from(recorded);
                c.kg_cached += u32::from(!recorded && (ask.source == Some(Source::Cached) || on_disk.is_some()));
                c.kg_oldest = on_disk.into_iter().chain(c.kg_oldest).min();
            }
        }
        c.llm_rounds = u32::try_from(rounds.len()).unwrap_or(u32::MAX);
        c.by_hand = u32::try_from(
            self.steps.iter().filter(|s| s.by_hand() && !matches!(s.kind, StepKind::Page | StepKind::Value | StepKind::Review)).count(),
        )
        .unwrap_or(u32::MAX);
        c
    }

    /// What was spent on each model that was asked, by the act that named it, in the order of their first ask; each by its own price.
    #[must_use]
    pub fn spent_by_model(&self) -> Vec<(Option<ActId>, Tally)> {
        let spent = self.models_asked().into_iter().map(|by| {
            let price = self.price_of(by);
            let mut tally = Tally::new(price.is_some());
            for ask in self.asks.iter().filter(|ask| ask.is_llm() && self.is_same_model(self.asked_of(ask), by)) {
                tally.add(ask, price);
            }
            (by, tally)
        });
        spent.collect()
    }

    /// What was spent in each currency, each model by its own price, in the order of their first ask; `None` when a price is not
    /// known. What costs nothing has no currency.
    #[must_use]
    pub fn paid(&self) -> Option<Vec<Paid<'_>>> {
        let mut paid: Vec<Paid<'_>> = Vec::new();
        for (by, tally) in self.spent_by_model() {
            let (price, cost) = (self.price_of(by)?, tally.cost?);
            match paid.iter_mut().find(|paid| paid.currency == price.currency) {
                _ if price.currency.is_empty() => {}
                Some(paid) => {
                    paid.cost = paid.cost + cost;
                    paid.estimated |= tally.tokens.estimated;
                }
                None => paid.push(Paid { currency: &price.currency, cost, estimated: tally.tokens.estimated }),
            }
        }
        Some(paid)
    }

    /// The budget that forbids a call to the model, if one is used up. `new`: it was not asked yet, so that it would count as
    /// a call of its own.
    #[must_use]
    pub fn forbids_call(&self, new: bool) -> Option<Budget> {
        let budgets = self.settings().budgets;
        if budgets.is_none() {
            return None;
        }
        let spent = self.counters();
        let applies = |budget: Budget| match budget {
            Budget::Calls => new,
            Budget::Tokens | Budget::Cost => true,
            Budget::Time => false,
        };
        Budget::ALL.into_iter().find(|b| applies(*b) && budgets.of(*b).is_some_and(|limit| spent.reaches(*b, limit)))
    }
}
