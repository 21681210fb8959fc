//! Any bytes as a completion, through every reader of completions. The first byte says how it ended, the second one how many
//! candidates a match was offered; what stands behind a zero byte is reasoning that came apart from the text.
#![no_main]

#[path = "../../tests/support/completions.rs"]
#[allow(dead_code)]
mod completions;

use libfuzzer_sys::fuzz_target;
use tree_of_traversals::calls::Sample;

fuzz_target!(|data: &[u8]| {
    let [ending, candidates, rest @ ..] = data else { return };
    let (text, reasoning) = match rest.iter().position(|byte| *byte == 0) {
        Some(at) => (&rest[..at], Some(String::from_utf8_lossy(&rest[at + 1..]).into_owned())),
        None => (rest, None),
    };
    let finish = ["stop", "length", "", "max_tokens"][usize::from(ending % 4)].to_owned();
    let text = (*ending < 250).then(|| String::from_utf8_lossy(text).into_owned());
    completions::read_every_way(&Sample { text, reasoning, finish: Some(finish) }, usize::from(candidates % 8));
});
