//! The providers' own Python clients against the servers that our adapters are tested with.

use super::services::{KEY, Service, anthropic, ollama, openai};
use std::process::Command;

/// Runs a script of `tests/data/clients` with the server's address and key.
fn passes(script: &str, service: &Service) {
    let python = std::env::var("TOT_TEST_PYTHON").expect("TOT_TEST_PYTHON is a Python with the clients (see .ci/clients.sh)");
    let path = format!("{}/tests/data/clients/{script}", env!("CARGO_MANIFEST_DIR"));
    // Keys, addresses and proxies of whoever runs this stay out of it.
    let ran = Command::new(python).env_clear().arg(path).arg(service.url()).arg(KEY).env("NO_PROXY", "*").output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success() && out.trim_end().ends_with("passed"), "{out}\n{err}");
}

#[test]
#[ignore = "needs the Python clients at TOT_TEST_PYTHON"]
fn openais_client_understands_the_server() {
    passes("openai_client.py", &openai::start());
}

#[test]
#[ignore = "needs the Python clients at TOT_TEST_PYTHON"]
fn anthropics_client_understands_the_server() {
    passes("anthropic_client.py", &anthropic::start());
}

#[test]
#[ignore = "needs the Python clients at TOT_TEST_PYTHON"]
fn ollamas_client_understands_the_server() {
    passes("ollama_client.py", &ollama::start(ollama::Age::New));
}
