//! Links between entities that are fields of the service and not relationships: credits, release groups, tracks, labels.
//!
//! The service shows such a fact from both ends under two names: an artist has `release-groups`, a release group has an
//! `artist-credit`. Here it is one relation with two directions, so that it is one fact whichever way it was found:
//!
//! | relation | from | to | the field at the far end |
//! |---|---|---|---|
//! | `release-groups` | artist | release group | `artist-credit` |
//! | `releases` | artist | release | `artist-credit` |
//! | `recordings` | artist | recording | `artist-credit` |
//! | `works` | artist | work | none: it sums up relationships, which the work has with their roles |
//! | `release-group` | release | release group | `releases` |
//! | `label-info` | release | label | `releases` |
//! | `tracks` | release | recording | `releases` |
//! | `area`, `begin-area`, `end-area` | artist | area | none: artists of an area are only found by browsing |
//!
//! The name of the field at the far end is understood when it is asked for (see [`canonical`]).

use super::describe;
use super::fact::{Fact, Far, Group, qualifier};
use super::json;
use super::kinds::Kind;
use crate::graph::{Direction, Entity, KgName, Note, Relation, RelationRef};
use serde_json::Value;

/// A lookup lists so many linked entities at most; further ones come by browsing.
pub const LISTED: usize = 25;

/// A list of linked entities that can be browsed.
#[derive(Debug, PartialEq, Eq)]
pub struct List {
    /// Whose list it is.
    pub owner: Kind,
    /// The relation's id.
    pub relation: &'static str,
    /// Its direction, seen from the owner.
    pub direction: Direction,
    /// What is listed; the list is called by its plural, in a lookup and when browsing.
    pub of: Kind,
    /// The relation's label.
    label: &'static str,
    /// How the reverse reads.
    inverse: &'static str,
    /// The field of a listed record that has to name the owner. The service's list of an area's artists takes in those
    /// that began or ended there, and no lookup shows any of it.
    pub field: Option<&'static str>,
}

/// Every list, in the order in which they are offered.
pub const LISTS: [List; 10] = [
    out(Kind::Artist, "release-groups", Kind::ReleaseGroup, "release groups", "artist credit"),
    out(Kind::Artist, "releases", Kind::Release, "releases", "artist credit"),
    out(Kind::Artist, "recordings", Kind::Recording, "recordings", "artist credit"),
    out(Kind::Artist, "works", Kind::Work, "works", "artists"),
    back(Kind::ReleaseGroup, "release-group", "release group", "releases"),
    back(Kind::Label, "label-info", "record label", "releases"),
    back(Kind::Recording, "tracks", "tracks", "appears on releases"),
    of_area("area", "area", "artists from here"),
    of_area("begin-area", "born or founded in", "artists born or founded here"),
    of_area("end-area", "died or dissolved in", "artists died or dissolved here"),
];

const fn out(owner: Kind, relation: &'static str, of: Kind, label: &'static str, inverse: &'static str) -> List {
    List { owner, relation, direction: Direction::Out, of, label, inverse, field: None }
}

const fn back(owner: Kind, relation: &'static str, label: &'static str, inverse: &'static str) -> List {
    List { owner, relation, direction: Direction::In, of: Kind::Release, label, inverse, field: None }
}

const fn of_area(field: &'static str, label: &'static str, inverse: &'static str) -> List {
    List { owner: Kind::Area, relation: field, direction: Direction::In, of: Kind::Artist, label, inverse, field: Some(field) }
}

impl List {
    /// The facts of listed records; those without an id are left out.
    pub fn facts(&self, records: &[Value], kg: &KgName) -> Vec<Fact> {
        records.iter().filter_map(|record| self.fact(record, kg)).collect()
    }

    /// Whether `record`, which the service lists for `owner`, belongs to this list.
    pub fn holds(&self, record: &Value, owner: &str) -> bool {
        self.field.is_none_or(|field| json::object(record, field).is_some_and(|found| json::text(found, "id") == Some(owner)))
    }

    /// The relation as it is on offer for a list of which nothing is known yet.
    pub fn unknown(&self, kg: &KgName) -> Relation {
        Relation {
            at: RelationRef { kg: kg.clone(), id: self.relation.into(), direction: self.direction },
            label: Some(self.label.to_owned()),
            inverse_label: Some(self.inverse.to_owned()),
            count: None,
            count_is_bound: false,
            identifier: false,
        }
    }

    fn fact(&self, record: &Value, kg: &KgName) -> Option<Fact> {
        let far = describe::entity(self.of, record, kg)?;
        Some(self.link(self.of, far, Note::default(), self.direction))
    }

    fn link(&self, kind: Kind, far: Entity, note: Note, direction: Direction) -> Fact {
        Fact {
            relation: self.relation.into(),
            label: self.label.to_owned(),
            inverse: Some(self.inverse),
            direction,
            far: Far::Entity(kind, Box::new(far)),
            note,
            group: Group::Link,
        }
    }
}

/// The list whose relation is `relation`.
fn named(relation: &str) -> Option<&'static List> {
    LISTS.iter().find(|list| list.relation == relation)
}

/// The relation and direction that `relation` means for an entity of `kind`: a field's name that is the far end of a
/// relation is that relation, walked the other way.
#[must_use]
pub fn canonical(kind: Kind, relation: &str, direction: Direction) -> (&str, Direction) {
    if direction == Direction::In {
        return (relation, direction);
    }
    match (kind, relation) {
        (Kind::ReleaseGroup, "artist-credit") => ("release-groups", Direction::In),
        (Kind::Release, "artist-credit") => ("releases", Direction::In),
        (Kind::Recording, "artist-credit") => ("recordings", Direction::In),
        (Kind::ReleaseGroup, "releases") => ("release-group", Direction::In),
        (Kind::Label, "releases") => ("label-info", Direction::In),
        (Kind::Recording, "releases") => ("tracks", Direction::In),
        (Kind::Release, "recordings" | "media") => ("tracks", Direction::Out),
        _ => (relation, direction),
    }
}

/// The links of a record other than its lists: artist credit, release group, labels, tracks.
pub fn facts(kind: Kind, record: &Value, kg: &KgName) -> Vec<Fact> {
    let mut facts = credited(kind, record, kg);
    if kind != Kind::Release {
        return facts;
    }
    let link = |relation: &str, kind, record: &Value, note| {
        let far = describe::entity(kind, record, kg)?;
        Some(named(relation)?.link(kind, far, note, Direction::Out))
    };
    facts.extend(json::object(record, "release-group").and_then(|group| link("release-group", Kind::ReleaseGroup, group, Note::default())));
    for info in json::list(record, "label-info") {
        let Some(label) = json::object(info, "label") else { continue };
        let number = json::text(info, "catalog-number").map(|number| qualifier("catalog-number", "catalogue number", number));
        facts.extend(link("label-info", Kind::Label, label, Note { qualifiers: number.into_iter().collect(), ..Note::default() }));
    }
    let media = json::list(record, "media");
    for medium in media {
        for track in json::list(medium, "pregap").iter().chain(tracks_of(medium)) {
            let Some(recording) = json::object(track, "recording") else { continue };
            facts.extend(link("tracks", Kind::Recording, recording, track_note(medium, track, recording, media.len() > 1)));
        }
    }
    facts
}

fn tracks_of(medium: &Value) -> impl Iterator<Item = &Value> {
    json::list(medium, "tracks").iter().chain(json::list(medium, "data-tracks"))
}

/// Which track it is, and its title where that is not the recording's.
fn track_note(medium: &Value, track: &Value, recording: &Value, several: bool) -> Note {
    let mut qualifiers = Vec::new();
    if several {
        qualifiers.extend(json::shown(medium, "position").map(|place| qualifier("medium", "medium", &place)));
    }
    let number = json::shown(track, "number").or_else(|| json::shown(track, "position"));
    qualifiers.extend(number.map(|number| qualifier("number", "track", &number)));
    let title = json::text(track, "title").filter(|title| json::text(recording, "title") != Some(title));
    qualifiers.extend(title.map(|title| qualifier("title", "titled", title)));
    Note { qualifiers, ..Note::default() }
}

/// Whom a release group, release or recording is credited to. A name that differs and the whole credit of several
/// artists are kept as remarks.
fn credited(kind: Kind, record: &Value, kg: &KgName) -> Vec<Fact> {
    let (relation, direction) = canonical(kind, "artist-credit", Direction::Out);
    let Some(list) = named(relation).filter(|_| direction == Direction::In) else { return Vec::new() };
    let credit = json::list(record, "artist-credit");
    let whole = describe::credit(record).filter(|_| credit.len() > 1);
    let fact = |part: &Value| {
        let artist = json::object(part, "artist")?;
        let far = describe::entity(Kind::Artist, artist, kg)?;
        let name = json::text(part, "name").filter(|name| far.label.as_deref() != Some(name));
        let mut qualifiers: Vec<_> = name.map(|name| qualifier("credited-as", "credited as", name)).into_iter().collect();
        qualifiers.extend(whole.as_deref().map(|whole| qualifier("artist-credit", "whole credit", whole)));
        Some(list.link(Kind::Artist, far, Note { qualifiers, ..Note::default() }, direction))
    };
    credit.iter().filter_map(fact).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Object;
    use serde_json::json;

    const BAND: &str = "11111111-1111-4111-8111-111111111111";
    const ALBUM: &str = "22222222-2222-4222-8222-222222222222";

    #[test]
    fn the_two_names_of_a_fact_give_one_edge() {
        let kg: KgName = "musicbrainz".into();
        let from_artist = LISTS[0].facts(&[json!({"id": ALBUM, "title": "Low Tide"})], &kg);
        let album =
            json!({"id": ALBUM, "artist-credit": [{"name": "Lights", "joinphrase": "", "artist": {"id": BAND, "name": "Harbour Lights"}}]});
        let from_album = facts(Kind::ReleaseGroup, &album, &kg);
        let (one, other) = (from_artist[0].edge(&BAND.into(), &kg), from_album[0].edge(&ALBUM.into(), &kg));
        assert!(one.same_fact(&other), "{one:?} {other:?}");
        assert_eq!((&*one.s, &one.o), (BAND, &Object::Entity(ALBUM.into())));
        assert_eq!(other.notes[0].text(), "credited as Lights");
        assert_eq!(canonical(Kind::ReleaseGroup, "artist-credit", Direction::Out), ("release-groups", Direction::In));
        assert_eq!(canonical(Kind::Artist, "artist-credit", Direction::Out), ("artist-credit", Direction::Out));
    }

    #[test]
    fn every_list_is_a_relation_of_its_own_for_its_owner() {
        for (at, list) in LISTS.iter().enumerate() {
            let same = |other: &&List| (other.owner, other.relation, other.direction) == (list.owner, list.relation, list.direction);
            assert_eq!(LISTS.iter().position(|other| same(&other)), Some(at));
        }
    }

    #[test]
    fn tracks_say_where_they_are() {
        let recording = json!({"id": BAND, "title": "Ebb"});
        let release = json!({"id": ALBUM, "media": [
            {"position": 1, "tracks": [{"number": "A1", "title": "Ebb", "recording": recording}]},
            {"position": 2, "data-tracks": [{"position": 7, "title": "Ebb (reprise)", "recording": recording}, {"recording": null}]}],
            "label-info": [{"catalog-number": "HL 1", "label": null}, {"catalog-number": null, "label": {"id": BAND, "name": "Quay"}}]});
        let facts = facts(Kind::Release, &release, &"musicbrainz".into());
        let notes: Vec<String> = facts.iter().map(|fact| format!("{} {}", fact.relation, fact.note.text())).collect();
        assert_eq!(notes, ["label-info ", "tracks medium 1, track A1", "tracks medium 2, track 7, titled Ebb (reprise)"]);
    }
}
