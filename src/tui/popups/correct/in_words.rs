//! The correction as a dialogue.

use super::super::super::widgets::list::PickList;
use super::super::question::{InWords, Question, one, rows, several, split};
use super::super::{Desk, Reaction};
use super::{CorrectPopup, Pick, Stage};
use crate::runner::Command;

impl InWords for CorrectPopup {
    fn question(&self, desk: &Desk<'_>) -> Question {
        let scene = desk.view.map(|view| &view.scene);
        let list = |list: &PickList| rows(list, scene);
        let (title, rows, how) = match &self.stage {
            Stage::Menu => ("what is wrong with this fact?", list(&self.menu.1), "type a number"),
            Stage::Write(Pick::Label, _) => ("another label", Vec::new(), "type the right label"),
            Stage::Write(..) => ("the right value", Vec::new(), "type the right value"),
            Stage::Find { list: found, .. } => {
                ("the right entity", list(found), "type a number, or `search LABEL` to look for others in the KGs")
            }
            Stage::Why(..) => ("why? The reason is for yourself and for the KG's owners", Vec::new(), "type a reason, or `none`"),
            Stage::Again(_, asked) => (
                "corrected, in this session only. Who read it before, and is asked again?",
                list(asked),
                "type one or several numbers, `chosen` for those that are, `all`, or `none`",
            ),
        };
        Question {
            title: format!("{}: {title}", self.said),
            rows,
            how: how.to_owned(),
            wrong: self.wrong.clone(),
            waits: !self.search.is_empty() && desk.view.is_some_and(|view| self.search.missing(&view.snapshot.live) > 0),
            ..Question::default()
        }
    }

    fn answer(&mut self, line: &str, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        let scene = &view.scene;
        self.wrong = None;
        match &mut self.stage {
            Stage::Menu => match one(&self.menu.1, line) {
                Ok(at) => self.pick(scene, at),
                Err(why) => self.wrong = Some(why),
            },
            Stage::Write(pick, _) => {
                let pick = *pick;
                match self.written(pick, line) {
                    Ok((change, fact)) => self.because(change, fact),
                    Err(why) => self.wrong = Some(why),
                }
            }
            Stage::Find { more, entities, list } => match split(line) {
                ("search", label) if !label.is_empty() => {
                    let label = label.to_owned();
                    return self.look_for(scene, &label);
                }
                _ => match one(list, line) {
                    Ok(at) => {
                        if let Some(entity) = entities.get(at).cloned() {
                            let more = *more;
                            let (change, fact) = self.chosen(more, &entity);
                            self.because(change, fact);
                        }
                    }
                    Err(why) => self.wrong = Some(why),
                },
            },
            Stage::Why(change, fact, _) => {
                let (change, fact) = (change.clone(), fact.clone());
                let reason = if line.trim() == "none" { "" } else { line };
                return self.correct(scene, change, fact, reason);
            }
            Stage::Again(asked, list) => {
                let picked = match line.trim() {
                    "none" => Ok(Vec::new()),
                    "all" => Ok((0..asked.len()).collect()),
                    "chosen" => Ok(list.picked()),
                    _ => several(list, line),
                };
                match picked {
                    Ok(picked) => {
                        return Reaction::Finish(
                            picked.into_iter().filter_map(|at| asked.get(at)).map(super::again).collect::<Vec<Command>>(),
                        );
                    }
                    Err(why) => self.wrong = Some(why),
                }
            }
        }
        Reaction::Stay
    }
}
