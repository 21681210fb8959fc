//! One frame.

use super::super::command::{Control, Pane};
use super::super::session_view::SessionView;
use super::super::theme::{Role, Theme};
use super::super::views::inspector::Tab;
use super::super::views::layout::{Places, Size, places};
use super::super::views::{budget, footer, header, machine};
use super::super::widgets::spark::spinner;
use super::super::widgets::{pane, put};
use super::{App, Desk, Page};
use crate::text;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

/// Where things were drawn.
#[derive(Clone, Debug, Default)]
pub struct Spots {
    /// The insides of the panes.
    pub panes: Vec<(Pane, Rect)>,
    /// Tabs and keys.
    pub buttons: Vec<(Rect, Control)>,
}

impl App {
    /// Draws everything as it is at `now`.
    pub fn draw(&mut self, frame: &mut Frame, now: Instant) {
        let area = frame.area();
        self.draw_on(frame.buffer_mut(), area, now);
    }

    /// Draws everything on `area` of `buf`.
    pub fn draw_on(&mut self, buf: &mut Buffer, area: Rect, now: Instant) {
        let theme = self.themes.current().clone();
        self.spots = Spots::default();
        if area.is_empty() {
            return;
        }
        buf.set_style(area, theme.style(Role::Background));
        match &mut self.page {
            Page::Start(page) => page.render(buf, area, self.message.as_ref(), &self.keys, &theme),
            Page::Session(view) => {
                view.now = now;
                view.settle();
                let banners = header::banners(view);
                let places = places(area, view.focus, view.zoom, u16::try_from(banners.len()).unwrap_or(u16::MAX));
                header::render(buf, places.header, view, now, &theme);
                header::render_banners(buf, places.banners, &banners, &theme);
                draw_tabs(buf, &places, view, &theme, &mut self.spots);
                draw_panes(buf, &places, view, now, &theme, &mut self.spots);
                match &self.message {
                    // Tiny screens have no footer.
                    Some((message, role)) if places.footer.is_empty() => {
                        footer::render_message(buf, places.header, message, *role, &theme);
                    }
                    Some((message, role)) => footer::render_message(buf, places.footer, message, *role, &theme),
                    None => self.spots.buttons.extend(footer::render(buf, places.footer, &view.context(), &self.keys, &theme)),
                }
            }
        }
        let view = match &self.page {
            Page::Session(view) => Some(&**view),
            Page::Start(_) => None,
        };
        for popup in &mut self.popups {
            popup.draw(buf, area, &Desk { view, keys: &self.keys, others: &self.others }, now, &theme);
        }
    }
}

fn draw_tabs(buf: &mut Buffer, places: &Places, view: &SessionView, theme: &Theme, spots: &mut Spots) {
    if places.tabs.is_empty() {
        return;
    }
    let mut x = places.tabs.x;
    for (n, tab) in Pane::ALL.into_iter().enumerate() {
        let name = if places.tabs.width >= 76 { tab.name() } else { tab.short() };
        let (text, role) =
            if tab == view.focus { (format!("[{} {name}]", n + 1), Role::Focus) } else { (format!(" {} {name} ", n + 1), Role::Dim) };
        let start = x;
        x = put(buf, places.tabs, x, places.tabs.y, &text, theme.style(role));
        spots.buttons.push((Rect { x: start, width: x - start, height: 1, y: places.tabs.y }, Control::focus(tab)));
    }
}

fn draw_panes(buf: &mut Buffer, places: &Places, view: &mut SessionView, now: Instant, theme: &Theme, spots: &mut Spots) {
    for (which, rect) in &places.panes {
        let focus = *which == view.focus;
        let inner = if places.size == Size::Tiny {
            *rect
        } else {
            let title = match which {
                Pane::Graph => view.graph.title(),
                Pane::Inspector => view.node().map_or_else(|| which.name().to_owned(), |id| format!("Inspector · node {}", id.0)),
                Pane::Tree => {
                    let follow = if view.follow { " · following the search" } else { "" };
                    let warnings = match view.scene.warnings.len() {
                        0 => String::new(),
                        n => format!(" · ⚠ {n}"),
                    };
                    format!(
                        "Search tree · {}{warnings}{follow}",
                        super::super::widgets::count(view.scene.state.nodes.len(), "node", "nodes")
                    )
                }
                Pane::Timeline => match view.past {
                    Some(seen) => {
                        format!("Timeline · event {} of {}", seen.saturating_sub(1), view.snapshot.entries().len().saturating_sub(1))
                    }
                    None => format!("Timeline · {}", super::super::widgets::count(view.snapshot.entries().len(), "event", "events")),
                },
                other => other.name().to_owned(),
            };
            pane(buf, *rect, &title, focus, theme)
        };
        spots.panes.push((*which, inner));
        draw_pane(buf, *which, inner, view, focus, now, theme, spots);
    }
}

#[expect(clippy::too_many_arguments, reason = "a pane is drawn from the view, its place and the looks")]
fn draw_pane(
    buf: &mut Buffer,
    which: Pane,
    inner: Rect,
    view: &mut SessionView,
    focus: bool,
    now: Instant,
    theme: &Theme,
    spots: &mut Spots,
) {
    match which {
        Pane::Tree => {
            let waited = view.snapshot.live.flights.first().map_or(0, |flight| now.saturating_duration_since(flight.since).as_millis());
            let sign = if view.snapshot.live.flights.is_empty() { "∙" } else { spinner(u64::try_from(waited).unwrap_or(0)) };
            view.tree.render(buf, inner, &view.scene, sign, focus, theme);
        }
        Pane::Graph => view.graph.render(buf, inner, focus, theme),
        Pane::Inspector => {
            let body = inspector_tabs(buf, inner, view.tab, theme, spots);
            view.inspector.render(buf, body, theme);
        }
        Pane::Machine => {
            machine::render(buf, inner, &view.scene, view.node(), view.upcoming().as_deref(), theme);
        }
        Pane::Budget => budget::render(buf, inner, &view.scene, view.ran_ms(), theme),
        Pane::Timeline => {
            let seen = view.seen();
            view.timeline.render(buf, inner, view.snapshot.entries(), &view.snapshot.state, seen, focus, theme);
        }
    }
}

/// The names of the tabs with the one in view; scrolled so that it is seen.
fn inspector_tabs(buf: &mut Buffer, area: Rect, tab: Tab, theme: &Theme, spots: &mut Spots) -> Rect {
    if area.height < 3 {
        return area;
    }
    let names: Vec<String> =
        Tab::ALL.iter().map(|t| if *t == tab { format!("[{}]", t.name()) } else { format!(" {} ", t.name()) }).collect();
    let at = Tab::ALL.iter().position(|t| *t == tab).unwrap_or(0);
    let mut first = 0;
    while first < at && names[first..=at].iter().map(|name| text::width(name)).sum::<usize>() > usize::from(area.width) {
        first += 1;
    }
    let mut x = area.x;
    for (n, name) in names.iter().enumerate().skip(first) {
        let start = x;
        x = put(buf, area, x, area.y, name, theme.style(if n == at { Role::Accent } else { Role::Dim }));
        let control = if n > at { Control::NextTab } else { Control::PreviousTab };
        if n + 1 == at || n == at + 1 {
            spots.buttons.push((Rect { x: start, y: area.y, width: x - start, height: 1 }, control));
        }
    }
    Rect { y: area.y + 1, height: area.height - 1, ..area }
}
