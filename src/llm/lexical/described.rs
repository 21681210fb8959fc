//! What a node is, going by its description, its name, and facts that say so.

use super::lexicon::is_asking_form;
use super::question::Cue;
use super::solver::Solver;
use super::walk::{Walk, bit};
use super::words::{content_stems, is_kind, is_kind_stem, stem, tokens};
use indexmap::{IndexMap, IndexSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Words for kinds of places that a "located in" must not stand for unless the far end is one.
const PLACE_KINDS: &str = "county state province borough district region municipality canton department prefecture territory island city town village country continent part river lake sea bay gulf ocean";

impl Solver<'_> {
    /// Accounts for the next cues that only say what is reached ("the *country* whose capital ...", "which *poet*"),
    /// keeping those ends that are such things.
    pub fn cover_by_type(&self, walk: &mut Walk) {
        for n in walk.order.clone() {
            if walk.covered & bit(n) != 0 {
                continue;
            }
            let cue = &self.question.cues[n];
            let fits: IndexSet<String> =
                walk.at.iter().filter(|node| self.is_described(node, &cue.stem, self.word(cue))).cloned().collect();
            if fits.is_empty() {
                if cue.weight > 0.5 && !cue.is_name {
                    return;
                }
                continue;
            }
            walk.at = fits;
            walk.covered |= bit(n);
            walk.score += 0.5 * cue.weight.max(0.5);
        }
    }

    /// The topics that a walk has nothing to do with.
    pub fn open_topics(&self, walk: &Walk) -> Vec<usize> {
        let near = |i: &usize| {
            let topic = &self.question.topics[*i];
            let name = self.graph.name(&topic.id).to_lowercase();
            let beside = |node: &str| self.edges.get(node).into_iter().flat_map(IndexMap::values).flatten().any(|other| *other == topic.id);
            walk.at.iter().any(|node| self.is_described(node, &name, None) || beside(node))
        };
        let open = (0..self.question.topics.len()).filter(|i| !walk.topics.contains(i));
        if self.question.all_topics { open.collect() } else { open.filter(|i| !near(i)).collect() }
    }

    /// Whether any of these has a description to go by.
    pub fn some_typed(&self, nodes: &IndexSet<&str>) -> bool {
        nodes.iter().any(|n| self.graph.entities.get(*n).is_some_and(|e| !e.description.is_empty()) || !self.types(n).is_empty())
    }

    pub fn is_type(&self, node: &str, stemmed: &str) -> bool {
        self.types(node).contains(stemmed)
    }

    /// The word of a cue as it stands in the question; `None` for a name.
    fn word<'c>(&self, cue: &'c Cue) -> Option<&'c str> {
        (!cue.is_name).then_some(cue.form.as_str())
    }

    fn is_described(&self, node: &str, stemmed: &str, word: Option<&str>) -> bool {
        let Some(entity) = self.graph.entities.get(node) else { return false };
        let Some(word) = word else {
            return entity.label.to_lowercase().contains(stemmed) || entity.description.to_lowercase().contains(stemmed);
        };
        let general = is_kind(word) || is_place_kind(stemmed);
        if is_asking_form(word) && !general {
            return false;
        }
        self.is_type(node, stemmed) || !general && content_stems(&entity.description).iter().any(|s| s == stemmed)
    }

    /// What a node is, by the head of its description, by its name, and by facts that say so.
    fn types(&self, node: &str) -> Rc<BTreeSet<String>> {
        if let Some(known) = self.types.borrow().get(node) {
            return Rc::clone(known);
        }
        let mut types = BTreeSet::new();
        if let Some(entity) = self.graph.entities.get(node) {
            let head = head(&entity.description);
            let nouns = tokens(head).into_iter().filter(|t| t.is_word() && !t.lower.ends_with("ed"));
            types.extend(nouns.map(|t| t.stem));
            let named: BTreeSet<String> =
                content_stems(&entity.label).into_iter().filter(|s| is_kind_stem(s) || is_place_kind(s)).collect();
            types.extend(named);
            if ["sovereign state", "historical state", "former state", "island state", "kingdom", "republic", "empire", "nation"]
                .iter()
                .any(|w| head.contains(w))
            {
                types.insert(stem("country"));
            }
        }
        for ((label, reverse), others) in self.edges.get(node).into_iter().flatten() {
            if !*reverse && matches!(*label, "instance of" | "occupation" | "type" | "subclass of" | "use") {
                types.extend(others.iter().flat_map(|o| content_stems(self.graph.name(o))));
            }
        }
        let types = Rc::new(types);
        self.types.borrow_mut().insert(node.to_owned(), Rc::clone(&types));
        types
    }
}

/// The head of a description: "sovereign state in Europe" is a sovereign state.
fn head(description: &str) -> &str {
    let ends = [" of ", " in ", " from ", " by ", " that ", " who ", " which ", " for ", " with ", " at ", " on ", " (", ", "];
    let end = ends.iter().filter_map(|e| description.find(e)).min().unwrap_or(description.len());
    &description[..end]
}

/// Whether a stem names a kind of place that a "located in" must not stand for.
pub(super) fn is_place_kind(stemmed: &str) -> bool {
    PLACE_KINDS.split(' ').any(|w| stem(w) == stemmed)
}
