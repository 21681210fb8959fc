//! What a search spent, in words.

use super::budget::Budget;
use super::spent::{Nothing, Tally};
use super::state::State;
use crate::calls::Usage;
use crate::price::{Cost, Price};
use crate::text::{one_line, thousands};

/// One paragraph: calls, tokens, cost, budgets, and the kinds of calls that the tokens went to.
#[must_use]
pub fn spent_words(state: &State) -> String {
    let spent = state.counters();
    let of_them = |n: u32, place: &str| if n > 0 { format!(", {n} of them from {place}") } else { String::new() };
    let recorded = of_them(spent.recorded, "a recording") + &of_them(spent.llm_cached, "the cache");
    // Where each call is one request, that says nothing.
    let more = spent.llm.requests > spent.llm.calls;
    let requests = if more { format!("{} requests, ", thousands(spent.llm.requests.into())) } else { String::new() };
    let mut text = format!(
        "spent: {} to the model{recorded} ({requests}{}, {}); {} in",
        counted(spent.llm.calls, "call", "calls"),
        counted(spent.llm.samples, "sample", "samples"),
        counted(spent.llm_rounds, "round", "rounds"),
        tokens_in(&spent.llm.tokens),
    );
    let tilde = tilde(&spent.llm.tokens);
    text.push_str(&format!(", {tilde}{} out; {}", thousands(spent.llm.tokens.completion_tokens), cost(state, &spent.llm)));
    if spent.llm.nothing.requests > 0 {
        let (n, of) = (spent.llm.nothing.requests, &spent.llm.nothing.tokens);
        let (prompt, said) = (thousands(of.prompt_tokens), thousands(of.completion_tokens));
        let cost = spent.llm.nothing.cost.filter(|_| state.common_price().is_some_and(|price| !price.is_free()));
        let cost = cost.map_or(String::new(), |cost| format!(", ~{}", money(cost, state.common_price())));
        let requests = counted(n, "request", "requests");
        text.push_str(&format!("; of this {requests} that brought nothing: ~{prompt} tokens in, ~{said} out{cost}"));
    }
    let recorded = of_them(spent.kg_recorded, "a recording");
    text.push_str(&format!(
        "; {} to graphs{recorded}, {} of them from the cache",
        counted(spent.kg_calls, "call", "calls"),
        spent.kg_cached
    ));
    let (budgets, currency) = (state.settings().budgets, state.common_price().map_or("", |price| price.currency.as_str()));
    let limits: Vec<String> = Budget::ALL.into_iter().filter_map(|b| Some(b.words(budgets.of(b)?, currency))).collect();
    if !limits.is_empty() {
        text.push_str(&format!("; at most {}", limits.join(", ")));
    }
    let models = state.spent_by_model();
    if models.len() > 1 {
        let said = models.iter().map(|(by, of)| {
            let cost = of.cost.filter(|_| state.price_of(*by).is_some_and(|price| !price.is_free()));
            let cost = cost.map_or(String::new(), |cost| format!(", {}", money(cost, state.price_of(*by))));
            let (name, tilde) = (one_line(state.model(*by).name), self::tilde(&of.tokens));
            format!("{name} {}x {tilde}{}+{}{cost}", of.calls, thousands(of.tokens.prompt_tokens), thousands(of.tokens.completion_tokens))
        });
        text.push_str(&format!("; by model (tokens in+out): {}", said.collect::<Vec<_>>().join("; ")));
    }
    let kinds: Vec<String> = spent
        .kinds()
        .map(|(kind, of)| {
            let cost = of.cost.filter(|_| state.common_price().is_some_and(|p| !p.is_free()));
            let cost = cost.map_or(String::new(), |c| format!(", {}", money(c, state.common_price())));
            let (name, tilde) = (kind.name().replace('_', " "), self::tilde(&of.tokens));
            let (prompt, said) = (thousands(of.tokens.prompt_tokens), thousands(of.tokens.completion_tokens));
            format!("{name} {}x {tilde}{prompt}+{said}{}{cost}", of.calls, of_nothing(&of.nothing))
        })
        .collect();
    if !kinds.is_empty() {
        text.push_str(&format!("; by kind (tokens in+out): {}", kinds.join("; ")));
    }
    text
}

fn counted(n: u32, one: &str, many: &str) -> String {
    format!("{} {}", thousands(n.into()), if n == 1 { one } else { many })
}

/// ` (~1,200+8 of it brought nothing)`
fn of_nothing(of: &Nothing) -> String {
    let tokens = &of.tokens;
    let (prompt, said) = (thousands(tokens.prompt_tokens), thousands(tokens.completion_tokens));
    if of.requests == 0 { String::new() } else { format!(" (~{prompt}+{said} of it brought nothing)") }
}

/// `~` where numbers are estimates.
const fn tilde(usage: &Usage) -> &'static str {
    if usage.estimated { "~" } else { "" }
}

/// `12,345 tokens (8,000 of them from the service's cache)`
fn tokens_in(usage: &Usage) -> String {
    let mut text = format!("{}{} tokens", tilde(usage), thousands(usage.prompt_tokens));
    if usage.cached_prompt_tokens > 0 {
        text.push_str(&format!(" ({} of them from the service's cache)", thousands(usage.cached_prompt_tokens)));
    }
    text
}

fn money(cost: Cost, price: Option<&Price>) -> String {
    format!("{} {}", cost.money(), one_line(price.map_or("", |p| p.currency.as_str()))).trim_end().to_owned()
}

fn cost(state: &State, tally: &Tally) -> String {
    match (tally.cost, state.common_price()) {
        (Some(_), Some(price)) if price.is_free() => "free of charge".to_owned(),
        (Some(cost), price) => format!("cost {}{}", tilde(&tally.tokens), money(cost, price)),
        // In several currencies there is no sum.
        (None, _) => match state.paid() {
            Some(paid) => format!("cost {}", paid.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ")),
            None => "cost not known (no price)".to_owned(),
        },
    }
}
