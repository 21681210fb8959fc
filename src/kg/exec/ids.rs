//! What an id of the program is outside it, and back.

use crate::graph::KgName;
use crate::kg::IdSpace;
use std::sync::Arc;

/// Bytes of an id at most.
const LONGEST: usize = 1000;

/// The ids of one program: those of its own get its name before them, `museum:sk-c-5`.
pub(super) struct Ids {
    /// Its name in this session.
    pub(super) kg: KgName,
    /// What it says its ids are.
    pub(super) space: IdSpace,
    /// The other open KGs.
    pub(super) others: Vec<(KgName, IdSpace)>,
}

impl Ids {
    /// As the program knows it.
    pub(super) fn inward<'a>(&self, id: &'a str) -> &'a str {
        match self.space {
            IdSpace::Own => id.strip_prefix(&*self.kg).and_then(|rest| rest.strip_prefix(':')).unwrap_or(id),
            _ => id,
        }
    }

    /// As everyone else knows an entity of the program.
    pub(super) fn outward(&self, id: &str) -> Result<Arc<str>, String> {
        plain(id)?;
        let fits = match self.space {
            IdSpace::Own => return Ok(format!("{}:{id}", self.kg).into()),
            IdSpace::Wikidata => is_wikidata(id),
            IdSpace::MusicBrainz => is_uuid(id),
            IdSpace::Iri => is_iri(id),
        };
        if fits { Ok(id.into()) } else { Err(format!("\"{id}\" is no id of the kind that its hello names (`ids`)")) }
    }

    /// As everyone else knows a relation of the program.
    pub(super) fn relation(&self, id: &str) -> Result<Arc<str>, String> {
        plain(id)?;
        if id.starts_with('~') {
            return Err(format!("the relation \"{id}\" begins with ~, which means the reverse: leave it out"));
        }
        Ok(if self.space == IdSpace::Own { format!("{}:{id}", self.kg).into() } else { id.into() })
    }

    /// An id elsewhere: the KG is named as it is called in this session, or by its kind.
    pub(super) fn elsewhere(&self, kg: &str, id: &str) -> Result<(KgName, Arc<str>), String> {
        if kg == &*self.kg {
            return Ok((Arc::clone(&self.kg), self.outward(id)?));
        }
        plain(id)?;
        let kind = match kg {
            "wikidata" => Some(IdSpace::Wikidata),
            "musicbrainz" => Some(IdSpace::MusicBrainz),
            _ => None,
        };
        let named = self.others.iter().find(|(name, _)| **name == *kg);
        let known = named.or_else(|| self.others.iter().find(|(_, space)| Some(*space) == kind));
        Ok((known.map_or_else(|| kg.into(), |(name, _)| Arc::clone(name)), id.into()))
    }
}

/// Ids stand in lists, in prompts and on command lines, so there is no white space in them.
fn plain(id: &str) -> Result<(), String> {
    if id.is_empty() {
        return Err("an id is empty".to_owned());
    }
    if id.len() > LONGEST {
        return Err(format!("an id is longer than {LONGEST} bytes"));
    }
    if id.contains(|c: char| c.is_whitespace() || c == ',' || crate::text::is_unsafe(c)) {
        return Err(format!("the id \"{id}\" holds white space, a comma or a control character: write it in another way, such as with _"));
    }
    Ok(())
}

fn is_wikidata(id: &str) -> bool {
    id.strip_prefix(['Q', 'P', 'L'])
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
}

fn is_uuid(id: &str) -> bool {
    id.len() == 36 && id.bytes().enumerate().all(|(at, b)| if matches!(at, 8 | 13 | 18 | 23) { b == b'-' } else { b.is_ascii_hexdigit() })
}

fn is_iri(id: &str) -> bool {
    id.contains(':') && !id.contains(['<', '>', '"', '{', '}', '|', '\\', '^', '`'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(space: IdSpace) -> Ids {
        let others = vec![("wd".into(), IdSpace::Wikidata), ("music".into(), IdSpace::MusicBrainz)];
        Ids { kg: "museum".into(), space, others }
    }

    #[test]
    fn ids_of_its_own_carry_its_name() {
        let own = ids(IdSpace::Own);
        assert_eq!(&*own.outward("a:b").unwrap(), "museum:a:b");
        assert_eq!((own.inward("museum:a:b"), own.inward("a:b"), own.inward("museums:a")), ("a:b", "a:b", "museums:a"));
        assert_eq!(&*own.relation("born").unwrap(), "museum:born");
    }

    #[test]
    fn ids_of_a_known_kind_stay_and_have_its_form() {
        let wikidata = ids(IdSpace::Wikidata);
        assert_eq!((&*wikidata.outward("Q42").unwrap(), wikidata.inward("museum:x")), ("Q42", "museum:x"));
        assert!(wikidata.outward("42").is_err() && wikidata.outward("Q4}").is_err());
        assert!(ids(IdSpace::MusicBrainz).outward("b10bbbfc-cf9e-42e0-be17-e2c3e1d2600d").is_ok());
        assert!(ids(IdSpace::MusicBrainz).outward("Q42").is_err());
        assert!(ids(IdSpace::Iri).outward("http://h/a>b").is_err() && ids(IdSpace::Iri).outward("urn:a").is_ok());
    }

    #[test]
    fn what_cannot_stand_in_a_list_is_refused() {
        for id in ["", "a b", "a,b", "a\u{1b}b", &"x".repeat(2000)] {
            assert!(ids(IdSpace::Own).outward(id).is_err(), "{id:?}");
        }
        assert!(ids(IdSpace::Own).relation("~born").is_err());
    }

    #[test]
    fn another_graph_is_named_by_its_kind_or_its_name() {
        let own = ids(IdSpace::Own);
        let named = |kg: &str| own.elsewhere(kg, "x").map(|(kg, id)| format!("{kg} {id}")).unwrap();
        assert_eq!([named("wikidata"), named("music"), named("museum"), named("far")], ["wd x", "music x", "museum museum:x", "far x"]);
    }
}
