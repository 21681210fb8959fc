//! The dialogue: lines and snapshots in, lines and effects out. Pure; the shell around it has the streams and the host.

use super::looks;
use super::names::{self, OWN, Word};
use super::start;
use super::telling::Told;
use super::words::{worded, worded_with};
use crate::runner::{RunState, Snapshot};
use crate::search::NodeId;
use crate::session::{Listed, Recording};
use crate::text::{clean, one_line};
use crate::tui::Question;
use crate::tui::app::{App, Effect};
use crate::tui::command::{Context, Control, Group, KeyMap, Pane};
use crate::tui::flying::Flying;
use crate::tui::session_view::SessionView;
use crate::tui::theme::{Depth, Role, Themes};
use crate::tui::views::graph::GraphMode;
use crate::tui::views::inspector::{self, Tab};
use crate::tui::views::start::StartData;
use crate::tui::{OpenHow, Other, PromptSaved, Status};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// A line of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Something is said.
    Said(String),
    /// The line that is taken now.
    Taken(String),
}

/// A line that waits to be taken.
#[derive(Debug)]
struct Typed {
    line: String,
    /// Whether it came with a command: then it is not shown again, and a list of switches is left after it.
    argument: bool,
}

/// The dialogue.
#[derive(Debug)]
pub struct Dialogue {
    app: App,
    start: StartData,
    typed: VecDeque<Typed>,
    /// Lines of an answer that goes on.
    begun: String,
    /// Commands that were sent to the runner, and how many it had taken up in the newest snapshot.
    sent: u64,
    seen: u64,
    /// Whether the next line waits until the search rests.
    until_rest: bool,
    told: Told,
    /// The question that was told last.
    asked: Option<Question>,
    /// A command that asked for a fact's number, or for the text to find.
    which: Option<Control>,
    /// Whether the list to begin with is wanted: the shell brings it anew.
    wants_start: bool,
    /// Whether all its questions are wanted.
    all_questions: bool,
    lines: Vec<Line>,
    effects: Vec<Effect>,
}

impl Dialogue {
    /// A dialogue on the start page. `warnings`: what was found amiss.
    #[must_use]
    pub fn new(keys: KeyMap, data: StartData, warnings: Vec<String>) -> Self {
        let themes = Themes::new(None, Depth::None).0;
        let mut app = App::new(keys, themes, StartData::default());
        let told = warnings.iter().map(|warning| Line::Said(worded(&format!("warning: {warning}")))).collect();
        app.warn(warnings);
        app.take_message();
        Self {
            app,
            start: data,
            typed: VecDeque::new(),
            begun: String::new(),
            sent: 0,
            seen: 0,
            until_rest: false,
            told: Told::default(),
            asked: None,
            which: None,
            wants_start: false,
            all_questions: false,
            lines: told,
            effects: Vec::new(),
        }
    }

    /// Whether the list to begin with is wanted, as it is now.
    #[must_use]
    pub const fn wants_start(&self) -> bool {
        self.wants_start
    }

    /// Lists what there is to begin with.
    pub fn show_start(&mut self, data: StartData) {
        self.wants_start = false;
        self.start = data;
        let page = start::page(&self.start, self.all_questions);
        self.say_all(page);
        self.go_on();
    }

    /// Takes up other lights; those that have come are told.
    pub fn status(&mut self, status: Vec<Status>) {
        if self.app.session().is_none() {
            let new: Vec<String> = status.iter().filter(|light| !self.start.status.contains(light)).filter_map(start::light).collect();
            self.say_all(new);
        }
        self.start.status = status;
    }

    /// A line was typed. It is taken when what was typed before has come to something.
    pub fn line(&mut self, line: &str) {
        self.typed.push_back(Typed { line: clean(line).replace('\n', " "), argument: false });
        self.go_on();
    }

    /// Shows a session from its first snapshot.
    pub fn open_session(&mut self, snapshot: Arc<Snapshot>) {
        (self.sent, self.seen) = (snapshot.live.obeyed, snapshot.live.obeyed);
        (self.which, self.asked, self.until_rest) = (None, None, false);
        self.app.open_session(snapshot);
        if let Some(view) = self.app.session() {
            let (told, lines) = Told::open(view);
            self.told = told;
            self.say_all(lines);
        }
        self.settle();
        self.go_on();
    }

    /// Takes up a newer snapshot of the session.
    pub fn snapshot(&mut self, snapshot: Arc<Snapshot>) {
        self.seen = snapshot.live.obeyed;
        let asked = self.app.has_popup();
        self.app.snapshot(snapshot);
        if asked && !self.app.has_popup() {
            self.say("what was asked is settled already");
        }
        if let Some(view) = self.app.session() {
            let news = self.told.news(view);
            self.say_all(news);
        }
        self.settle();
        self.go_on();
    }

    /// The runner is gone: nothing that was sent is waited for.
    pub fn gone(&mut self) {
        self.seen = u64::MAX;
        self.until_rest = false;
        self.say("the engine of this session has ended; everything is saved");
        self.go_on();
    }

    /// Says something.
    pub fn say(&mut self, line: impl AsRef<str>) {
        let started = self.app.session().and_then(|view| view.snapshot.state.started.as_deref());
        let kgs: Vec<String> = started.iter().flat_map(|started| &started.kgs).map(|(kg, _)| kg.to_string()).collect();
        let line = worded_with(line.as_ref(), &kgs);
        if !line.is_empty() {
            self.lines.push(Line::Said(line));
        }
    }

    /// Tells what came of saving a template of a prompt.
    pub fn saved(&mut self, saved: Result<PromptSaved, String>) {
        self.app.saved(saved);
        self.settle();
    }

    fn say_all(&mut self, lines: impl IntoIterator<Item = String>) {
        for line in lines {
            self.say(line);
        }
    }

    /// Says a text as it stands, a line a line.
    fn say_exactly(&mut self, text: &str) {
        let cleaned = clean(text.trim_end());
        self.lines.extend(cleaned.lines().map(|line| Line::Said(line.trim_end().to_owned())));
    }

    /// What is to be printed, once.
    pub fn take_lines(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.lines)
    }

    /// What the shell has to do, once.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Whether the next line would be taken at once.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.effects.is_empty() && self.typed.is_empty() && self.takes()
    }

    /// Whether every line that was typed was taken.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.typed.is_empty() && self.takes()
    }

    fn takes(&self) -> bool {
        let busy = self.until_rest && self.app.session().is_some_and(|view| !rests(view));
        self.effects.is_empty()
            && !self.wants_start
            && self.seen >= self.sent
            && !busy
            && self.app.question().is_none_or(|question| !question.waits)
    }

    /// Takes lines as long as each comes to something at once. The shell calls it when it has done what there was to do.
    pub fn go_on(&mut self) {
        while self.takes() {
            self.until_rest = false;
            let Some(typed) = self.typed.pop_front() else { return };
            if !typed.argument {
                self.lines.push(Line::Taken(typed.line.clone()));
            }
            let (asked, said) = (self.app.has_popup(), self.lines.len());
            self.take(&typed.line);
            self.settle();
            if asked && !self.app.has_popup() && self.lines.len() == said && self.effects.is_empty() {
                self.say("left");
            }
            if typed.argument && self.app.question().is_some_and(|question| question.stays && question.wrong.is_none()) {
                self.app.leave();
                self.settle();
            }
        }
    }

    /// Collects what came of something: what was said, what is to be done, what is asked now.
    fn settle(&mut self) {
        if let Some(message) = self.app.take_message() {
            self.say(message);
        }
        for effect in self.app.take_effects() {
            self.sent += u64::from(matches!(effect, Effect::Send(_)));
            self.effects.push(effect);
        }
        self.ask();
        // Leaving a flow that only tells may have said something.
        for effect in self.app.take_effects() {
            self.sent += u64::from(matches!(effect, Effect::Send(_)));
            self.effects.push(effect);
        }
    }

    /// Tells the open question, as far as it is new.
    fn ask(&mut self) {
        let Some(question) = self.app.question() else {
            self.asked = None;
            return;
        };
        if self.typed.front().is_some_and(|typed| typed.argument) {
            // It is answered already.
            return;
        }
        if question.only_tells() && !question.waits {
            let Question { title, text, .. } = question;
            self.say(title);
            self.say_all(text);
            self.app.leave();
            self.asked = None;
            return;
        }
        let before = self.asked.take().unwrap_or_default();
        if question.waits {
            if !before.waits {
                self.say(if question.title.is_empty() { "the KGs are asked" } else { &question.title });
            }
            self.asked = Some(Question { waits: true, ..before });
            return;
        }
        let same =
            (&before.title, &before.rows, &before.text, &before.how) == (&question.title, &question.rows, &question.text, &question.how);
        if before.title != question.title {
            self.say(&question.title);
        }
        if before.text != question.text {
            if question.exact { self.say_exactly(&question.text.join("\n")) } else { self.say_all(question.text.iter().cloned()) }
        }
        let moved = before.rows.len() > question.rows.len();
        for (at, row) in question.rows.iter().enumerate() {
            if moved || before.title != question.title || before.rows.get(at) != Some(row) {
                self.say(format!("{}. {row}", at + 1));
            }
        }
        if let Some(wrong) = question.wrong.as_ref().filter(|wrong| before.wrong.as_ref() != Some(*wrong) || same) {
            self.say(wrong);
        }
        if before.title != question.title || before.how != question.how {
            self.say(&question.how);
        }
        self.asked = Some(question);
    }

    fn take(&mut self, line: &str) {
        let open = self.app.question().is_some();
        let word = line.trim();
        if (open || self.which.is_some()) && self.begun.is_empty() {
            match (word, word.strip_prefix(':')) {
                (_, Some(command)) => return self.command(command),
                ("" | "cancel", _) => {
                    self.which = None;
                    if open {
                        self.app.leave();
                    }
                    self.asked = None;
                    return self.say("left");
                }
                ("back", _) if open => return self.app.back(),
                // A script waits whatever has come up meanwhile.
                ("wait", _) => return self.until_rest = true,
                _ => {}
            }
        }
        match self.which.take() {
            Some(Control::Find) => return self.find(word),
            Some(control) => return self.about_fact(control, word),
            None => {}
        }
        if !open {
            self.begun.clear();
            return self.command(word.strip_prefix(':').filter(|command| !command.is_empty()).unwrap_or(word));
        }
        if let Some(part) = line.strip_suffix('\\') {
            self.begun.push_str(part);
            self.begun.push('\n');
            return;
        }
        let whole = std::mem::take(&mut self.begun) + line;
        if let Some(asked) = &mut self.asked {
            asked.wrong = None;
        }
        self.app.answer(&whole);
    }

    fn command(&mut self, line: &str) {
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        let on_start = self.app.session().is_none();
        if line.chars().all(|c| c.is_ascii_digit()) && !line.is_empty() {
            return if on_start { self.open(line, OpenHow::Replay) } else { self.go(line) };
        }
        let asks = line.split(' ').next().is_some_and(|word| word.eq_ignore_ascii_case("ask"));
        if on_start && !asks && line.ends_with('?') && line.contains(' ') {
            return self.effects.push(Effect::Start(line.to_owned()));
        }
        match names::read(line, self.app.keys()) {
            Err(why) => self.say(why),
            Ok((Word::Control(control), rest)) => self.control(control, rest),
            Ok((Word::Ask, "")) => self.say("type the question too: ask Who directed Inception?"),
            Ok((Word::Ask, question)) => self.effects.push(Effect::Start(question.to_owned())),
            Ok((Word::Resume, which)) => self.open(which, OpenHow::Resume),
            Ok((Word::Start, rest)) => (self.wants_start, self.all_questions) = (true, rest == "all"),
            Ok((Word::Wait, _)) => self.until_rest = true,
            Ok((Word::Cancel, _)) => self.say("there is no question to leave"),
            Ok((_, _)) if on_start => self.say("no session is open: type ask and a question, or open and a number"),
            Ok((Word::Go, which)) => self.go(which),
            Ok((Word::At, which)) => self.at(which),
            Ok((Word::Breakpoint, condition)) => {
                self.run(Control::Breaks, condition);
            }
            Ok((Word::Status, _)) => self.standing(),
            Ok((Word::Tab(tab), which)) => {
                if which.is_empty() || self.select(which) {
                    self.tab(tab);
                }
            }
        }
    }

    /// Does a command of the table, or says why it has no meaning here.
    fn control(&mut self, control: Control, rest: &str) {
        use Control as C;
        let anywhere = matches!(control, C::Model | C::Enter | C::Help | C::Quit | C::Warnings) || no_meaning(control).is_some();
        if self.app.session().is_none() && !anywhere {
            return self.look(|_| Vec::new());
        }
        match control {
            // Said alone, they do what their key does.
            C::Pause
            | C::Step
            | C::StepPhase
            | C::Abort
            | C::Faster
            | C::Slower
            | C::Undo
            | C::Redo
            | C::Rejected
            | C::Follow
            | C::Warnings => {
                if self.alone(control, rest) {
                    self.run(control, "");
                }
            }
            C::Intercept
            | C::Breaks
            | C::Rules
            | C::Flights
            | C::Limits
            | C::Linked
            | C::AnswerByHand
            | C::Hint
            | C::SetValue
            | C::Fork
            | C::Compare => {
                self.run(control, rest);
            }
            C::BreakHere | C::ExpandByHand | C::Override | C::Accept | C::Prune | C::Pin | C::AskAgain | C::Review => {
                let (number, more) = rest.split_once(' ').unwrap_or((rest, ""));
                if rest.is_empty() {
                    self.run(control, "");
                } else if self.select(number) {
                    self.run(control, more);
                }
            }
            C::Correct | C::More | C::Details => self.about_fact(control, rest),
            C::EventBack | C::EventForward | C::ExpansionBack | C::ExpansionForward | C::First | C::Latest => {
                if self.alone(control, rest) && self.run(control, "") {
                    self.where_in_time();
                }
            }
            C::JumpNext => {
                if self.alone(control, rest) && self.run(control, "") {
                    self.tell_node();
                }
            }
            C::Up | C::Down | C::Left | C::Right | C::Top | C::Bottom | C::NextSibling | C::PreviousSibling => self.step(control),
            C::Find => self.find(rest),
            C::FindNext | C::FindPrevious => {
                if self.alone(control, rest) && self.run(control, "") {
                    self.tell_found();
                }
            }
            C::NextTab | C::PreviousTab => self.next_tab(control == C::NextTab),
            C::Pane1 => self.tree(rest),
            C::Pane2 => self.graph(rest),
            C::Pane3 => self.next_tab_of(0),
            C::Pane4 => self.look(looks::machine),
            C::Pane5 => self.look(looks::budget),
            C::Pane6 => {
                let wanted = if rest == "all" { Some(usize::MAX) } else { rest.parse().ok() };
                self.look(|view| looks::timeline(view, wanted));
            }
            C::Model => match self.app.session() {
                Some(_) => {
                    self.refuse(control, "ask again chooses the model of a session; this one is for the next question, before it is asked")
                }
                None if rest.is_empty() => self.wants_start = true,
                None => match start::model(&self.start, rest) {
                    Ok(effect) => self.effects.push(effect),
                    Err(why) => self.say(why),
                },
            },
            C::Enter => self.enter(rest),
            C::Help => self.help(rest),
            C::Quit => self.effects.push(Effect::Quit),
            C::PageUp
            | C::PageDown
            | C::OpenAll
            | C::CloseAll
            | C::NextPane
            | C::PreviousPane
            | C::Zoom
            | C::Theme
            | C::Mouse
            | C::Copy
            | C::Palette
            | C::Redraw
            | C::Suspend => self.refuse(control, no_meaning(control).unwrap_or("it is about the screen")),
        }
    }

    fn refuse(&mut self, control: Control, why: &str) {
        self.say(format!("{} has no meaning here: {why}", control.spec().name));
    }

    /// Whether a command that takes nothing was typed alone.
    fn alone(&mut self, control: Control, rest: &str) -> bool {
        if !rest.is_empty() {
            self.say(format!("`{}` takes nothing else: type it alone", control.spec().name));
        }
        rest.is_empty()
    }

    /// Lets the explorer do it, and answers the first question of the flow that opens with `argument`; whether it applied.
    fn run(&mut self, control: Control, argument: &str) -> bool {
        if let Some(view) = self.app.session_mut() {
            view.focus = Pane::Tree;
        }
        self.run_in_pane(control, argument)
    }

    fn run_in_pane(&mut self, control: Control, argument: &str) -> bool {
        let applies = control.applies(&self.app.standing()).is_ok();
        let before = self.app.has_popup();
        self.app.try_run(control);
        if !argument.is_empty() && !before && self.app.has_popup() {
            self.typed.push_front(Typed { line: argument.to_owned(), argument: true });
        }
        applies
    }

    fn look(&mut self, at: impl FnOnce(&SessionView) -> Vec<String>) {
        match self.app.session() {
            Some(view) => {
                let lines = at(view);
                self.say_all(lines);
            }
            None => self.say("no session is open: type ask and a question, or open and a number"),
        }
    }

    /// The file of the session that is open.
    pub fn session_path(&self) -> Option<&Path> {
        self.app.session().and_then(|view| view.snapshot.live.path.as_deref())
    }

    /// Where the session that is open stands, and the one that it was forked from.
    pub fn places(&self) -> [Option<PathBuf>; 2] {
        self.app.session().map(|view| view.snapshot.live.places()).unwrap_or_default()
    }

    /// Takes up which models a session can go on with.
    pub fn others(&mut self, others: Vec<Other>) {
        self.app.others(others);
    }

    /// Hears which sessions there are.
    pub fn listed(&mut self, sessions: &[Listed]) {
        self.app.listed(sessions);
        self.settle();
    }

    /// Hears what became of reading a session.
    pub fn read(&mut self, read: Result<&Recording, &str>) {
        self.app.read(read);
        self.settle();
    }

    fn open(&mut self, which: &str, how: OpenHow) {
        match start::open(&self.start, which, how) {
            Ok(effect) => self.effects.push(effect),
            Err(why) => self.say(why),
        }
    }

    /// A session of the list, or the prompt that waits for the person.
    fn enter(&mut self, rest: &str) {
        let waits = self.app.session().is_some_and(|view| view.snapshot.live.flights.iter().any(|flight| flight.human));
        if rest.is_empty() && waits {
            self.run(Control::Enter, "");
        } else if rest.is_empty() {
            self.say("type a number too, such as open 3; start lists what can be opened");
        } else {
            self.open(rest, OpenHow::Replay);
        }
    }

    /// Selects a node; whether there is one of this number.
    fn select(&mut self, which: &str) -> bool {
        let Some(view) = self.app.session_mut() else {
            self.say("no session is open: type ask and a question, or open and a number");
            return false;
        };
        let nodes = view.scene.state.nodes.len();
        let id = which.trim().parse().ok().map(NodeId).filter(|id| id.index() < nodes);
        match id {
            Some(id) => view.select(id),
            None if nodes == 0 => self.say("there is no node yet"),
            None => self.say(format!("there is no node `{}`: type a number from 0 to {}", one_line(which), nodes - 1)),
        }
        id.is_some()
    }

    fn go(&mut self, which: &str) {
        if self.select(which) {
            self.tell_node();
        }
    }

    fn tell_node(&mut self) {
        self.look(|view| match view.node() {
            Some(id) => vec![looks::node(&view.scene, id)],
            None => vec!["there is no node yet".to_owned()],
        });
    }

    /// Selects the node above, below, before or after.
    fn step(&mut self, control: Control) {
        let Some(view) = self.app.session_mut() else { return self.tell_node() };
        let order = looks::in_order(&view.scene, NodeId(0), view.tree.rejected);
        let Some(here) = view.node() else { return self.tell_node() };
        let at = order.iter().position(|id| *id == here).unwrap_or(0);
        let node = view.scene.state.node(here);
        let parent = node.and_then(|node| node.parent);
        let siblings = parent.and_then(|parent| view.scene.state.node(parent)).map_or(&[][..], |parent| &parent.children);
        let among = siblings.iter().position(|id| *id == here);
        let wanted = match control {
            Control::Up => at.checked_sub(1).and_then(|at| order.get(at)).copied(),
            Control::Down => order.get(at + 1).copied(),
            Control::Top => order.first().copied(),
            Control::Bottom => order.last().copied(),
            Control::Left => parent,
            Control::Right => node.and_then(|node| node.children.first()).copied(),
            Control::NextSibling => among.and_then(|at| siblings.get(at + 1)).copied(),
            _ => among.and_then(|at| siblings.get(at.checked_sub(1)?)).copied(),
        };
        match wanted {
            Some(id) => {
                view.select(id);
                self.tell_node();
            }
            None => self.say(format!("{}: there is none", control.spec().name)),
        }
    }

    /// Selects the next node that has this text.
    fn find(&mut self, text: &str) {
        let Some(view) = self.app.session_mut() else { return self.look(|_| Vec::new()) };
        if text.is_empty() {
            self.say("find: which text? Type it, or an empty line to leave");
            self.which = Some(Control::Find);
            return;
        }
        view.focus = Pane::Tree;
        self.app.find(text);
        self.tell_found();
    }

    /// The node that was found, or that there is none.
    fn tell_found(&mut self) {
        match self.app.take_message() {
            Some(message) => self.say(message.replace("in this pane", "in the tree")),
            None => self.tell_node(),
        }
    }

    fn at(&mut self, which: &str) {
        let Some(view) = self.app.session_mut() else { return };
        let entries = view.snapshot.entries().len();
        match which.trim().parse::<usize>().ok().filter(|at| *at < entries) {
            Some(at) => {
                view.look_at(at + 1);
                self.where_in_time();
            }
            None => self.say(format!("type the number of an event, from 0 to {}; timeline lists them", entries.saturating_sub(1))),
        }
    }

    fn where_in_time(&mut self) {
        self.look(|view| match view.past {
            Some(_) => {
                let last = view.snapshot.entries().len().saturating_sub(1);
                let here = looks::timeline(view, Some(1)).pop().unwrap_or_default();
                vec![format!("looking back, the latest event is {last}: {here}"), "latest event goes back to the present".to_owned()]
            }
            None => vec![format!("the present: {}", looks::run(view))],
        });
    }

    fn standing(&mut self) {
        self.look(|view| {
            let mut lines = looks::started(view);
            // What the search does is always of the present.
            let now = if view.past.is_some() { "now: " } else { "" };
            lines.push(format!("{now}{}", looks::run(view)));
            lines.extend(view.node().map(|id| format!("selected: {}", looks::node(&view.scene, id))));
            lines
        });
        if self.app.session().is_some_and(|view| view.past.is_some()) {
            self.where_in_time();
        }
    }

    fn tree(&mut self, from: &str) {
        if let Some(view) = self.app.session_mut() {
            view.focus = Pane::Tree;
        }
        let nodes = self.app.session().map_or(0, |view| view.scene.state.nodes.len());
        match from.trim() {
            "" => self.look(|view| looks::tree(view, NodeId(0))),
            number => match number.parse().ok().map(NodeId).filter(|id| id.index() < nodes) {
                Some(id) => self.look(|view| looks::tree(view, id)),
                None => self.say(format!("tree takes the number of a node, from 0 to {}", nodes.saturating_sub(1))),
            },
        }
    }

    /// The local graph as a table, or as the model reads it.
    fn graph(&mut self, rest: &str) {
        let Some(view) = self.app.session_mut() else { return self.look(|_| Vec::new()) };
        view.graph.mode = GraphMode::Table;
        match rest.trim() {
            "text" => {
                view.graph.mode = GraphMode::Text;
                let text = view.node().map(|_| {
                    view.graph.show(&view.scene, view.tree.selected());
                    view.graph.plain()
                });
                view.graph.mode = GraphMode::Table;
                self.say_exactly(&text.unwrap_or_else(|| "there is no node yet".to_owned()));
            }
            "" => {
                view.settle();
                self.look(looks::graph);
            }
            number => {
                if self.select(number) {
                    self.graph("");
                }
            }
        }
    }

    /// A command about a fact of the selected node's graph, by the fact's number.
    fn about_fact(&mut self, control: Control, which: &str) {
        let Some(view) = self.app.session_mut() else { return self.look(|_| Vec::new()) };
        view.graph.mode = GraphMode::Table;
        view.focus = Pane::Graph;
        view.settle();
        let facts = view.graph.facts().len();
        let number = which.parse::<usize>().ok().filter(|number| (1..=facts).contains(number));
        match number {
            _ if facts == 0 => self.say("the graph of the selected node holds no fact"),
            Some(number) => {
                view.graph.table.selected = number - 1;
                let applies = self.run_in_pane(control, "");
                if let Some(view) = self.app.session_mut() {
                    view.focus = Pane::Tree;
                }
                if applies && control == Control::Details {
                    self.tab(Tab::Fact);
                }
            }
            None if which.is_empty() => {
                self.look(looks::graph);
                self.say(format!("{}: which one? Type its number, or an empty line to leave", control.spec().name));
                self.which = Some(control);
            }
            None => self.say(format!("there is no fact `{}`: type a number from 1 to {facts}; graph lists them", one_line(which))),
        }
    }

    fn next_tab(&mut self, forward: bool) {
        self.next_tab_of(if forward { 1 } else { Tab::ALL.len() - 1 });
    }

    fn next_tab_of(&mut self, by: usize) {
        let Some(view) = self.app.session() else { return self.look(|_| Vec::new()) };
        let at = Tab::ALL.iter().position(|tab| *tab == view.tab).unwrap_or(0);
        self.tab(Tab::ALL[(at + by) % Tab::ALL.len()]);
    }

    /// What the inspector says of the selected node.
    fn tab(&mut self, tab: Tab) {
        let Some(view) = self.app.session_mut() else { return self.look(|_| Vec::new()) };
        view.tab = tab;
        view.settle();
        let Some(id) = view.node() else { return self.say("there is no node yet") };
        let flying = Flying { live: &view.snapshot.live, now: Instant::now() };
        let looked = view.graph.looked_at();
        let document = match tab {
            Tab::Trajectory => {
                let walk = looks::trajectory(view, id);
                self.say(format!("{}, node {}", tab.name(), id.0));
                return self.say_all(walk);
            }
            tab => inspector::document(&view.scene, id, tab, looked.as_ref(), &flying),
        };
        self.say(format!("{}, node {}", tab.name(), id.0));
        for line in document.lines() {
            let text: String = line.iter().map(|(_, span)| span.as_str()).collect();
            // What was sent stands as it was; what is said about it is in words.
            let sent = tab == Tab::Prompt && line.iter().any(|(role, _)| matches!(role, Role::Text | Role::Filled | Role::New));
            if sent { self.say_exactly(&text) } else { self.say(hint(&text).unwrap_or(&text)) }
        }
    }

    /// Every command, or all about one.
    fn help(&mut self, what: &str) {
        if what.is_empty() {
            self.say("type a command by its name, the beginning of it, or its key in the explorer; what follows is its argument");
            self.say("a colon before a command gives it while a question is open; help and a name tells more");
            self.say_all(OWN.iter().map(|(name, _, help)| format!("{name}: {help}")));
            for group in Group::ALL {
                self.say(format!("{}:", group.name()));
                let of_group = Control::ALL.iter().filter(|control| control.spec().group == group && no_meaning(**control).is_none());
                let lines: Vec<String> = of_group.map(|control| self.about(*control)).collect();
                self.say_all(lines);
            }
            return;
        }
        match names::read(what, self.app.keys()) {
            Ok((word, _)) => {
                let own = OWN.iter().filter(|(_, other, _)| *other == word).map(|(name, _, help)| format!("{name}: {help}"));
                let mut lines: Vec<String> = own.collect();
                if let Word::Control(control) = word {
                    lines.push(self.about(control));
                    // It is given the pane that it belongs to.
                    let at = Context { pane: control.spec().panes.first().copied(), ..self.app.standing() };
                    match (no_meaning(control), control.applies(&at)) {
                        (Some(why), _) => lines.push(format!("it has no meaning here: {why}")),
                        (None, Err(why)) => lines.push(format!("not now: {why}")),
                        (None, Ok(())) => {}
                    }
                }
                self.say_all(lines);
            }
            Err(why) => self.say(why),
        }
    }

    /// `step (key s): One expansion: ...`
    fn about(&self, control: Control) -> String {
        let spec = control.spec();
        let named = |key: &str| match key {
            "↑" => "Up".to_owned(),
            "↓" => "Down".to_owned(),
            "←" => "Left".to_owned(),
            "→" => "Right".to_owned(),
            key => key.to_owned(),
        };
        let keys: Vec<String> = self.app.keys().keys(control).iter().map(|key| named(&key.to_string())).collect();
        let key = if keys.is_empty() { String::new() } else { format!(" (key {})", keys.join(" or ")) };
        format!("{}{key}: {}", spec.name, own_help(control).unwrap_or(spec.help))
    }
}

/// What a line of the inspector says of keys, in the words for it.
fn hint(line: &str) -> Option<&'static str> {
    Some(match line.trim() {
        "Enter in the table goes to that node" => "go and its number goes to that node",
        "d on a fact of the local graph shows its whole query" => "fact and its number in the graph tells its whole query",
        "V lets the model judge each fact" => "review lets the model judge each fact",
        _ => return None,
    })
}

/// Why a command that is about the screen has no meaning here.
const fn no_meaning(control: Control) -> Option<&'static str> {
    Some(match control {
        Control::PageUp | Control::PageDown => "everything is told whole, without pages",
        Control::OpenAll | Control::CloseAll => "the tree is told with all its branches; tree and a number tells one of them",
        Control::NextPane | Control::PreviousPane | Control::Zoom => "there are no panes: tree, graph, prompt, why and so on tell each",
        Control::Theme => "nothing is coloured here",
        Control::Mouse => "there is nothing to click at",
        Control::Copy => "what was told stands in your terminal as text; tot show prints a session",
        Control::Palette => "every command is typed by its name here; help lists them",
        Control::Redraw => "nothing is drawn; status tells where things stand",
        Control::Suspend => "the terminal itself stops the program with ctrl-z, and fg comes back",
        _ => return None,
    })
}

/// What a command does here, where that is not what the table says of the screen.
const fn own_help(control: Control) -> Option<&'static str> {
    Some(match control {
        Control::Up => "To the node before, in the order of the tree",
        Control::Down => "To the node after, in the order of the tree",
        Control::Left => "To the parent",
        Control::Right => "To the first child",
        Control::Top => "To the question",
        Control::Bottom => "To the last node of the tree",
        Control::Enter => "A question, recording or session of the list, by its number; or the prompt that waits for you",
        Control::Correct => {
            "Say what is wrong with a fact of the selected node's graph, by its number: another object or label, delete, hide, distrust"
        }
        Control::More => "Fetch the next facts of a list that a KG cut, by the number of its row; the model reads them from here on",
        Control::Details => "All ids of a fact of the selected node's graph, by its number, and where it comes from",
        Control::NextTab => "Of prompt, samples, value, calls, why, trajectory, fact and evidence the next",
        Control::PreviousTab => "Of prompt, samples, value, calls, why, trajectory, fact and evidence the one before",
        Control::Pane1 => "The search tree, a line a node",
        Control::Pane2 => "The local graph of the selected node, a line a fact",
        Control::Pane3 => "What was looked at last of prompt, samples, value, calls, why, trajectory, fact and evidence",
        Control::Pane4 => "The state of the walk at the selected node, and what comes next",
        Control::Pane5 => "What was spent",
        Control::Pane6 => "The latest events; a number tells as many, all tells all",
        Control::Find => "The next node that has this text",
        Control::FindNext => "To the next node that has the text",
        Control::FindPrevious => "To the node before that has the text",
        Control::Model => "Choose the model that the next question is asked of, by its number",
        _ => return None,
    })
}

/// Whether the search needs something to go on.
fn rests(view: &SessionView) -> bool {
    !matches!(view.snapshot.run_state(), RunState::Running | RunState::Stepping | RunState::Pausing(_))
}
