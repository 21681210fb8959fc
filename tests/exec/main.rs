//! Graphs behind a program: the example that comes with it, and programs that misbehave.

mod ending;
mod example;
mod wrong;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tree_of_traversals::calls::{CallError, KgOp, KgReply};
use tree_of_traversals::graph::{Direction, EntityId};
use tree_of_traversals::kg::{KgProfile, KgSettings, KgSpec, KnowledgeGraph, open_all};

/// The graph `museum` behind `command`.
async fn museum(command: &str, settings: &KgSettings) -> Arc<dyn KnowledgeGraph> {
    let spec = KgSpec::Exec(command.to_owned());
    let opened = open_all(vec![(Some("museum".to_owned()), KgProfile::default(), spec)], settings).await.unwrap();
    opened[0].kg.clone()
}

/// The graph behind a Python program that greets with `ok` and then does `body` with each `line`, its `ask` and its `id`.
async fn python(folder: &Path, ok: &str, body: &str, settings: &KgSettings) -> Arc<dyn KnowledgeGraph> {
    let program = format!(
        "import json, os, signal, sys, time\n\
         out = lambda text: (sys.stdout.write(text), sys.stdout.flush())\n\
         for line in sys.stdin:\n    \
             ask = json.loads(line)\n    \
             id = ask['id']\n    \
             if ask['op'] == 'hello':\n        \
                 out(json.dumps({{'id': id, 'ok': {ok}}}) + '\\n')\n        \
                 continue\n\
         {}\n",
        body.lines().map(|line| format!("    {line}\n")).collect::<String>()
    );
    let path = folder.join("graph.py");
    std::fs::write(&path, program).unwrap();
    museum(&format!("exec python3 {}", path.display()), settings).await
}

fn within(seconds: f32) -> KgSettings {
    let mut settings = KgSettings::default();
    settings.http.client.total = Duration::from_secs_f32(seconds);
    settings
}

fn patient() -> KgSettings {
    within(60.0)
}

async fn search(kg: &dyn KnowledgeGraph, mention: &str) -> Result<KgReply, CallError> {
    kg.perform(None, KgOp::Search { mention: mention.into(), limit: 10 }).await
}

fn edges_op(of: &[&str], relation: &str, direction: Direction, cap: u32, offset: u32) -> KgOp {
    let entities = of.iter().map(|id| EntityId::from(*id)).collect();
    KgOp::Edges { entities, relation: relation.into(), direction, cap, offset, all_ranks: false }
}
