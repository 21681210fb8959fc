//! The engine before tokio: scenarios, shuffled arrivals, kills, forks, and `reload == live`.

mod scenarios;
mod world;
