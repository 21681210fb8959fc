//! A JSON object that the token limit cut: what was written of it.

use super::json::{TRIES, object_of};
use serde_json::{Map, Value};

/// How many characters before the cut may have to go with it: half an escape, half a number.
const TORN: usize = 12;

/// A JSON object without its end.
#[derive(Debug)]
pub(super) struct Half {
    /// Where it begins.
    pub start: usize,
    /// What was written to the end.
    pub whole: Map<String, Value>,
    /// The same with the value that the cut runs through, as far as it was written.
    pub all: Map<String, Value>,
}

/// The first JSON object in `text`, if `text` ends before it does.
pub(super) fn cut_object(text: &str) -> Option<Half> {
    for (start, _) in text.match_indices(['{', '[']).take(TRIES) {
        match serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>().next()? {
            Ok(value) => {
                if object_of(value).is_some() {
                    return None;
                }
            }
            Err(e) if e.is_eof() => {
                if let Some((whole, all)) = read(&text[start..]) {
                    return Some(Half { start, whole, all });
                }
            }
            Err(_) => {}
        }
    }
    None
}

/// A `{` or `[` that is not closed yet.
struct Open {
    closer: char,
    /// Whether a value may end here: always in a list, after a colon in an object.
    value: bool,
}

fn read(text: &str) -> Option<(Map<String, Value>, Map<String, Value>)> {
    let mut stack: Vec<Open> = vec![];
    // Up to where all that was begun, but for what is on the stack, is complete.
    let mut complete = 0;
    let (mut in_string, mut escaped, mut in_plain) = (false, false, false);
    for (at, c) in text.char_indices() {
        if in_string {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    in_string = false;
                    if stack.last().is_some_and(|open| open.value) {
                        complete = at + 1;
                    }
                }
                _ => {}
            }
            continue;
        }
        if in_plain && (c.is_whitespace() || matches!(c, ',' | '}' | ']')) {
            (in_plain, complete) = (false, at);
        }
        match c {
            '"' => in_string = true,
            '{' | '[' => {
                stack.push(if c == '{' { Open { closer: '}', value: false } } else { Open { closer: ']', value: true } });
                complete = at + 1;
            }
            '}' | ']' => {
                stack.pop();
                complete = at + 1;
            }
            ':' | ',' => {
                if let Some(open) = stack.last_mut().filter(|open| open.closer == '}') {
                    open.value = c == ':';
                }
            }
            c if !c.is_whitespace() => in_plain = true,
            _ => {}
        }
    }
    let closers: String = stack.iter().rev().map(|open| open.closer).collect();
    let parsed = |body: &str, mark: &str| serde_json::from_str(&format!("{body}{mark}{closers}")).ok().and_then(object_of);
    let whole = parsed(&text[..complete], "")?;
    let is_value = (in_string || in_plain) && stack.last().is_some_and(|open| open.value);
    let mark = if in_string { "\"" } else { "" };
    let ends =
        std::iter::once(text.len()).chain(text.char_indices().rev().map(|(at, _)| at)).take_while(|end| *end > complete).take(TORN + 1);
    let all = if is_value { ends.into_iter().find_map(|end| parsed(&text[..end], mark)) } else { None };
    Some((whole.clone(), all.unwrap_or(whole)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(text: &str) -> Option<(Value, Value)> {
        cut_object(text).map(|half| (Value::Object(half.whole), Value::Object(half.all)))
    }

    #[test]
    fn what_was_written_before_the_cut_is_read() {
        let half = |text: &str, whole: Value, all: Value| assert_eq!(of(text), Some((whole, all)), "{text}");
        half("{\"action\": \"THINK\", \"text\": \"The op", json!({"action": "THINK"}), json!({"action": "THINK", "text": "The op"}));
        half("{\"action\": \"THINK\", \"te", json!({"action": "THINK"}), json!({"action": "THINK"}));
        half("{\"a\": \"x\\", json!({}), json!({"a": "x"}));
        half("{\"a\": \"x\\ud83d\\ude", json!({}), json!({"a": "x"}));
        half("{\"a\": \"x \\\"y\\\" {", json!({}), json!({"a": "x \"y\" {"}));
        half("{\"value\": 0.8", json!({}), json!({"value": 0.8}));
        half("{\"value\": 0.", json!({}), json!({"value": 0}));
        half("{\"value\": 0.8 ", json!({"value": 0.8}), json!({"value": 0.8}));
        half("{\"value\": 0.8, \"why\": tr", json!({"value": 0.8}), json!({"value": 0.8}));
        half("{\"ids\": [\"Q1\", \"Q2", json!({"ids": ["Q1"]}), json!({"ids": ["Q1", "Q2"]}));
        half("so: [{\"a\": {\"b\": 1}, \"c\": [", json!({"a": {"b": 1}, "c": []}), json!({"a": {"b": 1}, "c": []}));
        half("{", json!({}), json!({}));
    }

    #[test]
    fn what_is_whole_or_no_json_is_no_half() {
        for text in ["{\"a\": 1}", "{\"a\": 1} and {", "none", "{a, b", "[", "[1, 2", "{'a': 1", "{\"a\": 1}}"] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
