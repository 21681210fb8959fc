//! What was spent, of how much, and how the best value went.

use super::super::scene::Scene;
use super::super::theme::{Role, Theme};
use super::super::widgets::put;
use super::super::widgets::spark::{line as spark, seconds};
use super::super::widgets::value::gauge;
use crate::micro::Micro;
use crate::text::thousands;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Name, text, and what is used of how much.
type Row = (&'static str, String, Option<(u64, u64)>);

/// Draws the budget.
pub fn render(buf: &mut Buffer, area: Rect, scene: &Scene, ran_ms: u64, theme: &Theme) {
    if area.is_empty() || scene.state.started.is_none() {
        return;
    }
    let state = &scene.state;
    let (spent, settings) = (state.counters(), state.settings());
    let deepest = state.nodes.iter().map(|node| node.depth).max().unwrap_or(0);
    let estimated = if spent.estimated { "~" } else { "" };
    let tokens = format!("{estimated}{} in, {estimated}{} out", thousands(spent.prompt_tokens), thousands(spent.completion_tokens));
    let best = best_values(scene);
    let width = usize::from(area.width.saturating_sub(13));
    let kg_live = spent.kg_calls - spent.kg_cached;
    let mut rows: Vec<Row> = vec![
        (
            "expansions",
            format!("{}/{}", spent.expansions, settings.max_expansions),
            Some((spent.expansions.into(), settings.max_expansions.into())),
        ),
        ("depth", format!("{deepest}/{}", settings.max_depth), Some((deepest.into(), settings.max_depth.into()))),
        ("model calls", format!("{} · {} samples · {} rounds", spent.llm_calls, spent.samples, spent.llm_rounds), None),
        ("tokens", tokens, None),
        ("KG calls", format!("{kg_live} live · {} cached", spent.kg_cached), None),
        ("best value", format!("{} {}", spark(&best, width.saturating_sub(6)), last(&best)), None),
        ("time", seconds(ran_ms), None),
        ("k, threshold", format!("{} · {}", settings.branching, settings.threshold), None),
    ];
    if spent.samples_cached > 0 {
        rows.insert(3, ("of these", format!("{} samples from the cache", spent.samples_cached), None));
    }
    if spent.by_hand > 0 {
        rows.push(("by hand", format!("{} growths", spent.by_hand), None));
    }
    if spent.failed + spent.perhaps_paid > 0 {
        rows.push(("failed", format!("{} · {} perhaps paid twice", spent.failed, spent.perhaps_paid), None));
    }
    for ((name, text, used), y) in rows.into_iter().zip(area.y..area.bottom()) {
        put(buf, area, area.x, y, name, theme.style(Role::Dim));
        let x = put(buf, area, area.x.saturating_add(13), y, &text, theme.style(Role::Text));
        if let Some((used, limit)) = used {
            let room = usize::from(area.right().saturating_sub(x + 1)).min(20);
            let role = if used >= limit { Role::Warning } else { Role::Accent };
            put(buf, area, x + 1, y, &gauge(used, limit, room), theme.style(role));
        }
    }
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
