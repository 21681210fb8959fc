//! Commands that change only what is looked at.

use super::super::command::{Control, Pane};
use super::super::popups::find::FindPopup;
use super::super::popups::reply::ReplyPopup;
use super::super::session_view::SessionView;
use super::super::theme::Role;
use super::super::views::graph::GraphMode;
use super::super::views::inspector::{Tab, prompt_as_sent};
use super::super::views::timeline::summary;
use super::{App, Effect, Page};

impl App {
    pub(super) fn look(&mut self, control: Control) {
        let Page::Session(view) = &mut self.page else { return };
        match control {
            Control::EventBack => view.event(false),
            Control::EventForward => view.event(true),
            Control::ExpansionBack => view.expansion(false),
            Control::ExpansionForward => view.expansion(true),
            Control::First => view.look_at(1),
            Control::Latest => view.look_at(usize::MAX),
            Control::Pane1 => view.focus = Pane::Tree,
            Control::Pane2 => view.focus = Pane::Graph,
            Control::Pane3 => view.focus = Pane::Inspector,
            Control::Pane4 => view.focus = Pane::Machine,
            Control::Pane5 => view.focus = Pane::Budget,
            Control::Pane6 => view.focus = Pane::Timeline,
            Control::NextPane => view.focus = beside(view.focus, true),
            Control::PreviousPane => view.focus = beside(view.focus, false),
            Control::Zoom => view.zoom = !view.zoom,
            Control::Rejected => {
                view.tree.rejected = !view.tree.rejected;
                view.tree.rebuild(&view.scene);
                let said =
                    if view.tree.rejected { "rejected and outvoted samples are shown" } else { "rejected and outvoted samples are hidden" };
                self.say(said, Role::Accent);
            }
            Control::Follow => {
                view.follow = !view.follow;
                if view.follow {
                    view.follow_search();
                }
                let said = if view.follow { "the selection follows the search" } else { "the selection stays" };
                self.say(said, Role::Accent);
            }
            Control::JumpNext => {
                if let Some(next) = view.scene.next.or(view.scene.first) {
                    view.select(next);
                }
            }
            Control::NextTab | Control::PreviousTab => tab(view, control == Control::NextTab),
            Control::Details => {
                view.tab = Tab::Fact;
                // On small screens the inspector takes the graph's place.
                let drawn = &self.spots.panes;
                if !drawn.is_empty() && drawn.iter().all(|(pane, _)| *pane != Pane::Inspector) {
                    view.focus = Pane::Inspector;
                }
            }
            Control::Find => self.popups.push(Box::<FindPopup>::default()),
            Control::FindNext => self.find_again(true, false),
            Control::FindPrevious => self.find_again(false, false),
            Control::Copy => self.copy(),
            Control::Enter => self.enter(),
            _ => movement(view, control),
        }
    }

    fn enter(&mut self) {
        let Page::Session(view) = &mut self.page else { return };
        let human = view.snapshot.live.flights.iter().find(|flight| flight.human).map(|flight| flight.ask);
        match view.focus {
            _ if human.is_some() && view.past.is_none() => {
                self.popups.extend(human.map(|ask| Box::new(ReplyPopup::new(ask)) as Box<dyn super::Popup>));
            }
            Pane::Tree => {
                if view.tree.list.toggle() {
                    view.tree.rebuild(&view.scene);
                }
            }
            Pane::Graph => {
                if view.graph.mode == GraphMode::Net {
                    view.graph.draw_net(&view.scene);
                } else if let Some(node) = view.graph.brought() {
                    view.select(node);
                }
            }
            Pane::Timeline => view.look_at(view.timeline.selected + 1),
            _ => view.zoom = !view.zoom,
        }
    }

    fn copy(&mut self) {
        let Page::Session(view) = &mut self.page else { return };
        view.settle();
        let text = match view.focus {
            Pane::Tree => view.tree.plain(&view.scene),
            Pane::Graph => view.graph.plain(),
            Pane::Inspector if view.tab == Tab::Prompt => {
                view.node().and_then(|node| prompt_as_sent(&view.scene, node)).unwrap_or_else(|| view.inspector.document().plain())
            }
            Pane::Timeline => {
                let line =
                    |entry: &std::sync::Arc<crate::search::Entry>| format!("{}\t{}\n", entry.seq, summary(entry, &view.snapshot.state));
                view.snapshot.entries().iter().map(line).collect()
            }
            Pane::Inspector | Pane::Machine | Pane::Budget => view.inspector.document().plain(),
        };
        self.effects.push(Effect::Copy(crate::text::clean(&text).into_owned()));
    }

    /// Looks for `needle` in the focused pane from here on.
    pub fn find(&mut self, needle: &str) {
        if let Page::Session(view) = &mut self.page {
            view.find.needle = needle.to_lowercase();
            view.inspector.set_find(needle);
            view.graph.pager.set_find(needle);
            if !needle.is_empty() {
                self.find_again(true, true);
            }
        }
    }

    fn find_again(&mut self, forward: bool, from_here: bool) {
        let Page::Session(view) = &mut self.page else { return };
        view.settle();
        let needle = view.find.needle.clone();
        let has = |text: &str| text.to_lowercase().contains(&needle);
        let found = match view.focus {
            Pane::Tree => {
                let rows: Vec<_> = view.tree.list.rows().iter().map(|row| row.id).collect();
                let here = rows.iter().position(|row| Some(*row) == view.tree.list.current()).unwrap_or(0);
                let at = around(rows.len(), here, forward, from_here, |at| has(&view.tree.text(&view.scene, rows[at])));
                at.map(|at| view.tree.list.select(rows[at])).is_some()
            }
            Pane::Graph => match view.graph.mode {
                GraphMode::Text => view.graph.pager.find(forward, from_here),
                GraphMode::Table | GraphMode::Net => {
                    let facts = view.graph.facts();
                    let hit = |at: usize| has(&facts[at].subject) || has(&facts[at].relation) || has(&facts[at].object);
                    let at = around(facts.len(), view.graph.table.selected, forward, from_here, hit);
                    if let Some(at) = at {
                        view.graph.table.selected = at;
                        if let Some(entity) = view.graph.entity_of_row(at) {
                            view.graph.net.select(&entity);
                        }
                    }
                    at.is_some()
                }
            },
            Pane::Timeline => {
                let entries = view.snapshot.entries();
                let state = &view.snapshot.state;
                let at = around(entries.len(), view.timeline.selected, forward, from_here, |at| has(&summary(&entries[at], state)));
                view.timeline.selected = at.unwrap_or(view.timeline.selected);
                at.is_some()
            }
            Pane::Inspector | Pane::Machine | Pane::Budget => view.inspector.find(forward, from_here),
        };
        if found {
            view.follow = view.follow && view.focus != Pane::Tree;
        } else {
            self.say(format!("“{}” is not in this pane", crate::text::one_line(&needle)), Role::Warning);
        }
    }
}

/// The first position after (or before) `here` that `hit`s, round the end.
fn around(count: usize, here: usize, forward: bool, from_here: bool, hit: impl Fn(usize) -> bool) -> Option<usize> {
    let first = usize::from(!from_here);
    let at = |step: usize| if forward { (here + step) % count } else { (here + 2 * count - step) % count };
    if count == 0 { None } else { (first..=count).map(at).find(|at| hit(*at)) }
}

fn beside(pane: Pane, forward: bool) -> Pane {
    let at = Pane::ALL.iter().position(|other| *other == pane).unwrap_or(0);
    Pane::ALL[(at + if forward { 1 } else { Pane::ALL.len() - 1 }) % Pane::ALL.len()]
}

fn tab(view: &mut SessionView, forward: bool) {
    if view.focus == Pane::Graph {
        view.graph.mode = view.graph.mode.step(forward);
    } else {
        view.tab = view.tab.step(forward);
    }
}

/// Moving within the focused pane.
pub(super) fn movement(view: &mut SessionView, control: Control) {
    match view.focus {
        Pane::Tree => in_tree(view, control),
        Pane::Graph => in_graph(view, control),
        Pane::Timeline => {
            let (page, last) = (view.timeline.page(), view.snapshot.entries().len().saturating_sub(1));
            move_cursor(&mut view.timeline.selected, control, page, last);
        }
        Pane::Inspector | Pane::Machine | Pane::Budget => scroll(&mut view.inspector, control),
    }
}

fn in_tree(view: &mut SessionView, control: Control) {
    let list = &mut view.tree.list;
    let rebuild = match control {
        Control::Up => {
            list.step(-1);
            false
        }
        Control::Down => {
            list.step(1);
            false
        }
        Control::PageUp => {
            list.page(-1);
            false
        }
        Control::PageDown => {
            list.page(1);
            false
        }
        Control::Top => {
            list.step(isize::MIN);
            false
        }
        Control::Bottom => {
            list.step(isize::MAX);
            false
        }
        Control::Left => list.left(),
        Control::Right => list.right(),
        Control::NextSibling => {
            list.sibling(true);
            false
        }
        Control::PreviousSibling => {
            list.sibling(false);
            false
        }
        Control::OpenAll => {
            list.open_all();
            true
        }
        Control::CloseAll => {
            list.close_all();
            true
        }
        _ => return,
    };
    view.follow = false;
    if rebuild {
        view.tree.rebuild(&view.scene);
    }
}

fn in_graph(view: &mut SessionView, control: Control) {
    match view.graph.mode {
        GraphMode::Text => scroll(&mut view.graph.pager, control),
        GraphMode::Table => {
            let (page, last) = (view.graph.table.page(), view.graph.facts().len().saturating_sub(1));
            move_cursor(&mut view.graph.table.selected, control, page, last);
        }
        GraphMode::Net => match control {
            Control::Up => view.graph.net.vertical(false),
            Control::Down => view.graph.net.vertical(true),
            Control::Left => view.graph.net.horizontal(false),
            Control::Right => view.graph.net.horizontal(true),
            _ => {}
        },
    }
}

fn move_cursor(selected: &mut usize, control: Control, page: usize, last: usize) {
    *selected = match control {
        Control::Up => selected.saturating_sub(1),
        Control::Down => *selected + 1,
        Control::PageUp => selected.saturating_sub(page),
        Control::PageDown => *selected + page,
        Control::Top => 0,
        Control::Bottom => last,
        _ => *selected,
    }
    .min(last);
}

fn scroll(pager: &mut super::super::widgets::pager::Pager, control: Control) {
    match control {
        Control::Up => pager.scroll(-1),
        Control::Down => pager.scroll(1),
        Control::PageUp => pager.page(-1),
        Control::PageDown => pager.page(1),
        Control::Top => pager.top(),
        Control::Bottom => pager.bottom(),
        _ => {}
    }
}
