//! Any bytes as the answer of a SPARQL endpoint, in JSON or XML.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tree_of_traversals::kg::sparql::read_results;

fuzz_target!(|data: &[u8]| {
    if let Err(error) = read_results(data) {
        assert!(!error.to_string().is_empty());
    }
});
