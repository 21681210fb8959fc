//! `tot kg`: ask a knowledge graph from the shell.

use super::options::KgFlags;
use super::setup::{kg_settings, open_kgs};
use crate::calls::{EdgeList, KgData, KgOp, KgReply};
use crate::config::Config;
use crate::graph::{Direction, Edge, EntityId, Object, Relation};
use crate::kg::KnowledgeGraph;
use crate::text::{one_line, printable_json, width};
use serde_json::{Value, json};
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

/// Ask a knowledge graph.
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
        /// Candidates at most
        #[arg(long, default_value_t = 10)]
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
        #[arg(long, default_value_t = 200)]
        limit: u32,
        /// Also those that lead to identifiers in other databases
        #[arg(long)]
        identifiers: bool,
        #[command(flatten)]
        common: Common,
    },
    /// The facts of entities over one relation
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
        /// Facts at most, for each entity
        #[arg(long, default_value_t = 100)]
        limit: u32,
        #[command(flatten)]
        common: Common,
    },
}

#[derive(clap::Args, Debug)]
struct Common {
    /// Which knowledge graph: demo, wikidata, musicbrainz, file:PATH, sparql:URL, exec:COMMAND or a name from the config
    #[arg(long, value_name = "SPEC", default_value = "demo")]
    kg: String,
    #[command(flatten)]
    flags: KgFlags,
    /// One JSON array instead of a table
    #[arg(long)]
    json: bool,
}

/// Runs `tot kg`: results on standard output, remarks on standard error.
///
/// # Errors
/// One sentence, when the graph cannot be opened or asked, or the output cannot be written.
pub async fn run(args: KgArgs) -> anyhow::Result<()> {
    let shown = match args.ask {
        Ask::Search { text, limit, common } => search(text.join(" "), limit, &common).await?,
        Ask::Relations { ids, limit, identifiers, common } => relations(ids, limit, identifiers, &common).await?,
        Ask::Edges { ids, relation, reverse, limit, common } => edges(ids, &relation, reverse, limit, &common).await?,
    };
    let mut out = io::stdout().lock();
    out.write_all(shown.out.as_bytes())?;
    out.flush()?;
    for remark in shown.remarks {
        let _ = writeln!(io::stderr(), "{}", one_line(&remark));
    }
    Ok(())
}

/// What a command prints.
struct Shown {
    /// The result.
    out: String,
    /// What there is to say about it.
    remarks: Vec<String>,
}

async fn search(mention: String, limit: u32, common: &Common) -> anyhow::Result<Shown> {
    let kg = open(common).await?;
    let reply = kg.perform(None, KgOp::Search { mention, limit }).await?;
    let KgData::Candidates(candidates) = &reply.data else { anyhow::bail!("the graph gave no candidates") };
    let rows = candidates.iter().map(|c| {
        let (id, label, description) = (&c.entity.id, &c.entity.label, &c.entity.description);
        let mut object = json!({"id": id, "label": label, "description": description});
        if let Some(matched) = &c.matched {
            object["matched"] = json!(matched);
        }
        let also = c.matched.as_ref().map_or_else(String::new, |matched| format!(" (as \"{matched}\")"));
        let name = format!("{}{also}", label.as_deref().unwrap_or(""));
        (object, [id.to_string(), name, description.clone().unwrap_or_default()])
    });
    Ok(shown(common, ["id", "label", "description"], rows.collect(), &[&reply]))
}

async fn relations(ids: Vec<String>, limit: u32, identifiers: bool, common: &Common) -> anyhow::Result<Shown> {
    let kg = open(common).await?;
    let entities: Vec<EntityId> = ids.into_iter().map(EntityId::from).collect();
    let ask = |direction| kg.perform(None, KgOp::Relations { entities: entities.clone(), direction, limit });
    let (out, into) = futures_util::future::try_join(ask(Direction::Out), ask(Direction::In)).await?;
    let mut hidden = 0;
    let mut rows = Vec::new();
    for reply in [&out, &into] {
        let KgData::Relations(relations) = &reply.data else { anyhow::bail!("the graph gave no relations") };
        for relation in relations {
            if relation.identifier && !identifiers {
                hidden += 1;
            } else {
                rows.push(relation_row(relation));
            }
        }
    }
    let mut shown = shown(common, ["relation", "direction", "count", "label"], rows, &[&out, &into]);
    if hidden > 0 && !common.json {
        shown.remarks.push(format!("relations to identifiers that are hidden: {hidden}; --identifiers shows them"));
    }
    Ok(shown)
}

fn relation_row(relation: &Relation) -> (Value, [String; 4]) {
    let direction = relation.at.direction;
    let mut object = json!({"id": relation.at.id, "direction": direction, "label": relation.label, "count": relation.count});
    if relation.count_is_bound {
        object["count_is_bound"] = json!(true);
    }
    if relation.identifier {
        object["identifier"] = json!(true);
    }
    let count = relation.count.map_or_else(String::new, |n| if relation.count_is_bound { format!("{n}+") } else { n.to_string() });
    let word = if direction == Direction::Out { "out" } else { "in" };
    let label = relation.label.as_deref().map_or_else(String::new, |_| relation.reading());
    (object, [relation.at.id.to_string(), word.to_owned(), count, label])
}

async fn edges(ids: Vec<String>, relation: &str, reverse: bool, cap: u32, common: &Common) -> anyhow::Result<Shown> {
    let kg = open(common).await?;
    let (relation, tilde) = relation.strip_prefix('~').map_or((relation, false), |relation| (relation, true));
    let direction = if reverse || tilde { Direction::In } else { Direction::Out };
    let entities: Vec<EntityId> = ids.into_iter().map(EntityId::from).collect();
    let reply = kg.perform(None, KgOp::Edges { entities, relation: relation.into(), direction, cap, offset: 0, all_ranks: false }).await?;
    let KgData::Edges(list) = &reply.data else { anyhow::bail!("the graph gave no edges") };
    let rows = list.edges.iter().map(|edge| edge_row(list, edge, direction, &reply)).collect();
    let mut shown = shown(common, ["subject", "relation", "object"], rows, &[&reply]);
    if !common.json {
        let cuts = list.partial.iter().map(|p| format!("{}: {} shown; --limit N shows more", p.entity, cut_text(p.shown, p.of)));
        shown.remarks.extend(cuts);
    }
    Ok(shown)
}

fn cut_text(shown: u64, of: Option<u64>) -> String {
    of.map_or_else(|| format!("first {shown}, more exist"), |of| format!("{shown} of {of}"))
}

fn edge_row(list: &EdgeList, edge: &Edge, direction: Direction, reply: &KgReply) -> (Value, [String; 3]) {
    let label = |id: &EntityId| list.entities.iter().find(|e| e.id == *id).and_then(|e| e.label.as_deref());
    let named = |id: &EntityId| label(id).map_or_else(|| id.to_string(), |label| format!("{label} ({id})"));
    let (o, o_label, object) = match &edge.o {
        Object::Entity(id) => (id.to_string(), label(id).map(str::to_owned), named(id)),
        Object::Literal(literal) => (literal.text.clone(), Some(literal.text.clone()), literal.text.clone()),
    };
    let near = match (&edge.o, direction) {
        (Object::Entity(id), Direction::In) => id,
        _ => &edge.s,
    };
    let mut row = json!({"s": edge.s, "r": edge.r, "o": o, "o_label": o_label, "direction": direction, "s_label": label(&edge.s)});
    if let Some(partial) = list.partial.iter().find(|p| p.entity == *near) {
        row["partial"] = json!(cut_text(partial.shown, partial.of));
    } else if reply.partial {
        row["partial"] = json!(reply.notes.first().map_or("more exist", String::as_str));
    }
    let relation = list.relation_label.as_deref().map_or_else(|| edge.r.to_string(), |label| format!("{label} ({})", edge.r));
    (row, [named(&edge.s), relation, object])
}

async fn open(common: &Common) -> anyhow::Result<Arc<dyn KnowledgeGraph>> {
    let config = Config::load()?;
    let terminal = io::stderr().is_terminal();
    let status = terminal.then(|| Arc::new(|line: String| eprint!("\r\u{1b}[K{}", one_line(&line))) as crate::kg::Status);
    let settings = kg_settings(&config, &common.flags, status);
    let opened = open_kgs(std::slice::from_ref(&common.kg), &config, &settings, &mut Vec::new()).await;
    if terminal {
        eprint!("\r\u{1b}[K");
    }
    let kg = opened?.into_iter().next().map(|(_, _, kg)| kg).ok_or_else(|| anyhow::anyhow!("no graph was opened"))?;
    for remark in kg.remarks() {
        let _ = writeln!(io::stderr(), "{}", one_line(&remark));
    }
    Ok(kg)
}

/// The rows as one JSON array or as a table, and what the graph remarked.
fn shown<const N: usize>(common: &Common, header: [&str; N], rows: Vec<(Value, [String; N])>, replies: &[&KgReply]) -> Shown {
    let mut remarks: Vec<String> = replies.iter().flat_map(|reply| &reply.notes).cloned().collect();
    let out = if common.json {
        let all = Value::Array(rows.into_iter().map(|(object, _)| object).collect());
        format!("{}\n", printable_json(&format!("{all:#}")))
    } else if rows.is_empty() {
        remarks.insert(0, "nothing found".to_owned());
        String::new()
    } else {
        let cells: Vec<[String; N]> = rows.into_iter().map(|(_, cells)| cells.map(|cell| one_line(&cell))).collect();
        table(header, &cells)
    };
    Shown { out, remarks }
}

/// Columns as wide as their widest cell in a terminal; the last is not padded.
fn table<const N: usize>(header: [&str; N], rows: &[[String; N]]) -> String {
    let header = header.map(str::to_owned);
    let mut widths = [0; N];
    for row in std::iter::once(&header).chain(rows) {
        for (column, cell) in row.iter().enumerate() {
            widths[column] = widths[column].max(width(cell));
        }
    }
    let mut out = String::new();
    for row in std::iter::once(&header).chain(rows) {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            line.push_str(cell);
            if column + 1 < N {
                line.push_str(&" ".repeat(widths[column] - width(cell) + 2));
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(json: bool) -> Common {
        Common { kg: "demo".into(), flags: KgFlags::default(), json }
    }

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    fn rows(shown: &Shown) -> Vec<Value> {
        serde_json::from_str(&shown.out).unwrap()
    }

    #[test]
    fn columns_stand_below_each_other_whatever_the_letters() {
        let cell = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
        let shown = table(["id", "label"], &[cell("Q1", "x"), cell("再生", "y"), cell("Q12345", "")]);
        assert_eq!(shown, "id      label\nQ1      x\n再生    y\nQ12345\n");
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
        let back = edges(ids(&["Q25191"]), "P57", true, 2, &common(true)).await.unwrap();
        let back = rows(&back);
        assert_eq!(back.len(), 2);
        assert_eq!((&back[0]["s"], &back[0]["o"], &back[0]["direction"]), (&json!("Q25188"), &json!("Q25191"), &json!("in")));
        assert_eq!((&back[0]["o_label"], &back[0]["partial"]), (&json!("Christopher Nolan"), &json!("2 of 7")));
        let tilde = rows(&edges(ids(&["Q25191"]), "~P57", false, 100, &common(true)).await.unwrap());
        assert!(tilde.len() == 7 && tilde[0].get("partial").is_none());
        let table = edges(ids(&["Q25191"]), "P57", true, 2, &common(false)).await.unwrap();
        assert_eq!(table.remarks, ["Q25191: 2 of 7 shown; --limit N shows more"]);
        let date = rows(&edges(ids(&["Q25188"]), "P577", false, 10, &common(true)).await.unwrap());
        assert_eq!((&date[0]["o"], &date[0]["r"]), (&json!("8 July 2010"), &json!("P577")));
    }
}
