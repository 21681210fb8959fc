//! Ids on the screen: short aliases of long ones, unique within the session, each with the sign of its KG. What is sent,
//! recorded or shown in detail is always the whole id.

use super::scene::Scene;
use super::theme::kg_sign;
use crate::graph::{Entity, EntityId};
use crate::search::{Act, State};
use crate::text;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Ids of up to so many columns are shown whole.
const WHOLE: usize = 14;
/// Letters of a UUID, and of any other long id, that are shown at least.
const UUID: usize = 8;
const OTHER: usize = 12;

/// The short forms of the long ids of a session.
#[derive(Clone, Debug, Default)]
pub struct Aliases {
    short: HashMap<EntityId, String>,
}

impl Aliases {
    /// The aliases of everything that `state` knows.
    #[must_use]
    pub fn of(state: &State) -> Self {
        let deltas = state.nodes.iter().map(|node| &node.delta).chain(state.steps.iter().filter_map(|step| step.page.as_ref()));
        let brought = deltas.flat_map(|delta| &delta.entities);
        let linked = state.acts.iter().flat_map(|act| match &act.what {
            Act::Link { add, .. } => add.as_slice(),
            _ => &[],
        });
        let entities = brought.chain(linked);
        Self::of_ids(entities.flat_map(|entity| std::iter::once(&entity.id).chain(entity.also.iter().map(|(_, id)| id))))
    }

    /// Aliases of these ids: each begins as its id does and differs from every other.
    #[must_use]
    pub fn of_ids<'a>(ids: impl IntoIterator<Item = &'a EntityId>) -> Self {
        let mut left: Vec<&EntityId> = ids.into_iter().filter(|id| text::width(id) > WHOLE).collect();
        left.sort_unstable();
        left.dedup();
        let mut short = HashMap::new();
        let mut taken = HashSet::new();
        let mut more = 0;
        while !left.is_empty() {
            let mut groups: BTreeMap<String, Vec<&EntityId>> = BTreeMap::new();
            for id in left.drain(..) {
                groups.entry(alias(id, more)).or_default().push(id);
            }
            for (alias, ids) in groups {
                match ids[..] {
                    [id] if !taken.contains(&alias) => {
                        taken.insert(alias.clone());
                        short.insert(id.clone(), alias);
                    }
                    _ => left.extend(ids.into_iter().filter(|id| more < text::width(id))),
                }
            }
            more += 4;
        }
        Self { short }
    }

    /// The id as it is shown in rows.
    #[must_use]
    pub fn short(&self, id: &str) -> String {
        text::one_line(self.short.get(id).map_or(id, String::as_str))
    }

    /// All ids of an entity: `Q2831 ◆ · f27ec8db… ▲`; one id alone needs no sign. An id that several KGs share stands
    /// once.
    #[must_use]
    pub fn line(&self, scene: &Scene, entity: &Entity) -> String {
        ids(scene, entity, !entity.also.is_empty(), |id| self.short(id))
    }
}

/// All ids of an entity, whole, each with the sign of its KG where several are open.
#[must_use]
pub fn whole(scene: &Scene, entity: &Entity) -> String {
    ids(scene, entity, true, text::one_line)
}

fn ids(scene: &Scene, entity: &Entity, signs: bool, shown: impl Fn(&str) -> String) -> String {
    let several = signs && scene.state.started.as_deref().is_some_and(|started| started.kgs.len() > 1);
    let mut parts: Vec<(&EntityId, String)> = Vec::new();
    for (kg, id) in std::iter::once((&entity.kg, &entity.id)).chain(entity.also.iter().map(|(kg, id)| (kg, id))) {
        let sign = if several { kg_sign(scene.kg(kg)) } else { "" };
        match parts.iter_mut().find(|(known, _)| *known == id) {
            Some((_, signs)) if !signs.contains(sign) => signs.push_str(sign),
            Some(_) => {}
            None => parts.push((id, sign.to_owned())),
        }
    }
    let said = |(id, signs): (&EntityId, String)| if signs.is_empty() { shown(id) } else { format!("{} {signs}", shown(id)) };
    parts.into_iter().map(said).collect::<Vec<_>>().join(" · ")
}

/// The part of `id` that tells it apart, so far that `more` letters are added to the least.
fn alias(id: &str, more: usize) -> String {
    let tail = id.trim_end_matches(['/', '#']).rsplit(['/', '#']).next().filter(|tail| !tail.is_empty()).unwrap_or(id);
    let uuid = tail.len() == 36 && tail.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    let room = if uuid { UUID } else { OTHER } + more;
    if room >= text::width(id) {
        return id.to_owned();
    }
    let front = if tail.len() < id.len() && !uuid { "…" } else { "" };
    let cut: String = tail.chars().take(room).collect();
    let end = if cut.len() < tail.len() { "…" } else { "" };
    format!("{front}{cut}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aliases(ids: &[&str]) -> Vec<String> {
        let ids: Vec<EntityId> = ids.iter().map(|id| (*id).into()).collect();
        let all = Aliases::of_ids(&ids);
        ids.iter().map(|id| all.short(id)).collect()
    }

    #[test]
    fn long_ids_are_cut_and_stay_apart() {
        let shown = aliases(&[
            "Q2831",
            "f27ec8db-af05-4f36-916e-3d57f91ecf5e",
            "f27ec8db-af05-4f36-916e-3d57f91ecf5f",
            "https://example.org/company/Acme",
            "https://example.org/people/Acme",
        ]);
        assert_eq!(shown[0], "Q2831");
        assert!(shown[1].starts_with("f27ec8db-af05") && shown[2].starts_with("f27ec8db-af05"), "{shown:?}");
        let distinct: HashSet<&String> = shown.iter().collect();
        assert_eq!(distinct.len(), shown.len(), "{shown:?}");
        assert_eq!(aliases(&["f27ec8db-af05-4f36-916e-3d57f91ecf5e", "https://example.org/Boston"]), ["f27ec8db…", "…Boston"]);
    }

    #[test]
    fn odd_ids_break_nothing() {
        let shown = aliases(&["", "///////////////////////", "https://example.org/", "\u{1b}[31maaaaaaaaaaaaaaaaaaaaaaaaa"]);
        assert!(shown.iter().all(|id| !id.contains('\u{1b}')), "{shown:?}");
    }
}
