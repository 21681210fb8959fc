//! What is written about common services: by the host that is asked and, where that decides, by the family of the model.
//!
//! Only what a service documents stands here; of any other server nothing is known before it was asked. A name that a service
//! has not given yet belongs to no family.

use crate::llm::chat::capabilities::{Ability, Capabilities};
use crate::llm::chat::quirks::{LimitField, Shape, Stops, TokenLogs};
use reqwest::Url;

/// What a service documents of one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// The shape that the first request has.
    pub shape: Shape,
    /// What can be counted on, and what can't.
    pub capabilities: Capabilities,
}

/// What is written about `model` at the service with this address.
pub fn known(address: &Url, model: &str) -> Known {
    match address.host_str().unwrap_or_default() {
        "api.openai.com" => openai(model),
        // Deployments have names of their own, which may say what they are.
        host if host.ends_with(".openai.azure.com") || host.ends_with(".services.ai.azure.com") => openai(model),
        "api.groq.com" => groq(),
        "api.deepseek.com" => deepseek(model),
        "api.mistral.ai" => mistral(),
        _ => Known { shape: Shape::default(), capabilities: Capabilities::unknown() },
    }
}

/// OpenAI: its models that reason take neither a temperature nor log-probabilities, and want the limit under its new name.
fn openai(model: &str) -> Known {
    let capabilities = Capabilities {
        samples: Ability::Yes,
        seed: Ability::Yes,
        structured: Ability::Yes,
        streaming: Ability::Yes,
        limit_taken: Ability::Yes,
        ..Capabilities::unknown()
    };
    // A fine-tuned model is named `ft:` and after its base.
    let base = model.trim_start_matches("ft:");
    let (shape, capabilities) = match family(base) {
        Some(Family::Chats) => {
            let (stop, temperature, log_probabilities) = (Ability::Yes, Ability::Yes, Ability::Yes);
            (Shape::default(), Capabilities { stop, temperature, log_probabilities, reasons: Ability::No, ..capabilities })
        }
        Some(Family::Reasons) => {
            let shape = Shape {
                limit: LimitField::MaxCompletionTokens,
                temperature: false,
                token_logs: TokenLogs::Refused,
                reasons: true,
                stops: if base.starts_with("o1") { Stops::Sent } else { Stops::Refused },
                ..Shape::default()
            };
            let stop = if base.starts_with("o1") { Ability::Unknown } else { Ability::No };
            let (temperature, log_probabilities) = (Ability::No, Ability::No);
            (shape, Capabilities { stop, temperature, log_probabilities, reasons: Ability::Yes, ..capabilities })
        }
        None => (Shape::default(), Capabilities { limit_taken: Ability::Unknown, ..capabilities }),
    };
    Known { shape, capabilities }
}

/// A family of OpenAI's models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// It answers at once.
    Chats,
    /// It reasons before it answers.
    Reasons,
}

fn family(model: &str) -> Option<Family> {
    // Models that search or speak take less than the others of their name.
    let is_special = ["search", "audio", "realtime", "transcribe", "tts", "instruct"].iter().any(|word| model.contains(word));
    let is_of = |names: &[&str]| {
        names.iter().any(|name| model.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', ':'])))
    };
    if is_special {
        None
    } else if is_of(&["gpt-3.5-turbo", "gpt-35-turbo", "gpt-4", "gpt-4-turbo", "gpt-4o", "gpt-4.1", "chatgpt-4o-latest"]) {
        Some(Family::Chats)
    } else if is_of(&["o1", "o3", "o4-mini", "gpt-5"]) && !model.starts_with("gpt-5-chat") {
        Some(Family::Reasons)
    } else {
        // From 5.1 on it depends on how hard the model is asked to think.
        None
    }
}

/// Groq: one sample a request, and no log-probabilities.
fn groq() -> Known {
    Known {
        shape: Shape { width: 1, token_logs: TokenLogs::Refused, ..Shape::default() },
        capabilities: Capabilities {
            samples: Ability::No,
            stop: Ability::Yes,
            seed: Ability::Yes,
            temperature: Ability::Yes,
            log_probabilities: Ability::No,
            streaming: Ability::Yes,
            limit_taken: Ability::Yes,
            ..Capabilities::unknown()
        },
    }
}

/// DeepSeek: its reasoner takes a temperature without an effect, and refuses log-probabilities.
fn deepseek(model: &str) -> Known {
    let capabilities = Capabilities {
        stop: Ability::Yes,
        temperature: Ability::Yes,
        streaming: Ability::Yes,
        limit_taken: Ability::Yes,
        ..Capabilities::unknown()
    };
    match model {
        "deepseek-chat" => Known {
            shape: Shape::default(),
            capabilities: Capabilities { log_probabilities: Ability::Yes, reasons: Ability::No, ..capabilities },
        },
        "deepseek-reasoner" => Known {
            shape: Shape { token_logs: TokenLogs::Refused, reasons: true, ..Shape::default() },
            capabilities: Capabilities { temperature: Ability::No, log_probabilities: Ability::No, reasons: Ability::Yes, ..capabilities },
        },
        _ => Known { shape: Shape::default(), capabilities },
    }
}

/// Mistral: its seed has another name, and there are no log-probabilities.
fn mistral() -> Known {
    Known {
        shape: Shape { seed: false, token_logs: TokenLogs::Refused, ..Shape::default() },
        capabilities: Capabilities {
            samples: Ability::Yes,
            stop: Ability::Yes,
            seed: Ability::No,
            temperature: Ability::Yes,
            log_probabilities: Ability::No,
            structured: Ability::Yes,
            streaming: Ability::Yes,
            limit_taken: Ability::Yes,
            ..Capabilities::unknown()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(host: &str, model: &str) -> Known {
        known(&Url::parse(&format!("https://{host}/v1/chat/completions")).unwrap(), model)
    }

    #[test]
    fn families_of_openai_are_told_by_their_names() {
        for model in ["gpt-4o", "gpt-4o-mini", "gpt-4o-2024-08-06", "gpt-4.1-nano", "gpt-3.5-turbo-0125", "ft:gpt-4o-mini-2024-07-18:me::x"]
        {
            let can = at("api.openai.com", model).capabilities;
            assert_eq!((can.log_probabilities, can.temperature, can.stop), (Ability::Yes, Ability::Yes, Ability::Yes), "{model}");
        }
        for model in ["o1", "o3-mini", "o4-mini-2025-04-16", "gpt-5", "gpt-5-mini"] {
            let Known { shape, capabilities: can } = at("api.openai.com", model);
            assert_eq!((can.log_probabilities, can.temperature), (Ability::No, Ability::No), "{model}");
            assert_eq!((shape.limit, shape.temperature, shape.reasons), (LimitField::MaxCompletionTokens, false, true), "{model}");
        }
        for model in ["gpt-5.1", "gpt-5-chat-latest", "gpt-4o-search-preview", "gpt-3.5-turbo-instruct", "gpt-9", "o11", "gpt-4om"] {
            let Known { shape, capabilities: can } = at("api.openai.com", model);
            assert_eq!((can.log_probabilities, can.temperature, shape), (Ability::Unknown, Ability::Unknown, Shape::default()), "{model}");
        }
    }

    #[test]
    fn azure_is_openai_and_others_are_known_by_their_host() {
        assert_eq!(at("me.openai.azure.com", "gpt-4o"), at("api.openai.com", "gpt-4o"));
        let groq = at("api.groq.com", "llama-3.3-70b-versatile");
        assert_eq!((groq.shape.width, groq.capabilities.samples, groq.capabilities.log_probabilities), (1, Ability::No, Ability::No));
        assert_eq!(at("api.deepseek.com", "deepseek-chat").capabilities.log_probabilities, Ability::Yes);
        assert_eq!(at("api.deepseek.com", "deepseek-reasoner").capabilities.log_probabilities, Ability::No);
        assert_eq!(at("api.mistral.ai", "mistral-small-latest").capabilities.seed, Ability::No);
    }

    #[test]
    fn of_a_server_that_only_speaks_like_one_nothing_is_known() {
        for host in ["127.0.0.1:8080", "api.openai.com.evil.example", "openrouter.ai"] {
            let Known { shape, capabilities } = at(host, "gpt-4o");
            assert_eq!((shape, capabilities), (Shape::default(), Capabilities::unknown()), "{host}");
        }
    }
}
