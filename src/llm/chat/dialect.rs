//! What differs from provider to provider: addresses, how a request is written down, how a reply is read.

use super::ask::{Order, Prepared};
use super::capabilities::Capabilities;
use super::completion::{Completion, NoReply};
use super::quirks::Shape;
use super::stream::{Framing, Reader};
use crate::calls::CallError;
use crate::redact::Secret;
use futures_util::future::BoxFuture;
use reqwest::{RequestBuilder, Url};
use serde_json::Value;

/// One provider's way of speaking. The engine decides what is asked ([`Order`]), the dialect how it is written.
pub trait Dialect: Send + Sync {
    /// The word before the model's name: `openai`.
    fn word(&self) -> &'static str;

    /// The address that stands for the server in messages, and says whether it is on this machine.
    fn address(&self) -> &Url;

    /// The shape that the first request has.
    fn shape(&self) -> Shape {
        Shape::default()
    }

    /// Where a request goes, and its body.
    fn write(&self, ask: &Prepared, order: &Order) -> (Url, Value);

    /// `request` with the key, if there is one, and what else its headers need.
    fn sign(&self, request: RequestBuilder, key: Option<&Secret>) -> RequestBuilder {
        match key {
            Some(key) => request.bearer_auth(key.expose()),
            None => request,
        }
    }

    /// Whether requests without a key are signed one by one instead.
    fn signs_each(&self) -> bool {
        false
    }

    /// `request`, signed with what the environment has for it. Asked only where [`Dialect::signs_each`].
    fn sign_each(&self, request: RequestBuilder) -> BoxFuture<'_, Result<RequestBuilder, CallError>> {
        Box::pin(std::future::ready(Ok(request)))
    }

    /// What is known of the model before it was asked.
    fn documented(&self) -> Capabilities;

    /// The name of the output limit, where it has one of its own.
    fn limit_name(&self) -> Option<&'static str> {
        None
    }

    /// Why a request is better not sent.
    fn refuse(&self, _ask: &Prepared, _order: &Order) -> Option<CallError> {
        None
    }

    /// Reads the body of a whole reply. `letters` (of the prompt) serves to estimate tokens where the service counts none.
    ///
    /// # Errors
    /// [`NoReply`] for an error object, cut JSON, or a shape that is none.
    fn read(&self, body: &[u8], letters: usize) -> Result<Completion, NoReply>;

    /// Reads a reply that comes in pieces; `None`: this dialect takes replies whole only.
    fn reader(&self, letters: usize) -> Option<(Framing, Box<dyn Reader>)>;

    /// The address of the list of models.
    fn models(&self) -> Url;

    /// The names in the list of models; `None` when it is none.
    fn listed(&self, body: &[u8]) -> Option<Vec<String>>;

    /// Whether `model` is the one that the list calls `listed`.
    fn is_listed(&self, listed: &str, model: &str) -> bool {
        listed == model
    }

    /// Whether a model that is not in the list is none.
    fn lists_all(&self) -> bool {
        false
    }

    /// What to do about a model that the service does not know.
    fn remedy(&self, _model: &str) -> String {
        format!("check the name in --llm {}:MODEL", self.word())
    }

    /// What the person should know beside what was learnt.
    fn notes(&self) -> Option<String> {
        None
    }
}

/// The names of the objects of the list at `list` of an object in JSON, each under the first of `keys` that it has; `None` when
/// there is no such list.
pub fn names_in(body: &[u8], list: &str, keys: &[&str]) -> Option<Vec<String>> {
    let root: Value = serde_json::from_slice(body).ok()?;
    let name = |item: &Value| keys.iter().find_map(|key| item[*key].as_str()).map(str::to_owned);
    Some(root.get(list)?.as_array()?.iter().filter_map(name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_under_the_first_key_that_is_there() {
        let body = br#"{"models": [{"model": "a"}, {"name": "b", "model": "c"}, {"size": 1}, {"name": 7}]}"#;
        assert_eq!(names_in(body, "models", &["name", "model"]), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(names_in(body, "data", &["id"]), None);
        assert_eq!(names_in(b"<html>", "models", &["name"]), None);
    }
}
