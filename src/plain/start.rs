//! The start page in lines: questions to try, models, recordings and sessions, with the numbers to open them by.

use super::words::worded;
use crate::text::one_line;
use crate::tui::app::Effect;
use crate::tui::views::start::StartData;
use crate::tui::{Light, OpenHow, SessionInfo, Status};

/// Questions that are told when not all are wished.
const FEW: usize = 10;

/// What can be opened by its number.
enum Row<'a> {
    Question(&'a str),
    Recorded(&'a SessionInfo),
    Session(&'a SessionInfo),
}

fn rows(data: &StartData) -> Vec<Row<'_>> {
    let questions = data.samples.iter().map(|sample| Row::Question(&sample.question));
    questions.chain(data.recorded.iter().map(Row::Recorded)).chain(data.sessions.iter().map(Row::Session)).collect()
}

/// The page.
pub fn page(data: &StartData, all: bool) -> Vec<String> {
    let mut lines = vec![format!("model: {}", one_line(&data.model))];
    lines.extend(data.status.iter().filter_map(light));
    if !data.models.is_empty() {
        lines.push("models to ask:".to_owned());
        lines.extend(data.models.iter().enumerate().map(|(at, offer)| {
            let chosen = if offer.chosen { ", chosen" } else { "" };
            worded(&format!("model {}: {}, {}{chosen}", at + 1, offer.spec, offer.about))
        }));
    }
    let mut heading = "";
    for (at, row) in rows(data).into_iter().enumerate() {
        let (section, line) = match row {
            Row::Question(question) => ("questions to try:", one_line(question)),
            Row::Recorded(info) => ("recordings to look at:", session(info)),
            Row::Session(info) => ("your sessions:", session(info)),
        };
        if heading != section {
            heading = section;
            lines.push(section.to_owned());
        }
        let questions = data.samples.len();
        if !all && questions > FEW + 1 && (FEW..questions).contains(&at) {
            if at == FEW {
                lines.push(format!("and {} more questions, up to number {questions}: start all tells them", questions - FEW));
            }
            continue;
        }
        lines.push(format!("{}. {line}", at + 1));
    }
    lines.push("type ask and a question, or open and a number; resume goes on with a session; help tells more".to_owned());
    lines
}

/// Whether a model or graph can be used; nothing as long as that is not known.
pub fn light(status: &Status) -> Option<String> {
    let light = match status.light {
        Light::Ready => "ready",
        Light::Checking => return None,
        Light::NoKey => "no key",
        Light::Unreachable => "unreachable",
        Light::Broken => "broken",
    };
    Some(format!("{} {light}: {}", one_line(&status.what), one_line(&status.line)))
}

fn session(info: &SessionInfo) -> String {
    let parts = [&info.question, &info.when, &info.outcome, &info.note];
    worded(&parts.into_iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(", "))
}

/// What opens the row of this number: a question is asked, a recording played; a session looked at, or gone on with.
pub fn open(data: &StartData, which: &str, how: OpenHow) -> Result<Effect, String> {
    let rows = rows(data);
    let number = which.trim().parse::<usize>().ok().and_then(|number| rows.get(number.checked_sub(1)?));
    match (number, how) {
        (Some(Row::Question(question)), OpenHow::Replay) => Ok(Effect::Start((*question).to_owned())),
        (Some(Row::Question(_)), OpenHow::Resume) => Err(format!("{} is a question: open {} asks it", which.trim(), which.trim())),
        (Some(Row::Recorded(info)), _) => Ok(Effect::Open(info.path.clone(), OpenHow::Replay)),
        (Some(Row::Session(info)), how) => Ok(Effect::Open(info.path.clone(), how)),
        (None, _) if rows.is_empty() => Err("there is nothing to open yet: type ask and a question".to_owned()),
        (None, _) => Err(format!("type a number from 1 to {}; start lists them", rows.len())),
    }
}

/// What takes a model of the list for the next question: `2`, or `2 ollama:name` for one whose name is a proposal.
pub fn model(data: &StartData, which: &str) -> Result<Effect, String> {
    if data.models.is_empty() {
        return Err("no other model was found; one is named with --llm when the program is started".to_owned());
    }
    let (number, spec) = which.trim().split_once(' ').unwrap_or((which.trim(), ""));
    match number.parse::<usize>().ok().and_then(|number| data.models.get(number.checked_sub(1)?)) {
        Some(offer) if spec.is_empty() && offer.proposed && !offer.chosen => {
            Err(format!("the name is a proposal: type model {number} {}, or with another name", offer.spec))
        }
        Some(offer) => {
            let spec = if spec.trim().is_empty() { &offer.spec } else { spec.trim() };
            Ok(Effect::Choose(offer.clone(), spec.to_owned()))
        }
        None => Err(format!("type model and a number from 1 to {}", data.models.len())),
    }
}
