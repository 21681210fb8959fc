//! Sessions: the journal on disk, its recovery, the timeline, forks.

mod folder;
mod journal;
mod read;
mod redact;
mod shipped;
mod timeline;

pub use folder::{SessionInfo, new_session_name, recent, sessions_folder};
pub use journal::{Header, Journal};
pub use read::{ReadError, Recording, parse, read};
pub use redact::{redact_url, scrub, secrets_of_url};
pub use shipped::{Shipped, recorded, shipped};
pub use timeline::Timeline;
