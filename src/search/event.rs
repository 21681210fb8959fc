//! The events of a session, of three kinds: the world's (asked, replied, failed), decisions (opened, read, grew,
//! valued, closed, finished) and a person's acts. They are the only truth; everything else is derived from them.

use super::act::Act;
use super::budget::Budget;
use super::review::JudgedFact;
use super::settings::Settings;
use crate::asm::{Action, Templates};
use crate::calls::{AskId, CallError, KgCall, KgReply, PartKind, PromptKind, Sample, Usage};
use crate::graph::{Delta, Entity, EntityId, KgName};
use crate::micro::Micro;
use crate::price::Price;
use crate::text::one_line;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);
        impl $name {
            /// As an index.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
number!(
    /// A node of the tree, dense from 0 (the root).
    NodeId(u32)
);
number!(
    /// A step (one expansion, the start, a hand-made growth), dense from 0.
    StepId(u32)
);
number!(
    /// An act of a person, dense from 0.
    ActId(u32)
);
number!(
    /// A text of a prompt, dense from 0; each text is stored once.
    PartId(u32)
);

/// Number of an entry in its journal, from 0.
pub type Seq = u64;
/// Milliseconds since 1970; feeds displays only.
pub type UnixMs = u64;

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number.
    pub seq: Seq,
    /// When.
    pub at: UnixMs,
    /// Whose it is.
    pub by: By,
    /// What happened.
    pub ev: Event,
}

/// Where an event came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// A decision of the strategy.
    Engine,
    /// A model or KG.
    World,
    /// The person.
    You,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The first event of a session.
    Started(Box<Started>),
    /// The session was opened again; these asks were in flight when it was left and are sent again (perhaps paid twice).
    Resumed {
        /// The asks.
        lost: Vec<AskId>,
        /// What tokens cost, when that was not known before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        price: Option<Price>,
    },
    /// The person dropped these calls in flight; their asks stay open and are sent again when the search goes on.
    Dropped {
        /// The asks.
        asks: Vec<AskId>,
    },
    /// A text of a prompt, stored once.
    Part {
        /// Its number.
        id: PartId,
        /// What it holds.
        kind: PartKind,
        /// The text.
        text: Arc<str>,
    },
    /// Written before a call leaves.
    Asked {
        /// Its number.
        ask: AskId,
        /// Who asks.
        key: AskKey,
        /// What is asked.
        call: Call,
        /// Hash of model, parts and parameters without the number of samples and the seed (xxh3-128, hexadecimal).
        hash: Arc<str>,
        /// How many equal requests came before it.
        nth: u32,
    },
    /// A reply on the wire.
    Replied {
        /// The ask.
        ask: AskId,
        /// What came.
        got: Got,
        /// Where it came from.
        source: Source,
        /// Tokens.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// Milliseconds.
        took_ms: u64,
        /// Tries.
        tries: u32,
        /// No reply: requests ended without one, and this is what they have probably taken.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        nothing: bool,
    },
    /// The ask brought nothing: a failure about this request. The step goes on.
    Failed {
        /// The ask.
        ask: AskId,
        /// Why.
        error: CallError,
    },
    /// A failure about the service, or a limit of the runner: the ask stays open.
    Halted(Halt),
    /// How long the search has run; recorded only while there is a budget of time.
    Ran {
        /// Milliseconds, pauses not counted.
        ms: u64,
    },
    /// A step begins.
    Opened {
        /// Its number.
        step: StepId,
        /// What it is.
        kind: StepKind,
        /// The node that it is about (none for the start).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<NodeId>,
        /// Whether it uses up the budget of expansions.
        counts: bool,
        /// The act that it serves.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        act: Option<ActId>,
        /// Why this node now.
        why: String,
    },
    /// A complete round of samples was read.
    Read {
        /// The step.
        step: StepId,
        /// Which reading of the step (0 for an expansion).
        lane: u32,
        /// What was made of the samples, in order of first appearance.
        rows: Vec<Reading>,
        /// What the person who decided wants the model to know: it stands in the trajectory of what was kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// The tree grew.
    Grew {
        /// The step.
        step: StepId,
        /// New nodes, in order; their ids follow on from the last node's.
        children: Vec<NewNode>,
        /// Choices that failed when they were carried out.
        refused: Vec<Reading>,
        /// What went wrong without stopping the step ("reverse relations: server error").
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        notices: Vec<String>,
    },
    /// The next page of a list that a KG cut came, for the local graph of a node and those below it.
    Paged {
        /// The step.
        step: StepId,
        /// The node.
        node: NodeId,
        /// What it added; nothing if it failed.
        #[serde(default)]
        delta: Delta,
        /// What went wrong.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        notices: Vec<String>,
    },
    /// The model judged facts that an answer rests on.
    Reviewed {
        /// The step.
        step: StepId,
        /// The answer's node.
        node: NodeId,
        /// What it thinks of each fact, in the order of the act.
        judged: Vec<JudgedFact>,
    },
    /// A node got its value. Comes in the order of the children.
    Valued {
        /// The node.
        node: NodeId,
        /// The value; `None` when none could be read.
        value: Option<Micro>,
        /// Where it came from.
        from: Valuation,
    },
    /// A step is over.
    Closed {
        /// The step.
        step: StepId,
    },
    /// The search ended. Not final: an act or a larger budget goes on, and the last one counts.
    Finished(Box<FinishedEvent>),
    /// A person did something.
    Acted {
        /// Its number.
        act: ActId,
        /// What.
        what: Act,
    },
    /// A person took an act back, or did it again.
    Undone {
        /// The act.
        act: ActId,
        /// Whether it counts again.
        redo: bool,
    },
}

impl Event {
    /// Whether it is a decision of the engine: what the replies before it and the acts of the person lead to, whatever the order
    /// in which replies arrived.
    #[must_use]
    pub const fn is_decision(&self) -> bool {
        matches!(
            self,
            Self::Opened { .. }
                | Self::Read { .. }
                | Self::Grew { .. }
                | Self::Paged { .. }
                | Self::Reviewed { .. }
                | Self::Valued { .. }
                | Self::Closed { .. }
                | Self::Finished(_)
        )
    }
}

/// Why a search stands still.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Halt {
    /// What it is about.
    #[serde(default, skip_serializing_if = "HaltCause::is_service")]
    pub cause: HaltCause,
    /// Why, and what to do.
    pub why: String,
    /// The breakpoints that were hit, by the acts that set them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<ActId>,
}

impl Halt {
    /// `stands at a breakpoint: expansion 2 is about to begin`, `stands still: the budget of 3 calls to the model is used up`
    #[must_use]
    pub fn words(&self) -> String {
        let why = one_line(&self.why);
        if self.cause == HaltCause::Breakpoint { format!("stands at a {why}") } else { format!("stands still: {why}") }
    }
}

/// What a halt is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HaltCause {
    /// The model's service fails.
    #[default]
    Service,
    /// A budget is used up.
    Budget(Budget),
    /// A prompt template can't be filled in.
    Template,
    /// The recording that answers (`--from`) has no reply.
    Miss,
    /// The person wanted to look here.
    Breakpoint,
}

impl HaltCause {
    const fn is_service(&self) -> bool {
        matches!(self, Self::Service)
    }

    /// The budget that is used up.
    #[must_use]
    pub const fn budget(self) -> Option<Budget> {
        match self {
            Self::Budget(budget) => Some(budget),
            _ => None,
        }
    }
}

/// What a session starts from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// The question.
    pub question: String,
    /// Limits and rules.
    pub settings: Settings,
    /// Name of the model.
    pub model: String,
    /// The model's name as its service knows it.
    pub service_model: String,
    /// How to make the model again (`lexical`, `openai:gpt-4o`, ...; no keys).
    pub model_spec: String,
    /// The model's server, where one was named (no keys).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm_url: Option<String>,
    /// What the model's tokens cost; `None`: that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// The KGs: name and spec.
    pub kgs: Vec<(KgName, String)>,
    /// The strategy's name.
    pub strategy: String,
    /// Prompt templates, so that a session keeps its prompts.
    pub templates: Templates,
    /// The seed of every draw.
    pub seed: u64,
    /// Entities given by the person (`--entity`): linking is skipped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Entity>,
}

/// Who asks: unique in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AskKey {
    /// The step.
    pub step: StepId,
    /// What for.
    pub purpose: Purpose,
    /// Which of several (mention, relation, child).
    pub lane: u32,
    /// Raised when the same is asked again.
    pub round: u32,
}

/// What an ask is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Mentions of the question.
    Extract,
    /// Candidates for a mention.
    Search,
    /// Which candidate it is.
    Match,
    /// Relations on offer, forward.
    ListOut,
    /// Relations on offer, reverse.
    ListIn,
    /// The samples of an expansion.
    Sample,
    /// The edges of a chosen relation.
    Edges,
    /// The value of a child.
    Score,
    /// Entities that the person gave: label and description.
    Describe,
    /// What entities are in the other KGs.
    Link,
    /// A computation in the KG.
    Aggregate,
    /// What a fact is thought to be.
    Review,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// Of the model.
    Llm(LlmCall),
    /// Of a KG.
    Kg(KgCall),
}

/// A call to the model, its texts by number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmCall {
    /// What the prompt is for.
    pub kind: PromptKind,
    /// The parts, in order.
    pub parts: Vec<PartId>,
    /// In thousandths.
    pub temperature_milli: u32,
    /// Stop strings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Tokens per sample.
    pub max_tokens: u32,
    /// Samples wanted.
    pub slots: u32,
    /// Facts that were left out of the prompt because it was too long.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted: u32,
    /// Facts that it shows all the same; 0 when none was left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shown: u32,
    /// Relations on offer that were left out of it for the same reason.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unlisted: u32,
    /// Relations that it lists all the same, the first ones; 0 when none was left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub listed: u32,
    /// Whether the reply is to be constrained to what is on offer, where the service can.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub structured: bool,
    /// The act that named the model that is asked; none: the session's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ActId>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
const fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// What a reply on the wire brought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Got {
    /// Samples, by slot.
    Samples(Vec<(u32, Sample)>),
    /// A KG's reply.
    Kg(Box<KgReply>),
}

/// Where a reply came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The service, now.
    Live,
    /// The parent session's recording.
    Recorded,
    /// An equal call of this session that was answered before.
    Cached,
    /// The cache on disk, where it was kept since then (a model's samples; a KG's reply says so itself).
    Kept(UnixMs),
    /// A preview that the person had looked at.
    Preview,
    /// The person (model `human`).
    You,
}

impl Source {
    /// Whether it came from the world now: from no recording, and from nothing that was kept.
    #[must_use]
    pub const fn is_live(self) -> bool {
        !matches!(self, Self::Recorded | Self::Cached | Self::Kept(_))
    }
}

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// Mentions, candidates, matches: makes the root.
    Start,
    /// An expansion by the strategy.
    Expand,
    /// Forced answers at the end.
    ForceFinal,
    /// A growth by hand.
    Hand,
    /// The next page of a list that a KG cut.
    Page,
    /// The value of a node, asked again.
    Value,
    /// Facts of an answer, judged.
    Review,
}

/// What was made of one or several equal samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// The slots that said so.
    pub slots: Vec<u32>,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A choice that is carried out.
    Kept(Action),
    /// A choice with too few votes.
    Outvoted(Action),
    /// No choice, or one that failed.
    Rejected {
        /// The reply, or the choice's token.
        text: String,
        /// Its class.
        reason: Reason,
        /// Why, for people.
        why: String,
    },
    /// A mention of the question (start only).
    Mention(String),
    /// The entity that a mention is (start only); `None`: none of the candidates.
    Entity(Option<Box<Entity>>),
    /// What a selected entity is in a KG that did not know it, by label; `None`: nothing there.
    Linked {
        /// The entity, by the id it stands under.
        id: EntityId,
        /// The KG.
        kg: KgName,
        /// What it is there.
        to: Option<Box<Entity>>,
    },
}

/// Classes of rejection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// No action could be read.
    Unreadable,
    /// It names nothing that was on offer.
    NotOffered,
    /// A thought that was there before, word for word.
    Repeat,
    /// The KG failed.
    KgFailed,
    /// It adds no fact.
    NothingNew,
    /// The model failed on this request.
    LlmFailed,
    /// The person dropped it.
    Dropped,
}

impl Reason {
    /// The word of the scenarios' `rejected_rows`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::NotOffered => "not_offered",
            Self::Repeat => "repeat",
            Self::KgFailed => "kg_failed",
            Self::NothingNew => "nothing_new",
            Self::LlmFailed => "llm_failed",
            Self::Dropped => "dropped",
        }
    }
}

/// A node that is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewNode {
    /// Its parent; none for the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<NodeId>,
    /// The existing node that this choice is (a second arrival); then no node is made and the rest is not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<NodeId>,
    /// The action that led to it.
    pub action: Action,
    /// What it added to the local graph.
    #[serde(default, skip_serializing_if = "Delta::is_empty")]
    pub delta: Delta,
    /// What the trajectory says after the action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observation: Option<String>,
    /// Samples that voted for it, of how many.
    pub votes: (u32, u32),
}

/// Where a value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Valuation {
    /// By rule: the root is 1.0.
    Rule,
    /// The model's score, from this ask.
    Asked(AskId),
    /// The person's, with the act that brought it.
    Act(ActId),
    /// Not scored, on purpose (error nodes).
    NotScored,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// An answer at or over the threshold, or accepted by the person.
    Answered,
    /// The best answer, below the threshold.
    BestEffort,
    /// None.
    NoAnswer,
}

impl OutcomeKind {
    /// The word of `ask --json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::BestEffort => "best_effort",
            Self::NoAnswer => "no_answer",
        }
    }
}

/// What ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// An answer at or over the threshold.
    Threshold,
    /// The expansions are used up.
    Budget,
    /// Nothing is left to expand.
    FrontierEmpty,
    /// The person accepted an answer.
    Accepted,
}

impl Stop {
    /// The word of `ask --json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Threshold => "threshold",
            Self::Budget => "budget",
            Self::FrontierEmpty => "frontier-empty",
            Self::Accepted => "accepted",
        }
    }
}

/// Where an answer came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Route {
    /// An ANSWER of a walk over the graph.
    Graph,
    /// A forced answer after the end of the budget.
    Forced,
    /// An answer by hand.
    Hand,
    /// There is no answer.
    None,
}

impl Route {
    /// The word of `ask --json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Forced => "forced",
            Self::Hand => "hand",
            Self::None => "none",
        }
    }
}

/// The end of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinishedEvent {
    /// How.
    pub outcome: OutcomeKind,
    /// What ended it.
    pub stop: Stop,
    /// The answer's node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<NodeId>,
    /// The best answer node when it is not the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_candidate: Option<NodeId>,
    /// Where the answer came from.
    pub route: Route,
    /// One sentence for people.
    pub why: String,
}
