//! Where the panes go: all of them side by side, folded into tabs, or one alone, by the size of the screen.

use super::super::command::Pane;
use ratatui::layout::Rect;

/// How much there is room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// All panes.
    Wide,
    /// Tabs, one pane at a time.
    Folded,
    /// One pane with a one-line header, without borders.
    Tiny,
}

impl Size {
    /// The size of a screen: folded below 100 columns or 30 rows, tiny below 40 columns or 10 rows.
    #[must_use]
    pub const fn of(area: Rect) -> Self {
        if area.width < 40 || area.height < 10 {
            Self::Tiny
        } else if area.width < 100 || area.height < 30 {
            Self::Folded
        } else {
            Self::Wide
        }
    }
}

/// The places of everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// How much there is room for.
    pub size: Size,
    /// The header.
    pub header: Rect,
    /// The lines below the header, if there are any.
    pub banners: Rect,
    /// The row of tabs, when folded.
    pub tabs: Rect,
    /// The panes that are shown.
    pub panes: Vec<(Pane, Rect)>,
    /// The footer.
    pub footer: Rect,
}

/// Places everything on `area`. `alone`: the focused pane is zoomed. `banners`: lines below the header, of which a low screen has the
/// first only.
#[must_use]
pub fn places(area: Rect, focus: Pane, alone: bool, banners: u16) -> Places {
    let size = Size::of(area);
    let mut rest = area;
    let mut take = |rows: u16, top: bool| {
        let rows = rows.min(rest.height);
        let y = if top { rest.y } else { rest.bottom() - rows };
        let taken = Rect { y, height: rows, ..rest };
        rest.height -= rows;
        if top {
            rest.y += rows;
        }
        taken
    };
    let header = take(1, true);
    let footer = take(u16::from(size != Size::Tiny), false);
    let most = match size {
        Size::Wide => banners,
        Size::Folded => banners.min(1),
        Size::Tiny => 0,
    };
    let banners = take(most, true);
    let tabs = take(u16::from(size == Size::Folded), true);
    let panes = if alone || size != Size::Wide { vec![(focus, rest)] } else { wide(rest, focus) };
    Places { size, header, banners, tabs, panes, footer }
}

/// Left: tree, machine and budget, timeline. Right: graph, inspector.
fn wide(area: Rect, focus: Pane) -> Vec<(Pane, Rect)> {
    let left = Rect { width: area.width * 45 / 100, ..area };
    let right = Rect { x: area.x + left.width, width: area.width - left.width, ..area };
    let (small, strip) = (10.min(area.height / 3), (area.height / 5).min(10));
    let tall = area.height >= 40;
    // On lower screens machine and budget share their place with the timeline.
    let below = small + if tall { strip } else { 0 };
    let tree = Rect { height: left.height - below, ..left };
    let middle = Rect { y: tree.bottom(), height: small, ..left };
    let timeline = if tall { Rect { y: middle.bottom(), height: strip, ..left } } else { middle };
    let machine = Rect { width: middle.width * 53 / 100, ..middle };
    let budget = Rect { x: machine.right(), width: middle.width - machine.width, ..middle };
    let graph = Rect { height: right.height * 45 / 100, ..right };
    let inspector = Rect { y: graph.bottom(), height: right.height - graph.height, ..right };
    let mut panes = vec![(Pane::Tree, tree), (Pane::Graph, graph), (Pane::Inspector, inspector)];
    if tall || focus != Pane::Timeline {
        panes.extend([(Pane::Machine, machine), (Pane::Budget, budget)]);
    }
    if tall || focus == Pane::Timeline {
        panes.push((Pane::Timeline, timeline));
    }
    panes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_fill_the_screen_without_overlap() {
        for (width, height) in [(200, 60), (100, 30), (120, 39), (300, 100)] {
            for focus in Pane::ALL {
                let area = Rect::new(0, 0, width, height);
                let places = places(area, focus, false, 2);
                let mut covered = vec![0_u8; usize::from(width) * usize::from(height)];
                let rects = places.panes.iter().map(|(_, rect)| *rect).chain([places.header, places.banners, places.footer]);
                for rect in rects {
                    for y in rect.top()..rect.bottom() {
                        for x in rect.left()..rect.right() {
                            covered[usize::from(y) * usize::from(width) + usize::from(x)] += 1;
                        }
                    }
                }
                assert!(covered.iter().all(|n| *n == 1), "{width}x{height} {focus:?}");
                assert!(places.panes.iter().any(|(pane, _)| *pane == focus));
            }
        }
    }

    #[test]
    fn small_screens_fold() {
        assert_eq!(Size::of(Rect::new(0, 0, 99, 60)), Size::Folded);
        assert_eq!(Size::of(Rect::new(0, 0, 200, 29)), Size::Folded);
        assert_eq!(Size::of(Rect::new(0, 0, 39, 24)), Size::Tiny);
        assert_eq!(places(Rect::new(0, 0, 80, 24), Pane::Graph, false, 0).panes, [(Pane::Graph, Rect::new(0, 2, 80, 21))]);
        for width in 0..12 {
            for height in 0..12 {
                let area = Rect::new(0, 0, width, height);
                let places = places(area, Pane::Tree, false, 1);
                assert!(places.panes.iter().all(|(_, rect)| rect.bottom() <= height && rect.right() <= width));
            }
        }
    }
}
