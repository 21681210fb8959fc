//! The limits as a list of names and values.

use super::super::question::{InWords, Question};
use super::super::{Desk, Reaction};
use super::{LimitsPopup, Row};
use crate::runner::Command;
use crate::search::Act;

impl InWords for LimitsPopup {
    fn question(&self, _desk: &Desk<'_>) -> Question {
        let row = |row: &Row| {
            let (name, help) = row.name();
            let now = row.now(&self.before);
            format!("{name}: {}, {help}", if now.is_empty() { "no limit" } else { &now })
        };
        Question {
            title: "Limits and budgets".to_owned(),
            rows: Row::ALL.iter().map(row).collect(),
            how: "type a name or number and the new value, such as depth 5 or calls none".to_owned(),
            wrong: self.wrong.clone(),
            ..Question::default()
        }
    }

    fn answer(&mut self, line: &str, _desk: &Desk<'_>) -> Reaction {
        match read(line) {
            Ok(act) => Reaction::Finish(vec![Command::Do(act)]),
            Err(why) => {
                self.wrong = Some(why);
                Reaction::Stay
            }
        }
    }
}

/// `depth 5`, `2 5`, `at the end best`, `calls none`
fn read(line: &str) -> Result<Act, String> {
    let line = line.trim();
    let named = |(number, row): (usize, &Row)| {
        let name = row.name().0;
        let rest = line.strip_prefix(name).or_else(|| line.strip_prefix(&(number + 1).to_string()))?;
        let rest = rest.strip_prefix([' ', ':', '=']).or_else(|| rest.is_empty().then_some(""))?;
        Some((*row, rest.trim()))
    };
    let Some((row, value)) = Row::ALL.iter().enumerate().find_map(named) else {
        let names: Vec<&str> = Row::ALL.iter().map(|row| row.name().0).collect();
        return Err(format!("there is no such limit: type one of {} and its new value", names.join(", ")));
    };
    let value = match row {
        Row::Spend(_) if value == "none" => "",
        _ if value.is_empty() => return Err(format!("type the new value too: {}", row.name().1)),
        _ => value,
    };
    row.read(value).map(Act::Set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Budget, OnExhausted, Setting};

    #[test]
    fn a_limit_is_read_by_name_and_by_number() {
        assert_eq!(read("depth 5"), Ok(Act::Set(Setting::MaxDepth(5))));
        assert_eq!(read("2 5"), Ok(Act::Set(Setting::MaxDepth(5))));
        assert_eq!(read("at the end best"), Ok(Act::Set(Setting::OnExhausted(OnExhausted::Best))));
        assert_eq!(read("calls none"), Ok(Act::Set(Setting::Budget(Budget::Calls, None))));
        for wrong in ["", "depth", "depths 5", "height 5", "depth many", "k none"] {
            assert!(read(wrong).is_err_and(|why| !why.is_empty()), "{wrong}");
        }
    }
}
