//! Logging in at a SPARQL endpoint: basic, digest, bearer; what is sent where, and what is said when it fails.

use super::support::{Reply, Request, Server};
use super::{fast, sparql};
use digest_auth::{AuthContext, AuthorizationHeader, HttpMethod};
use std::sync::Arc;
use tree_of_traversals::calls::CallErrorKind;
use tree_of_traversals::kg::http::{Login, Request as Get, Service};
use tree_of_traversals::kg::{AuthKind, KgProfile, KgSpec, KnowledgeGraph, SpecError, open_all};

const YES: &str = r#"{"head":{},"boolean":true}"#;

fn results() -> Reply {
    Reply::whole("200 OK", "Content-Type: application/sparql-results+json\r\n", YES)
}

fn unauthorized(challenge: &str) -> Reply {
    Reply::whole("401 Unauthorized", &format!("WWW-Authenticate: {challenge}\r\n"), "")
}

async fn profiled(server: &Server, profile: KgProfile) -> Result<Arc<dyn KnowledgeGraph>, SpecError> {
    let spec = KgSpec::Sparql(format!("{}/sparql", server.base));
    let opened = open_all(vec![(Some("ours".into()), profile, spec)], &fast()).await?;
    Ok(Arc::clone(&opened[0].kg))
}

/// A profile whose password is the value of a variable that every run of the tests has.
fn with_password(auth: Option<AuthKind>, user: Option<&str>) -> KgProfile {
    KgProfile { auth, user: user.map(str::to_owned), password_env: Some("CARGO_MANIFEST_DIR".into()), ..KgProfile::default() }
}

const PASSWORD: &str = env!("CARGO_MANIFEST_DIR");

/// A server that knows digest: it checks every answer as RFC 7616 says, and a nonce is good for `uses` requests.
async fn digest_server(options: &'static str, uses: u32) -> Server {
    Server::start(move |number, request: &Request| {
        let challenge = |stale: bool| {
            let stale = if stale { ", stale=true" } else { "" };
            unauthorized(&format!("Digest realm=\"r\", nonce=\"n{number}\", opaque=\"o\"{options}{stale}"))
        };
        let Some(answer) = request.asked.header("authorization") else { return challenge(false) };
        let Ok(given) = AuthorizationHeader::parse(answer) else { return challenge(false) };
        let mut right = given.clone();
        let method = HttpMethod::from(request.asked.method().to_owned());
        let body = request.asked.body.clone();
        right.digest(&AuthContext::new_with_method("ann", PASSWORD, request.asked.target().to_owned(), Some(body), method));
        if given.response != right.response || given.uri != request.asked.target() {
            return challenge(false);
        }
        if given.nc > uses { challenge(true) } else { results() }
    })
    .await
}

#[tokio::test]
async fn digest_costs_one_more_round_trip_and_then_none() {
    for options in
        ["", ", qop=\"auth\"", ", qop=\"auth,auth-int\", algorithm=SHA-256", ", qop=\"auth-int\"", ", qop=\"auth\", algorithm=MD5-sess"]
    {
        let server = digest_server(options, 1000).await;
        let kg = profiled(&server, with_password(Some(AuthKind::Digest), Some("ann"))).await.unwrap();
        for _ in 0..3 {
            kg.check().await.unwrap();
        }
        let asked = server.http.seen();
        // Ping and shape, twice a ping more, and the one that was challenged; all on one connection.
        assert_eq!((asked.len(), server.http.connections()), (5, 1), "{options}");
        assert!(asked[1..].iter().all(|a| a.header("authorization").is_some_and(|h| h.starts_with("Digest ") && !h.contains(PASSWORD))));
    }
}

#[tokio::test]
async fn a_stale_nonce_is_replaced_and_a_wrong_password_is_not_tried_again_and_again() {
    let server = digest_server(", qop=\"auth\"", 1).await;
    let kg = profiled(&server, with_password(Some(AuthKind::Digest), Some("ann"))).await.unwrap();
    for _ in 0..3 {
        kg.check().await.unwrap();
    }
    assert_eq!(server.http.seen().len(), 8);
    let server = digest_server(", qop=\"auth\"", 1).await;
    let kg = profiled(&server, with_password(Some(AuthKind::Digest), Some("bob"))).await.unwrap();
    let error = kg.check().await.unwrap_err();
    assert!(error.kind == CallErrorKind::Key && error.message.contains("check user and password"), "{error}");
    assert_eq!(server.http.seen().len(), 2);
}

#[tokio::test]
async fn basic_and_bearer_go_out_at_once() {
    use base64::Engine as _;
    let basic = format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(format!("ann:{PASSWORD}")));
    let bearer = format!("Bearer {PASSWORD}");
    for (profile, header) in [
        (with_password(Some(AuthKind::Basic), Some("ann")), basic.as_str()),
        (with_password(None, Some("ann")), &basic),
        (with_password(Some(AuthKind::Bearer), None), &bearer),
        (with_password(None, None), &bearer),
    ] {
        let server = Server::start(|_, _| results()).await;
        profiled(&server, profile).await.unwrap().check().await.unwrap();
        assert!(server.http.seen().iter().all(|asked| asked.header("authorization") == Some(header)));
    }
}

#[tokio::test]
async fn a_login_that_names_no_scheme_follows_the_server_to_digest() {
    let server = digest_server(", qop=\"auth\"", 1000).await;
    let kg = profiled(&server, with_password(None, Some("ann"))).await.unwrap();
    kg.check().await.unwrap();
    assert_eq!(server.http.seen().len(), 3);
}

/// Virtuoso answers a basic login with a 401 that says nothing, and asks for digest only when there is no login.
#[tokio::test]
async fn a_server_that_says_nothing_to_basic_is_asked_what_it_wants() {
    let server = Server::start(|_, request: &Request| match request.asked.header("authorization") {
        None => unauthorized("Digest realm=\"r\", nonce=\"n\", stale=\"false\", qop=\"auth\", algorithm=\"MD5\""),
        Some(header) if header.starts_with("Digest ") => results(),
        Some(_) => Reply::whole("401 Unauthorized", "", ""),
    })
    .await;
    let kg = profiled(&server, with_password(None, Some("ann"))).await.unwrap();
    kg.check().await.unwrap();
    kg.check().await.unwrap();
    assert_eq!(server.http.seen().len(), 5);
    let server = Server::start(|_, _| Reply::whole("401 Unauthorized", "", "")).await;
    let error = profiled(&server, with_password(None, Some("ann"))).await.unwrap().check().await.unwrap_err();
    assert!(error.message.contains("check user and password"), "{error}");
    assert_eq!(server.http.seen().len(), 2);
}

#[tokio::test]
async fn a_401_says_what_to_do() {
    for (challenge, profile, remedy) in [
        ("Basic realm=\"r\"", KgProfile::default(), "sparql:https://USER:PASSWORD@HOST/PATH, or as `user` and `password_env`"),
        ("Digest realm=\"r\", nonce=\"n\"", KgProfile::default(), "`user` and `password_env`"),
        ("Bearer", KgProfile::default(), "wants a token"),
        ("Digest realm=\"r\", nonce=\"n\"", with_password(Some(AuthKind::Basic), Some("ann")), "set `auth: digest`"),
        ("Basic realm=\"r\"", with_password(Some(AuthKind::Digest), Some("ann")), "set `auth: basic`"),
        ("Basic realm=\"r\"", with_password(None, Some("ann")), "check user and password"),
        ("Bearer", with_password(Some(AuthKind::Bearer), None), "does not take the token"),
    ] {
        // The server echoes what it got.
        let server = Server::start(move |_, request: &Request| {
            let echo = format!("denied: {}", request.asked.header("authorization").unwrap_or_default());
            Reply::whole("401 Unauthorized", &format!("WWW-Authenticate: {challenge}\r\n"), echo)
        })
        .await;
        let error = profiled(&server, profile).await.unwrap().check().await.unwrap_err();
        assert!(error.kind == CallErrorKind::Key && error.message.contains(remedy), "{error}");
        assert!(!error.message.contains(PASSWORD) && error.message.contains("denied"), "{error}");
        assert_eq!(server.http.seen().len(), 1);
    }
}

#[tokio::test]
async fn a_login_goes_to_no_other_host() {
    let other = Server::start(|_, _| results()).await;
    let target = other.base.clone();
    let server = Server::start(move |_, _| Reply::whole("307 Temporary Redirect", &format!("Location: {target}/sparql\r\n"), "")).await;
    let kg = profiled(&server, with_password(None, Some("ann"))).await.unwrap();
    let error = kg.check().await.unwrap_err();
    assert!(error.message.contains(&format!("use sparql:{}/sparql", other.base)), "{error}");
    assert!(other.http.seen().is_empty());

    // A service elsewhere, made with the same settings, does not get it.
    let home = format!("{}/", server.base).parse().unwrap();
    let login = Login { scheme: None, user: Some("ann".into()), secret: None, urls: vec![home] };
    let settings = tree_of_traversals::kg::http::HttpSettings { login: Some(login), ..fast().http };
    let (service, url) = Service::new(&other.base, &settings).unwrap();
    service.send(&Get::get(url, "*/*"), &|response| service.by_status(response)).await.unwrap();
    assert_eq!(other.http.seen()[0].header("authorization"), None);
    // Nor does one that a request leads to.
    let (service, _) = Service::new(&server.base, &settings).unwrap();
    let elsewhere = Get::get(format!("{}/", other.base).parse().unwrap(), "*/*");
    service.send(&elsewhere, &|response| service.by_status(response)).await.unwrap();
    assert_eq!(other.http.seen()[1].header("authorization"), None);
}

#[tokio::test]
async fn the_login_of_a_url_survives_a_redirect_on_its_host_and_is_shown_nowhere() {
    let server = Server::start(|_, request: &Request| {
        if request.asked.target() == "/new" { results() } else { Reply::whole("301 Moved Permanently", "Location: /new\r\n", "") }
    })
    .await;
    let url = format!("{}/sparql", server.base.replace("//", "//ann:p%4055@"));
    let kg = sparql(&url).await;
    assert!(kg.check().await.unwrap().contains("***@"));
    assert!(server.http.seen().iter().all(|asked| asked.header("authorization") == Some("Basic YW5uOnBANTU=")));
}

#[tokio::test]
async fn a_login_in_the_open_is_told() {
    let kg = sparql("http://ann:pa55w0rd@sparql.example.org/q").await;
    assert!(kg.about().contains("plain http") && !kg.about().contains("pa55w0rd"), "{}", kg.about());
    assert!(!sparql("https://ann:pa55w0rd@sparql.example.org/q").await.about().contains("plain http"));
}

/// The server as it is installed: digest at a path of its own, a result cap that is told in a header, ASK as a row.
#[tokio::test]
#[ignore = "needs a Virtuoso server at TOT_TEST_VIRTUOSO, with the password that it is installed with"]
async fn a_virtuoso_server_takes_a_digest_login() {
    let url = std::env::var("TOT_TEST_VIRTUOSO").expect("TOT_TEST_VIRTUOSO is not set").replace("/sparql", "/sparql-auth");
    let with = |login: &str| url.replace("//", &format!("//{login}@"));
    assert!(sparql(&with("dba:dba")).await.check().await.unwrap().contains("***@"));
    let error = sparql(&with("dba:wrong")).await.check().await.unwrap_err();
    assert!(error.kind == CallErrorKind::Key && !error.message.contains("wrong"), "{error}");
    let error = sparql(&url).await.check().await.unwrap_err();
    assert!(error.kind == CallErrorKind::Key && error.message.contains("wants a user and password"), "{error}");
}
