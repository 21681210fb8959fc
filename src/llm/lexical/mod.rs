//! The built-in model: no neural network, only words.
//!
//! It reads nothing but the prompt text that any model would get, and replies with text that the same parser reads:
//! word overlap, stems, a small lexicon of how English asks for relations, seeded variation at temperature > 0, and
//! an honest low value when the graph does not show the answer. It knows no facts. It lets the program run without
//! a network or a key; it is a demonstration, not a product.

mod chance;
mod cues;
mod described;
mod gain;
mod lexicon;
mod matching;
mod names;
mod order;
mod policy;
mod question;
mod role;
mod seen;
mod solver;
mod sources;
mod topics;
mod value;
mod walk;
mod words;

use super::{LanguageModel, LlmJob, OnWire, Wire};
use crate::calls::{CallError, LlmReply, Sample, Usage};
use chance::Chance;
use futures_util::future::BoxFuture;
use policy::Mind;
use question::Question;
use seen::Task;

/// The built-in model. Stateless: a reply depends on prompt, temperature and seed alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lexical;

impl LanguageModel for Lexical {
    fn name(&self) -> &str {
        "lexical"
    }

    fn about(&self) -> String {
        "built in: compares words, knows no facts; no neural network, no network, no cost".to_owned()
    }

    fn is_instant(&self) -> bool {
        true
    }

    fn complete(&self, job: LlmJob, wire: Wire) -> BoxFuture<'static, Result<(), CallError>> {
        Box::pin(async move {
            let request = job.request;
            let prompt = request.prompt();
            let samples: Vec<(u32, Sample)> = request
                .slots
                .iter()
                .map(|&(slot, seed)| (slot, Sample::stopped(reply(&prompt, request.temperature_milli, seed))))
                .collect();
            let tokens = |bytes: usize| bytes as u64 / 4;
            let said = samples.iter().filter_map(|(_, s)| s.text.as_ref()).map(String::len).sum();
            let usage = Usage { prompt_tokens: tokens(prompt.len()), completion_tokens: tokens(said), estimated: true, ..Usage::default() };
            wire(OnWire::Reply(LlmReply { samples, usage: Some(usage), took_ms: 0, tries: 1 }));
            Ok(())
        })
    }
}

/// The reply to a prompt: a pure function of its text, the temperature (in thousandths) and the seed.
///
/// A prompt in foreign wording (templates from disk that drop the `# TASK:` line) gets a reply that says so.
#[must_use]
pub fn reply(prompt: &str, temperature_milli: u32, seed: u64) -> String {
    let Some(seen) = seen::read(prompt) else {
        return "The built-in model reads only prompts with the built-in headings (QUESTION, GRAPH, PATH, TASK).".to_owned();
    };
    let mut chance = Chance::new(temperature_milli, seed);
    match &seen.task {
        Task::Extract => {
            let lines: Vec<String> = names::mentions(&seen.question).into_iter().map(|(name, hint)| format!("{name} - {hint}")).collect();
            lines.join("\n")
        }
        Task::Review => "Reason: the built-in model compares words; it knows no facts and judges none.\nVerdict: unknown".to_owned(),
        Task::Match { mention, candidates } => matching::pick(&seen.question, mention, candidates).to_string(),
        task => {
            let question = Question::new(&seen.question, &seen.graph);
            let mind = Mind::new(&seen, &question);
            match task {
                Task::Default { think, expand } => mind.act(*think, *expand, &mut chance),
                Task::Entities(options) => mind.entities(options, &mut chance),
                Task::Relation(options) => mind.relation(options, &mut chance),
                Task::ForcedAnswer => mind.forced(),
                Task::EvaluateAnswer(answer) => {
                    let (reason, value) = mind.value_answer(answer);
                    format!("{reason}\nScore: {value:.2}")
                }
                _ => format!("{:.2}", mind.value_state()),
            }
        }
    }
}

#[cfg(test)]
mod tests;
