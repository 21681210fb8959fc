//! The keys and passwords that are known on this machine: what a packed session is searched for.

use crate::config::Config;
use crate::llm::chat::keys;
use crate::llm::read_key;
use crate::redact::{Secret, of_url};
use crate::session::Known;
use crate::text::one_line;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::collections::BTreeSet;

/// Parts of the names of variables that hold something secret.
const WORDS: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"];

/// A variable that only its name makes suspicious holds a secret if it is at least so long.
const LONG: usize = 8;

/// What is known, and what could not be looked at.
pub fn known(config: &Config) -> (Vec<Known>, Vec<String>) {
    let (mut all, mut blind) = (Vec::new(), Vec::new());
    let mut names: BTreeSet<String> = keys::variables().map(str::to_owned).collect();
    names.extend(config.models.values().filter_map(|model| model.key_env.clone()));
    names.extend(config.kgs.values().filter_map(|kg| kg.password_env.clone()));
    let value = |name: &str| std::env::var(name).ok();
    let mut add = |what: String, secret: &str| all.extend(Secret::new(secret).map(|secret| Known { what, secret }));
    for name in &names {
        if let Some(value) = value(name) {
            add(format!("the value of {}", one_line(name)), &value);
        }
    }
    for (name, value) in std::env::vars_os() {
        let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else { continue };
        let suspicious = WORDS.iter().any(|word| name.to_uppercase().contains(word));
        // Paths and sockets (XAUTHORITY, SSH_AUTH_SOCK) are no secrets.
        if suspicious && value.trim().len() >= LONG && !value.starts_with('/') && !names.contains(name) {
            add(format!("the value of {}", one_line(name)), value);
        }
    }
    for (name, kg) in &config.kgs {
        let login = (kg.user.as_deref(), kg.password_env.as_deref().and_then(value));
        if let (Some(user), Some(password)) = login {
            add(format!("the login of the graph {}", one_line(name)), &STANDARD.encode(format!("{user}:{}", password.trim())));
        }
        for secret in std::iter::once(&kg.spec).chain(&kg.url).chain(&kg.api_url).flat_map(|url| of_url(url)) {
            add(format!("the login of the graph {}", one_line(name)), secret.expose());
        }
    }
    for secret in config.kg.iter().chain(&config.llm_url).flat_map(|url| of_url(url)) {
        add("a login of the configuration".to_owned(), secret.expose());
    }
    for (name, model) in &config.models {
        for secret in model.url.iter().flat_map(|url| of_url(url)) {
            add(format!("the login of the model {}", one_line(name)), secret.expose());
        }
        match model.key_file.as_deref().map(read_key) {
            Some(Ok(key)) => add(format!("the key of the model {}", one_line(name)), key.expose()),
            Some(Err(e)) => blind.push(format!("{}; so that key was not looked for", one_line(&e.message))),
            None => {}
        }
    }
    (all, blind)
}
