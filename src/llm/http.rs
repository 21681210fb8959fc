//! The HTTP client of model adapters: one client an adapter, connections kept alive. Time limits are those of each request.

use crate::calls::{CallError, CallErrorKind};
use reqwest::{Client, redirect::Policy};
use std::time::Duration;

/// How we name ourselves to servers.
pub const USER_AGENT: &str = concat!("tot/", env!("CARGO_PKG_VERSION"), " (+", env!("CARGO_PKG_NAME"), ")");

/// How long the TCP and TLS handshake may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A client that connects within `timeout`. `direct` = past any proxy of the environment (servers on this machine).
///
/// Redirects are not followed: a redirected POST loses its body, and the target is the address to configure.
///
/// # Errors
/// When the TLS set-up of this machine can't be read (no certificate store).
pub fn client(timeout: Duration, direct: bool) -> Result<Client, CallError> {
    // Fails when a provider is there already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(USER_AGENT)
        .gzip(true)
        .redirect(Policy::none())
        .connect_timeout(CONNECT_TIMEOUT.min(timeout))
        .tcp_keepalive(Duration::from_secs(30));
    if direct {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|e| {
        CallError::new(CallErrorKind::Unreachable, format!("no HTTP client can be set up: {e}; check the machine's certificates"))
    })
}
