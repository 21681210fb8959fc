//! throwaway
use clap::Parser;
use std::path::Path;
use tree_of_traversals::commands::{
    options::SearchOptions,
    setup::{Workshop, new_journal},
};
use tree_of_traversals::config::Config;
use tree_of_traversals::runner::*;
use tree_of_traversals::tui::*;
#[derive(Parser)]
struct A {
    question: Option<String>,
    #[command(flatten)]
    s: SearchOptions,
    #[arg(long)]
    paused: bool,
    #[arg(long)]
    theme: Option<String>,
    #[arg(long)]
    replay: Option<std::path::PathBuf>,
}
struct H {
    a: A,
    rt: tokio::runtime::Runtime,
}
impl Host for H {
    fn start(&self, q: &str) -> Result<Connection, String> {
        self.rt.block_on(async {
            let w = Workshop::open(&self.a.s, &Config::load().unwrap(), None).await.map_err(|e| e.to_string())?;
            let (name, journal, _) = new_journal(None).map_err(|e| e.to_string())?;
            let e = w.equipment(&w.strategy, if self.a.paused { Pace::Paused } else { Pace::Run }, true).map_err(|e| e.to_string())?;
            let h = launch(Setup::New { started: Box::new(w.started(q)), journal, name }, e).map_err(|e| e.to_string())?;
            Ok(Connection { snapshots: h.snapshots, commands: h.commands })
        })
    }
    fn open(&self, p: &Path, _: OpenHow) -> Result<Connection, String> {
        self.rt.block_on(async {
            let w = Workshop::open(&self.a.s, &Config::load().unwrap(), None).await.map_err(|e| e.to_string())?;
            let r = tree_of_traversals::session::read(p).map_err(|e| e.to_string())?;
            let e = w.equipment(&w.strategy, Pace::Paused, true).map_err(|e| e.to_string())?;
            let h = launch(Setup::Replay { recording: Box::new(r) }, e).map_err(|e| e.to_string())?;
            Ok(Connection { snapshots: h.snapshots, commands: h.commands })
        })
    }
    fn samples(&self) -> Vec<SampleQuestion> {
        vec![
            SampleQuestion {
                question: "Which actor played in both Inception and Interstellar?".into(),
                kind: "intersection".into(),
                hops: 2,
            },
            SampleQuestion { question: "Who directed Inception?".into(), kind: "simple".into(), hops: 1 },
        ]
    }
    fn sessions(&self) -> Vec<SessionInfo> {
        vec![SessionInfo {
            path: "x".into(),
            question: "Who wrote Lady Susan?".into(),
            when: "today".into(),
            outcome: "answered: Jane Austen".into(),
            note: "lexical".into(),
        }]
    }
    fn recorded(&self) -> Vec<SessionInfo> {
        vec![]
    }
    fn status(&self) -> Vec<Status> {
        vec![
            Status { what: "demo".into(), light: Light::Ready, line: "built-in graph, 900 facts".into() },
            Status { what: "wikidata".into(), light: Light::Unreachable, line: "no connection: check the network".into() },
            Status { what: "lexical".into(), light: Light::Ready, line: "built in, no neural network".into() },
        ]
    }
    fn model_line(&self) -> String {
        "lexical: built in, no neural network".into()
    }
}
fn main() {
    let a = A::parse();
    let h = H { rt: tokio::runtime::Runtime::new().unwrap(), a };
    let first = if let Some(p) = &h.a.replay {
        First::Session(h.open(p, OpenHow::Replay).unwrap())
    } else {
        match &h.a.question {
            Some(q) => First::Session(h.start(q).unwrap()),
            None => First::StartPage,
        }
    };
    if let Err(e) = run(first, &h, Options { theme: h.a.theme.clone(), ..Default::default() }) {
        eprintln!("{e:#}");
        std::process::exit(2)
    }
}
