//! Sessions: the journal on disk, its recovery, the timeline, forks.

mod descent;
#[cfg(test)]
mod document;
mod family;
mod folder;
mod journal;
mod leaks;
mod pack;
mod read;
mod shipped;
mod timeline;

pub use descent::{Descent, Supply, Taken, last_event};
pub use family::{Relative, family};
pub use folder::{About, Listed, beside, list, moment, new_session_name, recent, session_path, sessions_folder};
pub use journal::{ForkNote, Header, Journal, VERSION, delete, is_running};
pub use leaks::{Known, Leaks};
pub use pack::{Finding, PackError, Packed, file_name, pack, unpack};
pub use read::{ReadError, ReadErrorKind, Recording, is_packed, parse, read};
pub use shipped::{Shipped, recorded, shipped};
pub use timeline::Timeline;
