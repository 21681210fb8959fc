//! One thing, however it is written: as an id of Wikidata or MusicBrainz, as their addresses, as an IRI.

use super::term::Iri;
use super::vocabulary::is_short_id;
use crate::graph::EntityId;
use crate::kg::IdSpace;

/// The properties of Wikidata whose values are MBIDs, and the kind of thing that each names, as MusicBrainz writes it
/// in its addresses (`https://musicbrainz.org/artist/MBID`).
pub const MUSICBRAINZ_PROPERTIES: [(&str, &str); 12] = [
    ("P434", "artist"),
    ("P435", "work"),
    ("P436", "release-group"),
    ("P966", "label"),
    ("P982", "area"),
    ("P1004", "place"),
    ("P1330", "instrument"),
    ("P1407", "series"),
    ("P4404", "recording"),
    ("P5813", "release"),
    ("P6423", "event"),
    ("P8052", "genre"),
];

/// What a thing is known as beyond one KG.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Identity {
    /// An entity of Wikidata: `Q42`.
    Wikidata(String),
    /// A thing of MusicBrainz.
    MusicBrainz {
        /// `artist`, `release-group`, ..., where it is known.
        kind: Option<&'static str>,
        /// A UUID in lower case.
        mbid: String,
    },
    /// Anything else with an IRI.
    Iri(Iri),
}

impl Identity {
    /// What the id of a KG of `space` means; `None` for ids that mean nothing beyond it.
    #[must_use]
    pub fn of_id(space: IdSpace, id: &str) -> Option<Self> {
        let id = id.trim();
        match space {
            IdSpace::Own => None,
            IdSpace::MusicBrainz => Self::of_iri(id).or_else(|| mbid(id)),
            // A graph may turn out to have the shape of Wikidata only after it said that its ids are IRIs.
            IdSpace::Wikidata | IdSpace::Iri if is_short_id(id) => Some(Self::Wikidata(id.to_owned())),
            IdSpace::Wikidata | IdSpace::Iri => Self::of_iri(id),
        }
    }

    /// What an IRI means.
    #[must_use]
    pub fn of_iri(text: &str) -> Option<Self> {
        let iri = Iri::new(text)?;
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let Some((host, path)) = rest.and_then(|rest| rest.split_once('/')) else { return Some(Self::Iri(iri)) };
        let (folder, name) = path.split_once('/').unwrap_or(("", path));
        match host {
            "www.wikidata.org" | "wikidata.org" | "m.wikidata.org" if matches!(folder, "entity" | "wiki") && is_short_id(name) => {
                Some(Self::Wikidata(name.to_owned()))
            }
            "musicbrainz.org" | "www.musicbrainz.org" => {
                let known = MUSICBRAINZ_PROPERTIES.iter().find(|(_, kind)| *kind == folder);
                let found = known
                    .and_then(|(_, kind)| is_uuid(name).then(|| Self::MusicBrainz { kind: Some(kind), mbid: name.to_ascii_lowercase() }));
                Some(found.unwrap_or(Self::Iri(iri)))
            }
            _ => Some(Self::Iri(iri)),
        }
    }

    /// What a value of a property of Wikidata means: the MBID under one of the twelve.
    #[must_use]
    pub fn of_value(property: &str, value: &str) -> Option<Self> {
        let (_, kind) = MUSICBRAINZ_PROPERTIES.iter().find(|(id, _)| *id == property)?;
        is_uuid(value.trim()).then(|| Self::MusicBrainz { kind: Some(kind), mbid: value.trim().to_ascii_lowercase() })
    }

    /// The id in a KG of `space`, if it can have one there.
    #[must_use]
    pub fn id_in(&self, space: IdSpace) -> Option<EntityId> {
        match (self, space) {
            (Self::Wikidata(id), IdSpace::Wikidata) => Some(id.as_str().into()),
            (Self::MusicBrainz { mbid, .. }, IdSpace::MusicBrainz) => Some(mbid.as_str().into()),
            (_, IdSpace::Iri) => self.iris().first().map(|iri| iri.as_str().into()),
            _ => None,
        }
    }

    /// Every IRI that it may be written as, the usual one first.
    #[must_use]
    pub fn iris(&self) -> Vec<Iri> {
        let forms: Vec<String> = match self {
            Self::Wikidata(id) => [
                "http://www.wikidata.org/entity/",
                "https://www.wikidata.org/entity/",
                "https://www.wikidata.org/wiki/",
                "http://www.wikidata.org/wiki/",
            ]
            .map(|base| format!("{base}{id}"))
            .into(),
            Self::MusicBrainz { kind: Some(kind), mbid } => {
                ["https", "http"].map(|scheme| format!("{scheme}://musicbrainz.org/{kind}/{mbid}")).into()
            }
            // Of what kind it is, the bare MBID does not say.
            Self::MusicBrainz { kind: None, mbid } => {
                MUSICBRAINZ_PROPERTIES.iter().map(|(_, kind)| format!("https://musicbrainz.org/{kind}/{mbid}")).collect()
            }
            Self::Iri(iri) => return vec![iri.clone()],
        };
        forms.iter().filter_map(|form| Iri::new(form)).collect()
    }

    /// The properties of Wikidata that may name it, with the value.
    #[must_use]
    pub fn values(&self) -> Vec<(&'static str, &str)> {
        match self {
            Self::MusicBrainz { kind, mbid } => {
                let of_kind = |known: &&(&'static str, &'static str)| kind.is_none_or(|kind| kind == known.1);
                MUSICBRAINZ_PROPERTIES.iter().filter(of_kind).map(|(property, _)| (*property, mbid.as_str())).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the name of a KG speaks of the place where its usual IRI is: `demo-musicbrainz` of `musicbrainz.org`.
    #[must_use]
    pub fn is_spoken_of(&self, kg: &str) -> bool {
        let iris = self.iris();
        let host = iris.first().and_then(|iri| iri.as_str().split_once("://")).map(|(_, rest)| rest.split('/').next().unwrap_or(rest));
        let labels: Vec<&str> = host.unwrap_or_default().split('.').collect();
        let name = labels.len().checked_sub(2).and_then(|at| labels.get(at)).filter(|name| name.len() > 2);
        name.is_some_and(|name| kg.to_lowercase().contains(&name.to_lowercase()))
    }

    /// Whether both mean the same thing.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::MusicBrainz { kind: a, mbid: x }, Self::MusicBrainz { kind: b, mbid: y }) => {
                x == y && (a == b || a.is_none() || b.is_none())
            }
            _ => self == other,
        }
    }
}

/// An MBID alone, or `kind/MBID`.
fn mbid(id: &str) -> Option<Identity> {
    let (kind, id) = id.split_once('/').map_or((None, id), |(kind, id)| (Some(kind), id));
    let kind = kind.and_then(|kind| MUSICBRAINZ_PROPERTIES.iter().find(|(_, known)| *known == kind)).map(|(_, kind)| *kind);
    is_uuid(id).then(|| Identity::MusicBrainz { kind, mbid: id.to_ascii_lowercase() })
}

/// `b10bbbfc-cf9e-42e0-be17-e2c3e1d2600d`.
fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let hex = |group: &&str| group.bytes().all(|b| b.is_ascii_hexdigit());
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12]) && groups.iter().all(hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MBID: &str = "b10bbbfc-cf9e-42e0-be17-e2c3e1d2600d";

    #[test]
    fn wikidata_in_all_its_forms_is_one() {
        let q42 = Identity::Wikidata("Q42".into());
        for form in ["http://www.wikidata.org/entity/Q42", "https://www.wikidata.org/entity/Q42", "https://www.wikidata.org/wiki/Q42"] {
            assert_eq!(Identity::of_iri(form), Some(q42.clone()), "{form}");
            assert!(q42.iris().iter().any(|iri| iri.as_str() == form), "{form}");
        }
        for space in [IdSpace::Wikidata, IdSpace::Iri] {
            assert_eq!(Identity::of_id(space, " Q42 "), Some(q42.clone()));
        }
        assert_eq!(Identity::of_id(IdSpace::Own, "Q42"), None);
        assert_eq!(q42.id_in(IdSpace::Iri).as_deref(), Some("http://www.wikidata.org/entity/Q42"));
        assert_eq!(q42.id_in(IdSpace::MusicBrainz), None);
        for other in
            ["http://www.wikidata.org/prop/direct/P31", "http://www.wikidata.org/entity/statement/Q42-1", "http://ex.org/entity/Q42"]
        {
            assert_eq!(Identity::of_iri(other), Iri::new(other).map(Identity::Iri), "{other}");
        }
    }

    #[test]
    fn musicbrainz_is_an_id_a_property_or_an_address() {
        let artist = Identity::of_value("P434", MBID).unwrap();
        assert_eq!(Identity::of_iri(&format!("http://musicbrainz.org/artist/{}", MBID.to_uppercase())), Some(artist.clone()));
        assert_eq!(artist.id_in(IdSpace::MusicBrainz).as_deref(), Some(MBID));
        assert_eq!(artist.id_in(IdSpace::Iri).as_deref(), Some(&*format!("https://musicbrainz.org/artist/{MBID}")));
        assert_eq!(artist.values(), [("P434", MBID)]);
        let bare = Identity::of_id(IdSpace::MusicBrainz, MBID).unwrap();
        assert_eq!((bare.values().len(), bare.iris().len()), (12, 12));
        assert!(bare.same(&artist) && artist.same(&bare));
        assert!(!artist.same(&Identity::of_value("P435", MBID).unwrap()));
        assert_eq!(Identity::of_id(IdSpace::MusicBrainz, &format!("release-group/{MBID}")), Identity::of_value("P436", MBID));
        assert!(artist.is_spoken_of("demo-MusicBrainz") && !artist.is_spoken_of("company") && !artist.is_spoken_of(""));
        assert!(Identity::Wikidata("Q42".into()).is_spoken_of("my-wikidata"));
        assert!(!Identity::of_iri("urn:isbn:1").unwrap().is_spoken_of("urn-isbn"));
        assert_eq!(Identity::of_value("P434", "b10bbbfc"), None);
        assert_eq!(Identity::of_value("P345", MBID), None);
        assert!(matches!(Identity::of_iri("https://musicbrainz.org/artist/none"), Some(Identity::Iri(_))));
    }
}
