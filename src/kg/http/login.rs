//! Who we are to a service: basic, digest or bearer, sent only to the places that the login is for.

use super::is_loopback;
use crate::kg::AuthKind;
use crate::redact::{self, Secret};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use digest_auth::{AuthContext, HttpMethod, Qop, WwwAuthenticateHeader};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use reqwest::{Request, Url};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A login, as the configuration gives it.
#[derive(Clone, Default)]
pub struct Login {
    /// How the server wants to know; `None`: as a user and password the way it asks for, or as a token where there is no
    /// user.
    pub scheme: Option<AuthKind>,
    /// The user.
    pub user: Option<String>,
    /// The password or token.
    pub secret: Option<Secret>,
    /// The URLs that it is for; it is sent to no other host.
    pub urls: Vec<Url>,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Login({:?}, {})", self.scheme, redact::MASK)
    }
}

impl Login {
    fn is_for(&self, url: &Url) -> bool {
        self.urls.iter().any(|known| known.origin() == url.origin())
    }
}

/// How a login is written into requests.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Basic,
    Digest,
    /// Basic, until the server asks for digest and nothing else.
    AsAsked,
    Bearer,
}

/// What to do after a status 401.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Nothing: the login is not taken.
    GiveUp,
    /// Send the request again with the login.
    Sign,
    /// Send it again without: the server then says how it wants the login.
    Bare,
}

/// The login of one service, with what the server asked for last.
#[derive(Clone)]
pub(super) struct Auth {
    way: Way,
    user: String,
    secret: Option<Secret>,
    exposed: bool,
    /// The server's last challenge: one answers to it again and again, with a count, until it is stale.
    challenge: Arc<Mutex<Option<WwwAuthenticateHeader>>>,
}

impl Auth {
    /// What `login` and the user in `url` come to, if there is a login for `url` at all.
    pub fn new(login: Option<&Login>, url: &Url) -> Option<Self> {
        let login = login.filter(|login| login.is_for(url));
        let in_url = (!url.username().is_empty() || url.password().is_some()).then(|| redact::decoded(url.username()));
        let given = login.and_then(|login| login.user.clone());
        let secret = login.and_then(|login| login.secret.clone());
        let secret = secret.or_else(|| Secret::new(&redact::decoded(url.password().unwrap_or_default())));
        let way = match login.and_then(|login| login.scheme) {
            Some(AuthKind::Basic) => Way::Basic,
            Some(AuthKind::Digest) => Way::Digest,
            Some(AuthKind::Bearer) => Way::Bearer,
            None if given.is_some() || in_url.is_some() => Way::AsAsked,
            None => Way::Bearer,
        };
        let user = given.or(in_url);
        if user.is_none() && secret.is_none() {
            return None;
        }
        let exposed = url.scheme() == "http" && way != Way::Digest && !is_loopback(url.as_str());
        Some(Self { way, user: user.unwrap_or_default(), secret, exposed, challenge: Arc::default() })
    }

    fn secret(&self) -> &str {
        self.secret.as_ref().map_or("", Secret::expose)
    }

    fn basic(&self) -> String {
        STANDARD.encode(format!("{}:{}", self.user, self.secret()))
    }

    /// Everything of it that must not be seen.
    pub fn secrets(&self) -> Vec<Secret> {
        let basic = (self.way != Way::Bearer).then(|| Secret::new(&self.basic())).flatten();
        self.secret.clone().into_iter().chain(basic).collect()
    }

    /// Whether the password or token can be read on its way.
    pub const fn is_exposed(&self) -> bool {
        self.exposed
    }

    /// Writes the login into `request`.
    pub fn sign(&self, request: &mut Request) {
        let header = match self.way {
            Way::Bearer => Some(format!("Bearer {}", self.secret())),
            Way::Basic => Some(format!("Basic {}", self.basic())),
            Way::Digest => self.answer(request),
            Way::AsAsked => self.answer(request).or_else(|| Some(format!("Basic {}", self.basic()))),
        };
        if let Some(mut value) = header.and_then(|header| HeaderValue::from_bytes(header.as_bytes()).ok()) {
            value.set_sensitive(true);
            request.headers_mut().insert(AUTHORIZATION, value);
        }
    }

    /// The answer to the server's last challenge.
    fn answer(&self, request: &Request) -> Option<String> {
        let mut challenge = self.challenge.lock().unwrap_or_else(PoisonError::into_inner);
        let challenge = challenge.as_mut()?;
        let url = request.url();
        let target = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        // With the body in the hash only where nothing less will do: many servers get that wrong.
        let whole = challenge.qop.as_ref().is_some_and(|offered| !offered.contains(&Qop::AUTH));
        let body = request.body().and_then(reqwest::Body::as_bytes).unwrap_or_default();
        let method = HttpMethod::from(request.method().as_str());
        let context = AuthContext::new_with_method(self.user.as_str(), self.secret(), target, whole.then_some(body), method);
        Some(challenge.respond(&context).ok()?.to_header_string())
    }

    /// Takes up the challenge of a reply with status 401: what to do next. `rounds` replies of that kind came before in
    /// this request; `bare`: the request went out without the login.
    pub fn challenged(&self, headers: &HeaderMap, rounds: u32, bare: bool) -> Next {
        if self.way == Way::AsAsked && rounds == 0 && offered(headers).next().is_none() {
            // Virtuoso refuses a basic login without a word about digest, which is what it wants.
            return Next::Bare;
        }
        let as_asked = self.way == Way::AsAsked && !offers(headers, "basic");
        if self.way != Way::Digest && !as_asked {
            return Next::GiveUp;
        }
        let Some(new) = digest(headers) else { return Next::GiveUp };
        // A nonce that is too old is no wrong password. Not every server says which it was: the first time either is
        // possible.
        let again = rounds == 0 || bare || (new.stale && rounds < 3);
        *self.challenge.lock().unwrap_or_else(PoisonError::into_inner) = Some(new);
        if again { Next::Sign } else { Next::GiveUp }
    }

    /// Why the server may not have taken the login, and what to do.
    pub fn refused(&self, headers: &HeaderMap) -> &'static str {
        match self.way {
            Way::Bearer => "does not take the token: check it, and that it has not run out",
            Way::Basic if offers(headers, "digest") && !offers(headers, "basic") => {
                "wants the password by digest: set `auth: digest` for it under `kgs` in the configuration"
            }
            Way::Digest if !offers(headers, "digest") => "does not know digest: set `auth: basic` for it under `kgs` in the configuration",
            Way::Digest if digest(headers).is_none() => "asks for a kind of digest that is not known here: use another login or server",
            _ => "does not take the login: check user and password",
        }
    }
}

fn offered(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    // Only plain ASCII: what reads the challenges counts on it.
    headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok())
}

/// Where the challenge of `scheme` begins in a header that may hold several.
fn challenge_at(header: &str, scheme: &str) -> Option<usize> {
    let mut quoted = false;
    let mut start = true;
    for (at, c) in header.char_indices() {
        if start && !quoted && header.get(at..at + scheme.len()).is_some_and(|word| word.eq_ignore_ascii_case(scheme)) {
            let after = &header[at + scheme.len()..];
            if after.is_empty() || after.starts_with([' ', ',']) {
                return Some(at);
            }
        }
        if c == '"' {
            quoted = !quoted;
        }
        start = matches!(c, ' ' | ',');
    }
    None
}

/// Whether the server would take a login of `scheme`.
pub(super) fn offers(headers: &HeaderMap, scheme: &str) -> bool {
    offered(headers).any(|header| challenge_at(header, scheme).is_some())
}

/// The first digest challenge that can be answered.
fn digest(headers: &HeaderMap) -> Option<WwwAuthenticateHeader> {
    let scheme = "digest";
    offered(headers).find_map(|header| WwwAuthenticateHeader::parse(&header[challenge_at(header, scheme)? + scheme.len()..]).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(all: &[&str]) -> HeaderMap {
        all.iter().map(|value| (WWW_AUTHENTICATE, HeaderValue::from_bytes(value.as_bytes()).unwrap())).collect()
    }

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn login(scheme: Option<AuthKind>) -> Login {
        Login { scheme, user: Some("ann".into()), secret: Secret::new("pa55w0rd"), urls: vec![url("https://h.example/sparql")] }
    }

    fn signed(auth: &Auth) -> Option<String> {
        let mut request = Request::new(reqwest::Method::GET, url("https://h.example/dir/index.html?a=b"));
        auth.sign(&mut request);
        request.headers().get(AUTHORIZATION).map(|value| value.to_str().unwrap().to_owned())
    }

    #[test]
    fn a_login_is_for_its_own_host_only() {
        let login = login(None);
        assert!(Auth::new(Some(&login), &url("https://h.example/other")).is_some());
        for other in ["http://h.example/", "https://h.example:8443/", "https://x.example/"] {
            assert!(Auth::new(Some(&login), &url(other)).is_none(), "{other}");
        }
    }

    #[test]
    fn each_scheme_is_written_as_it_should_be() {
        let auth = |scheme| Auth::new(Some(&login(scheme)), &url("https://h.example/")).unwrap();
        assert_eq!(signed(&auth(Some(AuthKind::Basic))).unwrap(), "Basic YW5uOnBhNTV3MHJk");
        assert_eq!(signed(&auth(None)).unwrap(), "Basic YW5uOnBhNTV3MHJk");
        assert_eq!(signed(&auth(Some(AuthKind::Bearer))).unwrap(), "Bearer pa55w0rd");
        assert_eq!(signed(&auth(Some(AuthKind::Digest))), None);
        let token = Login { user: None, ..login(None) };
        assert_eq!(signed(&Auth::new(Some(&token), &url("https://h.example/")).unwrap()).unwrap(), "Bearer pa55w0rd");
        let in_url = Auth::new(None, &url("https://an%40n:pa%3A55@h.example/")).unwrap();
        assert_eq!(signed(&in_url).unwrap(), format!("Basic {}", STANDARD.encode("an@n:pa:55")));
    }

    #[test]
    fn digest_counts_its_answers_and_takes_a_new_nonce() {
        let auth = Auth::new(Some(&login(Some(AuthKind::Digest))), &url("https://h.example/")).unwrap();
        let first = headers(&["Basic realm=\"a, digest x\", DIGEST realm=\"r\", nonce=\"one\", qop=\"auth, auth-int\", algorithm=SHA-256"]);
        assert_eq!(auth.challenged(&first, 0, false), Next::Sign);
        let answer = signed(&auth).unwrap();
        assert!(answer.contains("nc=00000001") && answer.contains("qop=auth,") && answer.contains("algorithm=SHA-256"), "{answer}");
        assert!(answer.contains("uri=\"/dir/index.html?a=b\""), "{answer}");
        assert!(signed(&auth).unwrap().contains("nc=00000002"));
        // The same again means a wrong password, a stale one does not.
        assert_eq!(auth.challenged(&first, 1, false), Next::GiveUp);
        let stale = headers(&["Digest realm=\"r\", nonce=\"two\", stale=TRUE, qop=\"auth\""]);
        assert_eq!(auth.challenged(&stale, 1, false), Next::Sign);
        assert!(signed(&auth).unwrap().contains("nonce=\"two\""));
        for bad in ["Digest realm=\"r\", nonce=\"x\", algorithm=ROT13", "Digest realm=\"grün\", nonce=\"x\"", "Digest nonce=", ""] {
            assert_eq!(auth.challenged(&headers(&[bad]), 0, false), Next::GiveUp, "{bad}");
        }
    }

    #[test]
    fn basic_gives_way_to_digest_where_only_that_is_asked_for() {
        let auth = Auth::new(Some(&login(None)), &url("https://h.example/")).unwrap();
        let digest = "Digest realm=\"r\", nonce=\"n\"";
        assert_eq!(auth.challenged(&headers(&[digest, "Basic realm=\"r\""]), 0, false), Next::GiveUp);
        assert_eq!(auth.challenged(&headers(&[]), 0, false), Next::Bare);
        assert_eq!(auth.challenged(&headers(&[]), 1, true), Next::GiveUp);
        assert_eq!(auth.challenged(&headers(&[digest]), 1, true), Next::Sign);
        assert!(signed(&auth).unwrap().starts_with("Digest "));
        let basic = Auth::new(Some(&login(Some(AuthKind::Basic))), &url("https://h.example/")).unwrap();
        assert_eq!(basic.challenged(&headers(&[digest]), 0, false), Next::GiveUp);
        assert!(basic.refused(&headers(&[digest])).contains("auth: digest"));
    }

    #[test]
    fn a_login_over_plain_http_is_exposed() {
        let auth = |at: &str| Auth::new(None, &url(at)).unwrap().is_exposed();
        assert!(auth("http://a:b@h.example/"));
        assert!(!auth("https://a:b@h.example/") && !auth("http://a:b@127.0.0.1:3030/"));
    }

    #[test]
    fn nothing_of_it_is_printed() {
        let login = login(None);
        assert!(!format!("{login:?}").contains("pa55w0rd"));
        let hidden: Vec<String> =
            Auth::new(Some(&login), &login.urls[0]).unwrap().secrets().iter().map(|secret| secret.expose().to_owned()).collect();
        assert_eq!(hidden, ["pa55w0rd", "YW5uOnBhNTV3MHJk"]);
    }
}
