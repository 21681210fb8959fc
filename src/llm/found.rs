//! Models that are within reach without being named: keys in the environment, servers on this machine.
//!
//! Finding asks servers of this machine, and the one that `OLLAMA_HOST` names, which models they have and nobody else anything.
//! Nothing is spent: what is found is offered, and a person chooses.

use super::{ModelProfile, ModelSpec, http, ollama};
use futures_util::future::join_all;
use reqwest::Url;
use serde_json::Value;
use std::net::IpAddr;
use std::time::Duration;

/// A model, or a provider of models, that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// How it is reached.
    pub profile: ModelProfile,
    /// Whose it is: `Ollama at 127.0.0.1:11434`, `OpenAI`.
    pub of: String,
    /// Why it is offered: `OPENAI_API_KEY is set`, `on this machine`.
    pub because: String,
    /// Whether the model's name is a proposal that has to be looked at: the provider has many, and they cost.
    pub proposed: bool,
}

/// Where servers on this machine are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    servers: Vec<(String, String)>,
    /// The list of models of the server that `OLLAMA_HOST` names.
    ollama: Option<Url>,
    limit: Duration,
}

/// The usual ports of programs that serve models.
const PORTS: [(&str, u16); 6] = [
    ("Ollama", 11434),
    ("llama.cpp or LocalAI", 8080),
    ("LM Studio", 1234),
    ("vLLM", 8000),
    ("text-generation-webui", 5000),
    ("KoboldCpp", 5001),
];

/// Keys that services are known by: the variable, whose it is, the model to propose, and the server where it is not the
/// provider's own. The first spec that there is an adapter for is taken.
const KEYS: [(&str, &str, &[&str], Option<&str>); 9] = [
    ("OPENAI_API_KEY", "OpenAI", &["openai:gpt-4o-mini"], None),
    ("ANTHROPIC_API_KEY", "Anthropic", &["anthropic:claude-haiku-4-5"], None),
    ("GEMINI_API_KEY", "Gemini", &["openai:gemini-2.5-flash"], Some("https://generativelanguage.googleapis.com/v1beta/openai")),
    ("OPENROUTER_API_KEY", "OpenRouter", &["openai:openai/gpt-4o-mini"], Some("https://openrouter.ai/api/v1")),
    ("GROQ_API_KEY", "Groq", &["openai:llama-3.1-8b-instant"], Some("https://api.groq.com/openai/v1")),
    ("DEEPSEEK_API_KEY", "DeepSeek", &["openai:deepseek-chat"], Some("https://api.deepseek.com")),
    ("MISTRAL_API_KEY", "Mistral", &["openai:mistral-small-latest"], Some("https://api.mistral.ai/v1")),
    ("TOGETHER_API_KEY", "Together", &["openai:meta-llama/Llama-3.3-70B-Instruct-Turbo"], Some("https://api.together.xyz/v1")),
    ("AWS_BEARER_TOKEN_BEDROCK", "Amazon Bedrock", &["bedrock:us.amazon.nova-lite-v1:0"], None),
];

/// Bytes of a list of models at most.
const LARGEST: usize = 1 << 20;
/// Models of one server that are offered, at most.
const MOST: usize = 20;

impl Places {
    /// The usual ports of this machine, half a second each, all at once.
    #[must_use]
    pub fn usual() -> Self {
        let servers = PORTS.iter().map(|(name, port)| ((*name).to_owned(), format!("127.0.0.1:{port}"))).collect();
        Self { servers, ollama: None, limit: Duration::from_millis(500) }
    }

    /// The addresses (`127.0.0.1:8081`) of a list with commas; of others than this machine's nothing is asked.
    #[must_use]
    pub fn of(list: &str) -> Self {
        let addresses = list.split(',').map(str::trim).filter(|address| is_here(address));
        Self { servers: addresses.map(|address| ("a server".to_owned(), address.to_owned())).collect(), ..Self::usual() }
    }

    /// Those of the environment: `TOT_MODEL_SERVERS` (a list, or empty for none), else the usual ones and that of `OLLAMA_HOST`,
    /// which `ollama:` goes to. `get` looks a variable up.
    #[must_use]
    pub fn of_environment(get: impl Fn(&str) -> Option<String>) -> Self {
        if let Some(list) = get("TOT_MODEL_SERVERS") {
            return Self::of(&list);
        }
        let host = get("OLLAMA_HOST").filter(|host| !host.trim().is_empty());
        let mut places = Self { ollama: host.and_then(|host| ollama::list_of(&host).ok()), ..Self::usual() };
        let address = places.ollama.as_ref().and_then(address_of);
        places.servers.retain(|(_, usual)| Some(usual) != address.as_ref());
        places
    }

    /// The models of the servers that answer, in the order of the places.
    pub async fn servers(&self) -> Vec<Found> {
        let (here, ollama) = tokio::join!(self.here(), self.ollama());
        ollama.into_iter().chain(here).collect()
    }

    /// What the server of `OLLAMA_HOST` has: asked for as `ollama:` is.
    async fn ollama(&self) -> Vec<Found> {
        let Some((url, address)) = self.ollama.as_ref().and_then(|url| Some((url, address_of(url)?))) else { return Vec::new() };
        let Ok(client) = http::client(self.limit, is_here(&address)) else { return Vec::new() };
        let names = tokio::time::timeout(self.limit, list(&client, url.as_str(), "models", "name")).await.ok().flatten();
        let offer = |model: &String| Found {
            profile: ModelProfile::of(&format!("ollama:{model}")),
            of: format!("Ollama at {address}"),
            because: "OLLAMA_HOST names it".to_owned(),
            proposed: false,
        };
        names.unwrap_or_default().iter().filter(|name| is_sane(name)).take(MOST).map(offer).collect()
    }

    /// The models of this machine's servers that answer.
    async fn here(&self) -> Vec<Found> {
        let Ok(client) = http::client(self.limit, true) else { return Vec::new() };
        let asked = self.servers.iter().map(|(name, address)| {
            let client = client.clone();
            async move {
                tokio::time::timeout(self.limit, models_at(&client, address)).await.ok().flatten().map(|found| offers(name, address, found))
            }
        });
        join_all(asked).await.into_iter().flatten().flatten().collect()
    }
}

/// Host and port.
fn address_of(url: &Url) -> Option<String> {
    Some(format!("{}:{}", url.host_str()?, url.port_or_known_default()?))
}

/// Whether an address is one of this machine's.
fn is_here(address: &str) -> bool {
    let Some((host, port)) = address.rsplit_once(':') else { return false };
    let host = host.trim_matches(['[', ']']);
    port.parse::<u16>().is_ok() && (host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback()))
}

/// The names of a server's models, and whether it is Ollama. `None` where no such server answers.
async fn models_at(client: &reqwest::Client, address: &str) -> Option<(bool, Vec<String>)> {
    let (tags, models) = (format!("http://{address}/api/tags"), format!("http://{address}/v1/models"));
    let (ollama, openai) = tokio::join!(list(client, &tags, "models", "name"), list(client, &models, "data", "id"));
    ollama.map(|names| (true, names)).or_else(|| openai.map(|names| (false, names)))
}

/// The names in a list of models, if there is one at `url`.
async fn list(client: &reqwest::Client, url: &str, key: &str, name: &str) -> Option<Vec<String>> {
    let reply = client.get(url).send().await.ok().filter(|reply| reply.status().is_success())?;
    let body = read(reply).await?;
    let root: Value = serde_json::from_slice(&body).ok()?;
    Some(root.get(key)?.as_array()?.iter().filter_map(|model| model[name].as_str().map(str::to_owned)).collect())
}

async fn read(mut reply: reqwest::Response) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = reply.chunk().await.ok()? {
        body.extend_from_slice(&chunk);
        if body.len() > LARGEST {
            return None;
        }
    }
    Some(body)
}

fn offers(name: &str, address: &str, (ollama, names): (bool, Vec<String>)) -> Vec<Found> {
    let of = format!("{} at {address}", if ollama { "Ollama" } else { name });
    let native = ollama && is_known("ollama:x");
    let offer = |model: &String| {
        let (spec, url) = if native {
            (format!("ollama:{model}"), format!("http://{address}"))
        } else {
            (format!("openai:{model}"), format!("http://{address}/v1"))
        };
        let profile = ModelProfile { url: Some(url), keyless: true, ..ModelProfile::of(&spec) };
        Found { profile, of: of.clone(), because: "on this machine".to_owned(), proposed: false }
    };
    names.iter().filter(|name| is_sane(name)).take(MOST).map(offer).collect()
}

/// Whether the name of a model can be offered.
fn is_sane(name: &str) -> bool {
    !name.is_empty() && name.len() < 200 && !name.chars().any(crate::text::is_unsafe)
}

fn is_known(spec: &str) -> bool {
    spec.parse::<ModelSpec>().is_ok()
}

/// What keys of the environment open. `get` looks a variable up.
#[must_use]
pub fn keys(get: impl Fn(&str) -> Option<String>) -> Vec<Found> {
    let set = |name: &str| get(name).is_some_and(|value| !value.trim().is_empty());
    let offer = |(variable, of, specs, url): &(&str, &str, &[&str], Option<&str>)| {
        let spec = specs.iter().find(|spec| is_known(spec)).filter(|_| set(variable))?;
        let profile = ModelProfile { url: url.map(str::to_owned), key_env: Some((*variable).to_owned()), ..ModelProfile::of(spec) };
        Some(Found { profile, of: (*of).to_owned(), because: format!("{variable} is set"), proposed: true })
    };
    let mut all: Vec<Found> = KEYS.iter().filter_map(offer).collect();
    // Azure has no server of its own: every resource has one.
    if let Some(url) = get("AZURE_OPENAI_ENDPOINT").filter(|url| !url.trim().is_empty() && set("AZURE_OPENAI_API_KEY")) {
        let profile =
            ModelProfile { url: Some(url), key_env: Some("AZURE_OPENAI_API_KEY".to_owned()), ..ModelProfile::of("openai:gpt-4o-mini") };
        all.push(Found { profile, of: "Azure OpenAI".to_owned(), because: "AZURE_OPENAI_API_KEY is set".to_owned(), proposed: true });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_asked() {
        let places = Places::of("127.0.0.1:81, localhost:82,[::1]:83,example.org:80,10.0.0.1:80,8080,127.0.0.1:x,");
        let asked: Vec<&str> = places.servers.iter().map(|(_, address)| address.as_str()).collect();
        assert_eq!(asked, ["127.0.0.1:81", "localhost:82", "[::1]:83"]);
        assert!(Places::of("").servers.is_empty());
        assert!(Places::usual().servers.iter().all(|(_, address)| is_here(address)));
    }

    #[test]
    fn ollama_is_looked_for_where_the_model_would_be_asked() {
        let of = |host: &str| {
            let places = Places::of_environment(|name| (name == "OLLAMA_HOST").then(|| host.to_owned()));
            (places.ollama.map(|url| url.to_string()), places.servers.len())
        };
        let usual = PORTS.len();
        assert_eq!(of("gpu-box"), (Some("http://gpu-box:11434/api/tags".to_owned()), usual));
        assert_eq!(of("0.0.0.0:11500"), (Some("http://127.0.0.1:11500/api/tags".to_owned()), usual));
        assert_eq!(of("https://me.example/ollama/"), (Some("https://me.example/ollama/api/tags".to_owned()), usual));
        assert_eq!(of("127.0.0.1"), (Some("http://127.0.0.1:11434/api/tags".to_owned()), usual - 1), "asked once");
        assert_eq!(of(" "), (None, usual));
        // A list of places is all that is wanted.
        let places = Places::of_environment(|name| (name == "TOT_MODEL_SERVERS").then(String::new).or(Some("gpu-box".to_owned())));
        assert!(places.ollama.is_none() && places.servers.is_empty());
    }

    #[test]
    fn keys_open_what_there_is_an_adapter_for_and_are_not_looked_at() {
        let env = |name: &str| match name {
            "OPENAI_API_KEY" | "GROQ_API_KEY" | "AZURE_OPENAI_API_KEY" => Some("secret-canary".to_owned()),
            "MISTRAL_API_KEY" => Some("  ".to_owned()),
            _ => None,
        };
        let found = keys(env);
        assert_eq!(found.iter().map(|f| &*f.of).collect::<Vec<_>>(), ["OpenAI", "Groq"], "Azure needs its endpoint");
        assert!(found.iter().all(|f| f.proposed && is_known(&f.profile.spec)));
        assert!(!format!("{found:?}").contains("canary"));
        let azure = keys(|name| name.starts_with("AZURE").then(|| "https://me.openai.azure.com".to_owned()));
        assert_eq!(azure[0].profile.url.as_deref(), Some("https://me.openai.azure.com"));
    }
}
