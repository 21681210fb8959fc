//! Sessions: the journal on disk, its recovery, the timeline, forks.

mod timeline;

pub use timeline::Timeline;
