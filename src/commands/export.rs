//! `tot export`: what a session holds, in a form for others. So far a person's corrections of facts, for the owners of a KG.

use super::setup::session_path;
use super::{Status, UsageError};
use crate::graph::{Edge, EntityId, Object};
use crate::kg::sparql::{Iri, Languages, Model, Prefixes, RDFS_LABEL, Vocabulary, is_short_id, literal};
use crate::search::State;
use crate::search::correction::{Change, Correction};
use crate::session::read;
use crate::text::one_line;
use clap::{Args, ValueEnum};
use std::fmt::Write as _;
use std::io::Write;

/// `tot export`
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// A session file, or its name in the sessions folder
    pub session: String,
    /// What is written
    #[arg(long, value_enum)]
    pub to: Target,
    /// How corrections are written
    #[arg(long, value_enum, default_value_t = Format::RdfPatch)]
    pub format: Format,
    /// The language of new labels
    #[arg(long, value_name = "LANG", default_value = "en")]
    pub lang: String,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// The corrections of facts that are in force, for the owners of the KG
    Corrections,
}

/// How corrections are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// RDF Patch: a transaction of deleted and added triples
    RdfPatch,
    /// QuickStatements (version 1), for Wikidata
    Quickstatements,
}

/// Writes it to stdout; what can't be written is told on stderr.
///
/// # Errors
/// A file that is no session; a language that is none; a session without corrections.
pub fn run(args: &ExportArgs) -> anyhow::Result<Status> {
    if args.lang.is_empty() || !args.lang.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
        anyhow::bail!(UsageError::of(format!("{:?} is no language: write one like en or pt-br", args.lang)));
    }
    let path = session_path(&args.session);
    let recording = read(&path)?;
    anyhow::ensure!(recording.state.started.is_some(), "{}: the session is empty", path.display());
    let (written, left) = match args.format {
        Format::RdfPatch => rdf_patch(&recording.state, &args.lang),
        Format::Quickstatements => quick_statements(&recording.state, &args.lang),
    };
    for why in &left {
        let _ = writeln!(std::io::stderr(), "left out: {}", one_line(why));
    }
    anyhow::ensure!(
        written.is_some() || !left.is_empty(),
        "{}: no fact was corrected in this session (w in the explorer's local graph corrects one)",
        path.display()
    );
    write!(std::io::stdout().lock(), "{}", written.unwrap_or_default())?;
    Ok(Status::Ok)
}

/// What goes and what comes, of corrections that are about the KG; the others say why not.
fn of_kg(correction: &Correction) -> Result<(Option<&Edge>, Option<Edge>), String> {
    match correction.change {
        Change::Hide | Change::Distrust => Err(format!("{}: says nothing of what is right", correction.summary())),
        Change::Delete | Change::Object { .. } => Ok((Some(&correction.fact), correction.result())),
        Change::Add { .. } => Ok((None, correction.result())),
        Change::Label(_) => Ok((None, None)),
    }
}

fn rdf_patch(state: &State, lang: &str) -> (Option<String>, Vec<String>) {
    let (mut lines, mut left) = (String::new(), Vec::new());
    for (_, correction) in state.corrections() {
        match patch_lines(correction, lang) {
            Ok(text) => {
                let _ = writeln!(lines, "# {}", one_line(&correction.summary()));
                lines.push_str(&text);
            }
            Err(why) => left.push(why),
        }
    }
    ((!lines.is_empty()).then(|| format!("TX .\n{lines}TC .\n")), left)
}

fn patch_lines(correction: &Correction, lang: &str) -> Result<String, String> {
    let ids = ids();
    let no_iri = |id: &str| format!("{}: {} is no IRI", correction.summary(), one_line(id));
    let entity = |id: &EntityId| ids.entity(id).map(|iri| bracketed(&iri)).map_err(|_| no_iri(id));
    let triple = |edge: &Edge| {
        let s = entity(&edge.s)?;
        let p = ids.predicate(&edge.r).map(|iri| bracketed(&iri)).map_err(|_| no_iri(&edge.r))?;
        let o = match &edge.o {
            Object::Entity(id) => entity(id)?,
            Object::Literal(value) => {
                let text = value.raw.as_deref().unwrap_or(&value.text);
                if text.contains(|c: char| c.is_control() && !"\n\r\t".contains(c)) {
                    return Err(format!("{}: the value holds a control character", correction.summary()));
                }
                literal(text, value.lang.as_deref().unwrap_or_default())
            }
        };
        Ok::<_, String>(format!("{s} {p} {o} ."))
    };
    let mut text = String::new();
    if let (Change::Label(label), Object::Entity(id)) = (&correction.change, &correction.fact.o) {
        text.push_str("# the old label stays: its language is not recorded, take it away by hand\n");
        let _ = writeln!(text, "A {} <{RDFS_LABEL}> {} .", entity(id)?, literal(label, lang));
        return Ok(text);
    }
    let (gone, come) = of_kg(correction)?;
    if let Some(gone) = gone {
        if matches!(gone.o, Object::Literal(_)) {
            text.push_str("# the datatype of the old value is not recorded: check it\n");
        }
        let _ = writeln!(text, "D {}", triple(gone)?);
    }
    if let Some(come) = come {
        let _ = writeln!(text, "A {}", triple(&come)?);
    }
    Ok(text)
}

/// Ids as IRIs: those of Wikidata are short, all others are IRIs or none.
fn ids() -> Vocabulary {
    Vocabulary::new(Model::Wikidata, Languages::new([]), Prefixes::new())
}

fn bracketed(iri: &Iri) -> String {
    format!("<{}>", iri.as_str())
}

fn quick_statements(state: &State, lang: &str) -> (Option<String>, Vec<String>) {
    let (mut lines, mut left) = (String::new(), Vec::new());
    for (_, correction) in state.corrections() {
        match statement_lines(correction, lang) {
            Ok(all) => {
                let reason = one_line(&correction.reason).replace("*/", "* /");
                let comment = if reason.is_empty() { String::new() } else { format!(" /* {reason} */") };
                all.iter().for_each(|line| {
                    let _ = writeln!(lines, "{line}{comment}");
                });
            }
            Err(why) => left.push(why),
        }
    }
    ((!lines.is_empty()).then_some(lines), left)
}

fn statement_lines(correction: &Correction, lang: &str) -> Result<Vec<String>, String> {
    let foreign = |id: &str| format!("{}: {} is no id of Wikidata", correction.summary(), one_line(id));
    let id = |id: &str| if is_short_id(id) { Ok(id.to_owned()) } else { Err(foreign(id)) };
    let text = |text: &str| format!("\"{}\"", one_line(text).replace('"', "\"\""));
    let statement = |edge: &Edge| {
        let value = match &edge.o {
            Object::Entity(entity) => id(entity)?,
            Object::Literal(literal) => text(&literal.text),
        };
        Ok::<_, String>(format!("{}\t{}\t{value}", id(&edge.s)?, id(&edge.r)?))
    };
    if let (Change::Label(label), Object::Entity(entity)) = (&correction.change, &correction.fact.o) {
        return Ok(vec![format!("{}\tL{lang}\t{}", id(entity)?, text(label))]);
    }
    let (gone, come) = of_kg(correction)?;
    let mut lines = Vec::new();
    if let Some(gone) = gone {
        lines.push(format!("-{}", statement(gone)?));
    }
    if let Some(come) = come {
        lines.push(statement(&come)?);
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Literal, LiteralKind};

    fn correction(s: &str, r: &str, o: Object, change: Change) -> Correction {
        Correction { fact: Edge::new(s.into(), r.into(), o, "kg".into()), change, reason: "it says */ so".to_owned() }
    }

    fn value(text: &str) -> Object {
        Object::Literal(Literal { kind: LiteralKind::Text, text: text.to_owned(), raw: None, lang: None })
    }

    #[test]
    fn a_wikidata_fact_is_taken_back_and_put_right() {
        let change = Change::Object { object: Object::Entity("Q3".into()), entity: None };
        let wrong = correction("Q1", "P2", Object::Entity("Q9".into()), change);
        let patch = patch_lines(&wrong, "en").unwrap();
        let [subject, property] = ["<http://www.wikidata.org/entity/Q1>", "<http://www.wikidata.org/prop/direct/P2>"];
        assert!(patch.contains(&format!("D {subject} {property} <http://www.wikidata.org/entity/Q9> .\n")), "{patch}");
        assert!(patch.contains(&format!("A {subject} {property} <http://www.wikidata.org/entity/Q3> .\n")), "{patch}");
        assert_eq!(statement_lines(&wrong, "en").unwrap(), ["-Q1\tP2\tQ9", "Q1\tP2\tQ3"]);
        let label = correction("Q1", "P2", Object::Entity("Q9".into()), Change::Label("New \"name\"".to_owned()));
        assert_eq!(statement_lines(&label, "de").unwrap(), ["Q9\tLde\t\"New \"\"name\"\"\""]);
    }

    #[test]
    fn nothing_in_a_text_or_id_ends_it_early() {
        let wrong = correction("http://e/a", "http://e/p", value("a\"b\n<c> .\\"), Change::Delete);
        assert!(patch_lines(&wrong, "en").unwrap().ends_with("D <http://e/a> <http://e/p> \"a\\\"b\\n<c> .\\\\\" .\n"));
        for id in ["http://e/a> <b> <c> .", "no iri", "e5b5a9f0-6d5e-4b1f-8b52-f4a1a8b6a3c4", "1:x"] {
            assert!(patch_lines(&correction(id, "http://e/p", value("x"), Change::Delete), "en").is_err(), "{id}");
            assert!(statement_lines(&correction(id, "P1", value("x"), Change::Delete), "en").is_err(), "{id}");
        }
        assert!(of_kg(&correction("Q1", "P1", value("x"), Change::Hide)).is_err_and(|why| why.contains("says nothing")));
    }
}
