//! The explorer: a debugger, a teacher and a steering wheel for one search.
//!
//! Keys, pastes, clicks and snapshots go into the [`app::App`], which is pure; effects and cells come out. The shell
//! around it owns the terminal and talks to the runner and the host. Panes (`views/`) only look; popups (`popups/`)
//! are small machines of their own; `widgets/` know nothing of a search.

pub mod app;
pub mod command;
pub mod flying;
mod host;
mod ids;
mod popups;
mod run;
pub mod scene;
pub mod session_view;
pub mod terminal;
pub mod theme;
pub mod views;
pub mod widgets;
pub mod wires;

pub use host::{Connection, First, Host, Light, Offer, OpenHow, Options, Other, PromptSaved, SampleQuestion, SessionInfo, Status};
pub use popups::question::Question;
pub use run::{Ended, run, start_data};
