//! The calls in flight as a numbered list.

use super::super::super::flying::Flying;
use super::super::super::widgets::spark::seconds;
use super::super::question::{InWords, Question};
use super::super::{Desk, Reaction};
use super::FlightsPopup;
use crate::runner::{Command, Flight};
use std::time::Instant;

fn calls(desk: &Desk<'_>) -> Vec<Flight> {
    let live = desk.view.map(|view| &view.snapshot.live);
    live.into_iter().flat_map(|live| live.flights.iter().filter(|flight| !flight.human)).cloned().collect()
}

impl InWords for FlightsPopup {
    fn question(&self, desk: &Desk<'_>) -> Question {
        let Some(view) = desk.view else { return Question::default() };
        let flying = Flying { live: &view.snapshot.live, now: Instant::now() };
        let row = |flight: &Flight| {
            let whose = flight.kg.as_ref().map_or("of the model".to_owned(), |kg| format!("from {kg}"));
            format!("{}, {whose}, for {}", flight.what, seconds(flying.elapsed(flight)))
        };
        Question {
            title: "Calls in flight".to_owned(),
            text: flying.waits(&view.scene).into_iter().map(|held| held.text).collect(),
            rows: calls(desk).iter().map(row).collect(),
            how: "type a number to cancel that call (one of the model is dropped, and the search pauses), or `all` to pause and drop all"
                .to_owned(),
            wrong: self.wrong.clone(),
            ..Question::default()
        }
    }

    fn answer(&mut self, line: &str, desk: &Desk<'_>) -> Reaction {
        self.wrong = None;
        if line.trim() == "all" {
            return Reaction::Finish(vec![Command::Abort]);
        }
        let calls = calls(desk);
        match line.trim().parse::<usize>().ok().and_then(|number| calls.get(number.checked_sub(1)?)) {
            Some(flight) => return Reaction::Finish(vec![Command::Cancel(flight.ask)]),
            None => self.wrong = Some(format!("type a number from 1 to {}, or `all`", calls.len())),
        }
        Reaction::Stay
    }
}
