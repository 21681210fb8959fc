//! From a base URL in any form to the addresses that are asked.

use crate::calls::CallError;
use crate::llm::chat::address;
use reqwest::Url;

/// Where OpenAI itself is.
pub const OFFICIAL: &str = "https://api.openai.com/v1";

/// The addresses of one server.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// For chat completions.
    pub chat: Url,
    /// For completions of a text.
    pub completions: Url,
    /// For the list of models.
    pub models: Url,
    /// Whether it is Azure's service, which takes the key in a header of its own.
    pub azure: bool,
}

impl Endpoint {
    /// Reads `base`: a host, a host with `/v1`, or the whole address of the chat call, with or without a slash at its end.
    ///
    /// A path that ends in `chat/completions` is taken as it is; one with a version (`v1`, `v4`, `v1beta`) or with
    /// `openai/deployments/NAME` (Azure) gets `chat/completions`; any other gets `v1/chat/completions` (Azure's host:
    /// `openai/v1/chat/completions`). A query (`?api-version=...`) stays at the end.
    ///
    /// # Errors
    /// `Unreachable` when it is no http(s) URL.
    pub fn parse(base: &str) -> Result<Self, CallError> {
        let url = address::parse(base)?;
        let mut path = address::path(&url);
        let whole = address::strip_end(&mut path, &["chat", "completions"]);
        let deployment = deployments(&path);
        let azure_host = url.host_str().is_some_and(|h| h.ends_with(".openai.azure.com") || h.ends_with(".services.ai.azure.com"));
        if !whole {
            let _ = ["completions", "models", "chat"].iter().any(|tail| address::strip_end(&mut path, &[tail]));
            if deployment.is_none() && !path.iter().any(|s| address::is_version(s)) {
                if azure_host && path.is_empty() {
                    path.push("openai".to_owned());
                }
                path.push("v1".to_owned());
            }
        }
        // Deployments are listed beside them.
        let listing = deployment.map_or(&path[..], |at| &path[..at]);
        Ok(Self {
            models: address::at(&url, listing, "models"),
            chat: address::at(&url, &path, "chat/completions"),
            completions: address::at(&url, &path, "completions"),
            azure: azure_host || deployment.is_some(),
        })
    }
}

/// Where `deployments` is in `.../openai/deployments/NAME`.
fn deployments(path: &[String]) -> Option<usize> {
    path.windows(2).position(|w| w[0] == "openai" && w[1] == "deployments").map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(base: &str) -> String {
        Endpoint::parse(base).unwrap().chat.to_string()
    }

    #[test]
    fn every_form_reaches_the_chat_call_once() {
        for base in [
            "http://h:11434",
            "http://h:11434/",
            "http://h:11434/v1",
            "http://h:11434/v1/",
            "http://h:11434/v1/chat/completions",
            "http://h:11434/v1/chat/completions/",
            "http://h:11434//v1//",
            "http://h:11434/v1/models",
            "h:11434",
            " h:11434/v1 ",
        ] {
            let endpoint = Endpoint::parse(base).unwrap();
            assert_eq!(endpoint.chat.as_str(), "http://h:11434/v1/chat/completions", "{base}");
            assert_eq!(endpoint.models.as_str(), "http://h:11434/v1/models", "{base}");
            assert_eq!(endpoint.completions.as_str(), "http://h:11434/v1/completions", "{base}");
        }
        assert_eq!(chat("http://h/api/paas/v4"), "http://h/api/paas/v4/chat/completions");
        assert_eq!(chat("https://h/api"), "https://h/api/v1/chat/completions");
        assert_eq!(chat("https://h/v1beta/openai/"), "https://h/v1beta/openai/chat/completions");
        assert_eq!(chat("http://h/chat/completions"), "http://h/chat/completions");
        assert_eq!(chat(OFFICIAL), "https://api.openai.com/v1/chat/completions");
        assert_eq!(chat("api.openai.com"), "https://api.openai.com/v1/chat/completions");
    }

    #[test]
    fn azure_is_known_by_its_host_or_its_path() {
        let classic = Endpoint::parse("https://me.openai.azure.com/openai/deployments/gpt-4o?api-version=2024-10-21").unwrap();
        assert_eq!(classic.chat.as_str(), "https://me.openai.azure.com/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21");
        assert_eq!(classic.models.as_str(), "https://me.openai.azure.com/openai/models?api-version=2024-10-21");
        assert!(classic.azure);
        for base in
            ["https://me.openai.azure.com", "https://me.openai.azure.com/openai/v1/", "me.openai.azure.com/openai/v1/chat/completions"]
        {
            let endpoint = Endpoint::parse(base).unwrap();
            assert_eq!(endpoint.chat.as_str(), "https://me.openai.azure.com/openai/v1/chat/completions", "{base}");
            assert!(endpoint.azure, "{base}");
        }
        assert!(Endpoint::parse("http://127.0.0.1:9/openai/deployments/x/chat/completions?api-version=1").unwrap().azure);
        assert!(!Endpoint::parse("https://api.openai.com").unwrap().azure);
    }

    #[test]
    fn a_query_stays_at_the_end() {
        let endpoint = Endpoint::parse("http://user:pa55%40w0rd@h:1/v1?api-version=2&apikey=zzz9").unwrap();
        assert_eq!(endpoint.chat.query(), Some("api-version=2&apikey=zzz9"));
        assert!(address::has_credentials(&endpoint.chat));
    }
}
