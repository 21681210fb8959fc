//! Choosing the model that is asked: one that is known here, or one that is typed; for this call, or from here on.

use super::super::super::host::Other;
use super::super::super::views::header;
use super::super::super::widgets::list::{Item, PickList};
use crate::llm::ModelSpec;
use crate::search::{ModelRef, OtherModel, State};
use crate::text::one_line;

/// A row of the list of models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Row {
    /// The one that is asked now.
    Usual,
    /// This one.
    Model(OtherModel),
    /// One that is typed.
    Typed,
}

/// How long the choice holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// For this call.
    Call,
    /// From here on.
    On,
    /// From here on, and nothing is asked here.
    Only,
}

pub(super) const SCOPES: [Scope; 3] = [Scope::Call, Scope::On, Scope::Only];

/// The models to choose from: the one that is asked now, those that were asked in this session, those that are known here.
pub(super) fn list(state: &State, others: &[Other]) -> (PickList, Vec<Row>) {
    let now = state.model(state.model_now());
    let mut rows = vec![(item(now, "asked now".to_owned()), Row::Usual)];
    let mut seen: Vec<(String, Option<String>)> = vec![(now.spec.to_owned(), now.url.map(str::to_owned))];
    let mut add = |spec: &str, url: Option<&str>, item: Item| {
        let identity = (spec.to_owned(), url.map(str::to_owned));
        if !seen.contains(&identity) {
            rows.push((item, Row::Model(OtherModel::named(spec, identity.1.clone()))));
            seen.push(identity);
        }
    };
    for by in state.models_asked().into_iter().chain([None]) {
        let model = state.model(by);
        let about = if by.is_none() { "the session's own" } else { "asked in this session" };
        add(model.spec, model.url, item(model, about.to_owned()));
    }
    for other in others {
        let shown = Item { detail: one_line(&other.about), ..Item::new(header::model(&one_line(&other.spec))) };
        add(&other.spec, other.url.as_deref(), shown);
    }
    rows.push((
        Item { detail: "in the form of --llm, or a name of the configuration".to_owned(), ..Item::new("✎ another model") },
        Row::Typed,
    ));
    let (items, rows) = rows.into_iter().unzip();
    (PickList::one(items), rows)
}

fn item(model: ModelRef<'_>, about: String) -> Item {
    let at = model.url.map_or_else(String::new, |url| format!(" · at {}", one_line(url)));
    Item { detail: format!("{about}{at}"), ..Item::new(header::model(&one_line(model.spec))) }
}

/// The model that was typed. One of the provider of the model that is asked now is looked for at the same server.
///
/// # Errors
/// A sentence that says what is possible.
pub(super) fn typed(state: &State, others: &[Other], text: &str) -> Result<OtherModel, String> {
    let text = text.trim();
    if let Some(known) = others.iter().find(|other| other.url.is_none() && other.spec == text) {
        return Ok(OtherModel::named(&known.spec, None));
    }
    let spec = text.parse::<ModelSpec>().map_err(|wrong| wrong.to_string())?.to_string();
    let now = state.model(state.model_now());
    let word = |spec: &str| spec.split(':').next().unwrap_or_default().to_owned();
    let url = now.url.filter(|_| word(now.spec) == word(&spec)).map(str::to_owned);
    Ok(OtherModel::named(spec, url))
}

/// How long a choice is to hold.
pub(super) fn scopes(can_ask: bool) -> PickList {
    let rows = SCOPES.map(|scope| {
        let (label, detail) = match scope {
            Scope::Call => ("for this call", "what comes after it is asked of the usual model"),
            Scope::On => ("from here on, and here again", "every later prompt of this session goes to it; one undo (u) each"),
            Scope::Only => ("from here on", "every later prompt of this session goes to it; nothing is asked again now"),
        };
        Item { detail: detail.to_owned(), barred: !can_ask && scope != Scope::Only, ..Item::new(label) }
    });
    PickList::one(rows.to_vec())
}
