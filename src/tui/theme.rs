//! Themes: named styles from YAML, fitted to what the terminal can show.
//!
//! Meaning never hangs on a colour alone: the views add a sign or a modifier to each. A broken theme warns, names file
//! and line, and the default's style stays in use.

mod colour;
mod load;

pub use colour::Depth;
pub use load::{Warning, built_in, load_file};

use crate::micro::Micro;
use ratatui::style::{Modifier, Style};

macro_rules! roles {
    ($($(#[$doc:meta])* $role:ident = $name:literal),+ $(,)?) => {
        /// What a style is for. Theme files use the names in snake case.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Role { $($(#[$doc])* $role),+ }

        impl Role {
            /// Every role, in the order of the enum.
            pub const ALL: &'static [Self] = &[$(Self::$role),+];

            /// The name in a theme file.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$role => $name),+ }
            }
        }
    };
}

roles! {
    /// What everything stands on: the colours of plain text and of the ground. Without colours the terminal's own.
    Background = "background",
    /// Plain text.
    Text = "text",
    /// Text of less weight.
    Dim = "dim",
    /// Headings inside a pane.
    Title = "title",
    /// The one accent colour.
    Accent = "accent",
    /// Borders of panes without focus.
    Border = "border",
    /// Border and title of the pane with focus.
    Focus = "focus",
    /// The selected row in the pane with focus.
    Selection = "selection",
    /// The selected row elsewhere.
    SelectionAway = "selection_away",
    /// Keys in footer and help.
    Key = "key",
    /// Header and footer line.
    Header = "header",
    /// A line that must be seen: the view is in the past, the search waits for you.
    Banner = "banner",
    /// What a search by text found.
    Found = "found",
    /// Values below 0.2.
    Value0 = "value_0",
    /// Values below 0.4.
    Value1 = "value_1",
    /// Values below 0.6.
    Value2 = "value_2",
    /// Values below 0.8.
    Value3 = "value_3",
    /// Values from 0.8.
    Value4 = "value_4",
    /// A value that is not known.
    Unknown = "unknown",
    /// The node that is expanded next.
    Next = "next",
    /// New since the parent.
    New = "new",
    /// What a person did.
    ByHand = "by_hand",
    /// A sample that was not used.
    Rejected = "rejected",
    /// A pruned node.
    Pruned = "pruned",
    /// Something failed.
    Error = "error",
    /// Something is not as it should be.
    Warning = "warning",
    /// Something is as it should be.
    Good = "good",
    /// Filled-in parts of a prompt.
    Filled = "filled",
    /// Values that are no entities.
    Literal = "literal",
    /// The first KG.
    Kg0 = "kg_0",
    /// The second KG.
    Kg1 = "kg_1",
    /// The third KG.
    Kg2 = "kg_2",
    /// Every further KG.
    Kg3 = "kg_3",
}

impl Role {
    /// The role of a value: five steps on one scale. The bar and the number say the same.
    #[must_use]
    pub const fn of_value(value: Micro) -> Self {
        match value.millionths() {
            0..200_000 => Self::Value0,
            200_000..400_000 => Self::Value1,
            400_000..600_000 => Self::Value2,
            600_000..800_000 => Self::Value3,
            _ => Self::Value4,
        }
    }

    /// The role of the KG at `position` in the session.
    #[must_use]
    pub const fn of_kg(position: usize) -> Self {
        match position {
            0 => Self::Kg0,
            1 => Self::Kg1,
            2 => Self::Kg2,
            BY_YOU => Self::ByHand,
            _ => Self::Kg3,
        }
    }
}

/// The position of facts that no KG said: the person did.
pub const BY_YOU: usize = usize::MAX;

/// The sign of the KG at `position` in the session: colour is never the only difference.
#[must_use]
pub const fn kg_sign(position: usize) -> &'static str {
    match position {
        0 => "◆",
        1 => "▲",
        2 => "●",
        BY_YOU => "✎",
        _ => "■",
    }
}

/// A style for every role, as this terminal shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Its name: `dark`, `light`, or a file's.
    pub name: String,
    styles: Vec<Style>,
}

impl Theme {
    /// The style of `role`.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    /// The same theme with every style fitted to `depth`.
    #[must_use]
    pub fn fitted(&self, depth: Depth) -> Self {
        let instead = |role: &Role| match role {
            Role::Selection | Role::Banner => Modifier::REVERSED,
            Role::SelectionAway => Modifier::UNDERLINED,
            _ => Modifier::empty(),
        };
        let styles = Role::ALL.iter().map(|role| depth.fit(self.style(*role), instead(role))).collect();
        Self { name: self.name.clone(), styles }
    }
}

impl Default for Theme {
    /// The built-in dark theme in full colour.
    fn default() -> Self {
        load::default_dark()
    }
}

/// The themes that `T` goes through, and the one in use.
#[derive(Clone, Debug)]
pub struct Themes {
    all: Vec<Theme>,
    current: usize,
}

impl Themes {
    /// The built-in themes, with `wanted` (a built-in name or a file) in use, fitted to `depth`.
    #[must_use]
    pub fn new(wanted: Option<&str>, depth: Depth) -> (Self, Vec<Warning>) {
        let mut warnings = Vec::new();
        let mut all: Vec<Theme> = built_in().iter().map(|theme| theme.fitted(depth)).collect();
        let mut current = 0;
        if let Some(wanted) = wanted {
            if let Some(found) = all.iter().position(|theme| theme.name == wanted) {
                current = found;
            } else {
                let (theme, found) = load_file(std::path::Path::new(wanted));
                warnings = found;
                if let Some(theme) = theme {
                    current = all.len();
                    all.push(theme.fitted(depth));
                }
            }
        }
        (Self { all, current }, warnings)
    }

    /// The theme in use.
    #[must_use]
    pub fn current(&self) -> &Theme {
        &self.all[self.current]
    }

    /// Goes to the next theme.
    pub fn cycle(&mut self) {
        self.current = (self.current + 1) % self.all.len();
    }
}

#[cfg(test)]
mod tests;
