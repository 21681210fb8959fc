//! `tot kg`: ask knowledge graphs from the shell.
//!
//! `graphs` opens them and asks all at once, `rows` and `table` show what they answer, `count` and `kept` are commands.

mod count;
mod graphs;
mod kept;
mod rows;
mod table;

use super::Status;
use super::doctor::{self, Health};
use super::options::KgFlags;
use crate::calls::{CallError, Filter, KgData, KgOp, KgReply};
use crate::graph::{Direction, EntityId, KgName};
use crate::kg::KnowledgeGraph;
use crate::text::one_line;
use graphs::{Graphs, remarks};
use serde_json::json;
use std::io::{self, Write};
use std::sync::Arc;
use table::{Row, Shown, shown};

pub(super) use graphs::wanted;

/// Ask knowledge graphs.
#[derive(clap::Args, Debug)]
pub struct KgArgs {
    #[command(subcommand)]
    ask: Ask,
}

#[derive(clap::Subcommand, Debug)]
enum Ask {
    /// Entities by label or alias
    Search {
        /// The name to look for
        #[arg(required = true)]
        text: Vec<String>,
        /// Candidates at most, of each graph
        #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
        #[command(flatten)]
        common: Common,
    },
    /// The relations that leave entities (out) and lead to them (in)
    Relations {
        /// The entities together
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Relations at most, in each direction
        #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
        /// Also those that lead to identifiers in other databases
        #[arg(long)]
        identifiers: bool,
        #[command(flatten)]
        common: Common,
    },
    /// The facts of entities over one relation, with what their statements say besides
    Edges {
        /// The entities
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// The relation, such as P161 (~P161 is the reverse) or an IRI
        #[arg(long, short)]
        relation: String,
        /// Walk the relation from object to subject
        #[arg(long)]
        reverse: bool,
        #[command(flatten)]
        page: Page,
        /// Statements of every rank, not only those of the best one
        #[arg(long)]
        all_ranks: bool,
        #[command(flatten)]
        common: Common,
    },
    /// Label and description of entities
    Describe {
        /// The entities
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        #[command(flatten)]
        common: Common,
    },
    /// How many facts entities have over one relation, counted in the graph
    Count {
        /// The entities
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// The relation, such as P161 (~P161 is the reverse) or an IRI
        #[arg(long, short)]
        relation: String,
        /// Walk the relation from object to subject
        #[arg(long)]
        reverse: bool,
        /// Only far ends for which this holds, such as "P2044 > 3500" (repeatable: all have to hold)
        #[arg(long = "where", value_name = "CONDITION", value_parser = count::filter)]
        filters: Vec<Filter>,
        #[command(flatten)]
        common: Common,
    },
    /// Whether graphs can be used now
    Check {
        #[command(flatten)]
        common: Common,
    },
    /// Replies that are kept on disk
    Cache {
        /// Forget them: those of this graph, or all
        #[arg(long, value_name = "KG")]
        clear: Option<Option<String>>,
        /// One JSON array instead of a table
        #[arg(long)]
        json: bool,
    },
}

#[derive(clap::Args, Clone, Copy, Debug)]
struct Page {
    /// Facts at most, for each entity
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Skip so many facts of each entity
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
    /// The N-th page of --limit facts
    #[arg(long, value_name = "N", conflicts_with = "offset", value_parser = clap::value_parser!(u32).range(1..))]
    page: Option<u32>,
}

impl Page {
    fn skipped(self) -> u32 {
        self.page.map_or(self.offset, |page| (page - 1).saturating_mul(self.limit))
    }
}

#[derive(clap::Args, Debug)]
struct Common {
    /// A knowledge graph: demo, wikidata, musicbrainz, file:PATH, sparql:URL, exec:COMMAND or a name from the config (repeatable)
    #[arg(long, value_name = "SPEC")]
    kg: Vec<String>,
    #[command(flatten)]
    flags: KgFlags,
    /// One JSON array instead of a table
    #[arg(long)]
    json: bool,
}

/// Runs `tot kg`: results on standard output, remarks on standard error.
///
/// # Errors
/// One sentence, when no graph can be opened or asked, or the output cannot be written.
pub async fn run(args: KgArgs) -> anyhow::Result<Status> {
    let shown = match args.ask {
        Ask::Search { text, limit, common } => search(text.join(" "), limit, &common).await?,
        Ask::Relations { ids, limit, identifiers, common } => relations(ids, limit, identifiers, &common).await?,
        Ask::Edges { ids, relation, reverse, page, all_ranks, common } => edges(ids, &relation, reverse, page, all_ranks, &common).await?,
        Ask::Describe { ids, common } => describe(ids, &common).await?,
        Ask::Count { ids, relation, reverse, filters, common } => count::run(&named(ids), &relation, reverse, &filters, &common).await?,
        Ask::Check { common } => check(&common).await?,
        Ask::Cache { clear, json } => {
            tokio::task::spawn_blocking(move || kept::run(clear.as_ref().map(Option::as_deref), json, false)).await??
        }
    };
    print(shown)
}

/// `tot cache`: what is kept of graphs and models, or forgetting it.
///
/// # Errors
/// One sentence, when a file can't be used or the output cannot be written.
pub(super) fn cache(clear: Option<&Option<String>>, json: bool) -> anyhow::Result<Status> {
    print(kept::run(clear.map(Option::as_deref), json, true)?)
}

/// Prints rows on standard output and remarks on standard error.
fn print(shown: Shown) -> anyhow::Result<Status> {
    let mut out = io::stdout().lock();
    out.write_all(shown.out.as_bytes())?;
    out.flush()?;
    for remark in shown.remarks {
        let _ = writeln!(io::stderr(), "{}", one_line(&remark));
    }
    Ok(if shown.failed { Status::Error } else { Status::Ok })
}

fn named(ids: Vec<String>) -> Vec<EntityId> {
    ids.into_iter().map(EntityId::from).collect()
}

/// A relation as it is written, `~P57` for the reverse.
fn turned(relation: &str, reverse: bool) -> (&str, Direction) {
    let (relation, tilde) = relation.strip_prefix('~').map_or((relation, false), |relation| (relation, true));
    (relation, if reverse || tilde { Direction::In } else { Direction::Out })
}

/// Asks every graph the same about the ids that it may know.
async fn ask(graphs: &mut Graphs, ids: &[EntityId], op: impl Fn(Vec<EntityId>) -> KgOp) -> anyhow::Result<Vec<(KgName, KgReply)>> {
    graphs.each(ids, |kg, ids| kg.perform(None, op(ids))).await
}

async fn search(mention: String, limit: u32, common: &Common) -> anyhow::Result<Shown> {
    let mut graphs = Graphs::open(common).await?;
    let (mut parts, mut more) = (Vec::new(), Vec::new());
    for (name, reply) in ask(&mut graphs, &[], |_| KgOp::Search { mention: mention.clone(), limit }).await? {
        let KgData::Candidates(candidates) = &reply.data else { anyhow::bail!("{name} gave no candidates") };
        parts.push((name, candidates.iter().map(rows::candidate).collect()));
        more.extend(remarks(common.json, &[&reply]));
    }
    Ok(graphs.shown(common.json, &["id", "label", "description"], parts, more))
}

async fn describe(ids: Vec<String>, common: &Common) -> anyhow::Result<Shown> {
    let mut graphs = Graphs::open(common).await?;
    let (mut parts, mut more) = (Vec::new(), Vec::new());
    for (name, reply) in ask(&mut graphs, &named(ids), |ids| KgOp::Describe { ids }).await? {
        let KgData::Entities(entities) = &reply.data else { anyhow::bail!("{name} gave no entities") };
        // A graph that knows nothing of an id may say just that.
        let known = entities.iter().filter(|e| e.label.is_some() || e.description.is_some() || !e.also.is_empty());
        parts.push((name, known.map(rows::entity).collect()));
        more.extend(remarks(common.json, &[&reply]));
    }
    Ok(graphs.shown(common.json, &["id", "label", "description"], parts, more))
}

async fn both_ways(kg: Arc<dyn KnowledgeGraph>, entities: Vec<EntityId>, limit: u32) -> Result<(KgReply, KgReply), CallError> {
    let ask = |direction| kg.perform(None, KgOp::Relations { entities: entities.clone(), direction, limit });
    futures_util::future::try_join(ask(Direction::Out), ask(Direction::In)).await
}

async fn relations(ids: Vec<String>, limit: u32, identifiers: bool, common: &Common) -> anyhow::Result<Shown> {
    let mut graphs = Graphs::open(common).await?;
    let mut hidden = 0;
    let (mut parts, mut more) = (Vec::new(), Vec::new());
    for (name, (out, into)) in graphs.each(&named(ids), |kg, ids| both_ways(kg, ids, limit)).await? {
        let mut list: Vec<Row> = Vec::new();
        for reply in [&out, &into] {
            let KgData::Relations(relations) = &reply.data else { anyhow::bail!("{name} gave no relations") };
            let (hide, show): (Vec<_>, Vec<_>) = relations.iter().partition(|relation| relation.identifier && !identifiers);
            hidden += hide.len();
            list.extend(show.into_iter().map(rows::relation));
        }
        parts.push((name, list));
        more.extend(remarks(common.json, &[&out, &into]));
    }
    if hidden > 0 && !common.json {
        more.push(format!("relations to identifiers that are hidden: {hidden}; --identifiers shows them"));
    }
    Ok(graphs.shown(common.json, &["relation", "direction", "count", "label"], parts, more))
}

async fn edges(ids: Vec<String>, relation: &str, reverse: bool, page: Page, all_ranks: bool, common: &Common) -> anyhow::Result<Shown> {
    let mut graphs = Graphs::open(common).await?;
    let (relation, direction) = turned(relation, reverse);
    let (cap, offset) = (page.limit, page.skipped());
    let op = |entities| KgOp::Edges { entities, relation: relation.into(), direction, cap, offset, all_ranks };
    let (mut parts, mut more, mut cuts) = (Vec::new(), Vec::new(), Vec::new());
    for (name, reply) in ask(&mut graphs, &named(ids), op).await? {
        let KgData::Edges(list) = &reply.data else { anyhow::bail!("{name} gave no edges") };
        parts.push((name, list.edges.iter().map(|edge| rows::edge(list, edge, direction, &reply)).collect::<Vec<Row>>()));
        more.extend(remarks(common.json, &[&reply]));
        let next = match page.page {
            Some(page) => format!("--page {} goes on", page + 1),
            None if page.offset > 0 => format!("--offset {} goes on", page.offset.saturating_add(page.limit)),
            None => "--limit N shows more".to_owned(),
        };
        cuts.extend(list.partial.iter().map(|p| format!("{}: {} shown; {next}", p.entity, rows::cut_text(p.shown, p.of))));
    }
    if !common.json {
        more.extend(cuts);
    }
    let mut header = vec!["subject", "relation", "object", "notes"];
    if parts.iter().flat_map(|(_, rows)| rows).all(|(_, cells)| cells[3].is_empty()) {
        header.pop();
        parts.iter_mut().flat_map(|(_, rows)| rows).for_each(|(_, cells)| cells.truncate(3));
    }
    Ok(graphs.shown(common.json, &header, parts, more))
}

async fn check(common: &Common) -> anyhow::Result<Shown> {
    let graphs = Graphs::open(common).await?;
    let checks = graphs.all().iter().map(|(_, kg)| doctor::check_kg(Arc::clone(kg)));
    let results = futures_util::future::join_all(checks).await;
    let failed = results.iter().any(|health| health.state == Health::Fails);
    let rows = graphs.all().iter().zip(results).map(|((name, _), finding)| {
        let works = finding.state != Health::Fails;
        let word = if works { "works" } else { "fails" };
        (json!({"kg": name, "works": works, "says": finding.says}), vec![name.to_string(), word.to_owned(), finding.says])
    });
    let shown = shown(common.json, &["kg", "state", "what it says"], rows.collect(), Vec::new());
    Ok(Shown { failed, ..shown })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn common(json: bool) -> Common {
        Common { kg: vec!["demo".to_owned()], flags: KgFlags::default(), json }
    }

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    fn first(limit: u32) -> Page {
        Page { limit, offset: 0, page: None }
    }

    fn rows(shown: &Shown) -> Vec<Value> {
        serde_json::from_str(&shown.out).unwrap()
    }

    #[tokio::test]
    async fn search_in_both_forms() {
        let all = rows(&search("inception".into(), 10, &common(true)).await.unwrap());
        assert_eq!(all[0], json!({"id": "Q25188", "label": "Inception", "description": "2010 film about entering dreams"}));
        let table = search("Inception".into(), 10, &common(false)).await.unwrap();
        assert!(table.out.starts_with("id      label      description\nQ25188  Inception  2010"), "{}", table.out);
        let none = search("no such thing".into(), 10, &common(false)).await.unwrap();
        assert_eq!((none.out.as_str(), none.remarks), ("", vec!["nothing found".to_owned()]));
        assert_eq!(search("no such thing".into(), 10, &common(true)).await.unwrap().out, "[]\n");
    }

    #[tokio::test]
    async fn relations_hide_identifiers_unless_asked() {
        let json = common(true);
        let of = |identifiers| relations(ids(&["Q25188"]), 100, identifiers, &json);
        let (few, all) = (rows(&of(false).await.unwrap()), rows(&of(true).await.unwrap()));
        assert!(few.contains(&json!({"id": "P161", "direction": "out", "label": "cast member", "count": 11})));
        assert!(!few.iter().any(|row| row["id"] == "P345") && all.iter().any(|row| row["id"] == "P345"));
        let back = rows(&relations(ids(&["Q25191"]), 100, false, &json).await.unwrap());
        assert!(back.iter().any(|row| row["id"] == "P57" && row["direction"] == "in"));
    }

    #[tokio::test]
    async fn edges_keep_their_direction_and_say_what_is_cut() {
        let back = edges(ids(&["Q25191"]), "P57", true, first(2), false, &common(true)).await.unwrap();
        let back = rows(&back);
        assert_eq!(back.len(), 2);
        assert_eq!((&back[0]["s"], &back[0]["o"], &back[0]["direction"]), (&json!("Q25188"), &json!("Q25191"), &json!("in")));
        assert_eq!((&back[0]["o_label"], &back[0]["partial"]), (&json!("Christopher Nolan"), &json!("2 of 7")));
        let tilde = rows(&edges(ids(&["Q25191"]), "~P57", false, first(100), false, &common(true)).await.unwrap());
        assert!(tilde.len() == 7 && tilde[0].get("partial").is_none());
        let table = edges(ids(&["Q25191"]), "P57", true, first(2), false, &common(false)).await.unwrap();
        assert_eq!(table.remarks, ["Q25191: 2 of 7 shown; --limit N shows more"]);
        let date = rows(&edges(ids(&["Q25188"]), "P577", false, first(10), false, &common(true)).await.unwrap());
        assert_eq!((&date[0]["o"], &date[0]["r"]), (&json!("8 July 2010"), &json!("P577")));
    }
}
