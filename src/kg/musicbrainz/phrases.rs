//! How relationships read. The service names a type ("member of band") and a direction, but not how the two directions
//! read. Most types read well by their name from their source; for those whose name would say the opposite ("part of"
//! goes from the whole to the part) the phrase for both ends stands here. What stands in no table reads "is TYPE of" from
//! its target. A type is always known by its whole UUID; phrases are for people and models only.

use std::collections::HashMap;
use std::sync::LazyLock;

/// (the type's UUID, how it reads from its source, how from its target): the types between the kinds at the end of the
/// line, in that order, whose name alone would mislead.
#[rustfmt::skip]
const READINGS: &[(&str, &str, &str)] = &[
    ("de7cc874-8b1b-3a05-8272-f3834c968fb7", "has part", "part of"), // area, area
    ("542f8484-8bc7-3ce5-a022-747850b2b928", "had event", "held in"), // area, event
    ("25ed73f8-a864-42cf-8b9c-68db198dbe0e", "origin of", "from"), // area, genre
    ("0b67183b-9f36-4b09-b561-0fa531508f91", "origin of", "from"), // area, instrument
    ("37ef3a0c-cac3-4172-b09b-4ca98d2857fc", "recording location of", "recorded in"), // area, recording
    ("354043e1-bdc2-4c7f-b338-2bf9c1d56e88", "recording location of", "recorded in"), // area, release
    ("eef56d04-852a-4ce6-bfc9-678c19392a16", "mixing location of", "mixed in"), // area, recording
    ("281bf307-f1e8-4a56-a7b8-fe8304bb2bf3", "location of", "held in"), // area, release
    ("c0998b44-aa21-4d27-be79-2ff64205cecd", "manufacturing location of", "manufactured in"), // area, release
    ("536b4ee4-bb2d-3b6f-a3f1-082f22e5b17d", "has anthem", "anthem of"), // area, work
    ("e02f372b-33c3-41fc-88ba-6b3e95f50d77", "writing location of", "written in"), // area, work
    ("5293c7f7-7950-4fef-b367-b0062b99c4e7", "composing location of", "composed in"), // area, work
    ("c6bd908f-41f1-4ff3-83f3-df514278d994", "premiere location of", "premiered in"), // area, work
    ("dd9886f2-1dfe-4270-97db-283f6839a666", "performs as", "performance name of"), // artist, artist
    ("1af24726-5b1f-4b07-826e-5351723f504b", "named after", "inspired the name of"), // artist, artist
    ("9421ca84-934f-49fe-9e66-dea242430406", "parent of", "child of"), // artist, artist
    ("249fc24f-d573-4290-9d74-0547712d1f1e", "teacher of", "student of"), // artist, artist
    ("a6f62641-2f58-470e-b02b-88d7b984dc9f", "tribute to", "has tribute artist"), // artist, artist
    ("88562a60-2550-48f0-8e8e-f54d95c7369a", "supporting artist of", "has supporting artist"), // artist, artist
    ("ed6a7891-ce70-4e08-9839-1f2f62270497", "supporting instrumentalist of", "has supporting instrumentalist"), // artist, artist
    ("610d39a4-3fa0-4848-a8c9-f46d7b5cc02e", "supporting vocalist of", "has supporting vocalist"), // artist, artist
    ("7802f96b-d995-4ce9-8f70-6366faad758e", "subgroup of", "has subgroup"), // artist, artist
    ("6ed4bfc4-0a0d-44c0-b025-b7fc4d900b67", "founded", "founded by"), // artist, artist
    ("4ef86173-7f40-486d-bf8d-c38b1097e77f", "has tribute event", "tribute to"), // artist, event
    ("b336d682-592f-4486-9f45-3d5d59895bdc", "signed by", "signed"), // artist, label
    ("577996f3-7ff9-45cf-877e-740fb1267a63", "founded", "founded by"), // artist, label
    ("610fa594-eeaa-407b-a9f1-49f509ab5559", "owns", "owned by"), // artist, label
    ("fff4640a-0819-49e9-92c5-1e3b5134fd95", "primary concert venue", "primary concert venue of"), // artist, place
    ("83f72956-2007-4bca-8a97-0ae539cca99d", "sampled in", "contains samples by"), // artist, recording
    ("7ddb04ae-6c8a-41bd-95c2-392994d663db", "sampled in", "contains samples by"), // artist, release
    ("5e2907db-49ec-4a48-9f11-dfb99d2603ff", "has tribute album", "tribute to"), // artist, release group
    ("f03d59f3-97db-424b-885e-e8be69d65225", "has tour", "tour by"), // artist, series
    ("d5ea820c-4f2f-441a-878d-1715158ec111", "has residency", "residency by"), // artist, series
    ("b792d0a6-a443-4e00-8882-c4f2bef56511", "has catalogue", "catalogue of works by"), // artist, series
    ("26131498-00e8-4136-b937-22a4be01a63d", "dedicatee of", "dedicated to"), // artist, work
    ("7231dcac-d2dc-4b4a-b218-ecea4123a4cd", "was once credited with", "previously attributed to"), // artist, work
    ("65742183-b25c-469e-b094-ff6739e6699c", "has part", "part of"), // event, event
    ("e2c6f697-07dc-38b1-be0b-83d740165532", "held at", "had event"), // event, place
    ("b06e6732-2603-47d3-8a49-9f589b430483", "recording occasion of", "recorded at"), // event, recording
    ("4dda6e40-14af-46bb-bb78-ea22f4a99dfa", "recording occasion of", "recorded at"), // event, release
    ("a4d2a7cb-365b-4b90-b52f-29469edf8ac0", "premiere of", "premiered at"), // event, work
    ("40b2bd3f-1457-3ceb-810d-57f87f0f74f0", "has subtype", "type of"), // instrument, instrument
    ("deaf1d50-e624-3069-91bd-88e51cafd605", "has derivative", "derived from"), // instrument, instrument
    ("5ee4568f-d8bd-321d-9426-0ff6819ae6b5", "consists of", "part of"), // instrument, instrument
    ("ab7a9be0-c060-4852-8f2e-4faf5b33231e", "parent label of", "subsidiary of"), // label, label
    ("23f8c592-006d-4214-9080-c4e5000c05d7", "has imprint", "imprint of"), // label, label
    ("e6159066-6013-4d09-a2f8-bc473f21e89e", "renamed to", "renamed from"), // label, label
    ("06829429-0f20-4c00-aa3d-871fde07d8c4", "owns", "owned by"), // label, label
    ("ff683f48-eff1-40ab-a58f-b128098ffe92", "has part", "part of"), // place, place
    ("ad462279-14b0-4180-9b58-571d0eef7c51", "recording location of", "recorded at"), // place, recording
    ("11d74801-1493-4a5d-bc0f-4ddc537acddb", "mixing location of", "mixed at"), // place, recording
    ("3b1fae9f-5b22-42c5-a40c-d1e5c9b90251", "recording location of", "recorded at"), // place, release
    ("8ebfc2f6-0ac7-40f6-b03e-67fe3428f5d4", "mixing location of", "mixed at"), // place, release
    ("f845a95e-b2b5-4a94-9645-fc8b031ab0bd", "engineering location of", "engineered at"), // place, recording
    ("5d075afa-6bb8-4327-9528-e3e4d3d68f49", "mastering location of", "mastered at"), // place, release
    ("0f5c1077-bea7-4a00-ad65-89dd1972fe76", "location of", "held at"), // place, release
    ("8cfc7355-186b-477b-b55d-4c20f63d0927", "premiere location of", "premiered at"), // place, work
    ("e7f4918a-48e9-49ca-8e3d-ee5eb0dc0ff4", "writing location of", "written at"), // place, work
    ("ce3de655-7451-44d1-9224-87eb948c205d", "has music video", "music video of"), // recording, recording
    ("fcf680a9-6871-4519-8c4b-8c6549575b35", "single from", "has single"), // release group, release group
    ("cf02e524-9d5b-46b7-a88e-329737395818", "cover of", "has cover"), // release group, release group
    ("62beff0a-679c-43f3-8fe6-f6c8ed8581e4", "live performance of", "has live performance"), // release group, release group
    ("589447ea-be2c-46cc-b9e9-469e1d06e18a", "included in", "includes"), // release group, release group
    ("a3af4c16-de83-4d63-b9b8-77e074c9babe", "has subseries", "subseries of"), // series, series
    ("b0d44366-cdf0-3acb-bee6-0f65a77a6ef0", "has part", "part of"), // series, work
    ("ca8d3642-ce5f-49f8-91f2-125d72524e6a", "has part", "part of"), // work, work
    ("6bb1df6b-57f3-434d-8a39-5dc363d2eb78", "basis of", "based on"), // work, work
    ("7440b539-19ab-4243-8c03-4f5942ca2218", "has later version", "later version of"), // work, work
    ("51975ed8-bbfa-486b-9f28-5947f4370299", "has arrangement", "arrangement of"), // work, work
    ("dd372cb2-5f4d-4dcd-868e-7564782f460b", "has orchestration", "orchestration of"), // work, work
    ("4d0d6491-3c41-42c6-883f-d6c7e825b052", "has revision", "revision of"), // work, work
    ("c1dca2cd-194c-36dd-93f8-6a359167e992", "medley of", "in medley"), // work, work
];

/// (the type's name, how it reads from its target). One name may be that of several types (the producer of a recording,
/// and that of a release): they read alike.
const INVERSES: &[(&str, &str)] = &[
    ("member of band", "has member"),
    ("collaboration", "has collaborator"),
    ("conductor position", "has conductor"),
    ("sibling", "sibling"),
    ("married", "married"),
    ("involved with", "involved with"),
    ("voice actor", "voiced by"),
    ("performer", "performed by"),
    ("instrument", "instruments played by"),
    ("vocal", "vocals by"),
    ("performing orchestra", "played by orchestra"),
    ("orchestra", "played by orchestra"),
    ("conductor", "conducted by"),
    ("chorus master", "chorus led by"),
    ("concertmaster", "has concertmaster"),
    ("producer", "produced by"),
    ("engineer", "engineered by"),
    ("recording", "recorded by"),
    ("audio", "audio engineered by"),
    ("sound", "sound engineered by"),
    ("balance", "balance engineered by"),
    ("mix", "mixed by"),
    ("mix-DJ", "DJ-mixed by"),
    ("mastering", "mastered by"),
    ("editor", "edited by"),
    ("remixer", "remixed by"),
    ("programming", "programmed by"),
    ("video director", "video directed by"),
    ("animation", "animated by"),
    ("design", "designed by"),
    ("design/illustration", "designed or illustrated by"),
    ("graphic design", "graphic design by"),
    ("illustration", "illustrated by"),
    ("art direction", "art directed by"),
    ("artwork", "artwork by"),
    ("photography", "photographed by"),
    ("liner notes", "liner notes by"),
    ("phonographic copyright", "phonographic copyright held by"),
    ("copyright", "copyright held by"),
    ("publishing", "published by"),
    ("composer", "composed by"),
    ("lyricist", "lyrics by"),
    ("librettist", "libretto by"),
    ("writer", "written by"),
    ("translator", "translated by"),
    ("arranger", "arranged by"),
    ("instrument arranger", "instruments arranged by"),
    ("vocal arranger", "vocals arranged by"),
    ("orchestrator", "orchestrated by"),
    ("commissioned", "commissioned by"),
    ("performance", "has recording"),
    ("part of", "has part"),
    ("samples material", "sampled by"),
    ("remix", "has remix"),
    ("DJ-mix", "has DJ-mix"),
    ("compilation", "compiled in"),
    ("edit", "has edit"),
    ("manufactured", "manufactured by"),
    ("distributed", "distributed by"),
    ("pressed", "pressed by"),
    ("licensed", "licensed from"),
    ("marketed", "marketed by"),
    ("main performer", "performed by"),
    ("guest performer", "guest performance by"),
    ("support act", "had support act"),
    ("invented", "invented by"),
];

/// Types of relationships to web pages that are entries in other databases. They are identifiers: hidden unless asked for.
const DATABASES: &[&str] = &[
    "allmusic",
    "bandsintown",
    "BBC Music page",
    "bookbrainz",
    "CPDL",
    "discogs",
    "geonames",
    "IMDb",
    "IMSLP",
    "last.fm",
    "other databases",
    "secondhandsongs",
    "setlistfm",
    "songkick",
    "vgmdb",
    "VIAF",
    "wikidata",
];

/// How a type reads from its source and, where that is known, from its target.
#[must_use]
pub fn reading(id: &str, name: &str) -> (String, Option<&'static str>) {
    static BY_ID: LazyLock<HashMap<&str, (&str, &'static str)>> =
        LazyLock::new(|| READINGS.iter().map(|(id, source, target)| (*id, (*source, *target))).collect());
    static BY_NAME: LazyLock<HashMap<&str, &'static str>> = LazyLock::new(|| INVERSES.iter().copied().collect());
    match BY_ID.get(id) {
        Some((source, target)) => ((*source).to_owned(), Some(target)),
        None => (name.to_owned(), BY_NAME.get(name).copied()),
    }
}

/// Whether the type called `name` leads to an entry in another database.
#[must_use]
pub fn is_database(name: &str) -> bool {
    DATABASES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kg::musicbrainz::id::is_mbid;
    use std::collections::HashSet;

    #[test]
    fn no_type_stands_twice_in_a_table() {
        let ids: HashSet<&str> = READINGS.iter().map(|(id, ..)| *id).collect();
        let names: HashSet<&str> = INVERSES.iter().map(|(name, _)| *name).collect();
        assert_eq!((ids.len(), names.len()), (READINGS.len(), INVERSES.len()));
        assert!(ids.iter().all(|id| is_mbid(id)));
    }

    #[test]
    fn types_read_from_both_ends() {
        assert_eq!(reading("5be4c609-9afa-4ea0-910b-12ffb71e3821", "member of band"), ("member of band".into(), Some("has member")));
        assert_eq!(reading("de7cc874-8b1b-3a05-8272-f3834c968fb7", "part of"), ("has part".into(), Some("part of")));
        assert_eq!(reading("3fa29f01-8e13-3e49-9b0a-ad212aa2f81d", "part of"), ("part of".into(), Some("has part")));
        assert_eq!(reading("x", "hologram of"), ("hologram of".into(), None));
        assert!(is_database("imdb") && !is_database("official homepage"));
    }
}
