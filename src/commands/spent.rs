//! What a search spent, as JSON.

use crate::search::{Budget, State, Tally};
use serde_json::{Map, Value as Json, json};

/// The object `llm` of `ask --json`: altogether, and by kind of call.
pub(super) fn json(state: &State) -> Json {
    let spent = state.counters();
    let mut out = tally(&spent.llm);
    out.insert("rounds".to_owned(), json!(spent.llm_rounds));
    out.insert("recorded_calls".to_owned(), json!(spent.recorded));
    out.insert("cached".to_owned(), json!(spent.llm_cached));
    out.insert("samples_cached".to_owned(), json!(spent.samples_cached));
    let prompts = state.prompt_chars();
    out.insert("prompt_chars".to_owned(), json!(prompts.sent));
    out.insert("prefix_share".to_owned(), json!(prompts.share()));
    out.insert("tokens_estimated".to_owned(), json!(spent.llm.tokens.estimated));
    out.insert("perhaps_paid_twice".to_owned(), json!(spent.perhaps_paid));
    out.insert("currency".to_owned(), json!(state.common_price().map(|price| &price.currency).filter(|currency| !currency.is_empty())));
    let paid = state
        .paid()
        .map(|paid| paid.iter().map(|paid| (paid.currency.to_owned(), json!(paid.cost.money().as_f64()))).collect::<Map<_, _>>());
    out.insert("costs".to_owned(), json!(paid));
    let kinds: Map<String, Json> = spent.kinds().map(|(kind, of)| (kind.name().to_owned(), Json::Object(tally(of)))).collect();
    out.insert("by_kind".to_owned(), Json::Object(kinds));
    let by_model: Vec<Json> = state
        .spent_by_model()
        .iter()
        .map(|(by, of)| {
            let (model, price) = (state.model(*by), state.price_of(*by));
            let mut object = tally(of);
            object.insert("model".to_owned(), json!(model.name));
            object.insert("spec".to_owned(), json!(model.spec));
            object.insert("currency".to_owned(), json!(price.map(|price| &price.currency).filter(|currency| !currency.is_empty())));
            Json::Object(object)
        })
        .collect();
    if by_model.len() > 1 {
        out.insert("by_model".to_owned(), Json::Array(by_model));
    }
    let budgets = state.settings().budgets;
    let limits = Budget::ALL.into_iter().filter_map(|budget| {
        let limit = budgets.of(budget)?;
        let amount = if budget == Budget::Cost { json!(crate::money::Money(limit).as_f64()) } else { json!(limit) };
        Some((if budget == Budget::Time { "time_ms" } else { budget.name() }.to_owned(), amount))
    });
    out.insert("budgets".to_owned(), Json::Object(limits.collect()));
    Json::Object(out)
}

fn tally(tally: &Tally) -> Map<String, Json> {
    let nothing = &tally.nothing;
    let object = json!({
        "calls": tally.calls, "requests": tally.requests, "samples": tally.samples,
        "prompt_tokens": tally.tokens.prompt_tokens, "cached_prompt_tokens": tally.tokens.cached_prompt_tokens,
        "cache_write_tokens": tally.tokens.cache_write_tokens, "completion_tokens": tally.tokens.completion_tokens,
        "cost": tally.cost.map(|cost| cost.money().as_f64()),
        "brought_nothing": {
            "requests": nothing.requests, "prompt_tokens": nothing.tokens.prompt_tokens, "completion_tokens": nothing.tokens.completion_tokens,
            "cost": nothing.cost.map(|cost| cost.money().as_f64()),
        },
    });
    match object {
        Json::Object(map) => map,
        _ => Map::new(),
    }
}
