//! Sessions: the journal on disk, its recovery, the timeline, forks.

mod folder;
mod journal;
mod read;
mod shipped;
mod timeline;

pub use folder::{SessionInfo, new_session_name, recent, sessions_folder};
pub use journal::{Header, Journal};
pub use read::{ReadError, Recording, parse, read};
pub use shipped::{Shipped, recorded, shipped};
pub use timeline::Timeline;
