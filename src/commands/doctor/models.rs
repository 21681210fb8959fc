//! Models: those that are configured, each asked one cheap question, and those that were only found.

use super::{DoctorArgs, Finding, Health, PATIENCE};
use crate::calls::{About, AskId, Form, LlmReply, LlmRequest, Part, PartKind, PromptKind, Usage};
use crate::commands::models::{Named, OpenModel, model_named, open_model};
use crate::config::Config;
use crate::llm::found::{self, Found, Places};
use crate::llm::{Ability, Capabilities, LanguageModel, LlmJob, OnWire};
use crate::redact::Secrets;
use crate::text::{cut, one_line, thousands};
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// How long the answer to the question may take: a model may have to be loaded first.
const ANSWERING: Duration = Duration::from_secs(60);
/// Columns of a reply that are shown.
const SHOWN: usize = 40;

/// One thing that is known of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(in crate::commands) struct Detail {
    /// What it is about: `samples`, `tokens`, `note`.
    pub(in crate::commands) name: String,
    /// `known` beforehand, `learned` by asking (now or in an earlier run), `assumed` or `unknown`; `applied`: what is done about it.
    pub(in crate::commands) how: &'static str,
    /// What is known.
    pub(in crate::commands) value: String,
}

fn learned(name: &str, value: impl Into<String>) -> Detail {
    Detail { name: name.to_owned(), how: "learned", value: value.into() }
}

/// Every model that is configured (or the one of `--llm`), then what was found.
pub(super) async fn all(args: &DoctorArgs, config: &Config) -> Vec<Finding> {
    let flags = |llm: Option<&str>| model_named(llm, args.llm_url.as_deref(), args.key_file.as_deref(), config);
    let mut named = vec![flags(args.llm.as_deref())];
    if args.llm.is_none() {
        let first = named[0].name.clone();
        let others = config.models.keys().filter(|name| Some(*name) != first.as_ref());
        named.extend(others.map(|name| model_named(Some(name), None, None, config)));
    }
    named.iter_mut().for_each(|named| named.probe = true);
    let checks = named.iter().map(|named| model(named, !args.no_ask));
    let (mut findings, servers) = tokio::join!(futures_util::future::join_all(checks), servers(args));
    let keys = found::keys(|name| std::env::var(name).ok());
    findings.extend(only_found(servers.into_iter().chain(keys), &named));
    findings
}

async fn servers(args: &DoctorArgs) -> Vec<Found> {
    if args.no_ask { Vec::new() } else { Places::of_environment(|name| std::env::var(name).ok()).servers().await }
}

/// What was found and is not configured: nothing is asked of it.
fn only_found(found: impl Iterator<Item = Found>, configured: &[Named]) -> Vec<Finding> {
    let is_new =
        |found: &Found| !configured.iter().any(|named| named.profile.spec == found.profile.spec && named.profile.url == found.profile.url);
    let said = |found: Found| {
        let url = found.profile.url.as_deref().map(|url| format!(" --llm-url {}", crate::redact::url(url))).unwrap_or_default();
        let model = if found.proposed { " (or another model of it)" } else { "" };
        let says = format!("{}, {}; not asked; use it with --llm {}{url}{model}", found.of, found.because, found.profile.spec);
        Finding::new(format!("found {}", found.profile.spec), Health::Works, says)
    };
    found.filter(is_new).map(said).collect()
}

/// Whether a model is there, and what it says to one question.
async fn model(named: &Named, ask_it: bool) -> Finding {
    let spec = named.name.as_deref().unwrap_or(&named.profile.spec);
    let what = format!("model {}", crate::redact::url(spec));
    let mut secrets = Vec::new();
    let opened = match open_model(named, None, &mut secrets) {
        Ok(opened) => opened,
        Err(error) => return Finding::new(what, Health::Fails, format!("{error:#}")),
    };
    let secrets = Secrets::new(secrets);
    let there = match timeout(PATIENCE, opened.model.check()).await {
        Ok(Ok(says)) => says,
        Ok(Err(error)) => return Finding::new(what, Health::Fails, secrets.hide(&error.to_string())),
        Err(_) => {
            let says = format!("no word within {} s: check that its server runs, and --llm-url", PATIENCE.as_secs());
            return Finding::new(what, Health::Fails, says);
        }
    };
    if spec == "lexical" {
        return Finding::new(what, Health::Remark, format!("{there}; name a real one with --llm or `llm`"));
    }
    if !opened.model.is_service() {
        return Finding::new(what, Health::Works, there);
    }
    if !ask_it {
        return Finding { details: details(&*opened.model), ..Finding::new(what, Health::Works, format!("{there}; not asked (--no-ask)")) };
    }
    match ask(&opened).await {
        Ok(answer) => {
            let mut details = answer.details();
            details.extend(self::details(&*opened.model));
            let details = details.into_iter().map(|detail| Detail { value: secrets.hide(&detail.value), ..detail }).collect();
            let says = format!("{there}; {}", secrets.hide(&answer.sentence()));
            let state = if answer.text().is_some() { Health::Works } else { Health::Remark };
            Finding { details, ..Finding::new(what, state, says) }
        }
        Err(why) => Finding::new(what, Health::Fails, format!("{there}, but the question failed: {}", secrets.hide(&why))),
    }
}

/// What came to the question.
#[derive(Default)]
struct Answer {
    replies: Vec<LlmReply>,
    pieces: usize,
    took: Duration,
    first: Option<Duration>,
}

impl Answer {
    fn usage(&self) -> Option<Usage> {
        let mut all = self.replies.iter().filter_map(|reply| reply.usage);
        let mut sum = all.next()?;
        all.for_each(|usage| sum += usage);
        Some(sum)
    }

    /// The first text that says something.
    fn text(&self) -> Option<String> {
        let samples = self.replies.iter().flat_map(|reply| &reply.samples);
        samples.filter_map(|(_, sample)| sample.text.as_deref()).map(one_line).find(|text| !text.trim().is_empty())
    }

    fn tokens(&self) -> String {
        match self.usage() {
            Some(usage) => {
                let about = if usage.estimated { "~" } else { "" };
                format!("{about}{} tokens in, {about}{} out", thousands(usage.prompt_tokens), thousands(usage.completion_tokens))
            }
            None => "it counts no tokens".to_owned(),
        }
    }

    fn sentence(&self) -> String {
        let said = self
            .text()
            .map_or_else(|| "it answered without a text".to_owned(), |text| format!("it answered “{}”", cut(text.trim(), SHOWN)));
        format!("{said} in {:.1} s ({})", self.took.as_secs_f64(), self.tokens())
    }

    fn details(&self) -> Vec<Detail> {
        let filling = self.replies.iter().filter(|reply| !reply.samples.is_empty()).count();
        let samples = match filling {
            0 => "none came".to_owned(),
            1 => "2 in one request".to_owned(),
            _ => "one a request".to_owned(),
        };
        let mut details = vec![
            learned("time", format!("{:.1} s", self.took.as_secs_f64())),
            learned("tokens", self.tokens()),
            learned("samples", samples),
        ];
        if let Some(first) = self.first {
            details.push(learned("first piece", format!("of {}, after {:.1} s", self.pieces, first.as_secs_f64())));
        }
        details
    }
}

/// What the adapter knows of its service.
fn details(model: &dyn LanguageModel) -> Vec<Detail> {
    let mut all = model.capabilities().as_ref().map(abilities).unwrap_or_default();
    all.extend(model.notes().into_iter().map(|note| Detail { name: "note".to_owned(), how: "applied", value: note }));
    all
}

fn abilities(can: &Capabilities) -> Vec<Detail> {
    let how = |ability: Ability| match ability {
        Ability::Yes | Ability::No => "known",
        Ability::Proven | Ability::Refused => "learned",
        Ability::Unknown => "unknown",
    };
    let ability = |name: &str, ability: Ability| {
        let value = match ability {
            Ability::Yes | Ability::Proven => "yes",
            Ability::No | Ability::Refused => "no",
            Ability::Unknown => "not known",
        };
        Detail { name: name.to_owned(), how: how(ability), value: value.to_owned() }
    };
    let mut all = vec![
        ability("native n", can.samples),
        ability("stop strings", can.stop),
        ability("seed", can.seed),
        ability("temperature", can.temperature),
        ability("log-probabilities", can.log_probabilities),
        ability("structured output", can.structured),
        ability("streaming", can.streaming),
    ];
    let most = can.most_samples.map(|most| most.to_string());
    // A bound that no document names was met.
    let met = if can.samples == Ability::No { "known" } else { "learned" };
    all.extend(most.map(|most| Detail { name: "samples at once".to_owned(), how: met, value: most }));
    let taken = if can.limit_taken == Ability::Unknown { "assumed" } else { how(can.limit_taken) };
    let limit = can.limit.clone().unwrap_or_else(|| "the service's own".to_owned());
    all.push(Detail { name: "output limit".to_owned(), how: taken, value: limit });
    all.push(ability("reasons first", can.reasons));
    all
}

/// Asks one question: two samples of a few tokens, with everything that a search may send, so that it is learned what the
/// service takes.
async fn ask(opened: &OpenModel) -> Result<Answer, String> {
    let part = |kind, text: &str| Part { kind, text: text.into() };
    let request = LlmRequest {
        kind: PromptKind::Entities,
        model: opened.service_name.clone(),
        parts: vec![part(PartKind::Instructions, "You are asked whether you answer."), part(PartKind::Task, "Reply with the word ready.")],
        temperature_milli: 700,
        stop: vec!["###".to_owned()],
        max_tokens: 16,
        slots: vec![(0, 1), (1, 2)],
        form: Some(Form::Entities(vec!["ready".to_owned()])),
        form_required: false,
        completion: false,
    };
    let job = LlmJob { ask: AskId(0), request, hash: "doctor".into(), nth: 0, about: About::default() };
    let answer = Arc::new(Mutex::new(Answer::default()));
    let (heard, began) = (answer.clone(), Instant::now());
    let wire = move |came: OnWire| {
        let mut answer = heard.lock().unwrap_or_else(PoisonError::into_inner);
        match came {
            OnWire::Reply(reply) => answer.replies.push(reply),
            OnWire::Piece(_) => {
                answer.pieces += 1;
                answer.first.get_or_insert(began.elapsed());
            }
            OnWire::Dropped(_) | OnWire::Kept { .. } | OnWire::Underway(..) | OnWire::Wasted(..) => {}
        }
    };
    match timeout(ANSWERING, opened.model.complete(job, Arc::new(wire))).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(error.to_string()),
        Err(_) => return Err(format!("no answer within {} s", ANSWERING.as_secs())),
    }
    let mut answer = std::mem::take(&mut *answer.lock().unwrap_or_else(PoisonError::into_inner));
    answer.took = began.elapsed();
    Ok(answer)
}
