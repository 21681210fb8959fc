//! The engine before tokio: scenarios, shuffled arrivals, kills, forks, and `reload == live`.

mod acts;
mod lexical;
mod pages;
mod scenarios;
mod several;
mod sources;
mod spent;
mod structured;
mod world;
