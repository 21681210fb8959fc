//! The prompt as a question, and the reply as its answer.

use super::super::super::widgets::editor::Editor;
use super::super::question::{InWords, Question};
use super::super::{Desk, Reaction};
use super::{GONE, ReplyPopup, about, prompt};

impl InWords for ReplyPopup {
    fn question(&self, desk: &Desk<'_>) -> Question {
        let Some(view) = desk.view else { return Question::default() };
        let state = &view.snapshot.state;
        let (number, total) = self.number(state);
        Question {
            title: format!("You are the model, {}: this is its prompt", about(state, self.ask)),
            text: prompt(state, self.ask).0.plain().trim_end().lines().map(str::to_owned).collect(),
            exact: true,
            how: format!(
                "type the reply that is sample {number} of {total}; a line that ends with a backslash goes on in the next one; `* REPLY` is \
                 the reply for all samples that are left"
            ),
            wrong: if self.gone { Some(GONE.to_owned()) } else { self.empty.then(|| "write something first".to_owned()) },
            ..Question::default()
        }
    }

    fn answer(&mut self, line: &str, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        let (text, all) = line.strip_prefix("* ").map_or((line, false), |text| (text, true));
        self.editor = Editor::new(text);
        self.send(&view.snapshot.state, all)
    }
}
