//! Reading the service's JSON without trusting it: any field may be null, missing or of another type.

use serde_json::Value;

/// A text that says something.
pub fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty())
}

/// A text or a number, as text.
pub fn shown(value: &Value, key: &str) -> Option<String> {
    match value.get(key)? {
        Value::Number(number) => Some(number.to_string()),
        _ => text(value, key).map(str::to_owned),
    }
}

/// A whole number that is not negative, written as a number or as text.
pub fn number(value: &Value, key: &str) -> Option<u64> {
    let found = value.get(key)?;
    found.as_u64().or_else(|| found.as_str()?.trim().parse().ok())
}

/// The members of a list; none when it is no list.
pub fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// An object that is there.
pub fn object<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    value.get(key).filter(|found| found.is_object())
}

/// A truth; missing is false.
pub fn truth(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_is_made_of_null_or_of_the_wrong_type() {
        let value = json!({"a": null, "b": "  ", "c": 7, "d": "7", "e": [1], "f": {}});
        assert_eq!((text(&value, "a"), text(&value, "b"), text(&value, "c"), text(&value, "x")), (None, None, None, None));
        assert_eq!((number(&value, "c"), number(&value, "d"), number(&value, "e")), (Some(7), Some(7), None));
        assert_eq!((shown(&value, "c").as_deref(), shown(&value, "a")), (Some("7"), None));
        assert_eq!((list(&value, "e").len(), list(&value, "f").len(), list(&value, "a").len()), (1, 0, 0));
        assert!(object(&value, "f").is_some() && object(&value, "e").is_none());
        assert!(!truth(&value, "a") && !truth(&value, "d"));
        assert_eq!(text(&Value::Null, "a"), None);
    }
}
