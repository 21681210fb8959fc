//! Asking again as a dialogue.

use super::super::super::scene::label;
use super::super::super::widgets::editor::Editor;
use super::super::question::{InWords, Question, one, rows};
use super::super::{Desk, Reaction, SaveTemplate};
use super::{AgainPopup, Stage, name};
use crate::search::Again;

impl InWords for AgainPopup {
    fn question(&self, desk: &Desk<'_>) -> Question {
        let Some(view) = desk.view else { return Question::default() };
        let what = if self.what == Again::Value { "for its value" } else { "what comes next" };
        let about = format!("node {}: {}", self.node.0, label(&view.scene.state, self.node));
        let asked = match self.stages.last() {
            Some(Stage::Menu(list)) => Question {
                title: format!("The model is asked again {what} at {about}"),
                // The sign for what a person does means an edit here.
                rows: rows(list, Some(&view.scene)).iter().map(|row| row.replace("✎ ", "")).collect(),
                how: match (self.both, self.what) {
                    (true, Again::Samples) => "type a number; `value` asks for its value instead".to_owned(),
                    (true, Again::Value) => "type a number; `samples` asks what comes next instead".to_owned(),
                    (false, _) => "type a number".to_owned(),
                },
                ..Question::default()
            },
            Some(Stage::Heat(line)) => Question {
                title: format!("The temperature for this call; now {}", line.value()),
                how: "type a number, such as 0.7".to_owned(),
                ..Question::default()
            },
            Some(Stage::Models(list, _)) => Question {
                title: "Which model is asked?".to_owned(),
                rows: rows(list, Some(&view.scene)),
                how: "type a number".to_owned(),
                ..Question::default()
            },
            Some(Stage::Name(_)) => Question {
                title: "The model that is asked".to_owned(),
                how: "type it in the form of --llm, such as openai:gpt-4o-mini, or a name of the configuration".to_owned(),
                ..Question::default()
            },
            Some(Stage::Scope(list, model)) => Question {
                title: format!("{}: how long?", model.label()),
                rows: rows(list, Some(&view.scene)),
                how: "type a number".to_owned(),
                ..Question::default()
            },
            Some(Stage::Edit(part, template, editor)) => Question {
                title: format!("{} of the {}, as it is now", if *template { "The template" } else { "The text" }, name(*part)),
                text: editor.value().lines().map(str::to_owned).collect(),
                exact: true,
                how: "type the new text; a line that ends with a backslash goes on in the next one".to_owned(),
                ..Question::default()
            },
            Some(Stage::Review(pager)) => Question {
                title: "The prompt as it would be sent; what is new begins with a plus sign".to_owned(),
                text: pager.document().plain().lines().map(str::to_owned).collect(),
                exact: true,
                how: match &self.exists {
                    Some(file) => format!("{} is there already: `replace` replaces it, anything else leaves it", file.display()),
                    None => "type yes to ask; `edit` edits more; `save` saves the template for later sessions".to_owned(),
                },
                ..Question::default()
            },
            None => Question::default(),
        };
        Question { wrong: self.wrong.clone(), ..asked }
    }

    fn answer(&mut self, line: &str, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        let state = &view.snapshot.state;
        self.wrong = None;
        match self.stages.last_mut() {
            Some(Stage::Menu(list)) => match (line.trim(), one(list, line)) {
                (word @ ("value" | "samples"), _) if self.both => {
                    let wanted = if word == "value" { Again::Value } else { Again::Samples };
                    if self.what != wanted {
                        self.turn(state);
                    }
                }
                (_, Ok(row)) => return self.pick(desk, state, row),
                (_, Err(why)) => self.wrong = Some(why),
            },
            Some(Stage::Heat(_)) => self.take_temperature(state, line),
            Some(Stage::Models(list, _)) => match one(list, line) {
                Ok(row) => self.pick_model(state, row),
                Err(why) => self.wrong = Some(why),
            },
            Some(Stage::Name(_)) => self.take_name(desk, state, line),
            Some(Stage::Scope(list, _)) => match one(list, line) {
                Ok(row) => return self.pick_scope(state, row),
                Err(why) => self.wrong = Some(why),
            },
            Some(Stage::Edit(_, _, editor)) => {
                **editor = Editor::new(line);
                self.take(state);
            }
            Some(Stage::Review(_)) if self.exists.take().is_some() => {
                return match (line.trim(), self.saving.take()) {
                    ("replace", Some(save)) => Reaction::Save(SaveTemplate { replace: true, ..save }),
                    _ => Reaction::Stay,
                };
            }
            Some(Stage::Review(_)) => match line.trim() {
                "yes" | "y" => return self.ask(state),
                "save" => return self.save(state),
                "edit" => {
                    self.stages.pop();
                }
                _ => self.wrong = Some("type `yes`, `edit` or `save`, or an empty line to leave".to_owned()),
            },
            None => return Reaction::Close,
        }
        Reaction::Stay
    }
}
