//! The text dialogue: lines and snapshots in, lines and effects out.

use super::desk::{film, live, scenario, snapshot};
use super::world::World;
use indexmap::IndexMap;
use proptest::prelude::*;
use std::sync::Arc;
use std::time::Instant;
use tree_of_traversals::calls::AskId;
use tree_of_traversals::micro::Micro;
use tree_of_traversals::plain::dialogue::{Dialogue, Line};
use tree_of_traversals::runner::{Command, Flight, Inquiry, Live, Pace, Proposal};
use tree_of_traversals::search::{Act, Entry, Event, NodeId, Outcome};
use tree_of_traversals::text::is_unsafe;
use tree_of_traversals::tui::app::Effect;
use tree_of_traversals::tui::command::{Control, KeyMap};
use tree_of_traversals::tui::views::start::StartData;
use tree_of_traversals::tui::{OpenHow, SampleQuestion, SessionInfo};

/// A person at the dialogue, and a runner that takes up everything and answers inquiries from the scripted graph.
struct Talk {
    dialogue: Dialogue,
    live: Live,
    entries: Vec<Entry>,
    name: &'static str,
}

fn start_data() -> StartData {
    let session = |name: &str, note: &str| SessionInfo {
        because: String::new(),
        depth: 0,
        path: format!("/sessions/{name}.jsonl").into(),
        question: format!("the question of {name}"),
        when: "just now".into(),
        outcome: "answered".into(),
        note: note.into(),
    };
    StartData {
        samples: vec![SampleQuestion { question: "Who directed Inception?".into(), kind: "lookup".into(), hops: 1 }],
        sessions: vec![session("mine", "")],
        recorded: vec![session("shipped", "a recording")],
        model: "lexical".into(),
        ..StartData::default()
    }
}

impl Talk {
    fn on_start_page() -> Self {
        let dialogue = Dialogue::new(KeyMap::new(&IndexMap::new()).0, start_data(), Vec::new());
        Self { dialogue, live: live(), entries: Vec::new(), name: "film-backtrack" }
    }

    fn at(world: &World) -> Self {
        Self::with(world, |_| {})
    }

    fn with(world: &World, change: impl FnOnce(&mut Live)) -> Self {
        let mut talk = Self::on_start_page();
        change(&mut talk.live);
        talk.entries.clone_from(&world.entries);
        talk.dialogue.open_session(snapshot(&talk.entries, talk.live.clone()));
        talk.dialogue.take_lines();
        talk
    }

    /// Before the samples of the question are applied: they wait for the person.
    fn held() -> Self {
        let whole = film(usize::MAX);
        let read = |entry: &Entry| match &entry.ev {
            Event::Read { step, rows, .. } => whole.state.step(*step).and_then(|of| of.node).map(|node| (*step, node, rows.clone())),
            _ => None,
        };
        let (at, (step, node, rows)) = whole.entries.iter().enumerate().find_map(|(at, entry)| Some((at, read(entry)?))).unwrap();
        let mut talk = Self::on_start_page();
        talk.entries = whole.entries[..at].to_vec();
        talk.live.proposal = Some(Arc::new(Proposal { seq: at as u64, step, node, rows }));
        talk.dialogue.open_session(snapshot(&talk.entries, talk.live.clone()));
        talk
    }

    /// The person is the model, and three samples are wanted.
    fn as_the_model() -> (Self, AskId) {
        let open = |world: &World| world.state.asks.iter().find(|ask| ask.samples.len() == 3 && !ask.is_complete()).map(|ask| ask.id);
        let (world, ask) = (1..60).map(film).find_map(|world| open(&world).map(|ask| (world, ask))).unwrap();
        let human = Flight { ask, since: Instant::now(), what: "samples".into(), kg: None, human: true };
        (Self::with(&world, |live| live.flights = vec![human]), ask)
    }

    fn arrive(&mut self) {
        self.dialogue.snapshot(snapshot(&self.entries, self.live.clone()));
    }

    /// Types a line; what is said, and what the shell has to do. The runner takes up what it is told.
    fn type_line(&mut self, line: &str) -> (String, Vec<Effect>) {
        self.dialogue.line(line);
        let (mut said, mut all) = (self.said(), Vec::new());
        for _ in 0..20 {
            let effects = self.dialogue.take_effects();
            if self.dialogue.wants_start() {
                self.dialogue.show_start(start_data());
            }
            let kg = scenario(self.name).graph();
            for effect in &effects {
                match effect {
                    Effect::List => self.dialogue.listed(&[]),
                    Effect::Read(_) => self.dialogue.read(Err("it is gone")),
                    _ => {}
                }
                let Effect::Send(command) = effect else { continue };
                self.live.obeyed += 1;
                match command {
                    Command::Inquire { id, call } => {
                        let result = kg.answer(None, &call.op).map(Arc::new);
                        self.live.inquiries.push(Inquiry { id: *id, result: Some(result) });
                    }
                    Command::DropInquiry(id) => self.live.inquiries.retain(|inquiry| inquiry.id != *id),
                    _ => {}
                }
            }
            if effects.iter().any(|effect| matches!(effect, Effect::Send(_))) {
                self.arrive();
            }
            let nothing = effects.is_empty();
            all.extend(effects);
            said.push_str(&self.said());
            self.dialogue.go_on();
            said.push_str(&self.said());
            if nothing {
                break;
            }
        }
        (said, all)
    }

    fn said(&mut self) -> String {
        let lines = self.dialogue.take_lines().into_iter();
        let said = lines.filter_map(|line| if let Line::Said(text) = line { Some(text + "\n") } else { None });
        said.collect()
    }

    fn says(&mut self, line: &str) -> String {
        self.type_line(line).0
    }

    fn sends(&mut self, line: &str) -> Vec<Command> {
        let sent = |effect| if let Effect::Send(command) = effect { Some(command) } else { None };
        let inquiry = |command: &Command| matches!(command, Command::Inquire { .. } | Command::DropInquiry(_));
        self.type_line(line).1.into_iter().filter_map(sent).filter(|command| !inquiry(command)).collect()
    }
}

#[test]
fn every_command_of_the_table_works_or_says_why_it_has_no_meaning() {
    let world = film(usize::MAX);
    let mut without_meaning = Vec::new();
    for control in Control::ALL {
        for fresh in [Talk::at as fn(&World) -> Talk, |_| Talk::on_start_page()] {
            let mut talk = fresh(&world);
            let name = control.spec().name;
            let (said, effects) = talk.type_line(name);
            assert!(!said.is_empty() || !effects.is_empty(), "{name}: nothing came of it");
            assert!(!said.contains("there is no command"), "{name}: {said}");
            if said.contains("has no meaning here") && *control != Control::Model {
                let why = said.split_once("has no meaning here: ").unwrap().1.trim();
                assert!(why.len() > 10 && said.trim().lines().count() == 1, "{name}: {said}");
                without_meaning.push(*control);
            }
            let help = fresh(&world).says(&format!("help {name}"));
            assert!(help.contains(name), "{name}: {help}");
            assert_eq!(help.contains("it has no meaning here"), without_meaning.contains(control), "{name}: {help}");
        }
    }
    // Those that are about a screen, and no other.
    use Control as C;
    let screen = [
        C::PageUp,
        C::PageDown,
        C::OpenAll,
        C::CloseAll,
        C::NextPane,
        C::PreviousPane,
        C::Zoom,
        C::Theme,
        C::Mouse,
        C::Copy,
        C::Palette,
        C::Redraw,
        C::Suspend,
    ];
    without_meaning.dedup();
    assert_eq!(without_meaning, screen);
}

#[test]
fn commands_tell_the_runner_what_their_keys_do() {
    let mut talk = Talk::at(&film(90));
    assert_eq!(talk.sends("continue"), [Command::Pace(Pace::Run)]);
    assert_eq!(talk.sends("space"), [Command::Pace(Pace::Run)]);
    assert_eq!(talk.sends("s"), [Command::Pace(Pace::Step)]);
    assert_eq!(talk.sends("step"), [Command::Pace(Pace::Step)]);
    assert_eq!(talk.sends("phase"), [Command::Pace(Pace::Phase)]);
    assert_eq!(talk.sends("step 3"), [], "it takes nothing");
    assert_eq!(talk.sends("go 1"), []);
    assert_eq!(talk.sends("set value 0,7"), [Command::Do(Act::SetValue { node: NodeId(1), value: Micro::from_f64(0.7).unwrap() })]);
    assert_eq!(talk.sends("prune 2"), [Command::Do(Act::Prune { node: NodeId(2), on: true })]);
    assert!(matches!(&talk.sends("breakpoint value<0.3")[..], [Command::Do(Act::Break { .. })]));
    assert!(talk.dialogue.is_ready(), "the list of switches is left again");
    assert!(matches!(&talk.sends("limits depth 5")[..], [Command::Do(Act::Set(_))]));
    assert!(matches!(&talk.sends("fork yes")[..], [Command::Fork { .. }]));
    assert_eq!(talk.type_line("q").1, [Effect::Quit]);
}

#[test]
fn a_flow_asks_step_by_step_and_an_empty_line_leaves_no_trace() {
    let mut talk = Talk::at(&film(usize::MAX));
    assert!(talk.says("expand by hand 9").contains("4. expand the graph"));
    assert!(talk.says("4").contains("2. Interstellar"));
    let relations = talk.says("2, 1");
    assert!(relations.contains("cast member, P161 forward") && relations.contains("type a number"), "{relations}");
    assert!(talk.says("compute 2").contains("count P57"));
    assert!(talk.says("count P999999").contains("relation"), "it says what is wrong");
    assert!(talk.says("back").contains("which relation?"));
    let preview = talk.says("country");
    assert!(preview.contains("new: Inception country of origin"), "{preview}");
    let choose = talk.sends("yes");
    let [Command::Do(Act::Choose { node: NodeId(9), chain, .. })] = &choose[..] else { panic!("{choose:?}") };
    let tokens: Vec<String> = chain.iter().map(tree_of_traversals::asm::Action::token).collect();
    assert_eq!(tokens, ["X:", "S:Q25188+Q13417189", "R:P495"]);
    for word in ["", "cancel"] {
        for steps in
            [&["expand by hand 9"][..], &["expand by hand 9", "4"], &["expand by hand 9", "4", "1"], &["hint"], &["limits"], &["K"]]
        {
            let mut talk = Talk::at(&film(usize::MAX));
            talk.says("go 9");
            for step in steps {
                assert_eq!(talk.sends(step), []);
            }
            assert_eq!(talk.says(word), "left\n", "{steps:?}");
            assert!(talk.live.inquiries.is_empty() && talk.dialogue.is_ready(), "{steps:?}");
            assert!(talk.says("status").contains("question:"), "commands are commands again");
        }
    }
}

#[test]
fn a_fact_is_corrected_and_nobody_asked_again() {
    let mut talk = Talk::at(&film(usize::MAX));
    talk.says("go 9");
    assert!(talk.says("correct a fact").contains("which one?"));
    assert!(talk.says("99").contains("from 1 to 24"));
    assert_eq!(talk.sends("correct a fact 2"), []);
    assert_eq!(talk.sends("another label"), []);
    assert_eq!(talk.sends("Joe"), []);
    let corrected = talk.sends("none");
    let [Command::Do(Act::Correct { node: NodeId(9), correction })] = &corrected[..] else { panic!("{corrected:?}") };
    assert!(correction.summary().contains("Joe") && correction.reason.is_empty(), "{correction:?}");
    assert_eq!(talk.says("none"), "left\n", "nobody is asked again");
    assert!(talk.dialogue.is_ready());
}

#[test]
fn a_command_can_be_given_while_a_question_is_open() {
    let mut talk = Talk::at(&film(usize::MAX));
    talk.says("go 9");
    talk.says("hint");
    assert!(talk.says(":tree").contains("level 0, node 0"));
    assert!(matches!(&talk.sends("look again")[..], [Command::Do(Act::Choose { .. })]));
}

#[test]
fn what_is_typed_ahead_waits_for_what_is_on_its_way() {
    let mut talk = Talk::at(&film(usize::MAX));
    for line in ["expand by hand 9", "4", "1", "country"] {
        talk.dialogue.line(line);
    }
    // The listing of relations was asked for: the last line is not an answer to anything yet.
    assert!(!talk.dialogue.is_idle());
    assert!(talk.says("yes").contains("new: Inception country of origin"), "each line is an answer to its own question");
    assert!(talk.dialogue.is_ready());
}

#[test]
fn looking_needs_no_runner() {
    let mut talk = Talk::at(&film(usize::MAX));
    let tree = talk.says("tree");
    assert!(tree.contains("level 5, node 14: answer: Michael Caine, value 1.00, 2 of 3 votes, the answer, selected"), "{tree}");
    assert!(tree.contains("below node 5, rejected: ~P31, 1 sample"), "{tree}");
    assert!(talk.says("tree 9").lines().count() < 5);
    assert!(talk.says("go 9").contains("node 9: cast member"));
    let graph = talk.says("graph");
    assert!(graph.contains("1. Inception, cast member, ") && graph.contains("from scenario, brought by node 9, new"), "{graph}");
    assert!(talk.says("graph text").contains("entities:\n"), "as the model reads it, with its indentation");
    assert!(talk.says("fact 1").contains("Q25188"));
    for (word, part) in [
        ("prompt", "QUESTION: "),
        ("samples", "Sample 1 of 3"),
        ("value", "0.60"),
        ("calls", "edges"),
        ("why", "cast member"),
        ("trajectory", "level 4, node 9"),
        ("evidence", "no answer"),
        ("machine", "default"),
        ("budget", "expansions: 6/"),
        ("timeline 3", "ended:"),
        ("status", "answered: Michael Caine (1.00)"),
        ("help", "step (key s): "),
        ("help next page", "that a KG cut"),
        ("fact 1", "brought by node 9"),
    ] {
        let said = talk.says(word);
        assert!(said.contains(part), "{word}: {said}");
        // Arrows, boxes, blocks, braille, stars: nothing that a screen reader spells out.
        let sign = |c: char| matches!(c, '\u{2190}'..='\u{2bff}') || c == '·';
        assert!(!said.contains(sign), "{word}: {said}");
    }
    talk.says("go 14");
    assert!(talk.says("fact 1").contains("go and its number goes to that node"), "no key of a pane");
    assert!(talk.says("evidence").contains("fact and its number in the graph tells its whole query"));
    assert!(talk.says("find matthew").contains("node 13"));
    assert!(talk.says("find next").contains("node 13"));
    assert!(talk.says("up").contains("node 9") && talk.says("left").contains("node 5"));
    assert!(talk.says("first event").contains("event 0"));
    assert!(talk.says("at 20").contains("event 20"));
    assert!(talk.says("set value 0.5").contains("in the past"));
    assert!(talk.says("latest").contains("the present"));
}

#[test]
fn what_happens_is_told_once_as_it_happens() {
    let whole = film(usize::MAX);
    let mut talk = Talk::on_start_page();
    talk.entries = whole.entries[..1].to_vec();
    talk.live.pace = Pace::Run;
    talk.dialogue.open_session(snapshot(&talk.entries, talk.live.clone()));
    let mut told = talk.said();
    for count in 2..=whole.entries.len() {
        talk.entries = whole.entries[..count].to_vec();
        talk.arrive();
        told.push_str(&talk.said());
    }
    for line in [
        "question: Which actor played in both Inception and Interstellar?",
        "expansion 1: node 0",
        "node 14: answer: Michael Caine, 2 of 3 votes, below node 9",
        "node 14: value 1.00",
        "rejected: ~P31, 1 sample",
        "ended: the answer of node 14",
        "answered: Michael Caine (1.00)",
    ] {
        assert_eq!(told.lines().filter(|told| told.starts_with(line)).count(), 1, "{line}: {told}");
    }
}

#[test]
fn samples_are_kept_dropped_replaced_and_added_before_they_are_applied() {
    let mut talk = Talk::held();
    let asked = talk.said();
    assert!(asked.contains("Before it is applied") && asked.contains("3. chosen: answer: Leonardo DiCaprio, 1 vote"), "{asked}");
    assert!(talk.says("instead 9 THINK: x").contains("from 1 to 3"));
    assert!(talk.says("add nonsense").contains("write THINK: a thought"), "what can't be read says how it is written");
    assert!(talk.says("drop 3").starts_with("3. answer: Leonardo DiCaprio"));
    assert!(talk.says("instead 1 THINK: their own cast lists").contains("1. chosen: think: their own cast lists"));
    assert!(talk.says("add ANSWER: nobody").contains("4. chosen: answer: nobody, yours"));
    assert!(talk.says("note a guess").contains("the model reads: a guess"));
    let decided = talk.sends("apply");
    let [Command::Decide { rows, note: Some(note), .. }] = &decided[..] else { panic!("{decided:?}") };
    let kept: Vec<String> =
        rows.iter().filter_map(|row| if let Outcome::Kept(action) = &row.outcome { Some(action.token()) } else { None }).collect();
    assert_eq!(kept, ["T:their own cast lists", "X:look at the films", "A:nobody"]);
    assert_eq!(note, "a guess");
    // Paused from elsewhere in the middle of it: nothing is lost, and nothing typed means something else.
    let mut talk = Talk::held();
    talk.says("note a guess");
    let held = talk.live.proposal.take();
    talk.arrive();
    assert!(talk.says("apply").contains("these samples do not wait any more"));
    talk.live.proposal = held;
    talk.arrive();
    assert!(matches!(&talk.sends("apply")[..], [Command::Decide { note: Some(note), .. }] if note == "a guess"));
    // Left, they still wait, and are opened again.
    let mut talk = Talk::held();
    assert_eq!(talk.says(""), asked + "left\n");
    assert!(talk.says("intercept").contains("Before it is applied"));
    assert!(matches!(&talk.sends("off")[..], [Command::Do(Act::Intercept { states })] if states.is_empty()));
}

#[test]
fn the_person_as_the_model_writes_in_line() {
    let (mut talk, ask) = Talk::as_the_model();
    assert_eq!(talk.says(""), "left\n", "it was asked by itself");
    assert!(talk.says("open").contains("type the reply that is sample 1 of 3"));
    let reply = |slot: u32, text: &str| Command::Reply { ask, slot, text: text.into() };
    assert_eq!(talk.sends("THINK: one\\"), [], "it goes on");
    assert_eq!(talk.sends("and more"), [reply(0, "THINK: one\nand more")]);
    assert_eq!(talk.sends("* ANSWER: all"), [reply(1, "ANSWER: all"), reply(2, "ANSWER: all")]);
}

#[test]
fn the_start_page_lists_by_numbers() {
    let mut talk = Talk::on_start_page();
    let page = talk.says("start");
    for line in
        ["model: lexical", "1. Who directed Inception?", "2. the question of shipped", "3. the question of mine, just now, answered"]
    {
        assert!(page.contains(line), "{line}: {page}");
    }
    assert_eq!(talk.type_line("open 1").1, [Effect::Start("Who directed Inception?".into())]);
    assert_eq!(talk.type_line("2").1, [Effect::Open("/sessions/shipped.jsonl".into(), OpenHow::Replay)]);
    assert_eq!(talk.type_line("open 3").1, [Effect::Open("/sessions/mine.jsonl".into(), OpenHow::Replay)]);
    assert_eq!(talk.type_line("resume 3").1, [Effect::Open("/sessions/mine.jsonl".into(), OpenHow::Resume)]);
    assert!(talk.says("open 4").contains("from 1 to 3"));
    assert_eq!(talk.type_line("ask Who wrote Lady Susan?").1, [Effect::Start("Who wrote Lady Susan?".into())]);
    assert_eq!(talk.type_line("Who wrote Lady Susan?").1, [Effect::Start("Who wrote Lady Susan?".into())]);
    assert!(talk.says("why").contains("no session is open"));
    assert!(talk.says("hlep").contains("did you mean `help`"));
}

/// Lines that a person, a cat or an attacker may type.
fn any_line() -> impl Strategy<Value = String> {
    let names: Vec<String> = Control::ALL.iter().map(|control| control.spec().name.to_owned()).collect();
    let words = [
        "",
        "cancel",
        "back",
        "yes",
        "all",
        "none",
        "apply",
        "search Inception",
        "add 1",
        "drop 1",
        "replace 1",
        "instead",
        "value",
        "save",
    ];
    let words: Vec<String> = words
        .into_iter()
        .chain(["note x", "keep 1", "compute 1", "edit", "count P57", "go 5", "at 3", "wait", "ask", ":undo", "x\\"])
        .map(str::to_owned)
        .collect();
    let tail = prop_oneof![Just(String::new()), (0u32..30).prop_map(|n| format!(" {n}")), "[ -~]{0,12}", ".{0,12}"];
    prop_oneof![
        3 => (prop::sample::select(names), tail).prop_map(|(name, tail)| format!("{name}{tail}")),
        3 => (0u32..20).prop_map(|n| n.to_string()),
        3 => prop::sample::select(words),
        1 => ".{0,40}",
        1 => "\\PC{0,20}\u{1b}\\[2J",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// No line whatever panics or gets stuck, and nothing hostile is said.
    #[test]
    fn no_line_whatever_panics(lines in prop::collection::vec(any_line(), 1..24), limit in prop::sample::select(vec![1usize, 20, 60, 120, 10_000]), page in 0..5) {
        let mut talk = match page {
            0 => Talk::on_start_page(),
            1 => Talk::held(),
            2 => Talk::as_the_model().0,
            _ => Talk::at(&film(limit)),
        };
        for line in &lines {
            let (said, _) = talk.type_line(line);
            prop_assert!(!said.contains(|c| c != '\n' && is_unsafe(c)), "{said:?}");
            prop_assert!(talk.dialogue.is_idle(), "{line:?} is stuck");
        }
    }
}
