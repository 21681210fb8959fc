//! What a person wants otherwise when the model is asked again: for this one ask.

use super::act::{Act, ActRefused, Again};
use super::event::{By, NodeId, Purpose, StepId};
use super::model::OtherModel;
use super::state::{Node, State};
use serde::{Deserialize, Serialize};

/// The highest temperature that is asked for, in thousandths.
const HOTTEST: u32 = 2000;

/// What is otherwise in one ask.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Otherwise {
    /// The temperature, in thousandths; without it the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_milli: Option<u32>,
    /// The model; without it the one that is asked now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Box<OtherModel>>,
    /// Children whose place the new samples take: they are pruned, as long as they are not chosen again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaces: Vec<NodeId>,
}

impl Otherwise {
    /// Whether everything is as usual.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// In a few words, each after a comma; empty when everything is as usual.
    #[must_use]
    pub fn words(&self) -> String {
        let heat = self.temperature_milli.map_or_else(String::new, |milli| format!(", at temperature {}", temperature(milli)));
        let replaced = match self.replaces.len() {
            0 => String::new(),
            1 => ", in the place of 1 child".to_owned(),
            n => format!(", in the place of {n} children"),
        };
        let model = self.model.as_ref().map_or_else(String::new, |model| format!(", of {}", model.label()));
        format!("{model}{heat}{replaced}")
    }

    /// Whether it can be asked so at `node`.
    ///
    /// # Errors
    /// A sentence that says why not.
    pub(super) fn check(&self, state: &State, node: NodeId, what: Again) -> Result<(), ActRefused> {
        let refuse = |why: String| Err(ActRefused(why));
        if self.temperature_milli.is_some_and(|milli| milli > HOTTEST) {
            return refuse(format!("a temperature is a number from 0 to {}", temperature(HOTTEST)));
        }
        if !self.replaces.is_empty() && what == Again::Value {
            return refuse("a value takes the place of no child: ask for what comes next".to_owned());
        }
        if let Some(model) = &self.model {
            model.check(state)?;
        }
        let replaceable = state.replaceable(node);
        match self.replaces.iter().find(|child| !replaceable.contains(child)) {
            Some(child) => {
                refuse(format!("node {} can't be replaced: it was expanded, made by hand, or is no child of node {}", child.0, node.0))
            }
            None => Ok(()),
        }
    }
}

/// A temperature as people write it: `0.7`.
#[must_use]
pub fn temperature(milli: u32) -> String {
    (f64::from(milli) / 1000.0).to_string()
}

/// Reads a temperature, in thousandths; empty: the usual one.
///
/// # Errors
/// A sentence that says what is possible.
pub fn read_temperature(text: &str) -> Result<Option<u32>, String> {
    let text = text.trim().replace(',', ".");
    if text.is_empty() {
        return Ok(None);
    }
    let wanted = text.parse::<f64>().ok().filter(|t| (0.0..=f64::from(HOTTEST) / 1000.0).contains(t));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 2000")]
    let milli = wanted.map(|t| (t * 1000.0).round() as u32);
    milli.map(Some).ok_or_else(|| format!("a temperature is a number from 0 to {}; empty: the usual one", temperature(HOTTEST)))
}

impl State {
    /// Children of `node` that new samples can take the place of: the model chose them, nobody went on from them, and the person neither
    /// chose nor accepted them.
    #[must_use]
    pub fn replaceable(&self, node: NodeId) -> Vec<NodeId> {
        let Some(parent) = self.node(node) else { return Vec::new() };
        let standings = self.standings();
        let active = |act: &super::event::ActId| self.acts.get(act.index()).is_some_and(|act| act.active);
        let accepted = |id: NodeId| self.acts.iter().any(|act| act.active && act.what == Act::Accept { node: id });
        let free = |child: &Node| {
            let standing = standings[child.id.index()];
            child.by == By::Engine
                && child.expanded.is_none()
                && child.children.is_empty()
                && !child.marks.iter().any(active)
                && !standing.pruned
                && !standing.withdrawn
                && !accepted(child.id)
        };
        parent.children.iter().copied().filter(|id| self.node(*id).is_some_and(free)).collect()
    }

    /// What is otherwise in an ask of a step: what comes of new samples is scored as always.
    pub(super) fn otherwise(&self, step: StepId, purpose: Purpose) -> Option<&Otherwise> {
        let act = self.step(step).and_then(|step| step.act).and_then(|act| self.acts.get(act.index()))?;
        match &act.what {
            Act::AskAgain { what: Again::Samples, otherwise, .. } if purpose == Purpose::Sample => Some(otherwise),
            Act::AskAgain { what: Again::Value, otherwise, .. } if purpose == Purpose::Score => Some(otherwise),
            _ => None,
        }
    }
}
