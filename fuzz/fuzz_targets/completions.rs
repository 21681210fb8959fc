//! Any bytes as a completion, through every reader of completions. What the bytes mean stands with the reader, which the tests compile
//! too.
#![no_main]

#[path = "../../tests/support/completions.rs"]
#[allow(dead_code)]
mod completions;

libfuzzer_sys::fuzz_target!(|data: &[u8]| completions::read_bytes(data));
