//! `tot show`: a session as text or JSON, without model or KG.

use super::setup::session_path;
use super::{Status, report};
use crate::calls::AskId;
use crate::graph::{Edge, LocalGraph};
use crate::search::why::{self, Sentence};
use crate::search::{NodeId, Seq, State, Trace, spent_words};
use crate::session::{Descent, Supply, Timeline, read};
use crate::text::{clean, one_line, printable_json};
use clap::Args;
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::io::Write;

/// `tot show`
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// A session file, or its name in the sessions folder
    pub session: String,
    /// Print one JSON object, as `tot ask --json` does (with --facts or --why: those)
    #[arg(long)]
    pub json: bool,
    /// Print the facts that answers rest on, each with the call that brought it, the nodes whose prompts showed it, and those
    /// answers
    #[arg(long)]
    pub facts: bool,
    /// Print for every node, and for the end, why: why it was chosen, what was next best, what would have had to differ
    #[arg(long, conflicts_with = "facts")]
    pub why: bool,
}

/// Prints a session.
///
/// # Errors
/// A file that is no session, or a closed output.
pub fn run(args: &ShowArgs) -> anyhow::Result<Status> {
    let path = session_path(&args.session);
    let recording = read(&path)?;
    if let Some(note) = recording.note() {
        let _ = writeln!(std::io::stderr(), "{note}");
    }
    anyhow::ensure!(recording.state.started.is_some(), "{}: the session is empty", path.display());
    let state = &recording.state;
    let session = path.display().to_string();
    let elapsed = match (recording.entries.first(), recording.entries.last()) {
        (Some(first), Some(last)) => last.at.saturating_sub(first.at),
        _ => 0,
    };
    let mut out = std::io::stdout().lock();
    if args.why {
        let (timeline, _) = Timeline::of(recording.entries.iter().map(|entry| (**entry).clone()))?;
        let before = |entry: Seq| timeline.state_at(entry).ok();
        let text = if args.json {
            printable_json(&why_json(state, &session, &before).to_string()).into_owned() + "\n"
        } else {
            why_text(state, &before)
        };
        write!(out, "{}", clean(&text))?;
        return Ok(Status::Ok);
    }
    let descent = Descent::of(&recording.header, &recording.entries);
    match (args.facts, args.json) {
        (true, true) => writeln!(out, "{}", printable_json(&facts_json(state, &session).to_string()))?,
        (true, false) => write!(out, "{}", clean(&facts(state)))?,
        (false, true) => {
            let mut object = report::json(state, &session, elapsed);
            if descent.parent.is_some() {
                object["fork"] = fork_json(&descent);
            }
            writeln!(out, "{}", printable_json(&object.to_string()))?;
        }
        (false, false) => whole(&mut out, state, &descent)?,
    }
    Ok(Status::Ok)
}

/// Of a fork: its parent, what was said of it, and which replies came from where.
fn fork_json(descent: &Descent) -> Json {
    let taken = descent.taken();
    json!({
        "parent": descent.parent.map(|(parent, _)| parent),
        "after_event": descent.after(),
        "why": descent.note.why,
        "expected": descent.note.expected,
        "recorded_replies": taken.recorded,
        "live_replies": taken.live,
        "live_since_event": taken.live_since,
    })
}

/// What it was forked from, tree, answer, warnings and what was spent.
fn whole(out: &mut impl Write, state: &State, descent: &Descent) -> std::io::Result<()> {
    if let Some(words) = descent.words(Supply::Over) {
        writeln!(out, "{words}\n")?;
    }
    writeln!(out, "{}", clean(&report::tree(state)))?;
    match (state.finished.as_deref(), state.halted.as_deref()) {
        (Some((end, _)), None) => writeln!(out, "{}{}", clean(&report::answer(state)), one_line(&end.why))?,
        (_, Some(halt)) => writeln!(
            out,
            "{}the search stands still here: {}; go on with `tot resume` or `tot ask --resume`",
            clean(&report::answer(state)),
            one_line(&halt.why)
        )?,
        (None, None) => writeln!(out, "the search was left here: go on with `tot resume` or `tot ask --resume`")?,
    }
    let warnings = report::warnings(state);
    if !warnings.is_empty() {
        write!(out, "\n{}", clean(&warnings))?;
    }
    writeln!(out, "\n{}", clean(&spent_words(state)))
}

/// A paragraph for every node, for the end, and for a halt.
fn why_text(state: &State, before: &dyn Fn(Seq) -> Option<State>) -> String {
    let mut out = String::new();
    for node in &state.nodes {
        let _ = writeln!(out, "node {}: {}", node.id.0, report::label(state, node.id));
        let _ = writeln!(out, "  {}\n", paragraph(&why::node(state, node.id, before)));
    }
    for (name, sentences) in [("why it ended", why::at_end(state, before)), ("why it stands still", why::at_halt(state))] {
        if !sentences.is_empty() {
            let _ = writeln!(out, "{name}:\n  {}", paragraph(&sentences));
        }
    }
    out
}

fn why_json(state: &State, session: &str, before: &dyn Fn(Seq) -> Option<State>) -> Json {
    let texts = |sentences: Vec<Sentence>| sentences.into_iter().map(|sentence| sentence.text).collect::<Vec<_>>();
    let nodes: Vec<Json> = state
        .nodes
        .iter()
        .map(|node| json!({ "node": node.id, "path": state.path_text(node.id), "why": texts(why::node(state, node.id, before)) }))
        .collect();
    json!({ "session": session, "nodes": nodes, "end": texts(why::at_end(state, before)), "halt": texts(why::at_halt(state)) })
}

fn paragraph(sentences: &[Sentence]) -> String {
    sentences.iter().map(|sentence| one_line(&sentence.text)).collect::<Vec<_>>().join(" ")
}

/// The facts of all answers with their traces.
fn traced(state: &State) -> Vec<(NodeId, LocalGraph, Edge, Trace)> {
    let with_trace = |(at, edge): (NodeId, Edge)| {
        let trace = state.trace(&edge, at);
        (at, state.graph(at), edge, trace)
    };
    state.evidence_facts().into_iter().map(with_trace).collect()
}

fn facts(state: &State) -> String {
    let all = traced(state);
    if all.is_empty() {
        let said = if state.answers().is_empty() { "there is no answer" } else { "no answer is named by a fact of the graph" };
        return format!("no facts: {said}\n");
    }
    let mut out = String::new();
    for (place, graph, edge, trace) in all {
        let _ = writeln!(out, "{}  ({}, {} {})", graph.sentence(&edge), edge.kg, one_line(&edge.s), one_line(&edge.r));
        for act in state.corrected_by(place, &edge) {
            let _ = state.corrected_words(place, act).map(|words| writeln!(out, "  {words}"));
        }
        let _ = match trace.brought_by {
            Some((node, ask)) => writeln!(out, "  brought by node {} (call {}, {})", node.0, ask.0, came_from(state, ask)),
            None => writeln!(out, "  no call of this session brought it"),
        };
        let at = numbers(&trace.nodes);
        let _ = match trace.prompts.len() {
            0 => writeln!(out, "  shown to the model in no prompt"),
            1 => writeln!(out, "  shown to the model in 1 prompt, about node {at}"),
            n => writeln!(out, "  shown to the model in {n} prompts, about {} {at}", if trace.nodes.len() == 1 { "node" } else { "nodes" }),
        };
        match trace.before.len() {
            0 => {}
            n => {
                let (them, was) = if n == 1 { ("it", "was") } else { ("them", "were") };
                let _ = writeln!(out, "  {n} of {them} {was} sent before the correction, with the old label");
            }
        }
        for answer in &trace.answers {
            let value = state.value(*answer).known().map_or_else(|| "unknown".to_owned(), |v| v.to_string());
            let _ = writeln!(out, "  node {} rests on it: {}, value {value}", answer.0, report::label(state, *answer));
        }
    }
    out
}

fn came_from(state: &State, ask: AskId) -> String {
    state.ask(ask).map_or_else(String::new, crate::search::Ask::came_from)
}

fn numbers(nodes: &[NodeId]) -> String {
    nodes.iter().map(|node| node.0.to_string()).collect::<Vec<_>>().join(", ")
}

fn facts_json(state: &State, session: &str) -> Json {
    let row = |(at, graph, edge, trace): (NodeId, LocalGraph, Edge, Trace)| {
        json!({
            "fact": report::evidence(&edge),
            "text": graph.sentence(&edge),
            "kg": edge.kg,
            "at": at,
            "brought_by": trace.brought_by.map(|(node, ask)| json!({ "node": node, "call": ask, "from": came_from(state, ask) })),
            "corrected": state.corrected_by(at, &edge).into_iter().filter_map(|act| state.corrected_words(at, act)).collect::<Vec<_>>(),
            "prompts": trace.prompts,
            "prompts_before_correction": trace.before,
            "nodes": trace.nodes,
            "answers": trace.answers,
        })
    };
    json!({ "session": session, "question": state.started().question, "facts": traced(state).into_iter().map(row).collect::<Vec<_>>() })
}
