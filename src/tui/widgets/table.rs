//! The local graph as a table: a row a fact.

use super::super::theme::{Role, Theme, kg_sign};
use super::pager::scroll_mark;
use super::{put, scroll_to};
use crate::text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// A mark before a fact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Known before.
    #[default]
    None,
    /// New since the parent: `+`.
    New,
    /// Brought in by hand: `✎`.
    ByHand,
    /// A remark: a KG cut this list: `◐`.
    Cut,
    /// A remark: a person took this fact away: `⊘`.
    Gone,
}

impl Mark {
    /// Sign and role.
    #[must_use]
    pub const fn sign(self) -> (&'static str, Role) {
        match self {
            Self::None => (" ", Role::Text),
            Self::New => ("+", Role::New),
            Self::ByHand => ("✎", Role::ByHand),
            Self::Cut => ("◐", Role::Warning),
            Self::Gone => ("⊘", Role::Dim),
        }
    }
}

/// A fact as the table shows it, or a remark that a list of facts was cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fact {
    /// Subject.
    pub subject: String,
    /// The subject's ids, shown where there is room.
    pub subject_ids: String,
    /// Relation.
    pub relation: String,
    /// Object.
    pub object: String,
    /// The object's ids, shown where there is room.
    pub object_ids: String,
    /// What its statements say besides: `start time 1994`.
    pub notes: String,
    /// The position of its edge in the graph; none for a remark.
    pub edge: Option<usize>,
    /// Whether the object is a value, not an entity.
    pub literal: bool,
    /// Position of its KG in the session.
    pub kg: usize,
    /// The name of its KG.
    pub kg_name: String,
    /// The node that brought it.
    pub node: Option<u32>,
    /// New, by hand.
    pub mark: Mark,
}

/// The table's cursor.
#[derive(Clone, Debug, Default)]
pub struct FactTable {
    /// The selected row.
    pub selected: usize,
    offset: usize,
    height: usize,
}

impl FactTable {
    /// Rows of a page.
    #[must_use]
    pub const fn page(&self) -> usize {
        if self.height > 2 { self.height - 1 } else { 1 }
    }

    /// The row at `y` of the area last drawn.
    #[must_use]
    pub fn row_at(&self, area: Rect, y: u16) -> Option<usize> {
        (y > area.y && y < area.bottom()).then(|| self.offset + usize::from(y - area.y - 1))
    }

    /// Draws heading and the rows in view.
    pub fn render(&mut self, buf: &mut Buffer, area: Rect, facts: &[Fact], focus: bool, theme: &Theme) {
        if area.is_empty() {
            return;
        }
        let widths = columns(area.width);
        let head = ["", "subject", "relation", "object", "KG", "node"];
        let mut x = area.x;
        for (name, width) in head.iter().zip(widths) {
            put(buf, cell(area, x, area.y, width), x, area.y, name, theme.style(Role::Dim));
            x += width;
        }
        let list = Rect { y: area.y + 1, height: area.height - 1, ..area };
        self.height = list.height.into();
        self.selected = self.selected.min(facts.len().saturating_sub(1));
        self.offset = scroll_to(self.offset, self.selected, self.height, facts.len());
        if facts.is_empty() {
            put(buf, list, list.x, list.y, "no facts yet", theme.style(Role::Dim));
        }
        for (at, y) in (self.offset..facts.len()).zip(list.y..list.bottom()) {
            render_fact(buf, Rect { y, height: 1, ..list }, &facts[at], widths, theme);
            if at == self.selected {
                let role = if focus { Role::Selection } else { Role::SelectionAway };
                buf.set_style(Rect { y, height: 1, width: list.width.saturating_sub(1), ..list }, theme.style(role));
            }
        }
        scroll_mark(buf, list, self.offset, self.height, facts.len(), theme);
    }
}

fn cell(area: Rect, x: u16, y: u16, width: u16) -> Rect {
    Rect { x, y, width: width.saturating_sub(1).min(area.right().saturating_sub(x)), height: 1 }
}

fn render_fact(buf: &mut Buffer, area: Rect, fact: &Fact, widths: [u16; 6], theme: &Theme) {
    let (sign, role) = fact.mark.sign();
    // Where there is no room for the name the sign says which KG it is.
    let kg = if widths[4] > 2 { format!("{} {}", kg_sign(fact.kg), fact.kg_name) } else { kg_sign(fact.kg).to_owned() };
    let node = fact.node.map(|node| node.to_string()).unwrap_or_default();
    let object = match (fact.mark, fact.literal) {
        (Mark::Cut, _) => Role::Warning,
        (Mark::Gone, _) => Role::Dim,
        (_, true) => Role::Literal,
        (_, false) => Role::Text,
    };
    let texts = [(sign, role, ""), (&*fact.subject, Role::Text, &*fact.subject_ids), (&*fact.relation, Role::Dim, "")];
    let more = [(&*fact.object, object, &*fact.object_ids), (&*kg, Role::of_kg(fact.kg), ""), (&*node, Role::Dim, "")];
    let mut x = area.x;
    for (at, ((text, role, ids), width)) in texts.into_iter().chain(more).zip(widths).enumerate() {
        let cell = cell(area, x, area.y, width);
        let mut end = put(buf, cell, x, area.y, text, theme.style(role));
        // Notes before ids: ids are in the line below the table too.
        if at == OBJECT && !fact.notes.is_empty() {
            end = put(buf, cell, end, area.y, &format!(" · {}", fact.notes), theme.style(Role::Dim));
        }
        if usize::from(cell.right().saturating_sub(end)) > text::width(ids) + 1 && !ids.is_empty() {
            put(buf, cell, end + 2, area.y, ids, theme.style(Role::Dim));
        }
        x = x.saturating_add(width);
    }
}

/// The column of objects.
const OBJECT: usize = 3;

/// Widths of mark, subject, relation, object, KG and node; the last two give way first.
fn columns(width: u16) -> [u16; 6] {
    let (mark, node) = (2, if width >= 50 { 6 } else { 0 });
    let kg = match width {
        0..30 => 0,
        30..70 => 2,
        _ => 12,
    };
    let rest = width.saturating_sub(mark + kg + node);
    let (subject, relation) = (rest * 3 / 10, rest / 4);
    [mark.min(width), subject, relation, rest - subject - relation, kg, node]
}

#[cfg(test)]
mod tests {
    use super::super::testing::{SIZES, never_panics, screen};
    use super::*;

    fn facts(count: u32) -> Vec<Fact> {
        let fact = |n| Fact {
            subject: "Inception".into(),
            relation: "cast member".into(),
            object: format!("Michael \u{1b}[2JCaine {n}"),
            literal: false,
            kg: 0,
            kg_name: "wikidata".into(),
            node: Some(n),
            mark: if n % 2 == 0 { Mark::New } else { Mark::None },
            notes: if n == 1 { "start time 2010".into() } else { String::new() },
            object_ids: format!("Q{n}"),
            ..Fact::default()
        };
        (0..count).map(fact).collect()
    }

    #[test]
    fn a_row_says_where_a_fact_is_from() {
        let text = screen(100, 4, |buf, area| FactTable::default().render(buf, area, &facts(2), true, &Theme::default()));
        assert!(text.contains("subject") && text.contains("node"), "{text}");
        assert!(text.contains("+ Inception") && text.contains("◆ wikidata") && text.contains("Michael [2JCaine 1"), "{text}");
        assert!(text.contains("Michael [2JCaine 0  Q0"), "ids where there is room: {text}");
        assert!(text.contains("Caine 1 · start"), "what a statement says besides stands before its ids: {text}");
    }

    #[test]
    fn the_selected_row_stays_in_view() {
        let mut table = FactTable { selected: 90, ..FactTable::default() };
        let text = screen(100, 10, |buf, area| table.render(buf, area, &facts(100), true, &Theme::default()));
        assert!(text.contains("Caine 90"), "{text}");
        assert_eq!(table.row_at(Rect::new(0, 0, 100, 10), 9), Some(90));
    }

    #[test]
    fn no_size_breaks_it() {
        let theme = Theme::default();
        never_panics(|buf, area| FactTable::default().render(buf, area, &facts(30), true, &theme));
        never_panics(|buf, area| FactTable::default().render(buf, area, &[], true, &theme));
        for (width, height) in SIZES {
            assert!(
                !screen(width, height, |buf, area| FactTable::default().render(buf, area, &facts(9), false, &theme)).contains('\u{1b}')
            );
        }
    }
}
