//! What was spent, of how much, and how the best value went.

use super::super::scene::Scene;
use super::super::theme::{Role, Theme};
use super::super::widgets::put;
use super::super::widgets::spark::{line as spark, seconds};
use super::super::widgets::value::gauge;
use crate::calls::Usage;
use crate::micro::Micro;
use crate::money::Money;
use crate::price::Price;
use crate::search::{Budget, Counters, Nothing, State, Tally, Warning, WarningKind};
use crate::text::{self, thousands};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::BTreeMap;

/// Name, text, and what is used of how much.
pub type Row = (&'static str, String, Option<(u64, u64)>);

/// Where the texts begin.
const TEXT: u16 = 13;

/// Draws the budget, with the milliseconds that the search ran, where they are known; below it, where there is room (`z`), what each kind of call took.
pub fn render(buf: &mut Buffer, area: Rect, scene: &Scene, ran_ms: Option<u64>, theme: &Theme) {
    if area.is_empty() || scene.state.started.is_none() {
        return;
    }
    let spent = scene.state.counters();
    let rows = rows(scene, &spent, ran_ms, usize::from(area.width.saturating_sub(TEXT)));
    let below = area.y.saturating_add(u16::try_from(rows.len()).unwrap_or(u16::MAX));
    for ((name, text, used), y) in rows.into_iter().zip(area.y..area.bottom()) {
        put(buf, area, area.x, y, name, theme.style(Role::Dim));
        let x = put(buf, area, area.x.saturating_add(TEXT), y, &text, theme.style(Role::Text));
        if let Some((used, limit)) = used {
            let room = usize::from(area.right().saturating_sub(x + 1)).min(20);
            let role = if used >= limit { Role::Warning } else { Role::Accent };
            put(buf, area, x + 1, y, &gauge(used, limit, room), theme.style(role));
        }
    }
    if area.bottom() > below.saturating_add(2) {
        let place = Rect { y: below + 1, height: area.bottom() - below - 1, ..area };
        kinds(buf, place, &spent, scene.state.common_price(), theme);
    }
}

/// What was spent, in order; `ran_ms`: how long it ran, where that is known; `width`: the columns that a text has.
#[must_use]
pub fn rows(scene: &Scene, spent: &Counters, ran_ms: Option<u64>, width: usize) -> Vec<Row> {
    let state = &scene.state;
    let settings = state.settings();
    let deepest = state.nodes.iter().map(|node| node.depth).max().unwrap_or(0);
    let limit = |budget: Budget| settings.budgets.of(budget);
    let used = |budget: Budget, used: u64| limit(budget).map(|limit| (used, limit));
    let of = |budget: Budget| limit(budget).map_or_else(String::new, |limit| format!("/{}", budget.written(limit)));
    let best = best_values(scene);
    let against = |budget: Budget| used(budget, spent.against(budget));
    let mut calls = format!("{}{}", spent.against(Budget::Calls), of(Budget::Calls));
    if spent.recorded > 0 {
        calls.push_str(&format!(" · {} recorded", spent.recorded));
    }
    if spent.llm.requests > spent.llm.calls {
        calls.push_str(&format!(" · {} requests", spent.llm.requests));
    }
    // A gauge says more than samples and rounds, where there is little room.
    if limit(Budget::Calls).is_none() || width >= 50 {
        calls.push_str(&format!(" · {} samples · {} rounds", spent.llm.samples, spent.llm_rounds));
    }
    let tokens = match limit(Budget::Tokens) {
        Some(_) => format!("{}{}{}", tilde(&spent.llm.tokens), spent.against(Budget::Tokens), of(Budget::Tokens)),
        None => tokens(&spent.llm.tokens, width),
    };
    let bare = limit(Budget::Cost).is_some() && width < 30;
    let cost = match state.common_price() {
        None => several(state),
        price => cost(&spent.llm, price, bare),
    };
    let cost = format!("{cost}{}", of(Budget::Cost));
    let mut rows: Vec<Row> = vec![
        (
            "expansions",
            format!("{}/{}", spent.expansions, settings.max_expansions),
            Some((spent.expansions.into(), settings.max_expansions.into())),
        ),
        ("depth", format!("{deepest}/{}", settings.max_depth), Some((deepest.into(), settings.max_depth.into()))),
        ("model calls", calls, against(Budget::Calls)),
        ("tokens", tokens, against(Budget::Tokens)),
        ("cost", cost, against(Budget::Cost)),
        ("KG calls", kg_calls(spent, width), None),
        ("best value", format!("{} {}", spark(&best, width.saturating_sub(6)), last(&best)), None),
        (
            "time",
            format!("{}{}", ran_ms.map_or_else(|| "not recorded".to_owned(), seconds), of(Budget::Time)),
            ran_ms.and_then(|ms| used(Budget::Time, ms)),
        ),
        ("k, threshold", format!("{} · {}", settings.branching, settings.threshold), None),
    ];
    if !scene.warnings.is_empty() {
        rows.push(("warnings", warnings(&scene.warnings), None));
    }
    if limit(Budget::Tokens).is_some() {
        rows.push(("in and out", self::tokens(&spent.llm.tokens, width), None));
    }
    if spent.llm.tokens.cached_prompt_tokens > 0 {
        rows.push(("of the input", format!("{} cached", thousands(spent.llm.tokens.cached_prompt_tokens)), None));
    }
    if spent.llm.nothing.requests > 0 {
        rows.push(("for nothing", brought_nothing(&spent.llm.nothing, state.common_price(), width), None));
    }
    if spent.samples_cached > 0 {
        rows.insert(3, ("of these", format!("{} samples from the cache", spent.samples_cached), None));
    }
    if spent.by_hand > 0 {
        rows.push(("by hand", format!("{} growths", spent.by_hand), None));
    }
    if spent.failed + spent.perhaps_paid > 0 {
        rows.push(("failed", format!("{} · {} perhaps paid twice", spent.failed, spent.perhaps_paid), None));
    }
    rows
}

/// What requests took that brought nothing; part of the numbers above.
fn brought_nothing(of: &Nothing, price: Option<&Price>, width: usize) -> String {
    let requests = format!("{} {}", thousands(of.requests.into()), if of.requests == 1 { "request" } else { "requests" });
    let paid = of.cost.zip(price.filter(|price| !price.is_free()));
    let cost = paid.map_or_else(String::new, |(cost, price)| format!(" · ~{} {}", cost.money(), text::one_line(&price.currency)));
    let whole = format!("{requests} · {}{cost}", tokens(&of.tokens, usize::MAX));
    if text::width(&whole) <= width { whole } else { format!("{} req · {}", of.requests, tokens(&of.tokens, 0)) }
}

/// Calls to KGs, by where their replies came from; where there is little room, how many of all went to the KGs.
fn kg_calls(spent: &Counters, width: usize) -> String {
    let live = spent.kg_calls - spent.kg_recorded - spent.kg_cached;
    let recorded = if spent.kg_recorded > 0 { format!(" · {} recorded", spent.kg_recorded) } else { String::new() };
    let whole = format!("{live} live{recorded} · {} cached", spent.kg_cached);
    if text::width(&whole) <= width { whole } else { format!("{live}/{} live", spent.kg_calls) }
}

/// `⚠ 4: dead branch, partial (3)`
fn warnings(all: &[Warning]) -> String {
    let mut kinds: BTreeMap<WarningKind, usize> = BTreeMap::new();
    for warning in all {
        *kinds.entry(warning.kind).or_default() += 1;
    }
    let said = kinds.iter().map(|(kind, n)| if *n > 1 { format!("{} ({n})", kind.title()) } else { kind.title().to_owned() });
    format!("⚠ {}: {}", all.len(), said.collect::<Vec<_>>().join(", "))
}

/// What each kind of call took, one a row.
fn kinds(buf: &mut Buffer, area: Rect, spent: &Counters, price: Option<&Price>, theme: &Theme) {
    // The name, then as many numbers as fit, the first ones first.
    let mut head: Vec<String> = ["calls", "samples", "in", "cached", "out", "cost"].map(str::to_owned).into();
    let for_nothing = spent.llm.nothing.requests > 0;
    if for_nothing {
        head.push("nothing".to_owned());
    }
    let place = |buf: &mut Buffer, y: u16, cells: &[String], role: Role| {
        let mut right = area.x + TEXT;
        for cell in cells {
            right = right.saturating_add(10);
            if right > area.right() {
                break;
            }
            put(buf, area, right.saturating_sub(u16::try_from(text::width(cell)).unwrap_or(0)), y, cell, theme.style(role));
        }
    };
    put(buf, area, area.x, area.y, "by kind", theme.style(Role::Dim));
    place(buf, area.y, &head, Role::Dim);
    for ((kind, of), y) in spent.kinds().zip(area.y + 1..area.bottom()) {
        put(buf, area, area.x, y, &kind.name().replace('_', " "), theme.style(Role::Text));
        let about = tilde(&of.tokens);
        let counted = |tokens: u64| format!("{about}{}", thousands(tokens));
        let cost = of.cost.filter(|_| price.is_some_and(|price| !price.is_free()));
        let mut cells = vec![
            thousands(of.calls.into()),
            thousands(of.samples.into()),
            counted(of.tokens.prompt_tokens),
            thousands(of.tokens.cached_prompt_tokens),
            counted(of.tokens.completion_tokens),
            cost.map_or_else(|| "-".to_owned(), |cost| format!("{about}{}", cost.money())),
        ];
        if for_nothing {
            // Tokens in and out of requests that brought nothing.
            let tokens = of.nothing.tokens.prompt_tokens + of.nothing.tokens.completion_tokens;
            cells.push(if of.nothing.requests > 0 { format!("~{}", thousands(tokens)) } else { "0".to_owned() });
        }
        place(buf, y, &cells, Role::Text);
    }
}

/// `~` where numbers are estimates.
const fn tilde(usage: &Usage) -> &'static str {
    if usage.estimated { "~" } else { "" }
}

/// Tokens in and out, in full if there is room for it.
fn tokens(usage: &Usage, width: usize) -> String {
    let about = tilde(usage);
    let whole = format!("{about}{} in, {about}{} out", thousands(usage.prompt_tokens), thousands(usage.completion_tokens));
    if text::width(&whole) <= width { whole } else { format!("{about}{}+{}", short(usage.prompt_tokens), short(usage.completion_tokens)) }
}

/// `999`, `12.3k`, `4.5M`
fn short(n: u64) -> String {
    match n {
        0..1_000 => n.to_string(),
        1_000..1_000_000 => format!("{}.{}k", n / 1_000, n % 1_000 / 100),
        _ => format!("{}.{}M", n / 1_000_000, n % 1_000_000 / 100_000),
    }
}

/// What it cost; what is free and what is not known is told apart. `bare`: without the currency, and to four decimals where that says enough.
fn cost(tally: &Tally, price: Option<&Price>, bare: bool) -> String {
    match (tally.cost, price) {
        (_, Some(price)) if price.is_free() => "free".to_owned(),
        (Some(cost), Some(price)) => {
            let about = tilde(&tally.tokens);
            match cost.money() {
                Money(millionths) if bare && millionths >= 10_000 => format!("{about}{}", Money((millionths + 50) / 100 * 100)),
                money if bare => format!("{about}{money}"),
                money => format!("{about}{money} {}", text::one_line(&price.currency)),
            }
        }
        _ => "no price".to_owned(),
    }
}

/// What was paid in several currencies; `no price` where one of the prices is not known.
fn several(state: &State) -> String {
    let paid = state.paid().filter(|paid| !paid.is_empty());
    paid.map_or_else(|| "no price".to_owned(), |paid| paid.iter().map(ToString::to_string).collect::<Vec<_>>().join(" + "))
}

fn last(best: &[Option<Micro>]) -> String {
    best.last().copied().flatten().map_or_else(String::new, |value| value.to_string())
}

/// The best value of an open node or answer after each expansion.
fn best_values(scene: &Scene) -> Vec<Option<Micro>> {
    let mut best = None;
    let steps = scene.state.steps.iter().filter(|step| step.counts || step.by_hand());
    steps
        .map(|step| {
            let here = step.children.iter().filter_map(|child| scene.level(*child).micro()).max();
            best = best.max(here);
            here.or(best)
        })
        .collect()
}
