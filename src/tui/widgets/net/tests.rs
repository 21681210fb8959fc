use super::super::testing::{SIZES, never_panics, screen};
use super::*;
use crate::graph::{Delta, Edge, Entity, Literal, LiteralKind, LocalGraph, Object};

fn entity(id: &str, label: &str) -> Entity {
    Entity { id: id.into(), kg: "demo".into(), label: Some(label.into()), description: None, also: vec![] }
}

fn edge(s: &str, r: &str, o: &str) -> Edge {
    Edge { s: s.into(), r: r.into(), o: Object::Entity(o.into()), kg: "demo".into(), notes: Vec::new() }
}

/// Two films with a shared actor, a value, and an edge within a column.
fn films() -> LocalGraph {
    let mut graph = LocalGraph::default();
    let date = Literal { kind: LiteralKind::Date, text: "8 July 2010".into(), raw: None, lang: None };
    graph.add(&Delta {
        entities: vec![
            entity("Q1", "Inception"),
            entity("Q2", "Interstellar"),
            entity("Q3", "Michael Caine"),
            entity("Q4", "Tom Hardy"),
            entity("Q5", "Christopher Nolan"),
        ],
        relations: vec![
            ("P161".into(), "cast member".into()),
            ("P57".into(), "director".into()),
            ("P577".into(), "publication date".into()),
            ("P155".into(), "follows".into()),
        ],
        edges: vec![
            edge("Q1", "P161", "Q3"),
            edge("Q1", "P161", "Q4"),
            edge("Q1", "P57", "Q5"),
            edge("Q2", "P57", "Q5"),
            edge("Q2", "P161", "Q3"),
            edge("Q2", "P155", "Q1"),
            Edge { s: "Q1".into(), r: "P577".into(), o: Object::Literal(date), kg: "demo".into(), notes: Vec::new() },
        ],
        partial: vec![],
    });
    graph
}

fn many(count: usize) -> LocalGraph {
    let mut graph = LocalGraph::default();
    let ids: Vec<String> = (0..count).map(|n| format!("Q{n}")).collect();
    graph.add(&Delta {
        entities: ids.iter().map(|id| entity(id, &format!("가 entity {id}\u{1b}"))).collect(),
        relations: vec![("P1".into(), "part of".into())],
        edges: (1..count).map(|n| edge(&ids[n / 7], "P1", &ids[n])).collect(),
        partial: vec![],
    });
    graph
}

fn view(graph: &LocalGraph, roots: &[EntityId], focus: Option<&EntityId>) -> NetView {
    let mut view = NetView::default();
    view.set(Net::of(&NetSource {
        graph,
        roots,
        focus,
        is_new: &|at| at >= 4,
        by_hand: &|_| false,
        kg: &|_| 0,
        ids: &|e| e.id.to_string(),
    }));
    view
}

#[test]
fn entities_stand_in_columns_with_lines_between() {
    let roots: [EntityId; 2] = ["Q1".into(), "Q2".into()];
    let graph = films();
    let theme = Theme::default();
    let text = screen(70, 14, |buf, area| view(&graph, &roots, None).render(buf, area, true, &theme));
    for part in ["◆ Inception", "cast member", "▶ ◆ Michael Caine", "▶ ◆ Tom Hardy", "publication date: 8 July", "follows", "◀─"]
    {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn positions_stay_when_the_graph_grows() {
    let roots: [EntityId; 1] = ["Q1".into()];
    let mut graph = films();
    let before = view(&graph, &roots, None);
    graph.add(&Delta { entities: vec![entity("Q9", "London")], edges: vec![edge("Q5", "P19", "Q9")], ..Delta::default() });
    let after = view(&graph, &roots, None);
    for (old, new) in before.net.cells.iter().zip(&after.net.cells) {
        assert_eq!((&old.entity, old.column), (&new.entity, new.column));
    }
    assert_eq!(after.net.cells.last().unwrap().column, 2);
}

#[test]
fn a_reverse_edge_points_at_where_the_walk_came_from() {
    let roots: [EntityId; 1] = ["Q3".into()];
    let graph = films();
    let theme = Theme::default();
    let text = screen(90, 14, |buf, area| view(&graph, &roots, None).render(buf, area, true, &theme));
    assert!(text.contains("◀ cast member"), "{text}");
}

#[test]
fn a_crowd_shows_the_neighbourhood_of_the_selected() {
    let graph = many(400);
    let roots: [EntityId; 1] = ["Q0".into()];
    let focus: EntityId = "Q30".into();
    let mut view = view(&graph, &roots, Some(&focus));
    assert_eq!(view.net.cells.len(), MOST);
    assert_eq!(view.left_out(), 400 - MOST);
    assert!(view.select("Q30") && view.select("Q4"), "the selected one and its neighbours are there");
}

#[test]
fn moving_follows_columns() {
    let roots: [EntityId; 2] = ["Q1".into(), "Q2".into()];
    let graph = films();
    let mut view = view(&graph, &roots, None);
    assert_eq!(view.selected().map(|id| &**id), Some("Q1"));
    view.vertical(true);
    assert_eq!(view.selected().map(|id| &**id), Some("Q2"));
    view.horizontal(true);
    assert_ne!(view.selected().map(|id| &**id), Some("Q2"));
    view.horizontal(false);
    view.vertical(false);
    assert_eq!(view.selected().map(|id| &**id), Some("Q1"));
}

#[test]
fn no_size_breaks_it() {
    let theme = Theme::default();
    let roots: [EntityId; 1] = ["Q0".into()];
    for graph in [many(1), many(41), many(300), films(), LocalGraph::default()] {
        let focus: EntityId = "Q5".into();
        let mut view = view(&graph, &roots, Some(&focus));
        view.select("Q5");
        never_panics(|buf, area| view.render(buf, area, true, &theme));
        for (width, height) in SIZES {
            assert!(!screen(width, height, |buf, area| view.render(buf, area, false, &theme)).contains('\u{1b}'));
        }
    }
}
