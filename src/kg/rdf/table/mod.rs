//! Tables (CSV, TSV) as graphs, for people who have no RDF. The rules are few:
//!
//! * A header that names subject, relation and object, in any of their usual spellings and in any order, or three columns
//!   without a header: one fact a row. Columns such as `subject label` or `object description` name the ends.
//! * A header whose first column is `id` (or `name`, `iri`, ...): one entity a row. The columns `label`, `alias` and
//!   `description` name it, every other column is a relation; a cell may hold several values, with `|` between them.
//! * A name becomes the IRI `local:NAME` (`local:KG/NAME` in a KG that is not called `file`) and is its own label; an absolute IRI stays what it is.
//! * Numbers, dates and long texts are values, everything else is an entity. Where all that a relation leads to are ids of
//!   this graph, numbers are ids too.

mod cell;
mod header;
mod names;
mod sniff;

pub(super) use cell::namespace;
pub(super) use names::Tables;
pub(super) use sniff::{Delimiter, sniff};
