//! Lines between boxes, on a grid of cells.

use super::super::super::theme::{Role, Theme};
use super::super::put;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

pub(super) const UP: u8 = 1;
pub(super) const DOWN: u8 = 2;
pub(super) const LEFT: u8 = 4;
pub(super) const RIGHT: u8 = 8;

/// What passes through a cell: a horizontal run, a vertical one (with its joints), or an arrow head.
#[derive(Clone, Copy, Debug, Default)]
struct Stroke {
    run: u8,
    lane: u8,
    head: Option<char>,
    new: bool,
}

/// The grid.
#[derive(Clone, Debug, Default)]
pub struct Canvas {
    width: usize,
    strokes: Vec<Stroke>,
}

impl Canvas {
    pub(super) fn new(width: usize, height: usize) -> Self {
        Self { width, strokes: vec![Stroke::default(); width * height] }
    }

    fn at(&mut self, x: usize, y: usize, new: bool) -> Option<&mut Stroke> {
        if x >= self.width {
            return None;
        }
        let stroke = self.strokes.get_mut(y * self.width + x)?;
        stroke.new |= new;
        Some(stroke)
    }

    /// A horizontal line over the columns `from..to`.
    pub(super) fn run(&mut self, y: usize, from: usize, to: usize, new: bool) {
        for x in from..to {
            if let Some(stroke) = self.at(x, y, new) {
                stroke.run |= LEFT | RIGHT;
            }
        }
    }

    /// Part of a vertical line: `bits` say where it goes from here.
    pub(super) fn lane(&mut self, x: usize, y: usize, bits: u8, new: bool) {
        if let Some(stroke) = self.at(x, y, new) {
            stroke.lane |= bits;
        }
    }

    /// An arrow head.
    pub(super) fn head(&mut self, x: usize, y: usize, head: char, new: bool) {
        if let Some(stroke) = self.at(x, y, new) {
            stroke.head = Some(head);
        }
    }

    pub(super) fn render(&self, buf: &mut Buffer, area: Rect, left: usize, top: usize, theme: &Theme) {
        for (row, y) in (top..).zip(area.y..area.bottom()) {
            for (column, x) in (left..self.width).zip(area.x..area.right()) {
                let Some(stroke) = self.strokes.get(row * self.width + column) else { return };
                if let Some(symbol) = symbol(*stroke) {
                    let role = if stroke.new { Role::New } else { Role::Border };
                    put(buf, area, x, y, symbol.encode_utf8(&mut [0; 4]), theme.style(role));
                }
            }
        }
    }
}

/// A line that only crosses a vertical one goes under it; a joint shows where they meet.
fn symbol(stroke: Stroke) -> Option<char> {
    if stroke.head.is_some() {
        return stroke.head;
    }
    let bits = match (stroke.lane, stroke.run) {
        (0, run) => run,
        (lane, _) if lane & (LEFT | RIGHT) == 0 => lane,
        (lane, run) if lane & RIGHT != 0 && lane & LEFT == 0 => lane | (run & LEFT),
        (lane, _) => lane,
    };
    Some(match bits {
        0 => return None,
        b if b == UP | DOWN || b == UP || b == DOWN => '│',
        b if b & (UP | DOWN) == 0 => '─',
        b if b == DOWN | RIGHT => '┌',
        b if b == DOWN | LEFT => '┐',
        b if b == UP | RIGHT => '└',
        b if b == UP | LEFT => '┘',
        b if b == UP | DOWN | RIGHT => '├',
        b if b == UP | DOWN | LEFT => '┤',
        b if b == DOWN | LEFT | RIGHT => '┬',
        b if b == UP | LEFT | RIGHT => '┴',
        _ => '┼',
    })
}
