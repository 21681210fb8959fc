//! Asking the model again: new samples, the value, or with a prompt that the person words otherwise. What is edited is the
//! text that is sent (for this call), or the template that it is filled in from, which can be saved for later sessions. For this call the
//! temperature or the model can be another (the model also from here on), and the new samples can take the place of children that nobody went on from.
//!
//! Escape goes back one step, and from the first step out, without a trace.

mod in_words;
mod model;

use super::super::scene::{Scene, label};
use super::super::theme::{Role, Theme};
use super::super::views::inspector::changes;
use super::super::widgets::editor::Editor;
use super::super::widgets::input::LineInput;
use super::super::widgets::list::{Item, PickList, Picked};
use super::super::widgets::pager::Pager;
use super::super::widgets::wrap::Document;
use super::super::widgets::{count, popup, put};
use super::{Desk, Popup, Reaction, SaveTemplate, with_keys};
use crate::asm::{Edit, Templates, Wording};
use crate::calls::{Part, PartKind};
use crate::runner::Command;
use crate::search::strategy::{kind_at, prompt_at, temperature_at};
use crate::search::{Act, Again, NodeId, OtherModel, Otherwise, State, read_temperature, temperature};
use crate::text::one_line;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use model::{Row, SCOPES, Scope};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::path::PathBuf;
use std::time::Instant;

/// The parts in the order of the menu: what is edited most comes first.
const PARTS: [PartKind; 5] = [PartKind::Task, PartKind::Instructions, PartKind::Question, PartKind::Graph, PartKind::Path];

/// Where the flow stands.
#[derive(Debug)]
enum Stage {
    /// Ask, or edit a part.
    Menu(PickList),
    /// The temperature.
    Heat(LineInput),
    /// Which model.
    Models(PickList, Vec<Row>),
    /// Its name.
    Name(LineInput),
    /// How long it is asked.
    Scope(PickList, OtherModel),
    /// The text or template of a part.
    Edit(PartKind, bool, Box<Editor>),
    /// The whole prompt as it would be sent.
    Review(Pager),
}

/// What a row of the menu does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pick {
    Ask,
    Heat,
    Model,
    Replace,
    Text(PartKind),
    Template(PartKind),
}

/// The flow.
#[derive(Debug)]
pub struct AgainPopup {
    node: NodeId,
    what: Again,
    /// Whether both can be asked here.
    both: bool,
    edits: Vec<Edit>,
    temperature_milli: Option<u32>,
    /// The model, and whether it is asked from here on.
    model: Option<(OtherModel, bool)>,
    /// Whether the new samples take the place of children.
    replace: bool,
    picks: Vec<Pick>,
    stages: Vec<Stage>,
    wrong: Option<String>,
    /// The template that is being saved.
    saving: Option<SaveTemplate>,
    /// The file that is there already, if it is to be replaced.
    exists: Option<PathBuf>,
}

impl AgainPopup {
    /// The first step at `node`.
    #[must_use]
    pub fn new(scene: &Scene, node: NodeId) -> Self {
        let can = |what| Act::again(node, what).check(&scene.state).is_ok();
        let what = if can(Again::Samples) { Again::Samples } else { Again::Value };
        let both = can(Again::Samples) && can(Again::Value);
        let mut popup = Self {
            node,
            what,
            both,
            edits: Vec::new(),
            temperature_milli: None,
            model: None,
            replace: false,
            picks: Vec::new(),
            stages: Vec::new(),
            wrong: None,
            saving: None,
            exists: None,
        };
        popup.menu(&scene.state);
        popup
    }

    /// Fills the menu anew and shows it.
    fn menu(&mut self, state: &State) {
        let sent = prompt_at(state, self.node, self.what, &self.edits);
        let kind = kind_at(state, self.node, self.what);
        let asked = match (self.what, self.edits.len()) {
            (Again::Samples, 0) => "new samples, the prompt as it is".to_owned(),
            (Again::Value, 0) => "its value, the prompt as it is".to_owned(),
            (_, edited) => format!("with {}", count(edited, "edited part", "edited parts")),
        };
        let mut rows = vec![
            (Item { detail: asked, ..Item::new("▸ ask again") }, Pick::Ask),
            (self.heat(state), Pick::Heat),
            (self.asked_of(state), Pick::Model),
        ];
        rows.extend(self.replacing(state).map(|item| (item, Pick::Replace)));
        let has =
            |part| !matches!(&sent, Ok((_, parts)) if !self.edits.iter().any(|e| e.part == part) && parts.iter().all(|p| p.kind != part));
        for part in PARTS.into_iter().filter(|part| has(*part)) {
            let edited = self.edits.iter().find(|edit| edit.part == part).map(|edit| &edit.with);
            let mark = |on: bool| if on { "✎ edited".to_owned() } else { String::new() };
            rows.push((
                Item {
                    detail: "the text that is sent, for this call".to_owned(),
                    right: mark(matches!(edited, Some(Wording::Text(_)))),
                    dimmed: sent.as_ref().err().cloned(),
                    barred: sent.is_err(),
                    ..Item::new(format!("✎ {}", name(part)))
                },
                Pick::Text(part),
            ));
            rows.push((
                Item {
                    detail: format!("the template `{}`, filled in again", Templates::name_of(kind, part)),
                    right: mark(matches!(edited, Some(Wording::Template(_)))),
                    ..Item::new(format!("✎ {}: template", name(part)))
                },
                Pick::Template(part),
            ));
        }
        let (items, picks) = rows.into_iter().unzip();
        self.picks = picks;
        self.stages = vec![Stage::Menu(PickList::one(items))];
    }

    /// Fills the menu anew, with the cursor on a row.
    fn back_to(&mut self, state: &State, pick: Pick) {
        self.wrong = None;
        self.menu(state);
        let row = self.picks.iter().position(|other| *other == pick);
        if let (Some(Stage::Menu(list)), Some(row)) = (self.stages.last_mut(), row) {
            list.select(row);
        }
    }

    /// Takes a temperature that was typed, if it is one; none is the usual one.
    fn take_temperature(&mut self, state: &State, typed: &str) {
        match read_temperature(typed) {
            Ok(wanted) => {
                self.temperature_milli = wanted.filter(|milli| *milli != temperature_at(state, self.node, self.what));
                self.back_to(state, Pick::Heat);
            }
            Err(why) => self.wrong = Some(why),
        }
    }

    /// The row of the temperature.
    fn heat(&self, state: &State) -> Item {
        let usual = temperature(temperature_at(state, self.node, self.what));
        let (said, right) = match self.temperature_milli {
            None => (format!("{usual}, as usual"), String::new()),
            Some(milli) => (format!("{} for this call; {usual} is usual", temperature(milli)), "✎ changed".to_owned()),
        };
        Item { detail: said, right, ..Item::new("  temperature") }
    }

    /// The row of the model.
    fn asked_of(&self, state: &State) -> Item {
        let (said, right) = match &self.model {
            None => (format!("{}, as usual", one_line(state.model(state.model_now()).name)), String::new()),
            Some((model, on)) => {
                (format!("{} {}", model.label(), if *on { "from here on" } else { "for this call" }), "✎ changed".to_owned())
            }
        };
        Item { detail: said, right, ..Item::new("  model") }
    }

    /// The row that says what becomes of the children, where new samples could take their place.
    fn replacing(&self, state: &State) -> Option<Item> {
        let free = if self.what == Again::Samples { state.replaceable(self.node).len() } else { 0 };
        let children = count(free, "child", "children");
        let (said, right) = if self.replace {
            (format!("in the place of {children} that nobody went on from"), "✎ changed".to_owned())
        } else {
            (format!("beside what is there; Enter: in the place of {children}"), String::new())
        };
        (free > 0).then(|| Item { detail: said, right, ..Item::new("  new samples") })
    }

    /// The act as chosen so far. What is replaced is what can be at this moment.
    fn act(&self, state: &State, edits: Vec<Edit>) -> Act {
        let replaces = if self.replace && self.what == Again::Samples { state.replaceable(self.node) } else { Vec::new() };
        let model = self.model.as_ref().map(|(model, _)| Box::new(model.clone()));
        let otherwise = Otherwise { model, temperature_milli: self.temperature_milli, replaces };
        Act::AskAgain { node: self.node, what: self.what, edits, otherwise }
    }

    /// Asks for the other of the two things that can be asked here.
    fn turn(&mut self, state: &State) {
        self.what = if self.what == Again::Samples { Again::Value } else { Again::Samples };
        self.edits.clear();
        self.temperature_milli = None;
        self.model = None;
        self.replace = false;
        self.wrong = None;
        self.menu(state);
    }

    fn pick(&mut self, desk: &Desk<'_>, state: &State, row: usize) -> Reaction {
        self.wrong = None;
        match self.picks.get(row) {
            Some(Pick::Ask) => return self.ask(state),
            Some(Pick::Heat) => {
                let now = self.temperature_milli.unwrap_or_else(|| temperature_at(state, self.node, self.what));
                self.stages.push(Stage::Heat(LineInput::new(&temperature(now))));
            }
            Some(Pick::Model) => {
                let (list, rows) = model::list(state, desk.others);
                self.stages.push(Stage::Models(list, rows));
            }
            Some(Pick::Replace) => {
                self.replace = !self.replace;
                self.back_to(state, Pick::Replace);
            }
            Some(Pick::Text(part)) => {
                let parts = prompt_at(state, self.node, self.what, &self.edits).map(|(_, parts)| parts).unwrap_or_default();
                let text = parts.iter().find(|p| p.kind == *part).map_or("", |p| &*p.text);
                self.stages.push(Stage::Edit(*part, false, Box::new(Editor::new(text))));
            }
            Some(Pick::Template(part)) => {
                let text = self.template(state, *part);
                self.stages.push(Stage::Edit(*part, true, Box::new(Editor::new(text.trim_end()))));
            }
            None => {}
        }
        Reaction::Stay
    }

    /// The template of a part: as edited, else the session's.
    fn template(&self, state: &State, part: PartKind) -> String {
        let edited = self.edits.iter().find_map(|edit| match &edit.with {
            Wording::Template(text) if edit.part == part => Some(text.clone()),
            _ => None,
        });
        let name = Templates::name_of(kind_at(state, self.node, self.what), part);
        edited.unwrap_or_else(|| state.started().templates.text(name).to_owned())
    }

    /// Takes what was typed, if it can be used, and shows the whole prompt.
    fn take(&mut self, state: &State) {
        let Some(Stage::Edit(part, template, editor)) = self.stages.last() else { return };
        let (part, template, text) = (*part, *template, editor.value());
        let with = if template { Wording::Template(text) } else { Wording::Text(text) };
        let mut edits: Vec<Edit> = self.edits.iter().filter(|edit| edit.part != part).cloned().collect();
        edits.push(Edit { part, with });
        let act = self.act(state, edits.clone());
        if let Err(refused) = act.check(state) {
            self.wrong = Some(refused.0);
            return;
        }
        let prompt = match prompt_at(state, self.node, self.what, &edits) {
            Ok((_, parts)) => parts,
            // Without the prompt as it is there is none to show; with it, the edit is at fault.
            Err(_) if prompt_at(state, self.node, self.what, &[]).is_err() => Vec::new(),
            Err(why) => {
                self.wrong = Some(why);
                return;
            }
        };
        let before = prompt_at(state, self.node, self.what, &[]).map(|(_, parts)| parts).unwrap_or_default();
        self.edits = edits;
        self.wrong = None;
        self.menu(state);
        self.stages.push(Stage::Review(Pager::new(review(&prompt, &before))));
    }

    fn ask(&mut self, state: &State) -> Reaction {
        let act = self.act(state, self.edits.clone());
        match act.check(state) {
            Ok(()) => {
                // The ask names the model, too: if it can't be opened, nothing is asked of another one.
                let on = self.model.as_ref().filter(|(_, on)| *on).map(|(model, _)| Command::Do(Act::Model(Box::new(model.clone()))));
                Reaction::Finish(on.into_iter().chain([Command::Do(act)]).collect())
            }
            Err(refused) => {
                self.wrong = Some(refused.0);
                Reaction::Stay
            }
        }
    }

    /// Takes a row of the list of models.
    fn pick_model(&mut self, state: &State, row: usize) {
        let Some(Stage::Models(_, rows)) = self.stages.last() else { return };
        match rows.get(row).cloned() {
            Some(Row::Usual) => {
                self.model = None;
                self.back_to(state, Pick::Model);
            }
            Some(Row::Model(model)) => self.ask_scope(state, model),
            Some(Row::Typed) => self.stages.push(Stage::Name(LineInput::new(""))),
            None => {}
        }
    }

    fn ask_scope(&mut self, state: &State, model: OtherModel) {
        let can_ask = Act::again(self.node, self.what).check(state).is_ok();
        self.stages.push(Stage::Scope(model::scopes(can_ask), model));
    }

    /// Takes the name of a model that was typed.
    fn take_name(&mut self, desk: &Desk<'_>, state: &State, name: &str) {
        match model::typed(state, desk.others, name) {
            Ok(model) => {
                self.wrong = None;
                self.ask_scope(state, model);
            }
            Err(why) => self.wrong = Some(why),
        }
    }

    /// Takes how long the model is asked.
    fn pick_scope(&mut self, state: &State, row: usize) -> Reaction {
        let Some(Stage::Scope(_, model)) = self.stages.last() else { return Reaction::Stay };
        let model = model.clone();
        match SCOPES.get(row) {
            Some(Scope::Only) => return Reaction::Finish(vec![Command::Do(Act::Model(Box::new(model)))]),
            Some(scope) => {
                self.model = Some((model, *scope == Scope::On));
                self.back_to(state, Pick::Model);
            }
            None => {}
        }
        Reaction::Stay
    }

    /// A key on the steps that choose a model.
    fn model_key(&mut self, key: &KeyEvent, desk: &Desk<'_>, state: &State) -> Reaction {
        let back = key.code == KeyCode::Esc;
        let picked = match self.stages.last_mut() {
            Some(Stage::Models(list, _) | Stage::Scope(list, _)) => list.key(key),
            Some(Stage::Name(line)) => {
                match key.code {
                    KeyCode::Enter => {
                        let name = line.value().to_owned();
                        self.take_name(desk, state, &name);
                    }
                    _ if !back && line.key(key) => self.wrong = None,
                    _ => {}
                }
                Picked::Ignored
            }
            _ => return Reaction::Close,
        };
        match picked {
            Picked::Item(row) if matches!(self.stages.last(), Some(Stage::Models(..))) => self.pick_model(state, row),
            Picked::Item(row) => return self.pick_scope(state, row),
            Picked::Ignored if back => {
                self.wrong = None;
                self.stages.pop();
            }
            _ => {}
        }
        Reaction::Stay
    }

    /// Saves the template that was edited last.
    fn save(&mut self, state: &State) -> Reaction {
        let kind = kind_at(state, self.node, self.what);
        let edited = self.edits.iter().rev().find_map(|edit| match &edit.with {
            Wording::Template(text) => Some(SaveTemplate { name: Templates::name_of(kind, edit.part), text: text.clone(), replace: false }),
            Wording::Text(_) => None,
        });
        match edited {
            Some(save) => {
                self.saving = Some(save.clone());
                Reaction::Save(save)
            }
            None => {
                self.wrong = Some("only a template can be saved: a text that is filled in already fits this node alone".to_owned());
                Reaction::Stay
            }
        }
    }

    fn review_key(&mut self, key: &KeyEvent, state: &State) -> Reaction {
        if self.exists.take().is_some() {
            return match (key.code, self.saving.take()) {
                (KeyCode::Char('y'), Some(save)) => Reaction::Save(SaveTemplate { replace: true, ..save }),
                _ => Reaction::Stay,
            };
        }
        self.wrong = None;
        let Some(Stage::Review(pager)) = self.stages.last_mut() else { return Reaction::Stay };
        match key.code {
            KeyCode::Enter => return self.ask(state),
            KeyCode::Char('s') => return self.save(state),
            KeyCode::Esc | KeyCode::Char('e') => {
                self.stages.pop();
            }
            KeyCode::Up | KeyCode::Char('k') => pager.scroll(-1),
            KeyCode::Down | KeyCode::Char('j') => pager.scroll(1),
            KeyCode::PageUp => pager.page(-1),
            KeyCode::PageDown | KeyCode::Char(' ') => pager.page(1),
            KeyCode::Char('g') | KeyCode::Home => pager.top(),
            KeyCode::Char('G') | KeyCode::End => pager.bottom(),
            _ => {}
        }
        Reaction::Stay
    }
}

/// What a part is called.
const fn name(part: PartKind) -> &'static str {
    match part {
        PartKind::Instructions => "instructions",
        PartKind::Question => "question",
        PartKind::Graph => "local graph",
        PartKind::Path => "trajectory",
        PartKind::Task => "task",
    }
}

/// The prompt with what differs from the unedited one marked.
fn review(prompt: &[Part], before: &[Part]) -> Document {
    let mut document = Document::default();
    if prompt.is_empty() {
        document.push(Role::Dim, "The prompt is not known before the relations are listed; it is recorded when it is sent.");
    }
    for (n, part) in prompt.iter().enumerate() {
        if n > 0 {
            document.blank();
        }
        let before = before.iter().find(|p| p.kind == part.kind).map_or("", |p| &*p.text);
        changes::push(&mut document, Role::Text, &part.text, before);
    }
    document
}

impl Popup for AgainPopup {
    fn key(&mut self, key: &KeyEvent, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        let state = &view.snapshot.state;
        match self.stages.last_mut() {
            Some(Stage::Menu(list)) => match list.key(key) {
                Picked::Item(row) => return self.pick(desk, state, row),
                Picked::Ignored if key.code == KeyCode::Esc => return Reaction::Close,
                Picked::Ignored if key.code == KeyCode::Tab && self.both => self.turn(state),
                _ => {}
            },
            Some(Stage::Heat(line)) => match key.code {
                KeyCode::Esc => self.back_to(state, Pick::Heat),
                KeyCode::Enter => {
                    let typed = line.value().to_owned();
                    self.take_temperature(state, &typed);
                }
                _ => {
                    if line.key(key) {
                        self.wrong = None;
                    }
                }
            },
            Some(Stage::Edit(_, _, editor)) => match key.code {
                KeyCode::Esc => {
                    self.wrong = None;
                    self.stages.pop();
                }
                KeyCode::Enter if key.modifiers == KeyModifiers::NONE => self.take(state),
                _ => {
                    if editor.key(key) {
                        self.wrong = None;
                    }
                }
            },
            Some(Stage::Models(..) | Stage::Name(_) | Stage::Scope(..)) => return self.model_key(key, desk, state),
            Some(Stage::Review(_)) => return self.review_key(key, state),
            None => return Reaction::Close,
        }
        Reaction::Stay
    }

    fn paste(&mut self, text: &str) {
        match self.stages.last_mut() {
            Some(Stage::Menu(list) | Stage::Models(list, _) | Stage::Scope(list, _)) => list.paste(text),
            Some(Stage::Heat(line) | Stage::Name(line)) => line.paste(text),
            Some(Stage::Edit(_, _, editor)) => editor.paste(text),
            _ => {}
        }
    }

    fn exists(&mut self, file: &std::path::Path) {
        self.exists = Some(file.to_owned());
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, desk: &Desk<'_>, _now: Instant, theme: &Theme) {
        let Some(view) = desk.view else { return };
        let about = format!("node {}: {}", self.node.0, label(&view.scene.state, self.node));
        let what = if self.what == Again::Value { "for its value" } else { "what comes next" };
        let height = area.height.saturating_sub(2);
        let (title, height, keys) = match self.stages.last() {
            Some(Stage::Heat(_)) => ("The temperature of this call".to_owned(), 8, "Enter takes it; empty: the usual one  Esc back"),
            Some(Stage::Models(..)) => ("Which model is asked".to_owned(), 17, "Enter picks  Esc back"),
            Some(Stage::Name(_)) => ("The model that is asked".to_owned(), 8, "Enter takes it  Esc back"),
            Some(Stage::Scope(_, model)) => (format!("{}: how long", model.label()), 10, "Enter picks  Esc back"),
            Some(Stage::Edit(part, false, _)) => {
                (format!("The {} that is sent, for this call", name(*part)), height, "Enter shows the prompt  alt-Enter new line  Esc back")
            }
            Some(Stage::Edit(part, true, _)) => (
                format!("The template of the {}", name(*part)),
                height,
                "Enter fills it in and shows the prompt  alt-Enter new line  Esc back",
            ),
            Some(Stage::Review(_)) => (
                "The prompt as it would be sent".to_owned(),
                height,
                "Enter asks  e edits more  s saves the template  ↑ ↓ scroll  Esc back",
            ),
            _ => (
                format!("Ask again {what}"),
                17,
                if self.both {
                    "Enter picks  Tab: what comes next or its value  Esc leaves no trace"
                } else {
                    "Enter picks  Esc leaves no trace"
                },
            ),
        };
        let inner = popup(buf, area, 110, height.max(5), &title, theme);
        let mut body = with_keys(buf, inner, keys, theme);
        if body.height > 4 {
            let (line, role) = match (&self.exists, &self.wrong) {
                (Some(path), _) => (format!("{} is there already: y replaces it, any other key leaves it", path.display()), Role::Warning),
                (None, Some(wrong)) => (wrong.clone(), Role::Error),
                (None, None) => (about, Role::Dim),
            };
            put(buf, body, body.x, body.y, &line, theme.style(role));
            body = Rect { y: body.y + 1, height: body.height - 1, ..body };
        }
        match self.stages.last_mut() {
            Some(Stage::Menu(list)) => list.render(buf, body, "finds a part by a few letters", theme),
            Some(Stage::Models(list, _)) => list.render(buf, body, "finds a model by a few letters", theme),
            Some(Stage::Scope(list, _)) => list.render(buf, body, "", theme),
            Some(Stage::Name(line)) => {
                line.render(buf, Rect { height: body.height.min(1), ..body }, "openai:MODEL, ollama:MODEL, ...", theme)
            }
            Some(Stage::Heat(line)) => {
                line.render(buf, Rect { height: body.height.min(1), ..body }, "0 to 2: the higher, the more the samples differ", theme)
            }
            Some(Stage::Edit(_, _, editor)) => editor.render(buf, body, theme),
            Some(Stage::Review(pager)) => pager.render(buf, body, theme),
            None => {}
        }
    }
}
