//! The panes, one file each: they look at a session view and fill cells. None of them asks a model or a KG.

pub mod budget;
pub mod footer;
pub mod graph;
pub mod header;
pub mod inspector;
pub mod layout;
pub mod machine;
pub mod start;
pub mod timeline;
pub mod tree;
