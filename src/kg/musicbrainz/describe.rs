//! What an entity is in a few words: its kind and what tells it from others of the same name.

use super::json;
use super::kinds::Kind;
use super::values;
use crate::graph::{Entity, EntityId, KgName};
use serde_json::Value;

/// The entity that `record` of `kind` stands for; `None` when it has no id.
pub fn entity(kind: Kind, record: &Value, kg: &KgName) -> Option<Entity> {
    let id: EntityId = super::id::parse(json::text(record, "id")?)?.mbid;
    Some(Entity { id, kg: kg.clone(), label: label(record), description: Some(description(kind, record)), also: Vec::new() })
}

/// `name` of people and places, `title` of music.
pub fn label(record: &Value) -> Option<String> {
    json::text(record, "name").or_else(|| json::text(record, "title")).map(str::to_owned)
}

/// `artist (group), 1980s~1990s US grunge band, from Aberdeen, 1987 to 1994-04-05`; what is not known is left out.
fn description(kind: Kind, record: &Value) -> String {
    let mut types: Vec<String> = Vec::new();
    for key in ["type", "primary-type"] {
        types.extend(json::text(record, key).map(str::to_lowercase));
    }
    types.extend(json::list(record, "secondary-types").iter().filter_map(Value::as_str).map(str::to_lowercase));
    let mut first = kind.words().to_owned();
    types.retain(|name| *name != first);
    if !types.is_empty() {
        first = format!("{first} ({})", types.join(", "));
    }
    if let Some(credit) = credit(record) {
        first = format!("{first} by {credit}");
    }
    let mut parts = vec![first];
    parts.extend(json::text(record, "disambiguation").map(str::to_owned));
    let area = ["area", "begin-area"].iter().find_map(|key| label(json::object(record, key)?));
    parts.extend(area.or_else(|| json::text(record, "country").map(str::to_owned)));
    parts.extend(json::object(record, "life-span").and_then(values::span));
    parts.extend(json::text(record, "date").or_else(|| json::text(record, "first-release-date")).map(str::to_owned));
    if kind == Kind::Recording {
        parts.extend(json::number(record, "length").map(values::length));
    }
    parts.join(", ")
}

/// The artist credit as it is printed: `Queen & David Bowie`.
pub fn credit(record: &Value) -> Option<String> {
    let mut text = String::new();
    for part in json::list(record, "artist-credit") {
        let name = json::text(part, "name").map(str::to_owned).or_else(|| label(json::object(part, "artist")?));
        let Some(name) = name else { continue };
        text.push_str(&name);
        // Blanks at its ends are part of it.
        text.push_str(part.get("joinphrase").and_then(Value::as_str).unwrap_or_default());
    }
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_description_tells_the_kind_and_what_tells_it_from_others() {
        let group = json!({"name": "Harbour Lights", "type": "Group", "disambiguation": "Bergen skiffle band",
            "area": {"name": "Norway"}, "life-span": {"begin": "1957", "end": "1963"}});
        assert_eq!(description(Kind::Artist, &group), "artist (group), Bergen skiffle band, Norway, 1957 to 1963");
        let album = json!({"title": "Low Tide", "primary-type": "Album", "secondary-types": ["Live"], "first-release-date": "1961",
            "artist-credit": [{"name": "Ida Berg", "joinphrase": " feat. "}, {"artist": {"name": "Otter Hall"}}]});
        assert_eq!(description(Kind::ReleaseGroup, &album), "release group (album, live) by Ida Berg feat. Otter Hall, 1961");
        assert_eq!(description(Kind::Recording, &json!({"length": 242_640})), "recording, 4:02");
    }

    /// C04 and C07: nulls say nothing, and a type that nobody knows is shown as sent.
    #[test]
    fn nothing_is_said_of_null() {
        let null = json!({"name": "Otter Hall", "type": null, "disambiguation": "", "country": null, "area": null,
            "life-span": {"begin": null, "end": null, "ended": null}, "artist-credit": null});
        assert_eq!((description(Kind::Artist, &null).as_str(), label(&null).as_deref()), ("artist", Some("Otter Hall")));
        assert_eq!(description(Kind::Work, &json!({"type": "Hologram show"})), "work (hologram show)");
        assert_eq!(description(Kind::Work, &json!({"title": "Untyped"})), "work");
    }
}
