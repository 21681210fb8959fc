//! The search itself, pure: events, the state that they make, the tree, and the strategies that decide what is next.
//!
//! `State::apply` is a plain reducer: it never parses, votes or selects. A strategy looks at a state and yields the
//! next decision or the asks that are missing. Nothing here knows of a clock, a disk, a network or a screen.

mod act;
mod apply;
mod ask;
pub mod breakpoint;
mod budget;
mod compare;
pub mod correction;
mod cut_reply;
mod describe;
mod event;
mod health;
mod left_out;
mod matched;
mod model;
mod no_value;
mod otherwise;
mod page;
mod plan;
mod prefix;
mod provenance;
mod review;
mod settings;
mod spent;
mod spent_words;
mod state;
pub mod steer;
pub mod strategy;
mod trace;
mod tree;
mod unlinked;
mod upcoming;
mod warnings;
pub mod why;

pub use act::{Act, ActRefused, Again, check_decision};
pub use apply::ApplyError;
pub use ask::{Ask, AskSpec, Need, NotYet, What};
pub use breakpoint::{Breakpoint, Condition};
pub use budget::{Budget, Budgets};
pub use compare::{
    Comparison, Difference, DifferenceKind, Judgement, PairRow, Saved, SessionVerdict, Side, compare, is_expected, value_words,
};
pub use describe::{act_words, describe, entity_name, label, rejected_text, relation_label};
pub use event::{
    ActId, AskKey, By, Call, Entry, Event, FinishedEvent, Got, Halt, HaltCause, LlmCall, NewNode, NodeId, Outcome, OutcomeKind, PartId,
    Purpose, Reading, Reason, Route, Seq, Source, Started, StepId, StepKind, Stop, UnixMs, Valuation,
};
pub use health::Down;
pub use matched::{Match, Origin};
pub use model::{ModelRef, OtherModel};
pub use no_value::NoValue;
pub use otherwise::{Otherwise, read_temperature, temperature};
pub use page::Cut;
pub use plan::{Next, ask_events, kg_hash, next, slots_missing, split_mix};
pub use prefix::PromptChars;
pub use provenance::Provenance;
pub use review::{JudgedFact, StandingVerdict};
pub use settings::{OnExhausted, Preset, Setting, Settings, Structured};
pub use spent::{Counters, Nothing, Paid, Tally};
pub use spent_words::spent_words;
pub use state::{ActRecord, Node, State, Step, Value};
pub use trace::Trace;
pub use tree::{Leftover, Standing, Summary, TreeRow};
pub use upcoming::upcoming;
pub use warnings::{FLAT_CHILDREN, FLAT_RUN, Found, NEAR_PERCENT, Warning, WarningKind};
