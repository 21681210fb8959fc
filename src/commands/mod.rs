//! The commands, one file each, thin.

pub mod kg;
