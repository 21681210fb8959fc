//! Which environment variable holds the key of a host, so that no key is sent to another's.

use super::Provider;
use super::address;
use reqwest::Url;

/// Hosts of services that want a key: the end of the host's name, whose it is, and the variable.
const HOSTS: [(&str, &str); 13] = [
    ("api.openai.com", "OPENAI_API_KEY"),
    (".openai.azure.com", "AZURE_OPENAI_API_KEY"),
    (".cognitiveservices.azure.com", "AZURE_OPENAI_API_KEY"),
    (".services.ai.azure.com", "AZURE_OPENAI_API_KEY"),
    ("openrouter.ai", "OPENROUTER_API_KEY"),
    ("api.groq.com", "GROQ_API_KEY"),
    ("api.deepseek.com", "DEEPSEEK_API_KEY"),
    ("generativelanguage.googleapis.com", "GEMINI_API_KEY"),
    ("api.mistral.ai", "MISTRAL_API_KEY"),
    ("api.together.xyz", "TOGETHER_API_KEY"),
    ("api.together.ai", "TOGETHER_API_KEY"),
    ("api.anthropic.com", "ANTHROPIC_API_KEY"),
    ("ollama.com", "OLLAMA_API_KEY"),
];

/// Every variable in which a key of a model's service may stand.
pub fn variables<'a>() -> impl Iterator<Item = &'a str> {
    let own = [Provider::OpenAi, Provider::Anthropic, Provider::Ollama, Provider::Bedrock].map(Provider::own_variable);
    HOSTS.iter().map(|(_, variable)| *variable).chain(own)
}

/// The variable of the service at `url`; `None` for a host that is none of the known ones.
fn of_host(url: &Url) -> Option<&'static str> {
    let host = url.host_str()?;
    let owns = |end: &str| if end.starts_with('.') { host.ends_with(end) } else { host == end };
    let bedrock = is_bedrock(host).then_some("AWS_BEARER_TOKEN_BEDROCK");
    bedrock.or_else(|| HOSTS.iter().find(|(end, _)| owns(end)).map(|(_, variable)| *variable))
}

/// Whether `host` is Bedrock itself (`bedrock-runtime.REGION.amazonaws.com`, in China with `.cn`): under Amazon's name
/// stand the machines of anybody who rents one.
fn is_bedrock(host: &str) -> bool {
    let names: Vec<&str> = host.split('.').collect();
    matches!(*names, ["bedrock-runtime" | "bedrock-runtime-fips", _, "amazonaws", "com"] | ["bedrock-runtime", _, "amazonaws", "com", "cn"])
}

/// Whether the service at `url` is one that answers nobody without a key.
pub fn needs_key(url: &Url) -> bool {
    of_host(url).is_some()
}

/// The variable whose key goes to `url`: that of the service that the host belongs to; for a host that nobody is known to
/// own (a server of one's own, a proxy), the one of the provider that the person named.
pub fn variable_for(provider: Provider, url: &Url) -> &'static str {
    of_host(url).unwrap_or(provider.own_variable())
}

/// Whether the server at `url` belongs to a service that is known.
#[must_use]
pub fn is_known(url: &str) -> bool {
    address::parse(url).is_ok_and(|url| needs_key(&url))
}

impl Provider {
    /// The variable of the provider itself.
    const fn own_variable(self) -> &'static str {
        match self {
            Self::OpenAi => "OPENAI_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::Ollama => "OLLAMA_API_KEY",
            Self::Bedrock => "AWS_BEARER_TOKEN_BEDROCK",
        }
    }

    /// The environment variable whose key may be sent to `url` (as `--llm-url` gives it; `None` = the provider's own server).
    ///
    /// A key goes to no other host than the one it was issued for, with one exception: a host that belongs to no known
    /// service is sent the key of the provider that was named with it, since that is how one's own servers and proxies are used.
    #[must_use]
    pub fn key_variable(self, url: Option<&str>) -> &'static str {
        url.and_then(|url| address::parse(url).ok()).map_or(self.own_variable(), |url| variable_for(self, &url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_goes_to_its_own_host_only() {
        let of = |url| Provider::OpenAi.key_variable(Some(url));
        assert_eq!(Provider::OpenAi.key_variable(None), "OPENAI_API_KEY");
        assert_eq!(of("https://api.openai.com/v1"), "OPENAI_API_KEY");
        assert_eq!(of("https://me.openai.azure.com/openai/v1"), "AZURE_OPENAI_API_KEY");
        assert_eq!(of("openrouter.ai/api/v1"), "OPENROUTER_API_KEY");
        assert_eq!(of("https://API.GROQ.com/openai/v1"), "GROQ_API_KEY");
        assert_eq!(of("https://api.deepseek.com"), "DEEPSEEK_API_KEY");
        assert_eq!(of("https://generativelanguage.googleapis.com/v1beta/openai/"), "GEMINI_API_KEY");
        assert_eq!(of("https://api.mistral.ai/v1"), "MISTRAL_API_KEY");
        assert_eq!(of("https://api.together.xyz/v1"), "TOGETHER_API_KEY");
        assert_eq!(of("https://bedrock-runtime.us-east-1.amazonaws.com"), "AWS_BEARER_TOKEN_BEDROCK");
        assert_eq!(of("https://bedrock-runtime.cn-north-1.amazonaws.com.cn"), "AWS_BEARER_TOKEN_BEDROCK");
        // Nobody's: a server of one's own, or one that somebody rents.
        assert_eq!(of("http://ec2-1-2-3-4.compute-1.amazonaws.com:8000/v1"), "OPENAI_API_KEY");
        assert_eq!(of("http://bedrock-runtime-1.us-east-1.elb.amazonaws.com/v1"), "OPENAI_API_KEY");
        assert_eq!(of("http://127.0.0.1:8080"), "OPENAI_API_KEY");
        assert_eq!(of("https://evilapi.groq.com.example/v1"), "OPENAI_API_KEY");
        assert_eq!(of("https://notopenrouter.ai"), "OPENAI_API_KEY");
    }
}
