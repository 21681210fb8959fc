//! Where entities and lines go.

use super::canvas::{Canvas, DOWN, LEFT, RIGHT, UP};
use crate::graph::{Edge, Entity, EntityId, LocalGraph, Object, RelationId};
use crate::text;
use indexmap::IndexMap;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Write;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// More entities than this are not drawn at once.
pub const MOST: usize = 40;
/// Columns of a box, at most and at least.
const WIDEST: usize = 34;
const NARROWEST: usize = 12;
/// Values shown in a box, at most.
const LITERALS: usize = 4;

/// What is drawn.
pub struct NetSource<'a> {
    /// The graph.
    pub graph: &'a LocalGraph,
    /// Where the walk began; the first column.
    pub roots: &'a [EntityId],
    /// The entity whose neighbourhood is shown when there are too many.
    pub focus: Option<&'a EntityId>,
    /// Whether the edge at this position is new since the parent.
    pub is_new: &'a dyn Fn(usize) -> bool,
    /// Whether the edge at this position is as it is because a person said so.
    pub by_hand: &'a dyn Fn(usize) -> bool,
    /// The position of a KG in the session.
    pub kg: &'a dyn Fn(&str) -> usize,
    /// All ids of an entity in short.
    pub ids: &'a dyn Fn(&Entity) -> String,
}

/// A line of a box: a relation, or a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// What it says.
    pub text: String,
    /// Whether it is a value.
    pub literal: bool,
    /// Whether a fact of it is new.
    pub new: bool,
}

/// An entity with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The entity.
    pub entity: EntityId,
    /// Its label.
    pub label: String,
    /// Its ids, beside the label where there is room.
    pub ids: String,
    /// The position of its KG.
    pub kg: usize,
    /// Whether it came in with the new facts.
    pub new: bool,
    /// Its column.
    pub column: usize,
    /// Left edge.
    pub x: usize,
    /// First row.
    pub y: usize,
    /// Columns it takes.
    pub width: usize,
    /// Its relations and values.
    pub sides: Vec<Side>,
}

impl Cell {
    /// Rows it takes.
    #[must_use]
    pub fn height(&self) -> usize {
        1 + self.sides.len()
    }

    /// Columns of sign, mark and label.
    #[must_use]
    pub(super) fn title(&self) -> usize {
        text::width(&self.label) + if self.new { 4 } else { 2 }
    }

    /// Columns of the whole first row.
    fn first_row(&self) -> usize {
        let ids = text::width(&self.ids);
        self.title() + if ids > 0 { ids + 1 } else { 0 }
    }
}

/// A finished layout.
#[derive(Clone, Debug, Default)]
pub struct Net {
    /// The boxes.
    pub cells: Vec<Cell>,
    /// The lines between them.
    pub lines: Canvas,
    /// Columns of the whole.
    pub width: usize,
    /// Rows of the whole.
    pub height: usize,
    /// Entities that are not drawn.
    pub left_out: usize,
}

/// The edges of one relation between one entity and those in the next (or the same) column.
struct Bundle {
    from: usize,
    side: usize,
    to: Vec<usize>,
    reverse: bool,
    new: bool,
    lane: usize,
}

impl Net {
    /// Lays the graph out. Under a millisecond for [`MOST`] entities.
    #[must_use]
    pub fn of(source: &NetSource<'_>) -> Self {
        let (chosen, columns) = choose(source);
        let place: HashMap<&str, usize> = chosen.iter().enumerate().map(|(at, id)| (&**id, at)).collect();
        let mut cells: Vec<Cell> = chosen.iter().zip(&columns).map(|(id, column)| cell(source, id, *column)).collect();
        let mut bundles = bundle(source, &place, &mut cells);
        let count = columns.iter().max().map_or(0, |most| most + 1);
        let mut net = Self { left_out: source.graph.entities().len() - chosen.len(), ..Self::default() };
        let mut x = 0;
        let mut blocked = HashSet::new();
        for column in 0..count {
            stack(&mut cells, column, &blocked);
            let width = cells.iter().filter(|c| c.column == column).map(wanted).max().unwrap_or(0).clamp(NARROWEST, WIDEST);
            cells.iter_mut().filter(|c| c.column == column).for_each(|c| (c.x, c.width) = (x, width));
            blocked = rows_in_use(&cells, &bundles, column);
            let lanes = assign_lanes(&cells, &mut bundles, column, x + width + 1);
            x += width + if lanes == 0 { 3 } else { lanes * 2 + 5 };
        }
        net.width = x;
        net.height = cells.iter().map(|c| c.y + c.height()).max().unwrap_or(0);
        net.lines = Canvas::new(net.width, net.height);
        // Lanes are known only after the next column was stacked, so they are laid again here with final rows.
        for column in 0..count {
            let right = cells.iter().find(|c| c.column == column).map_or(0, |c| c.x + c.width);
            assign_lanes(&cells, &mut bundles, column, right + 1);
        }
        bundles.iter().for_each(|bundle| draw(&mut net.lines, &cells, bundle));
        net.cells = cells;
        net
    }
}

/// The entities to draw in order of arrival, and the column of each: its distance from the roots.
fn choose(source: &NetSource<'_>) -> (Vec<EntityId>, Vec<usize>) {
    let graph = source.graph;
    let mut near: HashMap<&str, Vec<&EntityId>> = HashMap::new();
    for edge in graph.edges() {
        if let Object::Entity(o) = &edge.o {
            near.entry(&edge.s).or_default().push(o);
            near.entry(o).or_default().push(&edge.s);
        }
    }
    let all: Vec<&EntityId> = graph.entities().map(|entity| &entity.id).collect();
    let crowded = all.len() > MOST;
    let starts: Vec<&EntityId> = match source.focus {
        Some(focus) if crowded && graph.entity(focus).is_some() => vec![focus],
        _ => source.roots.iter().filter(|root| graph.entity(root).is_some()).collect(),
    };
    let mut distance: IndexMap<&str, usize> = IndexMap::new();
    // What no root reaches starts anew in the first column.
    for start in starts.iter().copied().map(|id| (id, true)).chain(all.iter().copied().map(|id| (id, false))) {
        if distance.contains_key(&**start.0) || distance.len() >= MOST {
            continue;
        }
        let mut queue = VecDeque::new();
        for id in if start.1 { starts.as_slice() } else { std::slice::from_ref(&start.0) } {
            distance.insert(id, 0);
            queue.push_back(&***id);
        }
        while let Some(id) = queue.pop_front() {
            let next = distance[id] + 1;
            for other in near.get(id).into_iter().flatten() {
                if distance.len() < MOST && graph.entity(other).is_some() && !distance.contains_key(&***other) {
                    distance.insert(other, next);
                    queue.push_back(other);
                }
            }
        }
    }
    all.into_iter().filter_map(|id| distance.get(&**id).map(|column| (id.clone(), *column))).unzip()
}

fn cell(source: &NetSource<'_>, id: &EntityId, column: usize) -> Cell {
    let entity = source.graph.entity(id);
    let touches = |edge: &Edge| edge.s == *id || matches!(&edge.o, Object::Entity(o) if o == id);
    let first = source.graph.edges().iter().position(touches);
    let mut cell = Cell {
        entity: id.clone(),
        label: text::one_line(entity.map_or(id, |entity| entity.name())),
        ids: entity.map_or_else(String::new, |entity| (source.ids)(entity)),
        kg: entity.map_or(0, |entity| (source.kg)(&entity.kg)),
        new: column > 0 && first.is_some_and(|at| (source.is_new)(at)),
        column,
        x: 0,
        y: 0,
        width: 0,
        sides: Vec::new(),
    };
    if cell.first_row() > WIDEST || cell.ids == cell.label {
        let ids = std::mem::take(&mut cell.ids);
        // One id gives way to a long label; several are what a person looks for.
        if entity.is_some_and(|entity| !entity.also.is_empty()) {
            cell.sides.push(Side { text: ids, literal: false, new: false });
        }
    }
    cell
}

/// What stands before the line of an edge that a person corrected.
const BY_HAND: &str = "✎ ";

/// Groups edges by the box they start from and their relation, and writes the lines of every box.
fn bundle(source: &NetSource<'_>, place: &HashMap<&str, usize>, cells: &mut [Cell]) -> Vec<Bundle> {
    type Key<'a> = (usize, &'a RelationId, bool);
    let mut groups: IndexMap<Key<'_>, (Vec<usize>, usize, bool, bool)> = IndexMap::new();
    let mut values: IndexMap<(usize, &RelationId), (Vec<&str>, bool, bool)> = IndexMap::new();
    for (at, edge) in source.graph.edges().iter().enumerate() {
        let (new, hand) = ((source.is_new)(at), (source.by_hand)(at));
        let subject = place.get(&*edge.s).copied();
        match &edge.o {
            Object::Literal(literal) => {
                let Some(s) = subject else { continue };
                let (texts, any_new, any_hand) = values.entry((s, &edge.r)).or_default();
                texts.push(&literal.text);
                *any_new |= new;
                *any_hand |= hand;
            }
            Object::Entity(object) => {
                let (key, target) = match (subject, place.get(&**object).copied()) {
                    (Some(s), Some(o)) if cells[o].column < cells[s].column => ((o, &edge.r, true), Some(s)),
                    (Some(s), o) => ((s, &edge.r, false), o),
                    (None, Some(o)) => ((o, &edge.r, true), None),
                    (None, None) => continue,
                };
                let (targets, hidden, any_new, any_hand) = groups.entry(key).or_default();
                match target {
                    Some(target) if !targets.contains(&target) => targets.push(target),
                    Some(_) => {}
                    None => *hidden += 1,
                }
                *any_new |= new;
                *any_hand |= hand;
            }
        }
    }
    let mut bundles = Vec::new();
    for ((from, relation, reverse), (mut to, hidden, new, hand)) in groups {
        let mut line = text::one_line(source.graph.relation_name(relation));
        if reverse {
            line.insert_str(0, "◀ ");
        }
        if hand {
            line.insert_str(0, BY_HAND);
        }
        if to.contains(&from) {
            line.push_str(" ↺");
            to.retain(|target| *target != from);
        }
        if hidden > 0 {
            let _ = write!(line, " +{hidden}");
        }
        bundles.push(Bundle { from, side: cells[from].sides.len(), to, reverse, new, lane: 0 });
        cells[from].sides.push(Side { text: line, literal: false, new });
    }
    for ((from, relation), (texts, new, hand)) in values {
        let shown: Vec<&str> = texts.iter().take(LITERALS).copied().collect();
        let more = if texts.len() > shown.len() { format!(" +{}", texts.len() - shown.len()) } else { String::new() };
        let hand = if hand { BY_HAND } else { "" };
        let line = format!("{hand}{}: {}{more}", source.graph.relation_name(relation), shown.join(", "));
        cells[from].sides.push(Side { text: text::one_line(&line), literal: true, new });
    }
    bundles.retain(|bundle| !bundle.to.is_empty());
    bundles
}

/// Puts the boxes of a column one below the other. No title goes where a line from the column before ends, so that
/// no two lines share a row of the space between.
fn stack(cells: &mut [Cell], column: usize, blocked: &HashSet<usize>) {
    let mut y = 0;
    for cell in cells.iter_mut().filter(|cell| cell.column == column) {
        while blocked.contains(&y) {
            y += 1;
        }
        cell.y = y;
        y += cell.height() + usize::from(!cell.sides.is_empty());
    }
}

fn wanted(cell: &Cell) -> usize {
    cell.sides.iter().map(|side| text::width(&side.text) + 3).max().unwrap_or(0).max(cell.first_row())
}

/// Rows that lines use at the right side of a column.
fn rows_in_use(cells: &[Cell], bundles: &[Bundle], column: usize) -> HashSet<usize> {
    let mut rows = HashSet::new();
    for bundle in bundles.iter().filter(|bundle| cells[bundle.from].column == column) {
        rows.insert(cells[bundle.from].y + 1 + bundle.side);
        rows.extend(bundle.to.iter().filter(|to| cells[**to].column == column).map(|to| cells[*to].y));
    }
    rows
}

/// Gives every bundle of a column a vertical lane of its own, or one whose other lines end before it begins.
fn assign_lanes(cells: &[Cell], bundles: &mut [Bundle], column: usize, left: usize) -> usize {
    let mut ends: Vec<usize> = Vec::new();
    let mut mine: Vec<&mut Bundle> = bundles.iter_mut().filter(|bundle| cells[bundle.from].column == column).collect();
    mine.sort_by_key(|bundle| span(cells, bundle).0);
    for bundle in mine {
        let (top, bottom) = span(cells, bundle);
        let lane = ends.iter().position(|end| *end < top).unwrap_or(ends.len());
        if lane == ends.len() {
            ends.push(bottom);
        } else {
            ends[lane] = bottom;
        }
        bundle.lane = left + 1 + lane * 2;
    }
    ends.len()
}

fn span(cells: &[Cell], bundle: &Bundle) -> (usize, usize) {
    let anchor = cells[bundle.from].y + 1 + bundle.side;
    let targets = || bundle.to.iter().map(|to| cells[*to].y);
    (targets().min().unwrap_or(anchor).min(anchor), targets().max().unwrap_or(anchor).max(anchor))
}

fn draw(lines: &mut Canvas, cells: &[Cell], bundle: &Bundle) {
    let from = &cells[bundle.from];
    let anchor = from.y + 1 + bundle.side;
    let start = from.x + (2 + text::width(&from.sides[bundle.side].text)).min(from.width) + 1;
    let (top, bottom) = span(cells, bundle);
    lines.run(anchor, start, bundle.lane, bundle.new);
    for y in top..=bottom {
        let bits = if y > top { UP } else { 0 } | if y < bottom { DOWN } else { 0 };
        lines.lane(bundle.lane, y, bits, bundle.new);
    }
    lines.lane(bundle.lane, anchor, LEFT, bundle.new);
    for to in bundle.to.iter().map(|to| &cells[*to]) {
        if to.column == from.column {
            let title = to.x + to.first_row().min(to.width) + 1;
            lines.run(to.y, title, bundle.lane, bundle.new);
            lines.lane(bundle.lane, to.y, LEFT, bundle.new);
            lines.head(title, to.y, if bundle.reverse { '─' } else { '◀' }, bundle.new);
        } else {
            lines.run(to.y, bundle.lane + 1, to.x.saturating_sub(1), bundle.new);
            lines.lane(bundle.lane, to.y, RIGHT, bundle.new);
            lines.head(to.x.saturating_sub(2), to.y, if bundle.reverse { '─' } else { '▶' }, bundle.new);
        }
    }
}

/// `text` without its first `columns` columns; a wide cluster that is cut in two leaves a blank.
pub(super) fn skip_columns(text: &str, columns: usize) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for cluster in text.graphemes(true) {
        let end = at + cluster.width();
        if at >= columns {
            out.push_str(cluster);
        } else if end > columns {
            out.push(' ');
        }
        at = end;
    }
    out
}
