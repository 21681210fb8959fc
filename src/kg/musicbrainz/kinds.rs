//! The kinds of entities, how the web service spells them, and what a lookup of each asks for.

/// A kind of entity that the web service can look up by MBID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A person or group.
    Artist,
    /// An album, single, ... whatever releases of it there are.
    ReleaseGroup,
    /// What is heard.
    Recording,
    /// What is performed: a song, a symphony.
    Work,
    /// What is sold: one edition of a release group.
    Release,
    /// An imprint or a company.
    Label,
    /// A country, a city.
    Area,
    /// A studio, a venue.
    Place,
    /// A concert, a festival.
    Event,
    /// A sequence of others: a catalogue, a tour.
    Series,
    /// An instrument.
    Instrument,
    /// A genre. It is looked up, but has no search.
    Genre,
}

/// The kinds that are searched, the likelier ones first.
pub const SEARCHED: [Kind; 11] = [
    Kind::Artist,
    Kind::ReleaseGroup,
    Kind::Recording,
    Kind::Work,
    Kind::Area,
    Kind::Label,
    Kind::Place,
    Kind::Event,
    Kind::Release,
    Kind::Series,
    Kind::Instrument,
];

/// The order in which an id of unknown kind is tried. It never changes, so that the same id always costs the same.
pub const PROBED: [Kind; 12] = [
    Kind::Artist,
    Kind::Recording,
    Kind::ReleaseGroup,
    Kind::Release,
    Kind::Work,
    Kind::Label,
    Kind::Area,
    Kind::Place,
    Kind::Event,
    Kind::Series,
    Kind::Instrument,
    Kind::Genre,
];

/// Relationships to every kind, as `inc` wants them. The client writes the blanks as `+`.
pub const RELATIONSHIPS: &str = "area-rels artist-rels event-rels instrument-rels label-rels place-rels recording-rels release-rels \
                                 release-group-rels series-rels url-rels work-rels";

impl Kind {
    /// As it stands in addresses: `release-group`.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Artist => "artist",
            Self::ReleaseGroup => "release-group",
            Self::Recording => "recording",
            Self::Work => "work",
            Self::Release => "release",
            Self::Label => "label",
            Self::Area => "area",
            Self::Place => "place",
            Self::Event => "event",
            Self::Series => "series",
            Self::Instrument => "instrument",
            Self::Genre => "genre",
        }
    }

    /// The name of a list of them: `release-groups`. A series is its own plural.
    #[must_use]
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Artist => "artists",
            Self::ReleaseGroup => "release-groups",
            Self::Recording => "recordings",
            Self::Work => "works",
            Self::Release => "releases",
            Self::Label => "labels",
            Self::Area => "areas",
            Self::Place => "places",
            Self::Event => "events",
            Self::Series => "series",
            Self::Instrument => "instruments",
            Self::Genre => "genres",
        }
    }

    /// For people: `release group`.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::ReleaseGroup => "release group",
            other => other.path(),
        }
    }

    /// From an address or a `target-type`, with `-`, `_` or a blank between the words.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        PROBED.into_iter().find(|kind| kind.path() == name)
    }

    /// What a lookup asks for beside the entity itself; a word that the service does not know for the kind is an error.
    #[must_use]
    pub fn wanted(self) -> Option<String> {
        let fields = match self {
            Self::Artist => "recordings releases release-groups works ",
            Self::Label => "releases ",
            Self::Recording => "artist-credits isrcs releases ",
            Self::Release => "artist-credits labels recordings release-groups ",
            Self::ReleaseGroup => "artist-credits releases ",
            Self::Genre => return None,
            _ => "",
        };
        Some(format!("{fields}{RELATIONSHIPS}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_kind_is_known() {
        for kind in PROBED {
            assert_eq!(Kind::parse(kind.path()), Some(kind));
            assert_eq!(Kind::parse(kind.words()), Some(kind));
        }
        assert_eq!(Kind::parse("release_group"), Some(Kind::ReleaseGroup));
        assert_eq!(Kind::parse("hologram"), None);
    }

    #[test]
    fn all_kinds_are_searched_but_genres() {
        for kind in PROBED {
            assert_eq!(SEARCHED.contains(&kind), kind != Kind::Genre, "{kind:?}");
        }
    }
}
