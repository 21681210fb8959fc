//! `r`: asking again. The runner is told exactly the right thing, templates are saved, and Escape leaves no trace.

use super::desk::{Desk, film};
use tree_of_traversals::asm::{Edit, Profile, Templates, Wording};
use tree_of_traversals::calls::PartKind;
use tree_of_traversals::runner::Command;
use tree_of_traversals::search::{Act, Again, By, Event, NodeId, OtherModel, Otherwise, State};
use tree_of_traversals::tui::app::Effect;
use tree_of_traversals::tui::{Other, PromptSaved};

fn sent_act(desk: &mut Desk) -> Act {
    let mut sent = desk.sent();
    match (sent.len(), sent.pop()) {
        (1, Some(Command::Do(act))) => act,
        other => panic!("{other:?}"),
    }
}

#[test]
fn new_samples_or_the_value_are_asked_for() {
    let world = film(usize::MAX);
    let mut desk = Desk::at(&world);
    desk.press("1 g r");
    let screen = desk.screen(120, 40);
    assert!(screen.contains("Ask again what comes next") && screen.contains("new samples, the prompt as it is"), "{screen}");
    assert!(!screen.contains("Tab:"), "the question has no value to ask for");
    desk.press("Enter");
    assert_eq!(sent_act(&mut desk), Act::again(NodeId(0), Again::Samples));
    desk.select(1);
    desk.press("r Tab");
    assert!(desk.screen(120, 40).contains("Ask again for its value"));
    desk.press("Enter");
    assert_eq!(sent_act(&mut desk), Act::again(NodeId(1), Again::Value));
    // Nothing follows an answer: only its value can be asked for.
    let answer = world.state.nodes.iter().find(|n| n.action.is_answer()).unwrap().id;
    desk.select(answer.0);
    desk.press("r");
    assert!(desk.screen(120, 40).contains("its value, the prompt as it is"));
    desk.press("Enter");
    assert_eq!(sent_act(&mut desk), Act::again(answer, Again::Value));
}

#[test]
fn a_text_is_edited_for_one_call() {
    let world = film(usize::MAX);
    let mut desk = Desk::at(&world);
    desk.press("1 g r Down Down Down Down Enter text:MORE Enter");
    let screen = desk.screen(120, 60);
    assert!(screen.contains("The prompt as it would be sent"), "{screen}");
    assert!(screen.contains("+ Answer only if the graph above shows the answer. If a fact is missing, expand.MORE"), "{screen}");
    assert!(screen.contains("  You answer questions by walking"), "what is as before is not marked: {screen}");
    desk.press("s");
    assert!(desk.screen(120, 60).contains("only a template can be saved"));
    desk.press("Enter");
    let act = sent_act(&mut desk);
    let Act::AskAgain { node: NodeId(0), what: Again::Samples, edits, .. } = &act else { panic!("{act:?}") };
    assert!(matches!(&edits[..], [Edit { part: PartKind::Task, with: Wording::Text(text) }] if text.ends_with("expand.MORE")), "{edits:?}");
    act.check(&world.state).unwrap();
    assert!(!desk.app.has_popup());
}

#[test]
fn a_template_is_edited_checked_filled_in_and_saved() {
    let world = film(usize::MAX);
    let mut desk = Desk::at(&world);
    desk.press("1 g r Down Down Down Down Down Enter");
    assert!(desk.screen(120, 60).contains("{% if think %}"), "the template, not what it is filled in to");
    desk.press("text:{{ Enter");
    assert!(desk.screen(120, 60).contains("prompt template `default`, line "), "a broken one goes no further");
    desk.press("Backspace Backspace text:{{graph|length}} Enter");
    let screen = desk.screen(120, 60);
    assert!(screen.contains("The prompt as it would be sent") && screen.contains("+ Answer only if"), "{screen}");
    desk.press("s");
    let effects = desk.app.take_effects();
    let [Effect::Save(save)] = &effects[..] else { panic!("{effects:?}") };
    assert!(save.name == "default" && save.text.ends_with("{{graph|length}}") && !save.replace);
    // A file is there already: only `y` replaces it.
    let path = std::path::PathBuf::from("/home/me/prompts/default.yaml");
    desk.app.saved(Ok(PromptSaved::Exists(path.clone())));
    assert!(desk.screen(120, 60).contains("/home/me/prompts/default.yaml is there already: y replaces it"));
    desk.press("n");
    assert!(desk.app.take_effects().is_empty());
    desk.press("s");
    desk.app.take_effects();
    desk.app.saved(Ok(PromptSaved::Exists(path.clone())));
    desk.press("y");
    let effects = desk.app.take_effects();
    assert!(matches!(&effects[..], [Effect::Save(save)] if save.replace), "{effects:?}");
    desk.app.saved(Ok(PromptSaved::Written { path, by_itself: false }));
    let screen = desk.screen(140, 60);
    assert!(screen.contains("used with --prompts /home/me/prompts, this session keeps its own"), "{screen}");
    desk.press("Enter");
    assert!(matches!(sent_act(&mut desk), Act::AskAgain { edits, .. } if matches!(&edits[..], [Edit { with: Wording::Template(_), .. }])));
}

#[test]
fn a_temperature_and_what_becomes_of_the_children_are_chosen_for_one_call() {
    let world = film(usize::MAX);
    let mut desk = Desk::at(&world);
    desk.press("1 g r");
    let screen = desk.screen(120, 40);
    assert!(screen.contains("1, as usual") && screen.contains("beside what is there; Enter: in the place of 2 children"), "{screen}");
    desk.press("Down Enter Backspace text:hot Enter");
    assert!(desk.screen(120, 40).contains("a temperature is a number from 0 to 2"));
    desk.press("Backspace Backspace Backspace text:0,4 Enter");
    assert!(desk.screen(120, 40).contains("0.4 for this call; 1 is usual"));
    desk.press("Down Down Enter");
    assert!(desk.screen(120, 40).contains("in the place of 2 children that nobody went on from"));
    desk.press("Up Up Up Enter");
    let replaces = world.state.replaceable(NodeId(0));
    let otherwise = Otherwise { temperature_milli: Some(400), replaces, ..Otherwise::default() };
    let asked = Act::AskAgain { node: NodeId(0), what: Again::Samples, edits: vec![], otherwise };
    assert_eq!(sent_act(&mut desk), asked);
    asked.check(&world.state).unwrap();
    // Done: what was replaced is marked in the tree, and the inspector says why.
    let mut world = world;
    let Act::AskAgain { otherwise: Otherwise { replaces, .. }, .. } = &asked else { panic!() };
    let gone = replaces[0];
    world.push(By::You, Event::Acted { act: tree_of_traversals::search::ActId(0), what: asked.clone() });
    let mut desk = Desk::at(&world);
    assert!(desk.screen(160, 50).contains("↻ "), "{}", desk.screen(160, 50));
    desk.select(gone.0);
    desk.press("3");
    for _ in 0..12 {
        if desk.screen(160, 60).contains("the new samples took its place") {
            return;
        }
        desk.press(".");
    }
    panic!("{}", desk.screen(160, 60));
}

#[test]
fn another_model_is_chosen_for_one_call_or_from_here_on() {
    let world = film(usize::MAX);
    let mut desk = Desk::at(&world);
    let other = |spec: &str, url: Option<&str>| Other { spec: spec.into(), url: url.map(Into::into), about: "on this machine".into() };
    desk.app.others(vec![other("fast", None), other("openai:m\u{1b}[2J", Some("http://127.0.0.1:9/v1"))]);
    desk.press("1 g r Down Down Enter");
    let screen = desk.screen(120, 40);
    assert!(screen.contains("script (a script, no model)") && screen.contains("asked now"), "{screen}");
    assert!(screen.contains("fast") && screen.contains("openai:m[2J") && !screen.contains('\u{1b}'), "{screen}");
    desk.press("Down Enter");
    assert!(desk.screen(120, 40).contains("fast: how long"));
    desk.press("Enter");
    assert!(desk.screen(120, 40).contains("fast for this call"));
    desk.press("Up Up Enter");
    let model = |spec: &str, url: Option<&str>| Box::new(OtherModel::named(spec, url.map(str::to_owned)));
    let asked = |model| {
        let otherwise = Otherwise { model: Some(model), ..Otherwise::default() };
        Act::AskAgain { node: NodeId(0), what: Again::Samples, edits: vec![], otherwise }
    };
    assert_eq!(sent_act(&mut desk), asked(model("fast", None)));
    // From here on: both acts name it, so that nothing is asked of another model when it can't be opened.
    desk.press("r Down Down Enter Down Down Enter Down Enter Up Up Enter");
    let there = || model("openai:m\u{1b}[2J", Some("http://127.0.0.1:9/v1"));
    assert_eq!(desk.sent(), [Command::Do(Act::Model(there())), Command::Do(asked(there()))]);
    // Typed: read where it is typed; nothing is asked again.
    desk.press("r Down Down Enter Up Enter text:opnai:x Enter");
    assert!(desk.screen(140, 40).contains("did you mean `openai`?"), "{}", desk.screen(140, 40));
    for _ in 0..7 {
        desk.press("Backspace");
    }
    desk.press("text:openai:x Enter Down Down Enter");
    assert_eq!(desk.sent(), [Command::Do(Act::Model(model("openai:x", None)))]);
    assert!(!desk.app.has_popup());
    // Escape leaves no trace.
    desk.press("r Down Down Enter Down Enter Escape Escape Escape");
    assert!(!desk.app.has_popup() && desk.app.take_effects().is_empty());
}

#[test]
fn header_and_inspector_say_which_model_answered() {
    let mut world = film(usize::MAX);
    let named = OtherModel { name: "openai:big".into(), service_model: "big".into(), ..OtherModel::named("openai:big", None) };
    let otherwise = Otherwise { model: Some(Box::new(named.clone())), ..Otherwise::default() };
    let ask = Act::AskAgain { node: NodeId(0), what: Again::Samples, edits: vec![], otherwise };
    world.push(By::You, Event::Acted { act: tree_of_traversals::search::ActId(0), what: ask });
    world.run(usize::MAX);
    let mut desk = Desk::at(&world);
    desk.press("1 g 3 z");
    let screen = desk.screen(160, 60);
    assert!(screen.contains("asked of openai:big") && screen.lines().next().unwrap().contains("script (a script, no model)"), "{screen}");
    world.push(By::You, Event::Acted { act: tree_of_traversals::search::ActId(1), what: Act::Model(Box::new(named)) });
    let mut desk = Desk::at(&world);
    assert!(desk.screen(160, 60).lines().next().unwrap().contains("openai:big"));
}

#[test]
fn escape_goes_back_step_by_step_and_leaves_no_trace() {
    let mut desk = Desk::at(&film(usize::MAX));
    desk.press("1 g r Down Down Down Down Enter text:x Escape");
    assert!(desk.screen(120, 40).contains("new samples, the prompt as it is"), "what was typed is forgotten");
    desk.press("Down Down Down Down Enter text:x Enter Escape");
    assert!(desk.screen(120, 40).contains("with 1 edited part"));
    desk.press("Escape");
    assert!(!desk.app.has_popup() && desk.app.take_effects().is_empty());
}

#[test]
fn no_size_breaks_the_flow() {
    for (width, height) in [(1, 1), (20, 5), (40, 10), (79, 24), (200, 60)] {
        let mut desk = Desk::at(&film(usize::MAX));
        for keys in ["1", "g", "r", "Down", "Enter", "text:1", "Enter", "Down", "Down", "Enter", "text:x", "Enter", "s", "Escape", "Escape"]
        {
            desk.press(keys);
            desk.screen(width, height);
        }
    }
}

#[test]
fn the_inspector_marks_what_changed_and_whose_words_they_are() {
    let mut world = film(usize::MAX);
    let node = world.state.nodes.iter().find(|n| n.action.token() == "X:look at the films").unwrap().id;
    let edits = vec![Edit { part: PartKind::Task, with: Wording::Text("Mine.".into()) }];
    let what = Act::AskAgain { node: NodeId(0), what: Again::Samples, edits, otherwise: Default::default() };
    what.check(&world.state).unwrap();
    world.push(By::You, Event::Acted { act: tree_of_traversals::search::ActId(0), what });
    world.run(usize::MAX);
    let mut desk = Desk::at(&world);
    desk.press("1 g 3 z");
    let screen = desk.screen(130, 70);
    assert!(screen.contains("asked by you") && screen.contains("▌ task  ✎ worded by you, for this call"), "{screen}");
    assert!(screen.contains("+ Mine.") && screen.contains("▌ local graph  (filled in) · as before"), "{screen}");
    desk.press("z");
    desk.select(node.0);
    desk.press("3 z");
    // Its value was asked for: the first prompt of that kind on the walk has nothing to differ from.
    assert!(!desk.screen(130, 70).contains("as before"));
}

#[test]
fn parts_from_an_overlay_are_named() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("mine.yaml"), "default: |\n  # TASK: default\n  Mine.\n").unwrap();
    let mut world = film(usize::MAX);
    let templates = Templates::load(Profile::Default, dir.path()).unwrap();
    if let Event::Started(started) = &mut world.entries[0].ev {
        started.templates = templates;
    }
    world.state = State::from_entries(&world.entries).unwrap();
    let mut desk = Desk::at(&world);
    desk.press("1 g 3 z");
    assert!(desk.screen(130, 70).contains("▌ task  ✎ default, from your prompts"));
}
