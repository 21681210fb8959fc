//! Ids: whole MBIDs, and the other forms in which people give them.

use super::kinds::Kind;
use crate::calls::{CallError, CallErrorKind};
use crate::graph::EntityId;
use crate::text;

/// An id as somebody gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The whole MBID, in lower case.
    pub mbid: EntityId,
    /// The kind, where the form names it.
    pub kind: Option<Kind>,
}

/// Reads `MBID`, `artist/MBID` or `https://musicbrainz.org/artist/MBID`, with whatever follows in the address.
#[must_use]
pub fn parse(given: &str) -> Option<Given> {
    let given = given.trim();
    let path = match given.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?.1,
        None => given,
    };
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let at = parts.iter().position(|part| is_mbid(part))?;
    let kind = at.checked_sub(1).and_then(|before| Kind::parse(parts[before]));
    // "artists/MBID" names no kind that exists; only a bare id or a known kind is taken.
    (at == 0 || kind.is_some()).then(|| Given { mbid: parts[at].to_ascii_lowercase().into(), kind })
}

/// The same, or an error that says what an id looks like.
///
/// # Errors
/// `Refused`, when it is none.
pub fn require(given: &str) -> Result<Given, CallError> {
    parse(given).ok_or_else(|| {
        let shown = text::cut(&text::one_line(given), 80).into_owned();
        let message = format!("\"{shown}\" is no id of MusicBrainz: give the whole MBID, alone or as in artist/MBID");
        CallError::new(CallErrorKind::Refused, message)
    })
}

/// Whether `text` is a whole UUID.
#[must_use]
pub fn is_mbid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "5b11f4ce-a62d-471e-81fc-a69a8278c7da";

    #[test]
    fn an_id_is_read_in_every_form() {
        for (given, kind) in [
            (ID.to_owned(), None),
            (format!(" {} ", ID.to_uppercase()), None),
            (format!("release_group/{ID}"), Some(Kind::ReleaseGroup)),
            (format!("https://musicbrainz.org/artist/{ID}"), Some(Kind::Artist)),
            (format!("http://beta.example.org/ws/2/work/{ID}?fmt=json"), Some(Kind::Work)),
            (format!("https://musicbrainz.org/artist/{ID}/releases#top"), Some(Kind::Artist)),
        ] {
            assert_eq!(parse(&given), Some(Given { mbid: ID.into(), kind }), "{given}");
        }
    }

    #[test]
    fn what_is_no_id_is_refused_in_one_sentence() {
        for given in
            ["", "Q42", "5b11f4ce-a62d-471e-81fc", "hologram/5b11f4ce-a62d-471e-81fc-a69a8278c7da", "5b11f4ceXa62d-471e-81fc-a69a8278c7da"]
        {
            assert_eq!(parse(given), None, "{given}");
        }
        let error = require("Q42\u{1b}[31m").unwrap_err();
        assert!(error.message.contains("whole MBID") && !error.message.contains('\u{1b}'));
    }

    /// A05: the reference program made one node of these two.
    #[test]
    fn ids_with_the_same_first_digits_stay_two() {
        let (one, other) = ("3f1b2c4d-5e6a-4f7b-8c9d-0a1b2c3d4e5f", "3a1b2c4f-5d6e-4a7f-8b9c-0d1e2f3a4b5c");
        assert_ne!(parse(one).unwrap().mbid, parse(other).unwrap().mbid);
        assert_eq!(&*parse(one).unwrap().mbid, one);
    }
}
