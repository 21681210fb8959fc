//! How the flow looks: the way so far, the list or preview of the step, the keys.

use super::super::super::scene::entity_name;
use super::super::super::session_view::SessionView;
use super::super::super::theme::{Role, Theme};
use super::super::super::widgets::spark::{seconds, spinner};
use super::super::super::widgets::wrap::Document;
use super::super::super::widgets::{count, popup, put};
use super::super::with_keys;
use super::{Chosen, ExpandPopup, Stage, options};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

impl ExpandPopup {
    pub(super) fn draw_stage(&mut self, buf: &mut Buffer, area: Rect, view: &SessionView, now: Instant, theme: &Theme) {
        let title = match self.instead_of {
            Some(child) => format!("By hand from node {}, instead of node {}", self.node.0, child.0),
            None => format!("Expand by hand · node {}", self.node.0),
        };
        let inner = popup(buf, area, 104, 26, &title, theme);
        let keys = match self.stages.last() {
            Some(Stage::Menu(_)) => "Enter picks  Esc leaves no trace",
            Some(Stage::Entities(..)) => "space checks  Enter goes on  / finds  Esc back",
            Some(Stage::Relations(_)) if self.identifiers => "Enter previews  # computes over it  / finds  Tab hides identifiers  Esc back",
            Some(Stage::Relations(_)) => "Enter previews  # computes over it  / finds  Tab shows identifiers  Esc back",
            Some(Stage::Compute(_)) => "Enter previews  Tab another function  Esc back",
            _ => "Enter brings these facts in, marked by hand  Esc back",
        };
        let mut body = with_keys(buf, inner, keys, theme);
        if body.height > 4 {
            self.way(buf, Rect { height: 1, ..body }, view, theme);
            body = Rect { y: body.y + 1, height: body.height - 1, ..body };
            if let Some(status) = self.status(view, now) {
                let role = if self.wrong.is_some() { Role::Error } else { Role::Dim };
                put(buf, body, body.x, body.y, &status, theme.style(role));
                body = Rect { y: body.y + 1, height: body.height - 1, ..body };
            }
        }
        match self.stages.last_mut() {
            Some(Stage::Menu(list)) => list.render(buf, body, "", theme),
            Some(Stage::Entities(_, list)) => list.render(buf, body, "finds an entity by label or id", theme),
            Some(Stage::Relations(list)) => {
                list.render(buf, body, "finds a relation by label or id · forward before reverse, in the KG's own order", theme)
            }
            Some(Stage::Compute(compute)) => compute.draw(buf, body, &self.relations, theme),
            Some(Stage::Preview(chosen)) => {
                let chosen = chosen.clone();
                self.draw_preview(buf, body, view, &chosen, theme);
            }
            None => {}
        }
    }

    /// What was picked so far.
    fn way(&self, buf: &mut Buffer, row: Rect, view: &SessionView, theme: &Theme) {
        let mut x = row.x;
        for stage in &self.stages {
            let text = match stage {
                Stage::Menu(_) => "what".to_owned(),
                Stage::Entities(..)
                    if self.stages.len() > 1 && !self.entities.is_empty() && !matches!(self.stages.last(), Some(Stage::Entities(..))) =>
                {
                    let names: Vec<String> =
                        self.entities.iter().take(4).map(|id| entity_name(&view.scene.state, Some(self.node), id)).collect();
                    let more = self.entities.len() - names.len();
                    format!("{}{}", names.join(", "), if more > 0 { format!(" and {more} more") } else { String::new() })
                }
                Stage::Entities(..) => "which entities?".to_owned(),
                Stage::Relations(_) => "which relation?".to_owned(),
                Stage::Compute(_) if matches!(self.stages.last(), Some(Stage::Preview(_))) => continue,
                Stage::Compute(compute) => compute.short(),
                Stage::Preview(Chosen::Relation(relation)) => relation.reading(),
                Stage::Preview(Chosen::Aggregate(what, _)) => what.to_string(),
            };
            if x > row.x {
                x = put(buf, row, x, row.y, " › ", theme.style(Role::Border));
            }
            x = put(buf, row, x, row.y, &text, theme.style(Role::Title));
        }
    }

    /// What is on its way, or what went wrong.
    fn status(&mut self, view: &SessionView, now: Instant) -> Option<String> {
        let live = &view.snapshot.live;
        let missing = match self.stages.last() {
            Some(Stage::Relations(_)) => self.listing.missing(live),
            Some(Stage::Preview(_)) => self.preview.missing(live),
            _ => 0,
        };
        if missing > 0 {
            let since = *self.since.get_or_insert(now);
            let ms = u64::try_from(now.saturating_duration_since(since).as_millis()).unwrap_or(0);
            return Some(format!("{} asking the KGs: {missing} on the way · {}", spinner(ms), seconds(ms)));
        }
        self.since = None;
        self.wrong.clone()
    }

    fn draw_preview(&self, buf: &mut Buffer, mut body: Rect, view: &SessionView, chosen: &Chosen, theme: &Theme) {
        let seen = match self.seen(&view.snapshot.live) {
            None => return,
            Some(Err(why)) => {
                put(buf, body, body.x, body.y, &format!("the KG failed: {why}"), theme.style(Role::Error));
                return;
            }
            Some(Ok(found)) => found,
        };
        if let Some(computed) = seen.computed {
            let document = Document::of(computed);
            for row in document.wrap(body.width.into()) {
                let text: String = row.pieces.iter().map(|(span, range)| &document.lines()[row.line][*span].1[range.clone()]).collect();
                if body.height > 2 {
                    put(buf, body, body.x, body.y, &text, theme.style(Role::Title));
                    body = Rect { y: body.y + 1, height: body.height - 1, ..body };
                }
            }
        }
        let (lines, fresh) = options::preview(&view.scene, self.node, seen.lists);
        let new = lines.iter().filter(|(new, _)| *new).count();
        let cut = if seen.partial || seen.lists.iter().any(|list| !list.partial.is_empty()) { " · partial: the KG has more" } else { "" };
        let said = {
            let (facts, entities) = (count(new, "new fact", "new facts"), count(fresh, "new entity", "new entities"));
            format!("{}: {facts}, {entities}{cut}", chosen.kg())
        };
        put(buf, body, body.x, body.y, &said, theme.style(Role::Accent));
        let room = usize::from(body.height.saturating_sub(1));
        let shown = if lines.len() > room { room.saturating_sub(1) } else { lines.len() };
        // New facts first: what is known already matters less.
        let ordered = lines.iter().filter(|(new, _)| *new).chain(lines.iter().filter(|(new, _)| !*new));
        for ((new, text), y) in ordered.take(shown).zip(body.y + 1..) {
            let (sign, role) = if *new { ("+ ", Role::New) } else { ("  ", Role::Dim) };
            let x = put(buf, body, body.x, y, sign, theme.style(Role::New));
            put(buf, body, x, y, text, theme.style(role));
        }
        if shown < lines.len() && body.height > 1 {
            put(buf, body, body.x, body.bottom() - 1, &format!("  … and {} more", lines.len() - shown), theme.style(Role::Dim));
        }
    }
}
