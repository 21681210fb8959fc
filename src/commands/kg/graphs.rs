//! The graphs that a command asks: several at once, and those that are down are said and left out.

use super::Common;
use super::table::{Row, Shown, shown};
use crate::calls::{CallError, CallErrorKind, KgReply};
use crate::commands::UsageError;
use crate::commands::setup::{kg_settings, open_kgs};
use crate::config::Config;
use crate::graph::{EntityId, KgName};
use crate::kg::{KgSettings, KnowledgeGraph, Status};
use crate::text::one_line;
use serde_json::json;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

type Graph = (KgName, Arc<dyn KnowledgeGraph>);

/// The open graphs.
pub(super) struct Graphs {
    graphs: Vec<Graph>,
    /// How many were named: a name may stand for two.
    named: usize,
    remarks: Vec<String>,
}

/// The graphs that `--kg` names, else those of the configuration, else the demo graph.
pub(in crate::commands) fn wanted(given: &[String], config: &Config) -> Vec<String> {
    match (given, &*config.kg) {
        ([], []) => vec!["demo".to_owned()],
        ([], configured) => configured.to_vec(),
        (given, _) => given.to_vec(),
    }
}

impl Graphs {
    pub(super) async fn open(common: &Common) -> anyhow::Result<Self> {
        let config = Config::load()?;
        let terminal = io::stderr().is_terminal();
        let status = terminal.then(|| Arc::new(|line: String| eprint!("\r\u{1b}[K{}", one_line(&line))) as Status);
        let settings = kg_settings(&config, &common.flags, status);
        let specs = wanted(&common.kg, &config);
        let opened = open(&specs, &config, &settings).await;
        if terminal {
            eprint!("\r\u{1b}[K");
        }
        let (graphs, mut remarks) = opened?;
        remarks.extend(graphs.iter().flat_map(|(_, kg)| kg.remarks()));
        Ok(Self { graphs, named: specs.len(), remarks })
    }

    /// Those of `ids` that `graph` may know: one that begins with the name of another open graph is that one's own.
    fn known_to(&self, graph: &KgName, ids: &[EntityId]) -> Vec<EntityId> {
        let owner = |id: &EntityId| self.graphs.iter().find(|(name, _)| id.strip_prefix(&**name).is_some_and(|rest| rest.starts_with(':')));
        ids.iter().filter(|id| owner(id).is_none_or(|(name, _)| name == graph)).cloned().collect()
    }

    /// What `ask` gets about `ids` from every graph that may know some of them, side by side; without ids, from all. The
    /// failure of one is a remark as long as another answers.
    pub(super) async fn each<T, F: Future<Output = Result<T, CallError>>>(
        &mut self,
        ids: &[EntityId],
        ask: impl Fn(Arc<dyn KnowledgeGraph>, Vec<EntityId>) -> F,
    ) -> anyhow::Result<Vec<(KgName, T)>> {
        let asked = self.graphs.iter().map(|(name, kg)| (name, kg, self.known_to(name, ids)));
        let asked: Vec<_> = asked.filter(|(_, _, known)| ids.is_empty() || !known.is_empty()).collect();
        let names: Vec<KgName> = asked.iter().map(|(name, ..)| Arc::clone(name)).collect();
        let answers = futures_util::future::join_all(asked.into_iter().map(|(_, kg, known)| ask(Arc::clone(kg), known))).await;
        let mut good = Vec::new();
        let mut first = None;
        for (name, answer) in names.into_iter().zip(answers) {
            match answer {
                Ok(answer) => good.push((name, answer)),
                Err(error) => {
                    // Of the graphs that one name stands for, one may not know the ids of another.
                    if self.named > 1 || error.kind != CallErrorKind::Refused {
                        self.remarks.push(format!("{name} is left out: {error}"));
                    }
                    first.get_or_insert(error);
                }
            }
        }
        match first {
            Some(error) if good.is_empty() => Err(error.into()),
            _ => Ok(good),
        }
    }

    /// The rows of every graph below each other, with a column that names the graph when several were named or have rows.
    pub(super) fn shown(self, json: bool, header: &[&str], parts: Vec<(KgName, Vec<Row>)>, more: Vec<String>) -> Shown {
        let filled = parts.iter().filter(|(_, rows)| !rows.is_empty()).count();
        let several = self.named > 1 || filled > 1;
        let header: Vec<&str> = several.then_some("kg").into_iter().chain(header.iter().copied()).collect();
        let rows = parts.into_iter().flat_map(|(kg, rows)| {
            rows.into_iter().map(move |(mut object, mut cells)| {
                if several {
                    object["kg"] = json!(kg);
                    cells.insert(0, kg.to_string());
                }
                (object, cells)
            })
        });
        let mut remarks = self.remarks;
        remarks.extend(more);
        shown(json, &header, rows.collect(), remarks)
    }

    /// The graphs themselves.
    pub(super) fn all(&self) -> &[Graph] {
        &self.graphs
    }
}

/// Opens all; when that fails for one of several, the others.
async fn open(specs: &[String], config: &Config, settings: &KgSettings) -> anyhow::Result<(Vec<Graph>, Vec<String>)> {
    let graphs = |opened: Vec<(KgName, String, Arc<dyn KnowledgeGraph>)>| opened.into_iter().map(|(name, _, kg)| (name, kg)).collect();
    let error = match open_kgs(specs, config, settings, &mut Vec::new()).await {
        Ok(opened) => return Ok((graphs(opened), Vec::new())),
        Err(error) => error,
    };
    if specs.len() < 2 || error.is::<UsageError>() {
        return Err(error);
    }
    let (mut usable, mut remarks) = (Vec::new(), Vec::new());
    for spec in specs {
        match open_kgs(std::slice::from_ref(spec), config, settings, &mut Vec::new()).await {
            Ok(_) => usable.push(spec.clone()),
            Err(error) => remarks.push(format!("left out: {error:#}")),
        }
    }
    if usable.is_empty() {
        return Err(error);
    }
    Ok((graphs(open_kgs(&usable, config, settings, &mut Vec::new()).await?), remarks))
}

/// What a graph remarked on a reply, and how old one from the cache is.
pub(super) fn remarks(json: bool, replies: &[&KgReply]) -> Vec<String> {
    let mut remarks: Vec<String> = replies.iter().flat_map(|reply| &reply.notes).cloned().collect();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let oldest = replies.iter().filter_map(|reply| reply.cached_at).min();
    if let Some(oldest) = oldest.filter(|_| !json) {
        remarks.push(format!("from the cache, {}; --fresh asks again", crate::cache::age(now.saturating_sub(oldest / 1000))));
    }
    remarks
}
