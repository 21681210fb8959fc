//! The whole explorer: keys and snapshots in, screen and effects out. No terminal, no clock, no network.

#[path = "../engine/world.rs"]
#[expect(dead_code, reason = "the engine's tests use the rest")]
mod world;

mod aggregate;
mod asking;
mod budgets;
mod debugging;
mod desk;
mod flows;
mod given_back;
mod graphs;
mod hostile;
mod linking;
mod live;
mod locked;
mod looking;
mod plain;
mod reviewing;
mod sizes;
mod start_page;
mod terminal;
mod why;
mod writing;
