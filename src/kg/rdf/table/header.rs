//! Which column of a table is what.

use oxigraph::model::Literal;

const SUBJECT: [&str; 8] = ["subject", "subj", "s", "from", "head", "h", "source", "start"];
const RELATION: [&str; 13] =
    ["predicate", "pred", "p", "relation", "relationship", "rel", "r", "property", "prop", "type", "edge", "edgetype", "verb"];
const OBJECT: [&str; 10] = ["object", "obj", "o", "to", "tail", "t", "target", "value", "end", "destination"];
const ID: [&str; 14] =
    ["id", "identifier", "iri", "uri", "node", "nodeid", "entity", "entityid", "item", "itemid", "qid", "key", "name", "title"];
const LABEL: [&str; 4] = ["label", "name", "title", "preflabel"];
const ALIAS: [&str; 8] = ["alias", "aliases", "altlabel", "altlabels", "alternatename", "alternativename", "alsoknownas", "synonyms"];
const DESCRIPTION: [&str; 3] = ["description", "desc", "comment"];

/// A text about a thing that is no fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Its name.
    Label,
    /// Another name.
    Alias,
    /// What it is.
    Description,
}

/// What a column of facts says about the rest of its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    /// The column.
    pub column: usize,
    /// The column with the thing that it is about.
    pub of: usize,
    /// What it says.
    pub about: About,
    /// In which language.
    pub lang: Option<String>,
}

/// A column of a table of entities, besides the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// A text about the entity, in a language.
    Text(About, Option<String>),
    /// A relation of this name.
    Relation(String),
    /// Nothing: it has no name.
    Nameless,
}

/// How a table is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One fact a row.
    Facts {
        /// The columns of subject, relation and object.
        ends: [usize; 3],
        /// Columns with labels and descriptions of these.
        asides: Vec<Aside>,
        /// Columns that are not read, by name.
        unread: Vec<String>,
    },
    /// One entity a row: its id is in the first column, the others say something about it.
    Entities {
        /// The columns after the first.
        columns: Vec<Column>,
    },
}

/// A name without case, blanks and marks: `Object_Label` is `objectlabel`.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// What a relation or column of this name says about its subject, where it is no fact.
#[must_use]
pub fn about(name: &str) -> Option<About> {
    let name = plain(name);
    let is = |names: &[&str]| names.contains(&name.as_str());
    if is(&LABEL) {
        Some(About::Label)
    } else if is(&ALIAS) {
        Some(About::Alias)
    } else {
        is(&DESCRIPTION).then_some(About::Description)
    }
}

/// `label@de`: the name, and the language if it is one.
fn with_lang(name: &str) -> (&str, Option<String>) {
    match name.rsplit_once('@') {
        Some((name, lang)) if Literal::new_language_tagged_literal("", lang).is_ok() => (name, Some(lang.to_lowercase())),
        _ => (name, None),
    }
}

impl Layout {
    /// Three columns without a header.
    pub const BARE: Self = Self::Facts { ends: [0, 1, 2], asides: Vec::new(), unread: Vec::new() };

    /// By a header; `None` when `cells` are none.
    #[must_use]
    pub fn of(cells: &[impl AsRef<str>]) -> Option<Self> {
        let names: Vec<String> = cells.iter().map(|cell| plain(cell.as_ref())).collect();
        let find = |spellings: &[&str]| names.iter().position(|name| spellings.contains(&name.as_str()));
        if let (Some(s), Some(r), Some(o)) = (find(&SUBJECT), find(&RELATION), find(&OBJECT)) {
            return Some(Self::facts(cells, &names, [s, r, o]));
        }
        (names.len() > 1 && names.first().is_some_and(|name| ID.contains(&name.as_str()))).then(|| Self::entities(cells))
    }

    fn facts(cells: &[impl AsRef<str>], names: &[String], ends: [usize; 3]) -> Self {
        let (mut asides, mut unread) = (Vec::new(), Vec::new());
        for (column, cell) in cells.iter().enumerate().filter(|(column, _)| !ends.contains(column)) {
            let (name, lang) = with_lang(cell.as_ref());
            let name = plain(name);
            // `object label`, or `label` alone for the subject.
            let spellings: [&[&str]; 3] = [&SUBJECT, &RELATION, &OBJECT];
            let found = ends.iter().zip(spellings).find_map(|(of, spellings)| {
                let heads = spellings.iter().copied().chain([names[*of].as_str()]);
                heads.filter_map(|head| name.strip_prefix(head)).find_map(about).map(|about| (*of, about))
            });
            match found.or_else(|| about(&name).map(|about| (ends[0], about))) {
                Some((of, about)) => asides.push(Aside { column, of, about, lang }),
                None => unread.push(cell.as_ref().trim().to_owned()),
            }
        }
        Self::Facts { ends, asides, unread }
    }

    fn entities(cells: &[impl AsRef<str>]) -> Self {
        let mut labelled = Vec::new();
        let column = |cell: &str| {
            let (name, lang) = with_lang(cell);
            match about(name) {
                // A second label in the same language is another name.
                Some(About::Label) if labelled.contains(&lang) => Column::Text(About::Alias, lang),
                Some(about) => {
                    if about == About::Label {
                        labelled.push(lang.clone());
                    }
                    Column::Text(about, lang)
                }
                None if plain(cell).is_empty() => Column::Nameless,
                None => Column::Relation(cell.trim().to_owned()),
            }
        };
        Self::Entities { columns: cells.iter().skip(1).map(AsRef::as_ref).map(column).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(header: &str) -> Option<[usize; 3]> {
        match Layout::of(&header.split(',').collect::<Vec<_>>())? {
            Layout::Facts { ends, .. } => Some(ends),
            Layout::Entities { .. } => None,
        }
    }

    #[test]
    fn facts_in_many_spellings_and_any_order() {
        for header in ["subject,predicate,object", "S,P,O", "from,type,to", "Head,Relation,Tail", "source,edge,target", "s, p ,value"] {
            assert_eq!(ends(header), Some([0, 1, 2]), "{header}");
        }
        assert_eq!(ends("id,Source,Target,Type,Weight"), Some([1, 3, 2]));
        assert_eq!(ends("Alice,knows,Bob"), None);
        assert_eq!(ends("subject,subject,object"), None);
    }

    #[test]
    fn columns_beside_facts() {
        let header = ["subject", "Subject_Label", "relation", "object", "objectLabel@DE", "description", "weight", "label@no language"];
        let Some(Layout::Facts { asides, unread, .. }) = Layout::of(&header) else { panic!("no facts") };
        let of = |column, of, about, lang: Option<&str>| Aside { column, of, about, lang: lang.map(str::to_owned) };
        let expected = [of(1, 0, About::Label, None), of(4, 3, About::Label, Some("de")), of(5, 0, About::Description, None)];
        assert_eq!(asides, expected);
        assert_eq!(unread, ["weight", "label@no language"]);
    }

    #[test]
    fn entities_by_their_first_column() {
        let Some(Layout::Entities { columns }) = Layout::of(&["ID", "name", "title", "born in", "knows", "knows", ""]) else {
            panic!("no entities")
        };
        let relation = |name: &str| Column::Relation(name.to_owned());
        let text = |about| Column::Text(about, None);
        let expected =
            [text(About::Label), text(About::Alias), relation("born in"), relation("knows"), relation("knows"), Column::Nameless];
        assert_eq!(columns, expected);
        assert_eq!(Layout::of(&["city", "country"]), None);
        assert_eq!(Layout::of(&["id"]), None);
    }
}
