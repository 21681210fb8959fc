//! RDF in this process: a file or the demo graph in an in-memory store with its own SPARQL engine and label index.

mod labels;
mod load;
mod store;

pub use load::{LoadError, Source, load};
pub use store::Embedded;
