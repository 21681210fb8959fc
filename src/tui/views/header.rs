//! The header: the question, what the search does, KGs and model; and the lines below it.

use super::super::command::Run;
use super::super::flying::Flying;
use super::super::session_view::SessionView;
use super::super::theme::{Role, Theme, kg_sign};
use super::super::widgets::put;
use super::super::widgets::spark::{seconds, spinner};
use crate::runner::RunState;
use crate::search::{HaltCause, OutcomeKind, State};
use crate::session::{Descent, Supply};
use crate::text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

/// What the search does, with its sign and role.
#[must_use]
pub fn run_text(view: &SessionView) -> (String, Role) {
    match view.snapshot.run_state() {
        RunState::Running => ("▶ running".to_owned(), Role::Good),
        RunState::Pausing(calls) => (format!("◫ pausing, {calls} in flight"), Role::Warning),
        RunState::Paused => match view.snapshot.state.halted.as_deref() {
            Some(halt) if halt.cause == HaltCause::Breakpoint => ("● breakpoint".to_owned(), Role::Accent),
            Some(halt) if halt.cause.budget().is_some() => ("■ budget used up".to_owned(), Role::Warning),
            Some(_) => ("■ stands still".to_owned(), Role::Error),
            None => ("❚❚ paused".to_owned(), Role::Warning),
        },
        RunState::Stepping => ("▸ stepping".to_owned(), Role::Accent),
        RunState::WaitingForYou => ("✎ waiting for you".to_owned(), Role::ByHand),
        RunState::Finished | RunState::Replay => finished(&view.snapshot.state).unwrap_or_else(|| ("◷ recording".to_owned(), Role::Accent)),
    }
}

/// How the search ended: the answer and its value.
fn finished(state: &State) -> Option<(String, Role)> {
    let (end, _) = state.finished.as_deref()?;
    let answer = end.answer.and_then(|id| match &state.node(id)?.action {
        crate::asm::Action::Answer { text, .. } => Some((text::one_line(text), state.value(id).known())),
        _ => None,
    });
    Some(match (end.outcome, answer) {
        (OutcomeKind::Answered, Some((answer, Some(value)))) => (format!("✔ {answer} ({value})"), Role::Good),
        (OutcomeKind::Answered, Some((answer, None))) => (format!("✔ {answer}"), Role::Good),
        (_, Some((answer, value))) => {
            let value = value.map_or_else(|| "?".to_owned(), |value| value.to_string());
            (format!("≈ best effort: {answer} ({value})"), Role::Warning)
        }
        _ => ("✗ no answer".to_owned(), Role::Warning),
    })
}

/// What the model is; a model that is none says so.
#[must_use]
pub fn model(name: &str) -> String {
    match name.split(':').next() {
        Some("lexical") => format!("{name} (no neural network)"),
        Some("script") => format!("{name} (a script, no model)"),
        Some("human") => format!("{name} (you)"),
        _ => name.to_owned(),
    }
}

/// What is in flight, and since when.
fn in_flight(flying: &Flying<'_>) -> Option<String> {
    let first = flying.calls().next()?;
    let ms = flying.elapsed(first);
    let count = flying.calls().count();
    let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
    Some(format!("{} {}{more} · {}", spinner(ms), text::one_line(&first.what), seconds(ms)))
}

/// Who waits, for how long yet, and why, on at most so many columns: the reason is cut first, then the name; the seconds stay.
fn waiting(view: &SessionView, flying: &Flying<'_>, columns: usize) -> Option<(String, Role)> {
    let first = flying.calls().next()?;
    let held = flying.waits(&view.scene).into_iter().next()?;
    let start = format!("  {} {} ", spinner(flying.elapsed(first)), held.sign);
    let room = columns.saturating_sub(text::width(&start));
    let (who, left) = (held.who, format!(" waits {} s", held.seconds));
    let said = format!("{who}{left}: {}", held.why);
    let said = if text::width(&who) + text::width(&left) <= room {
        text::cut(&said, room).into_owned()
    } else {
        format!("{}{left}", text::cut(&who, room.checked_sub(text::width(&left)).filter(|room| *room > 3)?))
    };
    Some((format!("{start}{said}"), Role::Warning))
}

/// The KGs with their signs; one that does not answer says so.
fn kgs(state: &State) -> Vec<(String, Role)> {
    let Some(started) = state.started.as_deref() else { return Vec::new() };
    let down = state.down();
    let mut pieces = Vec::new();
    for (at, (kg, _)) in started.kgs.iter().enumerate() {
        pieces.push((format!("  {} {kg}", kg_sign(at)), Role::of_kg(at)));
        if let Some(down) = down.iter().find(|down| down.kg == kg) {
            pieces.push((format!(" ✗ {}", down.word()), Role::Error));
        }
    }
    pieces
}

/// Draws the header on one line: the right part first, what is left goes to the question.
pub fn render(buf: &mut Buffer, area: Rect, view: &SessionView, now: Instant, theme: &Theme) {
    if area.is_empty() {
        return;
    }
    buf.set_style(area, theme.style(Role::Header));
    let (run, role) = run_text(view);
    let started = view.snapshot.state.started.as_deref();
    let width = usize::from(area.width);
    let run = text::cut(&run, (width / 2).max(10)).into_owned();
    let mut right: Vec<(String, Role)> = vec![(run, role)];
    let mut used = text::width(&right[0].0);
    let flying = Flying { live: &view.snapshot.live, now };
    // That something waits is rarer news than what is asked: it looks hung while nobody says why.
    let keeps = match width {
        ..80 => 12,
        80..100 => 18,
        _ => 24,
    };
    let waits = waiting(view, &flying, width.saturating_sub(used + keeps));
    // How much of the line the question keeps.
    let keeps = if waits.is_some() { keeps } else { 24 };
    let flight = in_flight(&flying).filter(|_| waits.is_none()).map(|flight| (format!("  {}", text::cut(&flight, 44)), Role::Dim));
    let kgs = kgs(&view.snapshot.state);
    let state = &view.snapshot.state;
    let model = started.map(|_| (format!("  {}", model(&text::one_line(state.model(state.model_now()).name))), Role::Dim));
    for piece in waits.into_iter().chain(kgs).chain(model).chain(flight) {
        if used + text::width(&piece.0) + keeps <= width {
            used += text::width(&piece.0);
            right.push(piece);
        }
    }
    let question = started.map_or("", |s| s.question.as_str());
    let room = width.saturating_sub(used + 9);
    let title = format!("tot · {}", text::cut(&text::one_line(question), room));
    let at = |x: u16, text: &str, role: Role, buf: &mut Buffer| {
        put(buf, area, x, area.y, text, theme.style(Role::Header).patch(theme.style(role)))
    };
    if width >= 24 {
        at(area.x + 1, &title, Role::Title, buf);
    }
    let mut x = area.right().saturating_sub(u16::try_from(used + usize::from(width > used)).unwrap_or(area.width)).max(area.x);
    for (text, role) in &right {
        x = at(x, text, *role, buf);
    }
}

/// The lines below the header, with their roles: what must be seen, then where the session comes from.
#[must_use]
pub fn banners(view: &SessionView) -> Vec<(String, Role)> {
    let descent = descent(view).map(|words| (format!("⑂ {words}"), Role::Dim));
    banner(view).map(|text| (text, Role::Banner)).into_iter().chain(descent).collect()
}

/// Which replies came from the recording of another session, as far as the view has seen.
#[must_use]
pub fn descent(view: &SessionView) -> Option<String> {
    let live = &view.snapshot.live;
    let entries = &view.snapshot.entries()[..view.seen().min(view.snapshot.entries().len())];
    let supply = match view.past {
        None if live.replaying_parent => Supply::UntilNew { stops: live.stops_at_miss },
        _ => Supply::Over,
    };
    Descent { parent: live.parent.as_ref(), note: &live.fork, entries }.words(supply)
}

/// The line that must be seen, if there is one.
fn banner(view: &SessionView) -> Option<String> {
    if let Some(seen) = view.past {
        let all = view.snapshot.entries().len();
        let goes_on = match view.run() {
            Run::Running | Run::Stepping | Run::Pausing => "; the search goes on",
            _ => "",
        };
        return Some(format!("◷ looking back: after event {} of {}{goes_on} · `)` to the present · `f` forks here", seen - 1, all - 1));
    }
    // Who goes on is not told any more why it stood still.
    let moves = matches!(view.snapshot.run_state(), RunState::Running | RunState::Stepping);
    if let Some(halt) = view.snapshot.state.halted.as_deref().filter(|_| !moves) {
        let (what, on) = match halt.cause {
            _ if view.snapshot.live.replay => ("the search stands still there: ", "tot resume goes on with it"),
            HaltCause::Budget(_) => ("", "`L` raises it, then space goes on"),
            HaltCause::Breakpoint => ("", "`B` lists breakpoints · space goes on"),
            HaltCause::Miss if view.snapshot.live.stops_at_miss => ("", "space goes on, live · `C` compares with the parent"),
            HaltCause::Miss => ("the search stands still: ", "`W` shows it whole · tot resume goes on with it, live"),
            HaltCause::Service | HaltCause::Template => ("the search stands still: ", "`W` shows it whole · space tries again"),
        };
        return Some(format!("■ {what}{} · {on}", text::one_line(&halt.why)));
    }
    let live = &view.snapshot.live;
    if let Some(held) = &live.proposal {
        return Some(format!("✎ the samples at node {} wait for your decision · `i` opens them", held.node.0));
    }
    if let Some(flight) = live.flights.iter().find(|flight| flight.human) {
        return Some(format!("✎ the search waits for you: {} · Enter opens the prompt", text::one_line(&flight.what)));
    }
    if live.replay {
        return Some("◷ a recording: no model and no KG is asked · `[` `]` `{` `}` go through time".to_owned());
    }
    if view.snapshot.run_state() != RunState::Finished
        && let Some(down) = view.snapshot.state.down().first()
    {
        let all_down = view.snapshot.state.down().len();
        let others = view.snapshot.state.started.as_deref().is_some_and(|s| s.kgs.len() > all_down);
        return Some(format!("✗ {}", text::one_line(&down.sentence(others))));
    }
    None
}

/// Draws the lines below the header, as many as there is room for.
pub fn render_banners(buf: &mut Buffer, area: Rect, lines: &[(String, Role)], theme: &Theme) {
    for ((text, role), y) in lines.iter().zip(area.y..area.bottom()) {
        let row = Rect { y, height: 1, ..area };
        let style = if *role == Role::Banner { theme.style(*role) } else { theme.style(Role::Header).patch(theme.style(*role)) };
        buf.set_style(row, style);
        put(buf, row, row.x.saturating_add(1), y, &fitted(text, usize::from(row.width).saturating_sub(2)), style);
    }
}

/// As much of the line as there is room for; the first key that helps is not cut.
fn fitted(line: &str, width: usize) -> String {
    let (said, keys) = line.split_at(line.find(" · `").unwrap_or(line.len()));
    let first = &keys[..keys.char_indices().skip(2).find(|(_, letter)| matches!(letter, ',' | '·')).map_or(keys.len(), |(at, _)| at)];
    let first = first.trim_end();
    match width.checked_sub(text::width(first)).filter(|room| *room >= 20 && *room < text::width(said)) {
        Some(room) => format!("{}{first}", text::cut(said, room)),
        None => text::cut(line, width).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::fitted;

    #[test]
    fn the_first_key_that_helps_is_not_cut() {
        let line =
            "■ the search stands still: no connection to http://127.0.0.1:9/v1/chat/completions · `W` shows it whole · space tries again";
        assert_eq!(fitted(line, 200), line);
        let cut = fitted(line, 80);
        assert!(cut.contains("… · `W` shows it whole") && cut.chars().count() <= 80, "{cut}");
        let line = "■ the budget of 5 calls to the model is used up · `L` raises it, then space goes on";
        assert!(fitted(line, 78).starts_with("■ the budget of 5 calls to the model is used up · `L` raises it"));
        assert_eq!(fitted("plain and long", 8), "plain a…");
        assert!(fitted(line, 5).chars().count() <= 5);
    }
}
