//! `tot kg`: ask a knowledge graph from the shell.

use super::UsageError;
use crate::calls::{EdgeList, KgData, KgOp, KgReply};
use crate::graph::{Direction, Edge, EntityId, Object, Relation};
use crate::kg::{self, KgSettings, KgSpec, KnowledgeGraph};
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
    /// Which knowledge graph: demo, file:PATH or sparql:URL
    #[arg(long, value_name = "SPEC", default_value = "demo")]
    kg: String,
    /// One JSON array instead of a table
    #[arg(long)]
    json: bool,
}

/// Runs `tot kg`.
///
/// # Errors
/// One sentence, when the graph cannot be opened or asked.
pub async fn run(args: KgArgs) -> anyhow::Result<()> {
    match args.ask {
        Ask::Search { text, limit, common } => {
            let kg = open(&common).await?;
            let reply = kg.perform(None, KgOp::Search { mention: text.join(" "), limit }).await?;
            let KgData::Candidates(candidates) = &reply.data else { anyhow::bail!("the graph gave no candidates") };
            let found = candidates.iter().map(|c| {
                let (id, label, description) = (&c.entity.id, &c.entity.label, &c.entity.description);
                let mut object = json!({"id": id, "label": label, "description": description});
                if let Some(matched) = &c.matched {
                    object["matched"] = json!(matched);
                }
                let also = c.matched.as_ref().map_or_else(String::new, |matched| format!(" (as \"{matched}\")"));
                let name = format!("{}{also}", label.as_deref().unwrap_or(""));
                (object, [id.to_string(), name, description.clone().unwrap_or_default()])
            });
            print(&common, ["id", "label", "description"], found.collect(), &[&reply])
        }
        Ask::Relations { ids, limit, identifiers, common } => relations(ids, limit, identifiers, &common).await,
        Ask::Edges { ids, relation, reverse, limit, common } => edges(ids, &relation, reverse, limit, &common).await,
    }
}

async fn relations(ids: Vec<String>, limit: u32, identifiers: bool, common: &Common) -> anyhow::Result<()> {
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
    print(common, ["relation", "direction", "count", "label"], rows, &[&out, &into])?;
    if hidden > 0 && !common.json {
        remark(&format!("{hidden} relations to identifiers are hidden: --identifiers shows them"));
    }
    Ok(())
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

async fn edges(ids: Vec<String>, relation: &str, reverse: bool, cap: u32, common: &Common) -> anyhow::Result<()> {
    let kg = open(common).await?;
    let (relation, tilde) = relation.strip_prefix('~').map_or((relation, false), |relation| (relation, true));
    let direction = if reverse || tilde { Direction::In } else { Direction::Out };
    let entities: Vec<EntityId> = ids.into_iter().map(EntityId::from).collect();
    let reply = kg.perform(None, KgOp::Edges { entities, relation: relation.into(), direction, cap }).await?;
    let KgData::Edges(list) = &reply.data else { anyhow::bail!("the graph gave no edges") };
    let rows = list.edges.iter().map(|edge| edge_row(list, edge, direction, &reply)).collect();
    print(common, ["subject", "relation", "object"], rows, &[&reply])?;
    if !common.json {
        for (entity, cut) in list.partial.iter().map(|p| (&p.entity, cut_text(p.shown, p.of))) {
            remark(&format!("{entity}: {cut} shown; --limit N shows more"));
        }
    }
    Ok(())
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
    let mut settings = KgSettings::default();
    if io::stderr().is_terminal() {
        settings.status = Some(Arc::new(|line| eprint!("\r\u{1b}[K{}", one_line(&line))));
    }
    let spec: KgSpec = common.kg.parse().map_err(UsageError::of)?;
    let opened = kg::open_with(&spec, &settings).await;
    if settings.status.is_some() {
        eprint!("\r\u{1b}[K");
    }
    Ok(opened?)
}

/// The rows as one JSON array or as a table, what the graph remarked on standard error.
fn print<const N: usize>(common: &Common, header: [&str; N], rows: Vec<(Value, [String; N])>, replies: &[&KgReply]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if common.json {
        let all: Vec<Value> = rows.into_iter().map(|(object, _)| object).collect();
        writeln!(out, "{}", printable_json(&serde_json::to_string_pretty(&all)?))?;
    } else if rows.is_empty() {
        remark("nothing found");
    } else {
        let cells: Vec<[String; N]> = rows.into_iter().map(|(_, cells)| cells.map(|cell| one_line(&cell))).collect();
        write!(out, "{}", table(header, &cells))?;
    }
    for note in replies.iter().flat_map(|reply| &reply.notes) {
        remark(note);
    }
    Ok(())
}

fn remark(text: &str) {
    let _ = writeln!(io::stderr(), "{}", one_line(text));
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
    use super::table;

    #[test]
    fn columns_stand_below_each_other_whatever_the_letters() {
        let cell = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
        let shown = table(["id", "label"], &[cell("Q1", "x"), cell("再生", "y"), cell("Q12345", "")]);
        assert_eq!(shown, "id      label\nQ1      x\n再生    y\nQ12345\n");
    }
}
