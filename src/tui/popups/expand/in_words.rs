//! The flow as a dialogue.

use super::super::super::widgets::count;
use super::super::question::{InWords, Question, one, rows, several, split};
use super::super::{Desk, Reaction};
use super::{Chosen, ExpandPopup, Stage, options};
use crate::graph::EntityId;

impl InWords for ExpandPopup {
    fn question(&self, desk: &Desk<'_>) -> Question {
        let Some(view) = desk.view else { return Question::default() };
        let (scene, live) = (&view.scene, &view.snapshot.live);
        let about = match self.instead_of {
            Some(child) => format!("from node {}, instead of node {}", self.node.0, child.0),
            None => format!("from node {}", self.node.0),
        };
        let asked = match self.stages.last() {
            Some(Stage::Menu(list)) => Question {
                title: format!("By hand {about}: what?"),
                rows: rows(list, Some(scene)),
                how: "type a number".to_owned(),
                ..Question::default()
            },
            Some(Stage::Entities(_, list)) => Question {
                title: format!("By hand {about}: which entities?"),
                rows: rows(list, Some(scene)),
                how: "type one or several numbers, such as 1, 3".to_owned(),
                ..Question::default()
            },
            Some(Stage::Relations(list)) => Question {
                title: format!("By hand {about}: which relation?"),
                rows: rows(list, Some(scene)),
                how: format!(
                    "type a number; `identifiers` {} those that lead to identifiers; `compute 2` has the KG compute over the second",
                    if self.identifiers { "hides" } else { "shows" }
                ),
                waits: self.listing.missing(live) > 0,
                ..Question::default()
            },
            Some(Stage::Compute(compute)) => Question {
                title: format!("By hand {about}: what is computed?"),
                text: vec![super::compute::HELP.to_owned()],
                how: format!("type it, such as {}", compute.short()),
                ..Question::default()
            },
            Some(Stage::Preview(chosen)) => {
                let (text, waits) = self.previewed(desk, chosen);
                Question {
                    title: format!("By hand {about}: what would come in"),
                    text,
                    how: "type yes to bring it in, marked by hand".to_owned(),
                    waits,
                    ..Question::default()
                }
            }
            None => Question::default(),
        };
        Question { wrong: self.wrong.clone(), ..asked }
    }

    fn answer(&mut self, line: &str, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        let scene = &view.scene;
        self.wrong = None;
        match self.stages.last_mut() {
            Some(Stage::Menu(list)) => match one(list, line) {
                Ok(at) => self.pick_menu(scene, at),
                Err(why) => self.refuse(why),
            },
            Some(Stage::Entities(ids, list)) => match several(list, line) {
                Ok(picked) => {
                    let chosen: Vec<EntityId> = picked.into_iter().filter_map(|at| ids.get(at).cloned()).collect();
                    Reaction::Send(self.ask_relations(scene, chosen))
                }
                Err(why) => self.refuse(why),
            },
            Some(Stage::Relations(list)) => match (line.trim(), split(line)) {
                ("identifiers", _) => {
                    self.identifiers = !self.identifiers;
                    self.fill_relations(scene);
                    Reaction::Stay
                }
                (_, ("compute", which)) => match one(list, which) {
                    Ok(at) => {
                        list.select(at);
                        self.compute()
                    }
                    Err(why) => self.refuse(why),
                },
                _ => match one(list, line) {
                    Ok(at) => match self.shown_relations().get(at).map(|relation| (*relation).clone()) {
                        Some(relation) => Reaction::Send(self.ask_preview(scene, Chosen::Relation(relation))),
                        None => Reaction::Stay,
                    },
                    Err(why) => self.refuse(why),
                },
            },
            Some(Stage::Compute(compute)) => match compute.read(line, &self.relations) {
                Ok((what, kg)) => Reaction::Send(self.ask_preview(scene, Chosen::Aggregate(what, kg))),
                Err(why) => self.refuse(why),
            },
            Some(Stage::Preview(chosen)) => {
                let chosen = chosen.clone();
                match line.trim() {
                    "yes" | "y" => self.confirm(desk, &chosen),
                    _ => self.refuse("type yes to bring it in, `back` to choose otherwise, or an empty line to leave"),
                }
            }
            None => Reaction::Close,
        }
    }
}

impl ExpandPopup {
    fn refuse(&mut self, why: impl Into<String>) -> Reaction {
        self.wrong = Some(why.into());
        Reaction::Stay
    }

    /// What the preview brought, and whether it is still on its way.
    fn previewed(&self, desk: &Desk<'_>, chosen: &Chosen) -> (Vec<String>, bool) {
        let Some(view) = desk.view else { return (Vec::new(), false) };
        match self.seen(&view.snapshot.live) {
            None => (Vec::new(), true),
            Some(Err(why)) => (vec![format!("the KG failed: {why}")], false),
            Some(Ok(seen)) => {
                let (lines, fresh) = options::preview(&view.scene, self.node, seen.lists);
                let new = lines.iter().filter(|(new, _)| *new).count();
                let cut = seen.partial || seen.lists.iter().any(|list| !list.partial.is_empty());
                let mut text: Vec<String> = seen.computed.map(str::to_owned).into_iter().collect();
                text.push(format!(
                    "{}: {}, {}{}",
                    chosen.kg(),
                    count(new, "new fact", "new facts"),
                    count(fresh, "new entity", "new entities"),
                    if cut { "; partial: the KG has more" } else { "" }
                ));
                text.extend(lines.iter().filter(|(new, _)| *new).map(|(_, line)| format!("new: {line}")));
                text.extend(lines.iter().filter(|(new, _)| !*new).map(|(_, line)| format!("known already: {line}")));
                (text, false)
            }
        }
    }
}
