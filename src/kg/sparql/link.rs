//! The operation `link`: what entities are in the other KGs that are open, by what the graph says itself.
//!
//! Own entities are answered with their ids elsewhere; entities of other KGs with the own ones that are the same. One
//! request for all of them: see [`super::link_query`].

use super::apart;
use super::asker::Asker;
use super::identity::Identity;
use super::link_query::{self, Lookup, OWN, SAME};
use super::query::VALUES_MAX;
use super::relations::is_too_much;
use super::term::{Iri, Term};
use super::texts::Texts;
use super::vocabulary::{Model, WDT, id_order};
use crate::calls::CallError;
use crate::graph::{Entity, EntityId, KgName};
use crate::kg::IdSpace;
use indexmap::{IndexMap, IndexSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a graph knows of the KGs beside it.
#[derive(Clone, Debug, Default)]
pub struct Ties {
    /// The other open KGs, and what their ids mean.
    pub others: Vec<(KgName, IdSpace)>,
    /// Relations (id or IRI) whose values are ids of the KG named.
    pub relations: Vec<(String, KgName)>,
}

/// An entity that was asked for.
enum Asked {
    /// It is one of this graph's.
    Own(Iri),
    /// It is another's: what its ids mean, and which values of the relations between the KGs stand for it.
    Other { means: Vec<Identity>, values: Vec<(Iri, Vec<String>)> },
}

/// What a row says: `x` is an own entity, `y` what it is the same as, by `p`. It was found from `x` or from `y`.
struct Row {
    x: Iri,
    p: String,
    y: Term,
    from_x: bool,
}

impl Row {
    fn of([x, p, y]: [Option<&Term>; 3]) -> Option<Self> {
        let (x, p, y) = (x?.iri()?, p?.text(), y?.clone());
        let own = p.strip_prefix(OWN);
        Some(Self { x, p: own.unwrap_or(p).to_owned(), y, from_x: own.is_some() })
    }
}

/// Answers each of `entities` that is also something else: see [`crate::calls::KgOp::Link`].
///
/// # Errors
/// Those of the queries.
pub async fn link(asker: &mut Asker, entities: &[Entity], ties: &Ties) -> Result<Vec<Entity>, CallError> {
    let vocabulary = Arc::clone(&asker.vocabulary);
    let mut relations: Vec<(Iri, KgName)> = Vec::new();
    for (relation, kg) in &ties.relations {
        match vocabulary.predicate(relation) {
            Ok(predicate) => relations.push((predicate, Arc::clone(kg))),
            Err(error) => asker.note(format!("the configuration links to {kg} by what is no relation: {error}")),
        }
    }
    let asked: Vec<(&Entity, Asked)> =
        entities.iter().filter_map(|entity| Some((entity, read(asker, entity, ties, &relations)?))).collect();
    let lookups: Vec<Lookup> = asked.chunks(VALUES_MAX).map(|chunk| lookup(chunk, ties, &relations, vocabulary.model)).collect();
    let queries = lookups.iter().filter_map(|lookup| link_query::query(lookup, &vocabulary));
    let (tables, named) = match asker.rows_of_all(queries.collect()).await {
        Err(error) if is_too_much(&error) => {
            let queries = lookups.iter().flat_map(|lookup| link_query::queries(lookup, &vocabulary));
            (asker.rows_of_all(queries.collect()).await.map_err(|_| error)?, false)
        }
        tables => (tables?, true),
    };
    let (mut texts, mut rows) = (Texts::default(), Vec::new());
    for table in &tables {
        texts.read(table, &vocabulary);
        rows.extend(table.pick(["x", "p", "y"]).filter_map(Row::of));
    }
    if !named {
        let iris: BTreeSet<Iri> = rows.iter().map(|row| row.x.clone()).collect();
        texts = apart::texts(asker, &iris.into_iter().collect::<Vec<_>>(), true).await?;
    }
    let mut answered: IndexMap<Iri, Entity> = IndexMap::new();
    for (entity, asked) in &asked {
        let (own, also) = match asked {
            Asked::Own(own) => {
                let mut also = elsewhere(own, &rows, ties, &relations, vocabulary.model);
                if entity.kg != asker.kg && !also.is_empty() {
                    also.insert(0, (Arc::clone(&entity.kg), entity.id.clone()));
                }
                (own.clone(), also)
            }
            Asked::Other { means, values } => {
                let Some(own) = here(asker, entity, means, values, &rows) else { continue };
                (own, vec![(Arc::clone(&entity.kg), entity.id.clone())])
            }
        };
        if also.is_empty() {
            continue;
        }
        let answer = answered.entry(own).or_insert_with_key(|iri| Entity {
            id: vocabulary.entity_id(iri.as_str()),
            kg: Arc::clone(&asker.kg),
            label: texts.label(iri.as_str()).map(str::to_owned),
            description: texts.description(iri.as_str()).map(str::to_owned),
            also: Vec::new(),
        });
        for pair in also {
            if !answer.also.contains(&pair) {
                answer.also.push(pair);
            }
        }
    }
    Ok(answered.into_values().collect())
}

/// What is to be looked for; `None` for an entity that can have nothing to do with this graph.
fn read(asker: &Asker, entity: &Entity, ties: &Ties, relations: &[(Iri, KgName)]) -> Option<Asked> {
    let ids: Vec<(&KgName, &EntityId)> =
        std::iter::once((&entity.kg, &entity.id)).chain(entity.also.iter().map(|(kg, id)| (kg, id))).collect();
    if let Some((_, id)) = ids.iter().find(|(kg, _)| **kg == asker.kg) {
        return asker.vocabulary.entity(id).ok().map(Asked::Own);
    }
    let mut means: Vec<Identity> = Vec::new();
    let mut values: Vec<(Iri, Vec<String>)> = Vec::new();
    for (kg, id) in ids {
        let space = ties.others.iter().find(|(name, _)| name == kg).map_or(IdSpace::Own, |(_, space)| *space);
        means.extend(Identity::of_id(space, id).filter(|meant| !means.contains(meant)));
        for (relation, _) in relations.iter().filter(|(_, to)| to == kg) {
            values.push((relation.clone(), written(space, kg, id)));
        }
    }
    (!means.is_empty() || !values.is_empty()).then_some(Asked::Other { means, values })
}

/// How the value of a relation may write the id of an entity of `kg`.
fn written(space: IdSpace, kg: &str, id: &str) -> Vec<String> {
    let mut forms = vec![id.to_owned()];
    forms.extend(id.strip_prefix(kg).and_then(|rest| rest.strip_prefix(':')).map(str::to_owned));
    forms.extend(Identity::of_id(space, id).iter().flat_map(Identity::iris).map(|iri| iri.as_str().to_owned()));
    forms
}

/// The id in `kg` that a value of a relation stands for.
fn id_of(space: IdSpace, kg: &str, value: &str) -> Option<EntityId> {
    let value = value.trim();
    match space {
        IdSpace::Own if value.is_empty() => None,
        IdSpace::Own if value.strip_prefix(kg).is_some_and(|rest| rest.starts_with(':')) => Some(value.into()),
        IdSpace::Own => Some(format!("{kg}:{value}").into()),
        _ => Identity::of_id(space, value)?.id_in(space),
    }
}

fn lookup(asked: &[(&Entity, Asked)], ties: &Ties, relations: &[(Iri, KgName)], model: Model) -> Lookup {
    let others = |wanted: &[IdSpace]| ties.others.iter().any(|(_, space)| wanted.contains(space));
    let identifiers = model == Model::Wikidata && others(&[IdSpace::MusicBrainz, IdSpace::Iri]);
    let iris_wanted = others(&[IdSpace::MusicBrainz, IdSpace::Iri, IdSpace::Wikidata]);
    let mut lookup = Lookup::new(relations.iter().map(|(relation, _)| relation.clone()).collect(), identifiers);
    for (_, asked) in asked {
        match asked {
            Asked::Own(own) if iris_wanted || !relations.is_empty() => drop(lookup.own.insert(own.clone())),
            Asked::Own(_) => {}
            Asked::Other { means, values } => {
                for meant in means {
                    lookup.add(meant, model);
                }
                for (relation, forms) in values {
                    lookup.values.entry(vec![relation.clone()]).or_default().extend(forms.iter().cloned());
                }
            }
        }
    }
    lookup
}

/// What a row says that its own entity is, beyond this graph.
fn meaning(row: &Row) -> Option<Identity> {
    match row.p.strip_prefix(WDT) {
        Some(property) => Identity::of_value(property, row.y.text()),
        None => Identity::of_iri(row.y.text()),
    }
}

/// The ids of the own entity `own` in the other KGs.
fn elsewhere(own: &Iri, rows: &[Row], ties: &Ties, relations: &[(Iri, KgName)], model: Model) -> Vec<(KgName, EntityId)> {
    let mut also: IndexSet<(KgName, EntityId)> = IndexSet::new();
    for (kg, space) in &ties.others {
        let mut ids: Vec<EntityId> = Vec::new();
        for row in rows.iter().filter(|row| row.from_x && row.x == *own) {
            let tied: Vec<&KgName> = relations.iter().filter(|(relation, _)| *relation.as_str() == *row.p).map(|(_, to)| to).collect();
            let merged = |meant: &Identity| model == Model::Wikidata && matches!(meant, Identity::Wikidata(_));
            let meant = || meaning(row).filter(|meant| !merged(meant));
            if tied.contains(&kg) {
                let identifier = row.p.strip_prefix(WDT).and_then(|property| Identity::of_value(property, row.y.text()));
                ids.extend(identifier.and_then(|meant| meant.id_in(*space)).or_else(|| id_of(*space, kg, row.y.text())));
            } else if tied.is_empty() || row.p.starts_with(WDT) {
                ids.extend(meant().filter(|meant| may_know(kg, *space, meant, row, ties)).and_then(|meant| meant.id_in(*space)));
            }
        }
        ids.sort_by(|a, b| id_order(a).cmp(&id_order(b)));
        also.extend(ids.into_iter().map(|id| (Arc::clone(kg), id)));
    }
    also.into_iter().collect()
}

/// Whether `kg` can be expected to know what `row` means. Any IRI could be an id of a graph of IRIs; but one that it does
/// not know would stand in the way of finding the right one there. So it is one that its name speaks of (`musicbrainz.org`
/// for `demo-musicbrainz`), or one that the data call the same while there is no other graph that it could be meant for.
fn may_know(kg: &str, space: IdSpace, meant: &Identity, row: &Row, ties: &Ties) -> bool {
    let only = || ties.others.iter().filter(|(_, space)| *space == IdSpace::Iri).count() == 1;
    space != IdSpace::Iri || meant.is_spoken_of(kg) || (link_query::is_same_as(&row.p) && only())
}

/// The own entity that is the same as `entity` of another KG: the one with the same id, else the one that the graph
/// calls the same, else the one with its identifier; of several the first in order, with a note.
fn here(asker: &mut Asker, entity: &Entity, means: &[Identity], values: &[(Iri, Vec<String>)], rows: &[Row]) -> Option<Iri> {
    let mut found: BTreeMap<Iri, u8> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.from_x) {
        let meant = || meaning(row).is_some_and(|meant| means.iter().any(|one| one.same(&meant)));
        let valued =
            || values.iter().any(|(relation, forms)| *relation.as_str() == *row.p && forms.iter().any(|form| form == row.y.text()));
        let class = match &*row.p {
            SAME if meant() => 0,
            p if p.starts_with(WDT) && meant() => 2,
            _ if valued() => 2,
            p if link_query::is_same_as(p) && meant() => 1,
            _ => continue,
        };
        let kept = found.entry(row.x.clone()).or_insert(class);
        *kept = class.min(*kept);
    }
    let key = |iri: &Iri, class: u8| {
        let id = asker.vocabulary.entity_id(iri.as_str());
        let (kind, number, _) = id_order(&id);
        (class, kind, number, iri.clone())
    };
    let first = found.iter().min_by_key(|(iri, class)| key(iri, **class)).map(|(iri, _)| iri.clone())?;
    if found.len() > 1 {
        let id = asker.vocabulary.entity_id(first.as_str());
        asker.note(format!("{} entities are the same as {} of {}: {id} was taken", found.len(), entity.id, entity.kg));
    }
    Some(first)
}
