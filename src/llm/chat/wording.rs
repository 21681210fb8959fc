//! How servers word their errors. Each rule notes whose words it knows.

use super::quirks::Parameter;
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// The optional parameters that we send.
const OURS: [&str; 27] = [
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "stop",
    "seed",
    "stream_options",
    "stream",
    "response_format",
    "json_schema",
    "JSON schema",
    "grammar",
    "output_config",
    "tool_choice", // Anthropic: structured output is a tool there
    "tools",
    "toolConfig", // Bedrock
    "toolChoice",
    "tool use",
    "stop_sequences",
    "stopSequences",
    "maxTokens",
    "cache_control",
    "cachePoint",
    "prompt caching",
    "logprobs",
    "top_logprobs",
    "Logprobs", // Gemini
    "n",
];

/// The sentence in an error body: the `message` of whatever shape, or the text itself; nothing for HTML.
pub fn message(body: &str) -> String {
    let Ok(root) = serde_json::from_str::<Value>(body) else {
        let body = body.trim();
        return if body.starts_with('<') { String::new() } else { body.to_owned() };
    };
    // OpenAI and most; vLLM before 0.10; FastAPI (`detail`, a text or a list of `msg`); Ollama (`error` is a text).
    let said = ["/error/message", "/message", "/Message", "/error", "/detail", "/detail/0/msg", "/0/error/message", "/error/error/message"]
        .iter()
        .find_map(|at| root.pointer(at).and_then(Value::as_str))
        .unwrap_or_default();
    // Ollama hands on the error object of the server inside it, as a text.
    if said.starts_with('{') && said.len() < body.len() { message(said) } else { said.to_owned() }
}

/// The machine-readable words of an error: its `code` and `type`.
fn codes(body: &str) -> Vec<String> {
    let Ok(root) = serde_json::from_str::<Value>(body) else { return Vec::new() };
    let code = |at: &&str| {
        let text = root.pointer(at)?.as_str()?;
        // Bedrock: `ThrottlingException:http://...`, `com.amazon...#ThrottlingException`.
        Some(text.rsplit('#').next()?.split(':').next()?.to_lowercase())
    };
    ["/error/code", "/error/type", "/code", "/type", "/__type"].iter().filter_map(code).collect()
}

fn has_code(body: &str, known: &[&str]) -> bool {
    codes(body).iter().any(|c| known.contains(&c.as_str()))
}

/// Whether the prompt is longer than the model's window.
pub fn is_too_long(body: &str) -> bool {
    // llama.cpp; OpenAI, Azure; OpenRouter, Groq.
    if has_code(body, &["exceed_context_size_error", "context_length_exceeded", "string_above_max_length", "request_too_large"]) {
        return true;
    }
    let said = message(body).to_lowercase().replace('`', "");
    // vLLM: the *output* limit does not fit, the prompt does.
    if said.contains("max_tokens") && said.contains("too large") {
        return false;
    }
    let is_known = [
        "maximum context length",                       // OpenAI, vLLM, DeepSeek
        "request too large",                            // OpenAI: more than a minute may have, however long one waits
        "token limit exceeded: ",                       // several
        "context window is",                            // several
        "prompt is too long",                           // Anthropic
        "exceed context limit",                         // Anthropic, prompt and reply together
        "exceeds the context length",                   // Ollama
        "exceeds the available context",                // llama.cpp
        "exceed context window",                        // llama-cpp-python
        "exceeds the context window",                   // OpenAI, responses
        "exceeds the model's context",                  // Together
        "context length exceeded",                      // several
        "context length is only",                       // vLLM
        "longer than the maximum model length",         // vLLM
        "context length of only",                       // LM Studio
        ">= n_ctx",                                     // LM Studio
        "input is too long",                            // Bedrock
        "too many input tokens",                        // Bedrock
        "input tokens exceeded",                        // Bedrock
        "too many tokens in the prompt",                // Cohere
        "exceeds the maximum number of tokens allowed", // Google
        "longer than the model's context length",       // SGLang
        "inputs tokens + max_new_tokens",               // text-generation-inference
        "too large for model with",                     // Mistral
        "reduce the length of the messages",            // Groq
        "maximum prompt length is",                     // xAI
        "exceeded model token limit",                   // Moonshot
        "range of input length",                        // DashScope
        "prompt exceeds max length",                    // Zhipu
    ]
    .iter()
    .any(|w| said.contains(w));
    is_known || speaks_of_length(&said)
}

/// Whether a sentence that nobody has noted says that a prompt is over a limit of tokens: not the reply's, not that of a minute.
fn speaks_of_length(lower: &str) -> bool {
    static OVER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?x)
            \b(?:prompt|inputs?|context|messages?|conversation)\b .{0,120}?
            \b(?:exceed\w*|overflow\w*|too\ (?:long|large|many)|(?:longer|larger|greater|more)\ than|over\ the)\b
            | \b(?:exceed\w*|overflow\w*|too\ (?:long|large|many)|over\ the)\b .{0,60}? \b(?:prompt|input|context|window)\b",
        )
        .expect("the pattern is a constant and valid")
    });
    let of_length = ["token", "context", "length", "window"].iter().any(|word| lower.contains(word));
    let of_another =
        ["max_tokens", "max_completion_tokens", "output token", "completion token", "per min", "per day", "rate limit", "quota", "image"];
    of_length && !of_another.iter().any(|word| lower.contains(word)) && OVER.is_match(lower)
}

/// Whether money or quota is used up (waiting a minute does not help).
pub fn is_out_of_quota(body: &str) -> bool {
    if has_code(
        body,
        &[
            "insufficient_quota",
            "billing_hard_limit_reached",
            "billing_not_active",
            "insufficient_credits",
            "quota_exceeded",
            "billing_error",
            "servicequotaexceededexception",
        ],
    ) {
        return true;
    }
    let said = message(body).to_lowercase();
    // DeepSeek, OpenRouter, Anthropic.
    ["insufficient balance", "insufficient credits", "insufficient funds", "insufficient quota", "credit balance is too low"]
        .iter()
        .any(|w| said.contains(w))
}

/// Whether the key is the trouble, whatever the status (Google says 400).
pub fn is_bad_key(body: &str) -> bool {
    let said = message(body).to_lowercase();
    has_code(body, &["invalid_api_key", "authentication_error", "expiredtokenexception", "unrecognizedclientexception"])
        || ["api key not valid", "invalid api key", "incorrect api key"].iter().any(|w| said.contains(w))
}

/// Whether a content filter refuses the prompt (Azure and others; a filtered *reply* says so in its `finish_reason`).
pub fn is_filtered(body: &str) -> bool {
    has_code(body, &["content_filter", "content_policy_violation", "data_inspection_failed", "moderation_blocked"])
}

/// The status that an error would have had if the reply had not begun with 200: too many requests, or overload.
pub fn hidden_status(body: &str) -> Option<u16> {
    const BUSY: [&str; 3] = ["rate_limit_error", "rate_limit_exceeded", "throttlingexception"];
    const OVERLOADED: [&str; 5] =
        ["overloaded_error", "overloaded", "service_unavailable", "serviceunavailableexception", "modelstreamerrorexception"];
    let codes = codes(body);
    let is = |known: &[&str]| codes.iter().any(|code| known.contains(&code.as_str()));
    if is(&BUSY) { Some(429) } else { is(&OVERLOADED).then_some(529) }
}

/// Whether an error is in the shape of chat servers, and no page of something else: an object with a sentence.
pub fn is_of_chat_server(body: &str) -> bool {
    let Ok(root) = serde_json::from_str::<Value>(body) else { return false };
    // OpenAI and most; Bedrock names the kind beside the sentence. A bare `Invalid URL` is a path that the server does not have.
    let said = root.pointer("/error/message").and_then(Value::as_str).or_else(|| root.get("__type").and(root["message"].as_str()));
    said.is_some_and(|said| !said.starts_with("Invalid URL") && !said.trim().eq_ignore_ascii_case("not found"))
}

/// Whether the model's name is the trouble.
pub fn is_unknown_model(body: &str) -> bool {
    static NO_MODEL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\bmodel\b.{0,120}(?:not found|does not exist)|is not a valid model\b|(?:invalid|unknown|no such) model\b|model identifier is invalid|provided model identifier|on-demand throughput isn.t supported|reached the end of its life|^model: ")
            .expect("the pattern is a constant and valid")
    });
    has_code(body, &["model_not_found"]) || NO_MODEL.is_match(&message(body))
}

/// Which part of our request the server refuses, if it says so.
pub fn refused_parameter(body: &str) -> Option<Parameter> {
    let said = message(body);
    let lower = said.to_lowercase();
    if lower.contains("system") && ["role", "message", "instruction"].iter().any(|w| lower.contains(w)) && refuses(&lower) {
        return Some(Parameter::System); // templates without a system turn (Gemma); o1-mini
    }
    if lower.contains("roles must alternate") {
        return Some(Parameter::System); // the same, as Mistral's and Gemma's templates put it
    }
    if let Some(named) = named_parameter(body) {
        return Some(parameter(&named, &lower));
    }
    if ["one completion choice", "only one choice", "multiple choices", "multiple completions"].iter().any(|w| lower.contains(w)) {
        return Some(Parameter::Samples(None)); // llama-cpp-python, several proxies
    }
    if !refuses(&lower) {
        return None;
    }
    OURS.iter().find(|name| mentions(&said, name)).map(|name| parameter(name, &lower))
}

/// The parameter that a machine-readable field names: OpenAI's `param`, FastAPI's `loc` (Mistral, vLLM).
fn named_parameter(body: &str) -> Option<String> {
    let root: Value = serde_json::from_str(body).ok()?;
    let param = ["/error/param", "/param"].iter().find_map(|at| root.pointer(at)?.as_str().map(str::to_owned));
    // `response_format.json_schema.schema` is a part of `response_format`.
    let root_name = |name: String| name.split(['.', '[']).next().unwrap_or_default().to_owned();
    let is_ours = |name: &String| OURS.contains(&name.as_str());
    let located = || {
        let list = root.get("detail")?.as_array()?;
        list.iter().filter_map(|item| item["loc"].as_array()).flatten().filter_map(|at| at.as_str().map(str::to_owned)).find(is_ours)
    };
    param.map(root_name).filter(is_ours).or_else(located)
}

fn parameter(name: &str, lower: &str) -> Parameter {
    match name {
        "max_tokens" => Parameter::Limit { renamed: lower.contains("max_completion_tokens") && !lower.contains("too large") },
        "max_completion_tokens" | "maxTokens" => Parameter::Limit { renamed: false },
        "temperature" => Parameter::Temperature,
        "stop" | "stop_sequences" | "stopSequences" => Parameter::Stop,
        "seed" => Parameter::Seed,
        "stream_options" => Parameter::StreamUsage,
        "stream" => Parameter::Stream,
        "response_format" | "json_schema" | "JSON schema" | "grammar" | "output_config" | "tool_choice" | "tools" | "toolConfig"
        | "toolChoice" | "tool use" => form(lower),
        "logprobs" | "top_logprobs" | "Logprobs" => Parameter::TokenLogs,
        "cache_control" | "cachePoint" | "prompt caching" => Parameter::Marks,
        _ => Parameter::Samples(bound(lower)),
    }
}

/// Whether schemas are refused, or this one for its size: OpenAI's bounds on enumerations, Gemini's on the states of a schema.
fn form(lower: &str) -> Parameter {
    let of_size = ["too many", "too large", "too long", "too complex", "exceeds", "more than", "at most", "limit of"];
    if of_size.iter().any(|word| lower.contains(word)) { Parameter::ThisForm } else { Parameter::Form }
}

/// The largest value that a message allows: `1 <= value <= 4`, `at most 4`, `less than or equal to 4`.
fn bound(lower: &str) -> Option<usize> {
    static BOUND: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:value\s*<=|at most|less than or equal to|maximum (?:value )?(?:of|is)|up to|between 1 and)\s*(\d{1,4})")
            .expect("the pattern is a constant and valid")
    });
    BOUND.captures(lower)?.get(1)?.as_str().parse().ok()
}

/// Whether a message refuses something.
fn refuses(lower: &str) -> bool {
    [
        "support",
        "not permitted",
        "may not be",
        "has to be",
        "not allowed",
        "not enabled",
        "unrecognized",
        "unknown",
        "unexpected",
        "invalid",
        "must be",
        "only ",
        "extra_forbidden",
        "too large",
        "deprecated",
        "not available",
        "unavailable",
        "not implemented",
        "failed to parse",
    ]
    .iter()
    .any(|w| lower.contains(w))
}

/// Whether `said` names the parameter: as a whole word, and for one letter only in quotes or before ` must`/` >`.
fn mentions(said: &str, name: &str) -> bool {
    if name.len() == 1 {
        return [format!("'{name}'"), format!("\"{name}\""), format!("`{name}`"), format!("{name} > 1"), format!("{name} must")]
            .iter()
            .any(|w| said.match_indices(w.as_str()).any(|(at, _)| !said[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')));
    }
    said.match_indices(name).any(|(at, _)| {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        !said[..at].ends_with(word) && !said[at + name.len()..].starts_with(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_long_is_known_in_every_wording() {
        for body in [
            r#"{"object":"error","message":"This model's maximum context length is 8192 tokens. However, you requested 9011 tokens","type":"BadRequestError","code":400}"#,
            r#"{"error":{"code":"context_length_exceeded","message":"x"}}"#,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9011 tokens > 8192 maximum"}}"#,
            r#"{"error":{"code":400,"message":"request (4031 tokens) exceeds the available context size (2048 tokens), try increasing it","type":"exceed_context_size_error"}}"#,
        ] {
            assert!(is_too_long(body), "{body}");
        }
        assert!(!is_too_long(
            r#"{"message":"'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 2048 tokens"}"#
        ));
        let of = |message: &str| is_too_long(&serde_json::json!({"error": {"message": message}}).to_string());
        for message in [
            "Trying to keep the first 4530 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
            "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10247 >= n_ctx: 4096). Try to load the model with a larger context length.",
            "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 45000. The input or output tokens must be reduced in order to run successfully.",
            "You passed 4001 input tokens and requested 256 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 3840 tokens.",
            "Decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that max_model_len is no smaller than the number of text tokens.",
            "Too many input tokens. Max input tokens: 8192, request input token count: 9000",
            "Input Tokens Exceeded: Number of input tokens exceeds maximum length.",
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 256 `max_new_tokens`",
            "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
            "prompt token count of 9000 exceeds the limit of 8192",
            "Invalid request: Your request exceeded model token limit: 8192",
            "Range of input length should be [1, 30720]",
            "Prompt exceeds max length",
            "Token limit exceeded: 9011 > 8192",
            "Validation error: This model's context window is 4096, prompt has 5000",
            // Nobody's words.
            "The conversation has more tokens than fit: 9000 tokens exceed the window of the context",
            "input length 9000 is over the limit: larger than 8192 tokens",
        ] {
            assert!(of(message), "{message}");
        }
        for message in [
            "Too many requests",
            "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.",
            "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for claude-x",
            "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.",
            "max_tokens is too large: 50000. This model supports at most 16384 completion tokens.",
            "'n' must be at most 4",
            "'stop' has too many items: no more than 4 are allowed",
            "You exceeded your current quota, please check your plan and billing details. Input tokens per day: 1000",
            "messages: at least one message is required",
            "Unrecognized request argument supplied: context",
        ] {
            assert!(!of(message), "{message}");
        }
    }

    #[test]
    fn refused_parameters_are_found() {
        let of = |message: &str| refused_parameter(&serde_json::json!({"error": {"message": message}}).to_string());
        assert_eq!(of("Only one completion choice is allowed"), Some(Parameter::Samples(None)));
        assert_eq!(of("Field 'n': Value must be between 1 <= value <= 4, but got 9"), Some(Parameter::Samples(Some(4))));
        assert_eq!(of("'n' : number must be at most 1"), Some(Parameter::Samples(Some(1))));
        assert_eq!(of("Unrecognized request argument supplied: seed"), Some(Parameter::Seed));
        assert_eq!(of("System role not supported"), Some(Parameter::System));
        assert_eq!(of("`stop` is not supported with this model"), Some(Parameter::Stop));
        assert_eq!(of("'max_tokens' is too large: 5000. Use fewer"), Some(Parameter::Limit { renamed: false }));
        assert_eq!(
            of("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
            Some(Parameter::Limit { renamed: true })
        );
        for message in [
            "You are not allowed to request logprobs from this model.",
            "This model does not support the 'logprobs' parameter.",
            "Unrecognized request argument supplied: logprobs",
            "'logprobs' is not supported with this model",
            "Logprobs is not supported for the current model.",
            "Logprobs is not enabled for models/gemini-2.5-pro",
            "top_logprobs may not be sent here",
        ] {
            assert_eq!(of(message), Some(Parameter::TokenLogs), "{message}");
        }
        assert_eq!(of("Invalid value in messages: nonstop seeds"), None);
        assert_eq!(of("Your request was rejected"), None);
        let schema =
            |message: &str| refused_parameter(&serde_json::json!({"error": {"message": message, "param": "response_format"}}).to_string());
        assert_eq!(schema("Invalid schema for response_format 'entities': 'enum' has too many values"), Some(Parameter::ThisForm));
        assert_eq!(
            schema("Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."),
            Some(Parameter::Form)
        );
        let mistral = r#"{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}"#;
        assert_eq!(refused_parameter(mistral), Some(Parameter::Seed));
        assert_eq!(message(mistral), "Extra inputs are not permitted");
        let by_param = r#"{"error":{"message":"No.","param":"temperature","code":"unsupported_value"}}"#;
        assert_eq!(refused_parameter(by_param), Some(Parameter::Temperature));
    }

    #[test]
    fn money_and_names_are_told_apart() {
        assert!(is_out_of_quota(r#"{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}"#));
        assert!(!is_out_of_quota(r#"{"error":{"code":"rate_limit_exceeded","message":"Rate limit reached for requests"}}"#));
        assert!(is_unknown_model(r#"{"error":{"message":"model \"x\" not found, try pulling it first"}}"#));
        assert!(is_unknown_model(r#"{"error":{"message":"The model `gpt-9` does not exist or you do not have access to it."}}"#));
        assert!(is_unknown_model(r#"{"error":{"message":"x/y is not a valid model ID","code":400}}"#));
        assert!(is_unknown_model(
            r#"{"message":"Invocation of model ID anthropic.x with on-demand throughput isn't supported. Retry your request with the ID or ARN of an inference profile that contains this model."}"#
        ));
        assert!(!is_unknown_model(r#"{"error":{"message":"File Not Found"}}"#));
    }

    #[test]
    fn sentences_are_found_in_every_shape() {
        assert_eq!(message(r#"{"error":"bad key"}"#), "bad key");
        assert_eq!(message("<html><h1>502</h1>"), "");
        assert_eq!(message("upstream down"), "upstream down");
        assert_eq!(message(r#"{"odd":1}"#), "");
    }
}
