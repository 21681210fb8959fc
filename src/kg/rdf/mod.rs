//! RDF in this process: files or the demo graph in an in-memory store with its own SPARQL engine and label index.
//!
//! `load` reads files: `source` opens and unpacks them, `format` tells what they hold, `lines`, `document` and `table` read
//! it, `sink` stores the facts and counts what was skipped, `report` tells of that. `store` answers queries, `labels` finds
//! names.

mod document;
mod format;
mod labels;
mod lines;
mod load;
mod report;
mod sink;
mod source;
mod store;
mod table;

pub use load::{LoadError, Loaded, Progress, load};
pub use report::{Flaw, LoadReport};
pub use source::Source;
pub use store::Embedded;
