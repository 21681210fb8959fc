//! Sessions as families: forks below the session that they were forked from.

use super::folder::Listed;
use std::collections::HashMap;

/// A session in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relative {
    /// Its position in the list.
    pub at: usize,
    /// Forks above it.
    pub depth: usize,
    /// It is a fork whose parent is not in the list.
    pub orphan: bool,
}

/// The session that another was forked from, by place, where it is in the list.
fn parents(all: &[Listed]) -> Vec<Option<usize>> {
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for (i, listed) in all.iter().enumerate() {
        let Ok(about) = &listed.what else { continue };
        // Of several copies of a session the one that has its name is meant.
        if listed.name == about.session || !by_name.contains_key(about.session.as_str()) {
            by_name.insert(&about.session, i);
        }
    }
    let parent = |l: &Listed| by_name.get(l.what.as_ref().ok()?.parent.as_ref()?.0.as_str()).copied();
    all.iter().map(parent).collect()
}

/// The rows in the order of the screen: whole families by their newest member (the list is newest first), forks below their parents,
/// newest first.
#[must_use]
pub fn family(all: &[Listed]) -> Vec<Relative> {
    let parents = parents(all);
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); all.len()];
    for (i, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent.filter(|p| *p != i) {
            children[parent].push(i);
        }
    }
    // Headers that name each other in a ring (they were written by hand) have no eldest: the walk upwards stops where it began.
    let mut eldest_first: Vec<usize> = Vec::new();
    for i in 0..all.len() {
        let (mut eldest, mut steps) = (i, 0);
        while let Some(parent) = parents[eldest].filter(|_| steps < all.len()) {
            (eldest, steps) = (parent, steps + 1);
        }
        eldest_first.push(eldest);
    }
    let mut seen = vec![false; all.len()];
    let mut rows = Vec::new();
    for eldest in eldest_first {
        let mut stack = vec![(eldest, 0)];
        while let Some((at, depth)) = stack.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            let fork = all[at].what.as_ref().is_ok_and(|a| a.parent.is_some());
            rows.push(Relative { at, depth, orphan: fork && parents[at].is_none() });
            stack.extend(children[at].iter().rev().map(|child| (*child, depth + 1)));
        }
    }
    rows
}
