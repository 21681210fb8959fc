//! The one table of the explorer's commands. Key map, help, palette, footer and mouse all derive from it.
//!
//! A command is data: [`Control`] names it, [`Control::spec`] says how it is called, which keys it has, where it belongs
//! and what it does; [`Control::applies`] says whether it can be used now, and if not, why.

mod applies;
mod keys;

pub use applies::{Context, NodeFacts, Run};
pub use keys::{Chord, KeyMap};

/// What a command is about; the help is ordered by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// The search goes on or waits.
    Run,
    /// A person does what the model would.
    ByHand,
    /// Looking back.
    Time,
    /// Moving and looking.
    Look,
}

impl Group {
    /// Every group, in the order of the help.
    pub const ALL: [Self; 4] = [Self::Run, Self::ByHand, Self::Time, Self::Look];

    /// As the help says it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Run => "Run",
            Self::ByHand => "By hand",
            Self::Time => "Time",
            Self::Look => "Look",
        }
    }
}

/// A pane of the explorer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pane {
    /// The search tree.
    Tree,
    /// The local graph of the selected node.
    Graph,
    /// Prompt, samples, value, calls and reasons of the selected node.
    Inspector,
    /// The action state machine.
    Machine,
    /// What was spent.
    Budget,
    /// Every event.
    Timeline,
}

impl Pane {
    /// Every pane, in the order of the keys 1 to 6.
    pub const ALL: [Self; 6] = [Self::Tree, Self::Graph, Self::Inspector, Self::Machine, Self::Budget, Self::Timeline];

    /// Its title.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tree => "Search tree",
            Self::Graph => "Local graph",
            Self::Inspector => "Inspector",
            Self::Machine => "Machine",
            Self::Budget => "Budget",
            Self::Timeline => "Timeline",
        }
    }

    /// A title for narrow tabs.
    #[must_use]
    pub const fn short(self) -> &'static str {
        match self {
            Self::Tree => "Tree",
            Self::Graph => "Graph",
            Self::Inspector => "Inspect",
            Self::Machine => "Machine",
            Self::Budget => "Budget",
            Self::Timeline => "Time",
        }
    }
}

/// What the table says of one command.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The name, as the palette and the config file have it: `expand by hand`.
    pub name: &'static str,
    /// Its keys, the first one is shown.
    pub keys: &'static [&'static str],
    /// What it is about.
    pub group: Group,
    /// The panes it belongs to; empty = everywhere.
    pub panes: &'static [Pane],
    /// One line for help and palette.
    pub help: &'static str,
}

macro_rules! table {
    ($($control:ident = $name:literal [$($key:literal),*] $group:ident $(in [$($pane:ident),+])? : $help:literal;)+) => {
        /// A command of the explorer.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Control { $(#[doc = $help] $control),+ }

        impl Control {
            /// Every command, in the order of the help.
            pub const ALL: &'static [Self] = &[$(Self::$control),+];

            /// Its row of the table.
            #[must_use]
            pub const fn spec(self) -> Spec {
                match self {
                    $(Self::$control => Spec {
                        name: $name, keys: &[$($key),*], group: Group::$group, panes: &[$($(Pane::$pane),+)?], help: $help,
                    }),+
                }
            }
        }
    };
}

table! {
    Pause = "pause or continue" ["space"] Run: "Let the search run, or let it wait before its next decision; calls in flight still arrive";
    Step = "step" ["s"] Run: "One expansion: prompt, samples, transition, values; then wait";
    StepPhase = "step one phase" ["S"] Run: "One decision or call: choose node, build prompt, sample, parse, transition, score";
    Abort = "abort calls" ["X"] Run: "Pause and drop the calls in flight; they are asked again when the search goes on";
    Intercept = "intercept" ["i"] Run: "Decide yourself what becomes of the samples before anything is applied; opens what waits for you";
    BreakHere = "breakpoint here" ["b"] Run: "Stand still when the selected node is about to be expanded; again: off";
    Breaks = "breakpoints" ["B"] Run: "When the search stands still for you: list, switch, add conditions; which states are intercepted";
    Flights = "calls in flight" ["D"] Run: "Look at the calls in flight, how long they take and why they wait; cancel one";
    Faster = "faster" ["+", "="] Run: "Shorten the pause between the steps";
    Slower = "slower" ["-"] Run: "Lengthen the pause between the steps, so that a person can follow";
    Limits = "limits" ["L"] Run: "Change expansions, depth, samples, threshold and budgets; also after the end: the search goes on";
    Model = "model" ["F2"] Run: "On the start page: choose the model that the next question is asked of";

    ExpandByHand = "expand by hand" ["e"] ByHand: "Go the next step yourself: think, answer, or pick entities and a relation, or have a KG compute over one (#)";
    Override = "override" ["o"] ByHand: "Choose otherwise than the model: from its other choices, or instead of this node";
    AnswerByHand = "answer by hand" ["a"] ByHand: "Add an answer of your own below this node";
    Accept = "accept answer" ["A"] ByHand: "Take the selected answer and end the search";
    Hint = "hint" ["H"] ByHand: "Add a thought of your own below this node; the model reads it";
    SetValue = "set value" ["v"] ByHand: "Give this node a value between 0 and 1; undo gives the model's value back";
    Prune = "prune or unprune" ["x"] ByHand: "Take this branch out of the search, or put it back";
    Pin = "pin or unpin" ["p"] ByHand: "Expand this node next, whatever its value";
    Rules = "force or forbid" ["!"] ByHand: "Relations or entities that have to be chosen, or may not be, below this node or everywhere";
    AskAgain = "ask again" ["r"] ByHand: "Ask the model here again: new samples or its value, with the prompt as it is or edited by you";
    Review = "review" ["V"] ByHand: "Let the model judge each fact that the selected answer rests on (or the answer of the search), one call a fact";
    Linked = "linked entities" ["K"] ByHand: "Add, drop or replace the entities that the question starts from";
    Correct = "correct a fact" ["w"] ByHand in [Graph]: "Say what is wrong with the selected fact: another object or label, delete, add, hide, distrust";
    More = "next page" ["M"] ByHand in [Graph]: "Fetch the next facts of a list that a KG cut (◐); the model reads them from here on";
    Undo = "undo" ["u"] ByHand: "Withdraw your last act; nothing is deleted";
    Redo = "redo" ["U"] ByHand: "Put your last withdrawn act back";

    EventBack = "event back" ["["] Time: "Look at the state one event earlier; a running search goes on";
    EventForward = "event forward" ["]"] Time: "Look at the state one event later";
    ExpansionBack = "expansion back" ["{"] Time: "Look at the state one expansion earlier";
    ExpansionForward = "expansion forward" ["}"] Time: "Look at the state one expansion later";
    First = "first event" ["("] Time: "Look at the start of the session";
    Latest = "latest event" [")"] Time: "Look at the present again";
    Fork = "fork here" ["f"] Time: "A new session that shares everything up to the event in view; with why, and the answer expected";
    Compare = "compare" ["C"] Time: "This session beside another: first difference, both trees, answers, evidence, cost, and a verdict";

    Up = "up" ["Up", "k"] Look: "One row up";
    Down = "down" ["Down", "j"] Look: "One row down";
    Left = "left" ["Left", "h"] Look: "Close the branch or go to its parent; scroll left";
    Right = "right" ["Right", "l"] Look: "Open the branch or go to its first child; scroll right";
    PageUp = "page up" ["PageUp", "ctrl-u"] Look: "One page up";
    PageDown = "page down" ["PageDown", "ctrl-d"] Look: "One page down";
    Top = "first row" ["g", "Home"] Look: "To the first row";
    Bottom = "last row" ["G", "End"] Look: "To the last row";
    Enter = "open" ["Enter"] Look: "Open or close the branch; read in the pager; go to the node that brought a fact; look at the event";
    Details = "details" ["d"] Look in [Graph, Inspector]: "All ids of the selected fact or entity, and where it comes from";
    OpenAll = "open all" ["*"] Look in [Tree]: "Open every branch of the tree";
    CloseAll = "close all" ["\\"] Look in [Tree]: "Close every branch of the tree";
    NextSibling = "next sibling" [">"] Look in [Tree]: "To the next child of the same parent";
    PreviousSibling = "previous sibling" ["<"] Look in [Tree]: "To the previous child of the same parent";
    JumpNext = "jump to next" ["'"] Look: "To the node that will be expanded next";
    Rejected = "rejected on or off" ["R"] Look: "Show or hide samples that were rejected or outvoted";
    Follow = "follow" ["F"] Look: "Keep the selection on the node that the search works on";
    NextTab = "next view" ["."] Look in [Graph, Inspector]: "Next tab of the inspector, next view of the local graph";
    PreviousTab = "previous view" [","] Look in [Graph, Inspector]: "Previous tab of the inspector, previous view of the local graph";
    NextPane = "next pane" ["Tab"] Look: "Focus on the next pane";
    PreviousPane = "previous pane" ["BackTab"] Look: "Focus on the previous pane";
    Pane1 = "search tree" ["1"] Look: "Focus on the search tree";
    Pane2 = "local graph" ["2"] Look: "Focus on the local graph of the selected node";
    Pane3 = "inspector" ["3"] Look: "Focus on the inspector: prompt, samples, value, calls, why, trajectory, evidence";
    Pane4 = "machine" ["4"] Look: "Focus on the action state machine";
    Pane5 = "budget" ["5"] Look: "Focus on what was spent";
    Pane6 = "timeline" ["6"] Look: "Focus on the timeline of events";
    Zoom = "zoom" ["z"] Look: "The focused pane alone, or all panes again";
    Find = "find" ["/"] Look: "Find text in the focused pane";
    FindNext = "find next" ["n"] Look: "To the next place found";
    FindPrevious = "find previous" ["N"] Look: "To the previous place found";
    Theme = "theme" ["T"] Look: "Next theme";
    Mouse = "mouse on or off" ["m"] Look: "Mouse for the explorer, or for the terminal to select text with";
    Warnings = "warnings" ["W"] Look: "What should be looked at: why it stands still, warnings about nodes, what was amiss at the start";
    Copy = "copy" ["y"] Look: "Copy what the focused pane shows, through the terminal (OSC 52) and into a file";
    Palette = "command" [":"] Look: "Every command, to be found by a few letters";
    Help = "help" ["?", "F1"] Look: "Every command with its keys";
    Redraw = "redraw" ["ctrl-l"] Look: "Draw the whole screen again";
    Suspend = "suspend" ["ctrl-z"] Look: "Stop the program; `fg` comes back";
    Quit = "quit" ["q", "ctrl-c"] Look: "End; sessions are always saved";
}

impl Control {
    /// The command that focuses `pane`.
    #[must_use]
    pub const fn focus(pane: Pane) -> Self {
        match pane {
            Pane::Tree => Self::Pane1,
            Pane::Graph => Self::Pane2,
            Pane::Inspector => Self::Pane3,
            Pane::Machine => Self::Pane4,
            Pane::Budget => Self::Pane5,
            Pane::Timeline => Self::Pane6,
        }
    }

    /// A short word for the footer.
    #[must_use]
    pub const fn brief(self, run: Run) -> &'static str {
        match self {
            Self::Pause => match run {
                Run::Running | Run::Stepping | Run::Waiting => "pause",
                _ => "continue",
            },
            Self::ExpandByHand => "by hand",
            Self::EventBack => "back",
            Self::EventForward => "forward",
            Self::NextTab => "next view",
            Self::Prune => "prune",
            Self::Rejected => "rejected",
            Self::Latest => "to the present",
            other => other.spec().name,
        }
    }
}

#[cfg(test)]
mod tests;
