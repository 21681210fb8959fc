//! Which model: the value of `--llm`.

use super::Provider;
use crate::text;
use std::path::PathBuf;
use std::str::FromStr;
use thiserror::Error;

/// A model as the command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelSpec {
    /// The built-in word-overlap model: no neural network, no network.
    Lexical,
    /// A person answers the prompts.
    Human,
    /// Replies from a file.
    Script(PathBuf),
    /// A model of a provider, by the name that its server knows. Ollama's may be empty: then the server is asked what it has.
    Chat(Provider, String),
}

/// Why a text names no model.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ModelSpecError(String);

/// The valid forms, as messages list them.
const FORMS: &str = "lexical | human | script:PATH | openai:MODEL (with --llm-url for any OpenAI-compatible server) | anthropic:MODEL | ollama:MODEL | bedrock:MODEL";

/// The words a text may start with, beside those of the providers.
const WORDS: [&str; 3] = ["lexical", "human", "script"];

impl std::fmt::Display for ModelSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Lexical => f.write_str("lexical"),
            Self::Human => f.write_str("human"),
            Self::Script(path) => write!(f, "script:{}", path.display()),
            Self::Chat(provider, model) => write!(f, "{}:{model}", provider.word()),
        }
    }
}

impl FromStr for ModelSpec {
    type Err = ModelSpecError;

    fn from_str(spec: &str) -> Result<Self, Self::Err> {
        let spec = spec.trim();
        let (word, rest) = spec.split_once(':').map_or((spec, None), |(word, rest)| (word, Some(rest.trim())));
        let lower = word.to_lowercase();
        match (lower.as_str(), rest) {
            ("lexical", None) => Ok(Self::Lexical),
            ("human", None) => Ok(Self::Human),
            ("script", Some(path)) if !path.is_empty() => Ok(Self::Script(path.into())),
            ("script", _) => Err(ModelSpecError("`script` needs a file: script:PATH".to_owned())),
            ("lexical" | "human", Some(_)) => Err(ModelSpecError(format!("`{lower}` takes nothing after it: write --llm {lower}"))),
            (word, model) => match (Provider::ALL.into_iter().find(|p| p.word() == word), model.unwrap_or_default()) {
                (Some(Provider::Ollama), model) => Ok(Self::Chat(Provider::Ollama, model.to_owned())),
                (Some(_), "") => Err(ModelSpecError(format!("`{word}` needs a model's name: {word}:MODEL, {}", example(word)))),
                (Some(provider), model) => Ok(Self::Chat(provider, model.to_owned())),
                (None, _) => Err(unknown(spec, &lower)),
            },
        }
    }
}

fn example(word: &str) -> &'static str {
    match word {
        "anthropic" => "e.g. anthropic:claude-haiku-4-5",
        "bedrock" => "e.g. bedrock:us.amazon.nova-lite-v1:0",
        _ => "e.g. openai:gpt-4o-mini",
    }
}

/// The error for a word that is no kind of model, with the nearest one if it is near.
fn unknown(spec: &str, word: &str) -> ModelSpecError {
    let words = WORDS.into_iter().chain(Provider::ALL.map(Provider::word));
    let near = words.map(|w| (edits(word, w), w)).min().filter(|(d, w)| *d <= 1 + w.len() / 4);
    let hint = near.map(|(_, w)| format!("did you mean `{w}`? ")).unwrap_or_default();
    let shown = text::one_line(spec);
    ModelSpecError(format!("unknown model `{}`; {hint}Valid forms: {FORMS}", text::cut(&shown, 60)))
}

/// Edit distance with swaps of neighbours (optimal string alignment).
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(40).collect(), b.chars().collect());
    // rows[i][j]: edits from the first i letters of a to the first j of b.
    let mut rows: Vec<Vec<usize>> = (0..=a.len()).map(|i| vec![i; b.len() + 1]).collect();
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            rows[i][j] = change.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                rows[i][j] = rows[i][j].min(rows[i - 2][j - 2] + 1);
            }
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(spec: &str) -> String {
        spec.parse::<ModelSpec>().unwrap_err().to_string()
    }

    #[test]
    fn every_form_is_read_and_written_back() {
        for (text, spec) in [
            ("lexical", ModelSpec::Lexical),
            ("human", ModelSpec::Human),
            ("script:a/b:c.yaml", ModelSpec::Script("a/b:c.yaml".into())),
            ("openai:meta/llama-3:8b", ModelSpec::Chat(Provider::OpenAi, "meta/llama-3:8b".to_owned())),
            ("anthropic:claude-haiku-4-5", ModelSpec::Chat(Provider::Anthropic, "claude-haiku-4-5".to_owned())),
            ("ollama:qwen3:8b", ModelSpec::Chat(Provider::Ollama, "qwen3:8b".to_owned())),
            ("ollama:", ModelSpec::Chat(Provider::Ollama, String::new())),
            ("bedrock:us.amazon.nova-lite-v1:0", ModelSpec::Chat(Provider::Bedrock, "us.amazon.nova-lite-v1:0".to_owned())),
        ] {
            assert_eq!(text.parse::<ModelSpec>().unwrap(), spec);
            assert_eq!(spec.to_string(), text);
        }
        assert_eq!(" OpenAI:gpt-4o ".parse::<ModelSpec>().unwrap(), ModelSpec::Chat(Provider::OpenAi, "gpt-4o".to_owned()));
        assert_eq!("ollama".parse::<ModelSpec>().unwrap(), ModelSpec::Chat(Provider::Ollama, String::new()));
    }

    #[test]
    fn a_near_miss_is_told_what_was_meant() {
        assert!(error("lexicl").contains("did you mean `lexical`?"));
        assert!(error("opneai:gpt-4o").contains("did you mean `openai`?"));
        assert!(error("hum4n").contains("did you mean `human`?"));
        assert!(error("antropic:x").contains("did you mean `anthropic`?"));
        assert!(error("olama:x").contains("did you mean `ollama`?"));
        let far = error("mistral\u{1b}[2J");
        assert!(!far.contains("did you mean") && far.contains(FORMS) && !far.contains('\u{1b}'), "{far}");
    }

    #[test]
    fn what_is_missing_or_too_much_is_named() {
        assert!(error("openai").contains("openai:MODEL"));
        assert!(error("openai:").contains("openai:MODEL"));
        assert!(error("anthropic").contains("anthropic:MODEL") && error("bedrock:").contains("bedrock:MODEL"));
        assert!(error("script: ").contains("script:PATH"));
        assert!(error("lexical:x").contains("takes nothing"));
        assert!(error("").contains("Valid forms"));
    }
}
