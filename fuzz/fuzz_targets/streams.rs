//! Any bytes as the reply of a model's service, whole or in pieces. The first byte says whose and whether it is streamed, the second
//! where the network cut it: however it was cut, the same has to be read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tree_of_traversals::llm::chat::Provider;

fuzz_target!(|data: &[u8]| {
    let [whose, cut, rest @ ..] = data else { return };
    let provider = Provider::ALL[usize::from(whose >> 1) % Provider::ALL.len()];
    let streamed = whose & 1 == 1;
    let whole = provider.texts_of(&[rest], streamed);
    let (head, tail) = rest.split_at(usize::from(*cut).min(rest.len()));
    assert_eq!(provider.texts_of(&[head, tail], streamed), whole);
});
