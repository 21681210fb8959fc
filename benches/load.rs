//! How long a large file takes to load, how much memory it needs, and how fast it answers then: `cargo bench --bench load`.
//!
//! By default a graph of 1,000,000 triples in the Wikidata RDF model is made, the same every time, with properties and classes
//! of very unequal size. Another file is measured with `cargo bench --bench load -- PATH`. Goals on two cores: loaded in
//! 30 s and 2 GB, an entity's relations in 50 ms.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tree_of_traversals::calls::{KgData, KgOp, KgReply};
use tree_of_traversals::graph::{Direction, EntityId, Object, Relation};
use tree_of_traversals::kg::{KgSettings, KgSpec, KnowledgeGraph, open_with};

const TRIPLES: u64 = 1_000_000;
const ITEMS: u64 = 27_000;
const PROPERTIES: u64 = 120;
const ROUNDS: usize = 101;

/// Numbers that look random and are the same every time (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    /// Small numbers far more often than large ones.
    fn skewed(&mut self, n: u64) -> u64 {
        let range = self.below(n) + 1;
        let range = self.below(range) + 1;
        self.below(range)
    }
}

/// A name of two to four made-up words.
fn name(dice: &mut Dice) -> String {
    const SYLLABLES: [&str; 16] = ["ka", "lo", "mir", "tan", "ves", "or", "bel", "shu", "ni", "gra", "tho", "é", "li", "dun", "sa", "wy"];
    let words = 2 + dice.below(3);
    let word =
        |dice: &mut Dice| (0..1 + dice.below(3)).map(|_| SYLLABLES[usize::try_from(dice.below(16)).unwrap_or(0)]).collect::<String>();
    (0..words).map(|_| word(dice)).collect::<Vec<_>>().join(" ")
}

/// Writes exactly [`TRIPLES`] lines.
fn generate(path: &Path) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let (mut dice, mut left) = (Dice(1), TRIPLES);
    let wd = |id: String| format!("<http://www.wikidata.org/entity/{id}>");
    let (rdfs, ontology) = ("http://www.w3.org/2000/01/rdf-schema#", "http://wikiba.se/ontology#");
    let mut line = |s: &str, p: &str, o: &str| -> std::io::Result<bool> {
        if left > 0 {
            left -= 1;
            writeln!(out, "{s} <{p}> {o} .")?;
        }
        Ok(left > 0)
    };
    for n in 1..=PROPERTIES {
        let property = wd(format!("P{n}"));
        let kind = if n % 10 == 9 { "Time" } else { "WikibaseItem" };
        line(&property, &format!("{rdfs}label"), &format!("\"{}\"@en", name(&mut dice)))?;
        line(&property, &format!("{ontology}propertyType"), &format!("<{ontology}{kind}>"))?;
        line(&property, &format!("{ontology}directClaim"), &format!("<http://www.wikidata.org/prop/direct/P{n}>"))?;
    }
    let mut item = 0;
    loop {
        item += 1;
        let subject = wd(format!("Q{item}"));
        line(&subject, "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", &format!("<{ontology}Item>"))?;
        line(&subject, &format!("{rdfs}label"), &format!("\"{}\"@en", name(&mut dice)))?;
        line(&subject, "http://schema.org/description", &format!("\"{} of {}\"@en", name(&mut dice), name(&mut dice)))?;
        line(&subject, "http://www.w3.org/2004/02/skos/core#altLabel", &format!("\"{}\"@en", name(&mut dice)))?;
        for n in 0..4 + dice.below(9) {
            // P1 leads from everything to a few classes.
            let p = if n == 0 { 1 } else { 1 + dice.skewed(PROPERTIES) };
            let value = if p % 10 == 9 {
                let (year, month, day) = (1800 + dice.below(220), 1 + dice.below(12), 1 + dice.below(28));
                format!("\"{year}-{month:02}-{day:02}T00:00:00Z\"^^<http://www.w3.org/2001/XMLSchema#dateTime>")
            } else {
                wd(format!("Q{}", 1 + if p == 1 { dice.skewed(40) } else { dice.skewed(ITEMS) }))
            };
            let statement = format!("<http://www.wikidata.org/entity/statement/Q{item}-{n}>");
            line(&subject, &format!("http://www.wikidata.org/prop/direct/P{p}"), &value)?;
            line(&subject, &format!("http://www.wikidata.org/prop/P{p}"), &statement)?;
            line(&statement, &format!("http://www.wikidata.org/prop/statement/P{p}"), &value)?;
            if !line(&statement, &format!("{ontology}rank"), &format!("<{ontology}NormalRank>"))? {
                return out.flush();
            }
        }
    }
}

/// The most memory that this process had, in megabytes, where the system tells.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()? / 1024)
}

async fn ask(kg: &dyn KnowledgeGraph, op: KgOp) -> (KgReply, Duration) {
    let begun = Instant::now();
    let reply = kg.perform(None, op).await.unwrap_or_else(|error| panic!("{error}"));
    (reply, begun.elapsed())
}

fn print(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let ms = |d: Duration| d.as_secs_f64() * 1000.0;
    if let (Some(median), Some(worst)) = (times.get(times.len() / 2), times.last()) {
        println!("{what:<44} median {:>8.2} ms, worst {:>8.2} ms, {} calls", ms(*median), ms(*worst), times.len());
    }
}

/// Entities and names to ask for: found by walking from whatever a few searches bring.
async fn sample(kg: &dyn KnowledgeGraph) -> Vec<(EntityId, String)> {
    let mut found: Vec<(EntityId, String)> = Vec::new();
    for mention in ["a", "e", "o", "lo", "film", "city", "tan ves", "human"] {
        let (reply, _) = ask(kg, KgOp::Search { mention: mention.into(), limit: 50 }).await;
        let KgData::Candidates(candidates) = reply.data else { continue };
        for candidate in candidates {
            if let Some(label) = candidate.entity.label
                && !found.iter().any(|(id, _)| *id == candidate.entity.id)
            {
                found.push((candidate.entity.id, label));
            }
        }
    }
    found
}

fn relations_of(entity: &EntityId, direction: Direction) -> KgOp {
    KgOp::Relations { entities: vec![entity.clone()], direction, limit: 200 }
}

async fn measure(kg: &dyn KnowledgeGraph) {
    let things = sample(kg).await;
    let mut offered: Vec<(EntityId, Relation)> = Vec::new();
    for (direction, what) in [(Direction::Out, "relations"), (Direction::In, "reverse relations")] {
        let mut times = Vec::new();
        for (entity, _) in things.iter().take(ROUNDS) {
            let (reply, took) = ask(kg, relations_of(entity, direction)).await;
            times.push(took);
            if let KgData::Relations(relations) = reply.data {
                offered.extend(relations.into_iter().map(|relation| (entity.clone(), relation)));
            }
        }
        print(what, times);
    }
    let (mut times, mut ends) = (Vec::new(), HashMap::<EntityId, usize>::new());
    let step = (offered.len() / ROUNDS).max(1);
    for (entity, relation) in offered.iter().step_by(step) {
        let (entities, direction) = (vec![entity.clone()], relation.at.direction);
        let op = KgOp::Edges { entities, relation: relation.at.id.clone(), direction, cap: 50, offset: 0, all_ranks: false };
        let (reply, took) = ask(kg, op).await;
        times.push(took);
        if let KgData::Edges(list) = reply.data {
            for edge in list.edges {
                if let Object::Entity(far) = edge.o {
                    *ends.entry(far).or_default() += 1;
                }
            }
        }
    }
    print("edges, at most 50", times);
    let mut hubs: Vec<(EntityId, usize)> = ends.into_iter().collect();
    hubs.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    for (hub, _) in hubs.iter().take(3) {
        let (reply, took) = ask(kg, relations_of(hub, Direction::In)).await;
        let KgData::Relations(relations) = reply.data else { continue };
        let edges: u64 = relations.iter().filter_map(|relation| relation.count).sum();
        print(&format!("reverse relations of {hub}, {edges} edges"), vec![took]);
    }
    let mut times = Vec::new();
    for (_, label) in things.iter().take(ROUNDS) {
        times.push(ask(kg, KgOp::Search { mention: label.clone(), limit: 10 }).await.1);
    }
    print("search by a whole name", times);
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap_or_else(|error| panic!("{error}"));
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let given = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).map(PathBuf::from);
    let path = given.unwrap_or_else(|| {
        let path = folder.path().join("million.nt");
        generate(&path).unwrap_or_else(|error| panic!("{error}"));
        path
    });
    let before = peak().unwrap_or(0);
    let begun = Instant::now();
    let opened = runtime.block_on(open_with(&KgSpec::Files(vec![path]), &KgSettings::default()));
    let kg: Arc<dyn KnowledgeGraph> = opened.unwrap_or_else(|error| panic!("{error}"));
    let took = begun.elapsed();
    println!("{}", kg.about());
    for remark in kg.remarks() {
        println!("{remark}");
    }
    println!("loaded in {:.1} s; most memory {} MB ({before} MB before)", took.as_secs_f64(), peak().unwrap_or(0));
    runtime.block_on(measure(&*kg));
    println!("most memory {} MB", peak().unwrap_or(0));
}
