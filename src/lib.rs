//! `tree-of-traversals`: question answering by tree search over knowledge graphs, as a library.
//!
//! A language model walks a knowledge graph (KG) through a small action state machine; a best-first
//! search keeps a tree of such walks. The world's replies, the engine's decisions and a person's acts
//! are events in one journal: [`search::State::apply`] reduces them to a state, a strategy looks at
//! the state and says what comes next, and the [`runner`] does it. `ARCHITECTURE.md` has the map.

pub mod asm;
pub mod attach;
pub mod cache;
pub mod calls;
pub mod commands;
pub mod config;
pub mod graph;
pub mod kg;
pub mod llm;
pub mod micro;
pub mod money;
pub mod plain;
pub mod price;
pub mod redact;
mod retry_after;
pub mod runner;
pub mod scenario;
pub mod search;
pub mod session;
pub mod text;
pub mod tui;
