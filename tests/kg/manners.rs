//! Manners on the wire: one queue a host, pauses, connections that are kept, waits that end.

use super::fast;
use super::support::{Reply, Server};
use std::io::Write;
use std::time::{Duration, Instant};
use tree_of_traversals::calls::{CallError, CallErrorKind};
use tree_of_traversals::kg::http::{HttpSettings, Request, Response, Service};

fn service(server: &Server, settings: &HttpSettings) -> (Service, Request) {
    let (service, url) = Service::new(&server.base, settings).unwrap();
    (service, Request::get(url, "text/plain"))
}

async fn send(service: &Service, request: &Request) -> Result<Response, CallError> {
    service.send(request, &|response| service.by_status(response)).await
}

async fn ask(server: &Server, settings: &HttpSettings) -> Result<Response, CallError> {
    let (service, request) = service(server, settings);
    send(&service, &request).await
}

fn ok() -> Reply {
    Reply::whole("200 OK", "", "fine")
}

fn busy(headers: &str) -> Reply {
    Reply::whole("429 Too Many Requests", headers, "<html><body><h2>HTTP ERROR 429</h2></body></html>")
}

/// Until the server has been asked `n` times.
async fn asked(server: &Server, n: usize) {
    while server.http.seen().len() < n {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn connections_are_kept_also_after_errors_and_redirects() {
    let server = Server::start(|number, request| match number {
        1 => busy("Retry-After: 0\r\n"),
        3 if !request.head.starts_with("GET /new") => Reply::whole("307 Temporary Redirect", "Location: /new\r\n", "moved"),
        _ => ok(),
    })
    .await;
    let (service, request) = service(&server, &fast().http);
    for _ in 0..3 {
        assert_eq!(send(&service, &request).await.unwrap().body, b"fine");
    }
    assert_eq!((server.http.seen().len(), server.http.connections()), (5, 1));
}

#[tokio::test]
async fn an_address_that_has_changed_for_good_is_learnt() {
    for (status, requests) in [("308 Permanent Redirect", 4), ("301 Moved Permanently", 4), ("307 Temporary Redirect", 6), ("302 Found", 6)]
    {
        let server =
            Server::start(
                move |_, request| {
                    if request.head.starts_with("POST /new") { ok() } else { Reply::whole(status, "Location: /new?a=b\r\n", "") }
                },
            )
            .await;
        let (service, request) = service(&server, &fast().http);
        let form = Request::post(request.url, vec![("query".into(), "x".into())], "text/plain");
        for _ in 0..3 {
            assert_eq!(send(&service, &form).await.unwrap().url.path(), "/new");
        }
        assert_eq!(server.http.seen().len(), requests, "{status}");
        assert!(server.seen().iter().all(|asked| asked.query == "x"));
    }
}

#[tokio::test]
async fn every_request_names_us_and_takes_packed_bodies() {
    let server = Server::start(|_, _| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(b"packed").unwrap();
        Reply::whole("200 OK", "Content-Encoding: gzip\r\n", packer.finish().unwrap())
    })
    .await;
    let mut settings = fast().http;
    settings.client.contact = Some("someone@example.org".into());
    assert_eq!(ask(&server, &settings).await.unwrap().body, b"packed");
    let asked = &server.http.seen()[0];
    let agent = asked.header("user-agent").unwrap();
    assert!(agent.starts_with("tree-of-traversals/") && agent.contains("(someone@example.org)"), "{agent}");
    assert!(asked.header("accept-encoding").unwrap().contains("gzip"));
    settings.largest_answer = 3;
    assert!(ask(&server, &settings).await.unwrap_err().message.contains("ask for less"));
}

/// Case B01: no request goes to the host before its wait is over, the wait can be seen, and it is the host's, not the client's.
#[tokio::test]
async fn nobody_asks_a_host_that_wants_a_pause_and_the_wait_is_told() {
    let server = Server::start(|number, _| if number == 0 { busy("Retry-After: 1\r\n") } else { ok() }).await;
    let (first, request) = service(&server, &fast().http);
    let (second, _) = service(&server, &fast().http);
    assert_eq!(first.waiting(), None);
    let (one, again) = (first.clone(), request.clone());
    let one = tokio::spawn(async move { send(&one, &again).await });
    while first.waiting().is_none() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let waiting = second.waiting().unwrap();
    assert!(waiting.why.contains("we ask too often (status 429)") && waiting.until > Instant::now(), "{waiting:?}");
    assert_eq!(send(&second, &request).await.unwrap().tries, 1);
    assert_eq!(one.await.unwrap().unwrap().tries, 2);
    let seen = server.http.seen();
    assert!(seen[1..].iter().all(|later| later.at - seen[0].at >= Duration::from_secs(1)));
    assert_eq!(first.waiting(), None);
}

#[tokio::test]
async fn a_wait_ends_with_its_call() {
    let server = Server::start(|_, _| busy("Retry-After: 30\r\n")).await;
    let (service, request) = service(&server, &fast().http);
    let call = tokio::spawn({
        let service = service.clone();
        async move { send(&service, &request).await }
    });
    while service.waiting().is_none() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    assert_eq!((service.waiting(), server.http.seen().len()), (None, 1));
}

#[tokio::test]
async fn a_wait_that_is_too_long_fails_at_once_and_is_kept_all_the_same() {
    let server = Server::start(|_, _| busy("Retry-After: 3600\r\n")).await;
    let (service, request) = service(&server, &fast().http);
    let error = send(&service, &request).await.unwrap_err();
    assert!(error.message.contains("asks to wait 3600 s"), "{error}");
    let error = send(&service, &request).await.unwrap_err();
    assert!(error.message.contains("s of that are left: try again after that"), "{error}");
    assert_eq!(server.http.seen().len(), 1);
}

#[tokio::test]
async fn every_form_of_retry_after_is_understood_or_replaced_by_our_own_pause() {
    for header in ["0", "-5", "soon", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", ""] {
        let server = Server::start(move |number, _| if number < 2 { busy(&format!("Retry-After: {header}\r\n")) } else { ok() }).await;
        assert_eq!(ask(&server, &fast().http).await.unwrap().tries, 3, "{header}");
    }
    let server = Server::start(|number, _| if number == 0 { busy("") } else { ok() }).await;
    assert_eq!(ask(&server, &fast().http).await.unwrap().tries, 2);
}

#[tokio::test]
async fn the_stricter_of_two_settings_holds_for_a_host() {
    let server = Server::start(|_, _| ok().after(Duration::from_millis(50))).await;
    let (lax, request) = service(&server, &fast().http);
    let (_strict, _) = service(&server, &HttpSettings { parallel: 1, every: Duration::from_millis(100), ..fast().http });
    let begun = Instant::now();
    let (a, b, c) = tokio::join!(send(&lax, &request), send(&lax, &request), send(&lax, &request));
    assert!(a.is_ok() && b.is_ok() && c.is_ok());
    assert!(begun.elapsed() >= Duration::from_millis(200), "{:?}", begun.elapsed());
    assert_eq!(server.http.peak(), 1);
}

#[tokio::test]
async fn requests_go_side_by_side_up_to_the_limit() {
    let server = Server::start(|_, _| ok().after(Duration::from_millis(100))).await;
    let (service, request) = service(&server, &HttpSettings { parallel: 2, ..fast().http });
    let all = futures_util::future::join_all((0..6).map(|_| send(&service, &request))).await;
    assert!(all.iter().all(Result::is_ok));
    assert_eq!(server.http.peak(), 2);
}

#[tokio::test]
async fn a_connection_closed_before_an_answer_is_tried_once_more() {
    // The second request comes on the connection that was kept after the first, and finds it closed.
    let server = Server::start(|number, _| if number == 1 { Reply::hang_up() } else { ok() }).await;
    let (service, request) = service(&server, &fast().http);
    assert_eq!(send(&service, &request).await.unwrap().tries, 1);
    assert_eq!(send(&service, &request).await.unwrap().tries, 2);
    let server = Server::start(|_, _| Reply::hang_up()).await;
    let error = ask(&server, &fast().http).await.unwrap_err();
    assert!(error.kind == CallErrorKind::BadReply && error.message.contains("without an HTTP answer (2 tries)"), "{error}");
    assert_eq!(server.http.seen().len(), 2);
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_an_error_and_not_asked_for_again() {
    for (bytes, what) in [
        (&b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf"[..], "after 4 bytes"),
        (&b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"[..], "after 4 bytes"),
    ] {
        let server = Server::start(move |_, _| bytes.to_vec()).await;
        let error = ask(&server, &fast().http).await.unwrap_err();
        assert!(error.kind == CallErrorKind::BadReply && error.message.contains(what), "{error}");
        assert_eq!(server.http.seen().len(), 1);
    }
}

#[tokio::test]
async fn what_is_no_http_is_an_error() {
    let server = Server::start(|_, _| b"SSH-2.0-OpenSSH_9.2\r\n".to_vec()).await;
    let error = ask(&server, &fast().http).await.unwrap_err();
    assert!(error.message.contains("without an HTTP answer") && error.message.contains("check the address"), "{error}");
}

#[tokio::test]
async fn a_slow_drip_ends_at_the_time_out() {
    let mut settings = fast().http;
    settings.client.total = Duration::from_millis(300);
    for status in ["200 OK", "503 Service Unavailable"] {
        let server = Server::start(move |_, _| Reply::whole(status, "", " ".repeat(10_000)).dripping(Duration::from_millis(20))).await;
        let one = HttpSettings { tries: 1, ..settings.clone() };
        let error = ask(&server, &one).await.unwrap_err();
        // An error page that does not end is an error page all the same.
        let kind = if status.starts_with('2') { CallErrorKind::TimedOut } else { CallErrorKind::Busy };
        assert_eq!(error.kind, kind, "{error}");
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_closes_its_connection() {
    let server = Server::start(|_, _| ok().after(Duration::from_secs(30))).await;
    let (service, request) = service(&server, &fast().http);
    let call = tokio::spawn(async move { send(&service, &request).await });
    asked(&server, 1).await;
    call.abort();
    while server.http.left() == 0 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn statuses_are_retried_or_not() {
    for (status, tries) in [
        ("429 X", 4),
        ("502 X", 4),
        ("503 X", 4),
        ("504 X", 4),
        ("520 X", 4),
        ("529 X", 4),
        ("500 X", 1),
        ("400 X", 1),
        ("403 X", 1),
        ("404 X", 1),
    ] {
        let server = Server::start(move |_, _| Reply::whole(status, "", "no")).await;
        assert!(ask(&server, &fast().http).await.is_err());
        assert_eq!(server.http.seen().len(), tries, "{status}");
    }
}
