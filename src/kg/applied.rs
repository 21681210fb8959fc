//! What a profile of the configuration changes in how a KG is opened. A key that cannot be meant is an error that names it.

use super::endpoint::EndpointSettings;
use super::http::{HttpSettings, Login};
use super::sparql::{Iri, Languages, Wording, predicate};
use super::{AuthKind, KgProfile, KgSettings, KgSpec, SpecError};
use crate::graph::Direction;
use crate::redact::Secret;
use crate::text;
use reqwest::Url;
use std::time::Duration;

/// Seconds that nobody means: beyond it clocks overflow.
const LONGEST: f64 = 86_400.0;

impl KgProfile {
    /// `settings` with what the profile, called `name`, says about languages, manners, login and strictness.
    ///
    /// # Errors
    /// [`SpecError::Profile`], which names the key and its value.
    pub(super) fn settings(&self, name: &str, spec: &KgSpec, settings: &KgSettings) -> Result<KgSettings, SpecError> {
        let error = |why: String| SpecError::Profile { name: name.to_owned(), why };
        if let Some(key) = self.idle(spec) {
            return Err(error(format!("`{key}` changes nothing of a graph of kind {}: remove it, or correct `spec`", spec.kind())));
        }
        let mut settings = settings.clone();
        if !self.lang.is_empty() {
            let is_tag = |tag: &&String| !tag.trim().is_empty() && tag.trim().chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
            if let Some(bad) = self.lang.iter().find(|tag| !is_tag(tag)) {
                return Err(error(format!("`lang`: {} is no language tag; write one such as en or pt-BR", quoted(bad))));
            }
            settings.languages = Languages::new(self.lang.iter().map(String::as_str));
        }
        settings.strict |= self.strict;
        let positive = |key: &str, value: Option<f64>| match value {
            Some(value) if !(value > 0.0 && value <= LONGEST) => {
                Err(error(format!("`{key}`: {value} is not possible; write a number above 0 and up to {LONGEST}")))
            }
            other => Ok(other),
        };
        if let Some(seconds) = positive("timeout", self.timeout)? {
            settings.http.client.total = Duration::from_secs_f64(seconds);
            settings.http.client.connect = settings.http.client.connect.min(settings.http.client.total);
        }
        if let Some(rate) = positive("per_second", self.per_second)? {
            settings.http.every = Duration::from_secs_f64((1.0 / rate).min(LONGEST));
        }
        match self.parallel {
            Some(0) => return Err(error("`parallel`: 0 would ask nothing; write 1 or more".to_owned())),
            Some(parallel) => settings.http.parallel = parallel,
            None => {}
        }
        if let Some(login) = self.login(spec).map_err(error)? {
            settings.http = HttpSettings { login: Some(login), ..settings.http };
        }
        Ok(settings)
    }

    /// The first key that is given and has no use for a graph of this kind: it was meant for another, or means a mistake.
    fn idle(&self, spec: &KgSpec) -> Option<&'static str> {
        let program = matches!(spec, KgSpec::Exec(_));
        let file = matches!(spec, KgSpec::Files(_));
        let endpoint = matches!(spec, KgSpec::Sparql(_) | KgSpec::Wikidata);
        let service = endpoint || matches!(spec, KgSpec::MusicBrainz);
        let rdf = !program && !matches!(spec, KgSpec::MusicBrainz);
        let named = matches!(spec, KgSpec::Wikidata | KgSpec::MusicBrainz);
        [
            ("labels", !self.labels.is_empty(), rdf),
            ("aliases", !self.aliases.is_empty(), rdf),
            ("descriptions", !self.descriptions.is_empty(), rdf),
            ("hide", !self.hide.is_empty(), rdf),
            ("hide_reverse", !self.hide_reverse.is_empty(), rdf),
            ("links", !self.links.is_empty(), rdf),
            ("default_graph", !self.default_graph.is_empty(), endpoint),
            ("row_cap", self.row_cap.is_some(), endpoint),
            ("per_second", self.per_second.is_some(), service),
            ("parallel", self.parallel.is_some(), service || program),
            ("timeout", self.timeout.is_some(), service || program),
            ("url", self.url.is_some(), named),
            ("api_url", self.api_url.is_some(), matches!(spec, KgSpec::Wikidata)),
            ("strict", self.strict, file),
            ("cache", self.cache.is_some(), service || program),
        ]
        .into_iter()
        .find_map(|(key, given, serves)| (given && !serves).then_some(key))
    }

    /// The login, for the places that the profile or the spec names and no other.
    fn login(&self, spec: &KgSpec) -> Result<Option<Login>, String> {
        if self.auth.is_none() && self.user.is_none() && self.password_env.is_none() {
            return Ok(None);
        }
        let in_spec = if let KgSpec::Sparql(url) = spec { Some(url) } else { None };
        let urls: Vec<Url> = in_spec.into_iter().chain(&self.url).chain(&self.api_url).filter_map(|url| Url::parse(url).ok()).collect();
        let in_url = urls.iter().any(|url| !url.username().is_empty() || url.password().is_some());
        if urls.is_empty() {
            return Err("`auth`, `user` and `password_env` are for a server that the profile names: give its `url` too".to_owned());
        }
        let secret = match &self.password_env {
            Some(variable) => {
                let value = std::env::var(variable).ok().as_deref().and_then(Secret::new);
                Some(value.ok_or_else(|| {
                    format!("`password_env`: the environment variable {} is not set; set it to the password or token", quoted(variable))
                })?)
            }
            None => None,
        };
        match self.auth {
            Some(AuthKind::Bearer) if secret.is_none() => {
                Err("`auth: bearer` needs `password_env`, the name of the environment variable that holds the token".to_owned())
            }
            Some(kind @ (AuthKind::Basic | AuthKind::Digest)) if self.user.is_none() && !in_url => {
                let kind = if kind == AuthKind::Basic { "basic" } else { "digest" };
                Err(format!(
                    "`auth: {kind}` needs `user`, and `password_env`, the name of the environment variable that holds the password"
                ))
            }
            scheme => Ok(Some(Login { scheme, user: self.user.clone(), secret, urls })),
        }
    }

    /// What it says about an endpoint.
    ///
    /// # Errors
    /// [`SpecError::Profile`], which names the key and its value.
    pub(super) fn endpoint(&self, name: &str) -> Result<EndpointSettings, SpecError> {
        let graphs = self.default_graph.iter().map(|graph| {
            let inner = graph.trim().trim_start_matches('<').trim_end_matches('>');
            Iri::new(inner).ok_or_else(|| no_iri(name, "default_graph", graph, "http://example.org/graph"))
        });
        Ok(EndpointSettings { default_graph: graphs.collect::<Result<_, _>>()?, row_cap: self.row_cap })
    }

    /// What it says about names and relations.
    ///
    /// # Errors
    /// [`SpecError::Profile`], which names the key and its value.
    pub(super) fn wording(&self, name: &str) -> Result<Wording, SpecError> {
        let iris = |key: &str, all: &[String]| -> Result<Vec<Iri>, SpecError> {
            let iri = |text: &String| predicate(text).ok_or_else(|| no_iri(name, key, text, "http://www.w3.org/2000/01/rdf-schema#label"));
            all.iter().map(iri).collect()
        };
        Ok(Wording::default()
            .labels(&iris("labels", &self.labels)?)
            .aliases(&iris("aliases", &self.aliases)?)
            .descriptions(&iris("descriptions", &self.descriptions)?)
            .hide(&iris("hide", &self.hide)?, Direction::Out)
            .hide(&iris("hide_reverse", &self.hide_reverse)?, Direction::In))
    }
}

fn no_iri(name: &str, key: &str, value: &str, example: &str) -> SpecError {
    SpecError::Profile { name: name.to_owned(), why: format!("`{key}`: {} is no IRI; write one such as {example}", quoted(value)) }
}

fn quoted(value: &str) -> String {
    format!("\"{}\"", text::cut(&text::one_line(value), 80))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(yaml: &str) -> KgProfile {
        serde_yaml::from_str(yaml).unwrap()
    }

    #[test]
    fn a_key_that_changes_nothing_is_named() {
        let tried = |yaml: &str, spec: &str| {
            let spec: KgSpec = spec.parse().unwrap();
            profile(yaml).settings("ours", &spec, &KgSettings::default()).map(drop).map_err(|error| error.to_string())
        };
        for (yaml, spec) in [
            ("labels: ['http://ex.org/name']", "exec:adapter"),
            ("hide: [P31]", "musicbrainz"),
            ("row_cap: 10", "file:a.ttl"),
            ("strict: true", "sparql:http://h/sparql"),
            ("url: 'http://h/sparql'", "sparql:http://h/sparql"),
            ("api_url: 'http://h/w/api.php'", "musicbrainz"),
            ("cache: true", "demo:wikidata"),
        ] {
            let error = tried(yaml, spec).unwrap_err();
            let key = yaml.split(':').next().unwrap();
            assert!(error.contains(&format!("`{key}` changes nothing of a graph of kind")) && error.contains("remove it"), "{error}");
        }
        assert_eq!(tried("{labels: ['http://ex.org/name'], row_cap: 10, timeout: 5, cache: false}", "sparql:http://h/sparql"), Ok(()));
        assert_eq!(tried("{hide: [P31], strict: true, lang: [en]}", "file:a.ttl"), Ok(()));
        assert_eq!(tried("{timeout: 5, parallel: 2, cache: true}", "exec:adapter"), Ok(()));
    }

    fn settings(yaml: &str) -> Result<KgSettings, String> {
        let spec = KgSpec::Sparql("https://h.example/sparql".into());
        profile(yaml).settings("ours", &spec, &KgSettings::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn manners_are_taken_over() {
        let http = settings("{timeout: 2.5, per_second: 4, parallel: 2}").unwrap().http;
        assert_eq!((http.client.total, http.client.connect), (Duration::from_millis(2500), Duration::from_millis(2500)));
        assert_eq!((http.every, http.parallel), (Duration::from_millis(250), 2));
        assert!(http.login.is_none());
        assert_eq!(settings("{lang: [zh, en]}").unwrap().languages.chain(), ["zh", "en", "mul", ""]);
    }

    #[test]
    fn a_login_is_for_the_servers_that_are_named() {
        let login = settings("{user: ann}").unwrap().http.login.unwrap();
        assert_eq!((login.user.as_deref(), login.urls.len()), (Some("ann"), 1));
        let own = profile("{user: ann, url: 'https://mirror.example/sparql'}");
        let login = own.settings("wikidata", &KgSpec::Wikidata, &KgSettings::default()).unwrap().http.login.unwrap();
        assert_eq!(login.urls[0].host_str(), Some("mirror.example"));
    }

    #[test]
    fn what_cannot_be_meant_is_named() {
        for (yaml, key) in [
            ("{timeout: -1}", "`timeout`: -1"),
            ("{timeout: .nan}", "`timeout`: NaN"),
            ("{per_second: 0}", "`per_second`: 0"),
            ("{parallel: 0}", "`parallel`: 0"),
            ("{lang: ['en', 'e n']}", "`lang`: \"e n\""),
            ("{auth: basic}", "`auth: basic` needs `user`"),
            ("{auth: bearer}", "`auth: bearer` needs `password_env`"),
            ("{password_env: TOT_TEST_NO_SUCH_VARIABLE}", "`password_env`: the environment variable \"TOT_TEST_NO_SUCH_VARIABLE\""),
        ] {
            let error = settings(yaml).err().unwrap();
            assert!(error.contains("`ours`") && error.contains(key), "{error}");
        }
        let no_url = profile("{user: ann}").settings("wikidata", &KgSpec::Wikidata, &KgSettings::default());
        assert!(no_url.err().unwrap().to_string().contains("`url`"));
        for key in ["labels", "aliases", "descriptions", "hide", "hide_reverse"] {
            let error = profile(&format!("{{{key}: [rdfs:label, \"name\\u0007\"]}}")).wording("ours").unwrap_err().to_string();
            assert!(error.contains(&format!("`{key}`: \"name\" is no IRI")), "{error}");
        }
        let error = profile("{default_graph: ['a b']}").endpoint("ours").unwrap_err().to_string();
        assert!(error.contains("`default_graph`: \"a b\""), "{error}");
    }

    #[test]
    fn graphs_and_the_cap_are_taken_over() {
        let settings = profile("{default_graph: ['<http://ex.org/g>'], row_cap: 500}").endpoint("ours").unwrap();
        assert_eq!((settings.default_graph[0].as_str(), settings.row_cap), ("http://ex.org/g", Some(500)));
    }
}
