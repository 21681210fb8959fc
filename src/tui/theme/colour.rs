//! Colours, and what is left of them on terminals that show fewer.

use ratatui::style::{Color, Modifier, Style};

/// How many colours the terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// No colour: only bold, italic, underlined and reversed.
    None,
    /// The 16 that every terminal has, in its own tones.
    Sixteen,
    /// 256 fixed tones.
    Indexed,
    /// 24 bits.
    True,
}

impl Depth {
    /// What the environment says: `NO_COLOR` (not empty) wins, then `COLORTERM`, then `TERM`.
    #[must_use]
    pub fn of_environment(get: impl Fn(&str) -> Option<String>) -> Self {
        let term = get("TERM").unwrap_or_default();
        if get("NO_COLOR").is_some_and(|value| !value.is_empty()) || term == "dumb" || term.starts_with("vt1") {
            return Self::None;
        }
        if get("COLORTERM").is_some_and(|value| value == "truecolor" || value == "24bit") || term.ends_with("-direct") {
            return Self::True;
        }
        if term.contains("256color") { Self::Indexed } else { Self::Sixteen }
    }

    /// Whether the environment says that the ground is light (`COLORFGBG`, set by some terminals).
    #[must_use]
    pub fn ground_is_light(get: impl Fn(&str) -> Option<String>) -> bool {
        get("COLORFGBG").is_some_and(|value| matches!(value.rsplit(';').next(), Some("7" | "15")))
    }

    /// `style` as it is shown with so many colours. Backgrounds in RGB suit only the terminal they were made for: with
    /// 16 colours or none `instead` stands for them, and the text keeps the terminal's own colour.
    #[must_use]
    pub fn fit(self, style: Style, instead: Modifier) -> Style {
        let mut fitted = style;
        match self {
            Self::True => {}
            Self::Indexed => {
                fitted.fg = style.fg.map(to_indexed);
                fitted.bg = style.bg.map(to_indexed);
            }
            Self::Sixteen | Self::None => {
                fitted.fg = if self == Self::None { None } else { style.fg.and_then(to_sixteen) };
                fitted.bg = None;
                if style.bg.is_some() {
                    // A row of many colours would turn into as many blocks: its text takes one.
                    fitted.fg = (self == Self::Sixteen && !instead.is_empty()).then_some(Color::Reset);
                    fitted = fitted.add_modifier(instead);
                }
            }
        }
        fitted
    }
}

/// A colour of a theme file: `#rrggbb` or the terminal's name for it.
pub(super) fn parse(text: &str) -> Option<Color> {
    let known = text.starts_with('#') && text.len() == 7 || text.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    known.then(|| text.replace('_', "").parse().ok()).flatten()
}

/// The nearest of the 6x6x6 cube or the grey ramp.
fn to_indexed(colour: Color) -> Color {
    let Color::Rgb(r, g, b) = colour else { return colour };
    let step = |v: u8| -> u8 {
        if v < 48 {
            0
        } else if v < 115 {
            1
        } else {
            (v - 35) / 40
        }
    };
    let level = |s: u8| -> i32 { if s == 0 { 0 } else { 55 + 40 * i32::from(s) } };
    let distance = |x: i32, y: i32, z: i32| (x - i32::from(r)).pow(2) + (y - i32::from(g)).pow(2) + (z - i32::from(b)).pow(2);
    let (cr, cg, cb) = (step(r), step(g), step(b));
    let cube = distance(level(cr), level(cg), level(cb));
    let mean = (u16::from(r) + u16::from(g) + u16::from(b)) / 3;
    let ramp = u8::try_from(mean.saturating_sub(3) / 10).unwrap_or(23).min(23);
    let grey = 8 + 10 * i32::from(ramp);
    if distance(grey, grey, grey) < cube { Color::Indexed(232 + ramp) } else { Color::Indexed(16 + 36 * cr + 6 * cg + cb) }
}

/// The one of the 16 with the nearest hue, bright if it was meant for a dark ground; greys become the terminal's own
/// text colour or its dark grey, so that they are readable on any ground. Tones between (a pale amber) keep their hue,
/// which is what tells them apart.
fn to_sixteen(colour: Color) -> Option<Color> {
    let Color::Rgb(r, g, b) = colour else { return Some(colour) };
    let (r, g, b) = (i32::from(r), i32::from(g), i32::from(b));
    let (high, low) = (r.max(g).max(b), r.min(g).min(b));
    let spread = high - low;
    if spread * 100 < high.max(1) * 35 {
        return if high > 0xe0 || low < 0x30 { None } else { Some(Color::DarkGray) };
    }
    let hue = if high == r {
        (60 * (g - b) / spread + 360) % 360
    } else if high == g {
        60 * (b - r) / spread + 120
    } else {
        60 * (r - g) / spread + 240
    };
    // Luma after ITU-R BT.601.
    let bright = (299 * r + 587 * g + 114 * b) / 1000 > 128;
    Some(match (hue, bright) {
        (0..=19 | 331..=360, true) => Color::LightRed,
        (0..=19 | 331..=360, false) => Color::Red,
        (20..=69, true) => Color::LightYellow,
        (20..=69, false) => Color::Yellow,
        (70..=159, true) => Color::LightGreen,
        (70..=159, false) => Color::Green,
        (160..=204, true) => Color::LightCyan,
        (160..=204, false) => Color::Cyan,
        (205..=254, true) => Color::LightBlue,
        (205..=254, false) => Color::Blue,
        (_, true) => Color::LightMagenta,
        (_, false) => Color::Magenta,
    })
}
