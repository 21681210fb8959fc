//! The engine before tokio: scenarios, shuffled arrivals, kills, forks, and `reload == live`.

mod acts;
mod again;
mod lexical;
mod models;
mod pages;
mod prefix;
mod review;
mod scenarios;
mod several;
mod sources;
mod spent;
mod steer;
mod structured;
mod too_long;
mod trace;
mod warnings;
mod why;
mod world;
