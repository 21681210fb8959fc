//! Help for tests: a frame of a given size, as text.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The sizes that every widget is tested at.
pub const SIZES: [(u16, u16); 4] = [(200, 60), (80, 24), (20, 5), (1, 1)];

/// What `draw` shows at this size.
pub fn screen(width: u16, height: u16, draw: impl FnOnce(&mut Buffer, Rect)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| {
            let area = frame.area();
            draw(frame.buffer_mut(), area)
        })
        .unwrap();
    text(terminal.backend().buffer())
}

/// The text of a buffer, lines without trailing blanks.
pub fn text(buffer: &Buffer) -> String {
    let area = buffer.area;
    let mut out = String::new();
    for y in area.top()..area.bottom() {
        let mut line = String::new();
        let mut skip = 0;
        for x in area.left()..area.right() {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            skip = crate::text::width(symbol).saturating_sub(1);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Draws at every size from 0x0 to 12x12, at an offset too, and at the sizes of [`SIZES`].
pub fn never_panics(mut draw: impl FnMut(&mut Buffer, Rect)) {
    for width in 0..=12 {
        for height in 0..=12 {
            let mut buffer = Buffer::empty(Rect::new(0, 0, width + 2, height + 2));
            draw(&mut buffer, Rect::new(0, 0, width, height));
            draw(&mut buffer, Rect::new(2, 1, width, height));
        }
    }
    for (width, height) in SIZES {
        draw(&mut Buffer::empty(Rect::new(0, 0, width, height)), Rect::new(0, 0, width, height));
    }
}
