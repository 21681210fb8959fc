//! Every event with its time and origin, and a cursor to look back with.

use super::super::scene::{describe, label};
use super::super::theme::{Role, Theme};
use super::super::widgets::pager::scroll_mark;
use super::super::widgets::spark::seconds;
use super::super::widgets::{count, put, scroll_to};
use crate::asm::Verdict;
use crate::calls::{AskId, KgData};
use crate::runner::task::describe as described;
use crate::search::act_words;
use crate::search::{By, Call, Entry, Event, Got, Source, State, StepKind};
use crate::text::{one_line, thousands};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::sync::Arc;

/// The timeline pane.
#[derive(Clone, Debug, Default)]
pub struct TimelinePane {
    /// The selected entry.
    pub selected: usize,
    offset: usize,
    height: usize,
}

impl TimelinePane {
    /// Rows of a page.
    #[must_use]
    pub const fn page(&self) -> usize {
        if self.height > 2 { self.height - 1 } else { 1 }
    }

    /// The entry at `y` of the area last drawn.
    #[must_use]
    pub fn row_at(&self, area: Rect, y: u16) -> usize {
        self.offset + usize::from(y.saturating_sub(area.y))
    }

    /// Draws the entries around the cursor; those after `view` are in the future of what the panes show.
    #[expect(clippy::too_many_arguments, reason = "the entries, the state that names things, the place and the looks")]
    pub fn render(&mut self, buf: &mut Buffer, area: Rect, entries: &[Arc<Entry>], state: &State, view: usize, focus: bool, theme: &Theme) {
        self.height = area.height.into();
        self.selected = self.selected.min(entries.len().saturating_sub(1));
        self.offset = scroll_to(self.offset, self.selected, self.height, entries.len());
        let start = entries.first().map_or(0, |entry| entry.at);
        let line = Rect { width: area.width.saturating_sub(u16::from(entries.len() > self.height)), ..area };
        for (at, y) in (self.offset..entries.len()).zip(area.y..area.bottom()) {
            let entry = &entries[at];
            let past = at < view;
            let dim = theme.style(Role::Dim);
            let x = put(buf, line, line.x, y, &format!("{at:>5} "), dim);
            let x = put(buf, line, x, y, &format!("{:>9} ", clock(entry.at.saturating_sub(start))), dim);
            let (origin, role) = origin(entry);
            let x = put(buf, line, x, y, &format!("{origin:<7}"), theme.style(role));
            let role = if past { Role::Text } else { Role::Dim };
            put(buf, line, x, y, &summary(entry, state), theme.style(role));
            if at == self.selected {
                let row = Rect { y, height: 1, ..line };
                buf.set_style(row, theme.style(if focus { Role::Selection } else { Role::SelectionAway }));
            }
        }
        scroll_mark(buf, area, self.offset, self.height, entries.len(), theme);
    }
}

/// `+0:03.214`
fn clock(ms: u64) -> String {
    format!("+{}:{:02}.{:03}", ms / 60_000, ms % 60_000 / 1000, ms % 1000)
}

/// Whose event it is: model, KG, engine or person.
#[must_use]
pub const fn origin(entry: &Entry) -> (&'static str, Role) {
    match (&entry.ev, entry.by) {
        (_, By::You) => ("you", Role::ByHand),
        (_, By::Engine) | (Event::Asked { .. } | Event::Part { .. }, _) => ("engine", Role::Accent),
        (Event::Replied { got: Got::Samples(_), .. }, By::World) => ("model", Role::Value3),
        (Event::Replied { got: Got::Kg(_), .. }, By::World) => ("KG", Role::Kg0),
        (_, By::World) => ("world", Role::Kg1),
    }
}

/// An entry in one line. `state` names nodes, acts and asks; it may be of a later time.
#[must_use]
pub fn summary(entry: &Entry, state: &State) -> String {
    let named = |id: crate::search::NodeId| format!("node {} ({})", id.0, label(state, id));
    match &entry.ev {
        Event::Started(started) => format!("started: {}", one_line(&started.question)),
        // Who goes on sends again what was dropped; who opens a session, what was in flight when it was left.
        Event::Resumed { lost, .. } => {
            let again = if lost.len() == 1 { "is sent again" } else { "are sent again" };
            let calls = count(lost.len(), "call", "calls");
            if entry.by == By::World { format!("{calls} {again}") } else { format!("opened again; {calls} {again}") }
        }
        Event::Dropped { asks } => {
            let called = |ask: &AskId| state.ask(*ask).map_or_else(String::new, |of| format!("{} · ask {}", described(state, of), ask.0));
            let calls: Vec<String> = asks.iter().map(called).collect();
            format!("dropped: {}; sent again when the search goes on", calls.join(", "))
        }
        Event::Part { kind, text, .. } => format!("text of a prompt: {kind:?}, {} letters", text.chars().count()),
        Event::Asked { ask, key, call, .. } => match call {
            Call::Llm(llm) => {
                let what = format!("{:?}", key.purpose).to_lowercase();
                format!("asks the model ({what}, {}) · ask {}", count(llm.slots as usize, "sample", "samples"), ask.0)
            }
            Call::Kg(kg) => format!("asks {}: {} · ask {}", kg.kg, kg.op.name(), ask.0),
        },
        Event::Replied { ask, usage, tries, nothing: true, .. } => {
            let tokens = usage.map_or(0, |usage| usage.prompt_tokens + usage.completion_tokens);
            let requests = count(*tries as usize, "request", "requests");
            format!("{requests} brought nothing and took about {} tokens · ask {}", thousands(tokens), ask.0)
        }
        Event::Replied { ask, got, took_ms, source, .. } => {
            let what = match got {
                Got::Samples(samples) => count(samples.len(), "sample", "samples"),
                Got::Kg(reply) => rows(&reply.data),
            };
            let from = match source {
                Source::Live => format!("in {took_ms} ms"),
                Source::Recorded => "from the parent's recording".to_owned(),
                Source::Cached => "as before in this session".to_owned(),
                Source::Kept(_) => "from the cache".to_owned(),
                Source::Preview => "as previewed".to_owned(),
                Source::You => "by you".to_owned(),
            };
            format!("{what} {from} · ask {}", ask.0)
        }
        Event::Failed { ask, error } => format!("failed: {} · ask {}", one_line(&error.message), ask.0),
        Event::Halted(halt) => format!("stands still: {}", one_line(&halt.why)),
        Event::Ran { ms } => format!("has run for {}", seconds(*ms)),
        Event::Opened { kind, node, why, .. } => {
            let what = match kind {
                StepKind::Start => "links the question",
                StepKind::Expand => "expands",
                StepKind::ForceFinal => "asks for a forced answer at",
                StepKind::Hand => "grows by hand at",
                StepKind::Page => "fetches more for",
                StepKind::Value => "asks for the value of",
                StepKind::Review => "judges the facts of",
            };
            let node = node.map_or(String::new(), |id| format!(" {}", named(id)));
            format!("{what}{node}: {}", one_line(why))
        }
        Event::Read { rows, .. } => {
            let samples: usize = rows.iter().map(|row| row.slots.len()).sum();
            format!("read {}: {} distinct", count(samples, "sample", "samples"), rows.len())
        }
        Event::Grew { children, refused, .. } => {
            let names: Vec<String> = children.iter().map(|child| describe(state, child.parent, &child.action)).collect();
            let refused = if refused.is_empty() { String::new() } else { format!(" · {} refused", refused.len()) };
            format!("grew {}: {}{refused}", children.len(), names.join(" | "))
        }
        Event::Paged { node, delta, notices, .. } => {
            let facts = count(delta.edges.len(), "fact", "facts");
            let wrong = notices.first().map_or(String::new(), |notice| format!(" · {}", one_line(notice)));
            format!("a page with {facts} for {}{wrong}", named(*node))
        }
        Event::Valued { node, value, .. } => {
            format!("value {} for {}", value.map_or_else(|| "unknown".to_owned(), |value| value.to_string()), named(*node))
        }
        Event::Reviewed { node, judged, .. } => {
            let doubtful = judged.iter().filter(|judged| judged.verdict == Verdict::Doubtful).count();
            format!("judged {} of {}: {doubtful} doubtful", count(judged.len(), "fact", "facts"), named(*node))
        }
        Event::Closed { step } => format!("step {} is over", step.0),
        Event::Finished(end) => format!("ended: {}", one_line(&end.why)),
        Event::Acted { what, .. } => act_words(state, what),
        Event::Undone { act, redo } => {
            let what = state.acts.get(act.index()).map_or_else(String::new, |record| act_words(state, &record.what));
            format!("{}: {what}", if *redo { "did again" } else { "took back" })
        }
    }
}

fn rows(data: &KgData) -> String {
    match data {
        KgData::Candidates(list) => count(list.len(), "candidate", "candidates"),
        KgData::Relations(list) => count(list.len(), "relation", "relations"),
        KgData::Edges(list) => count(list.edges.len(), "edge", "edges"),
        KgData::Entities(list) => count(list.len(), "entity", "entities"),
        KgData::Aggregate(result) => result.reading.clone(),
    }
}
