//! Reads golden values: `tests/golden/NAME.json`.

use std::path::Path;

use serde_json::Value;

/// The file with this name.
pub fn golden(name: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../tests/golden/{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// The cases at `key`, at least one.
pub fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    let list = value[key].as_array().unwrap_or_else(|| panic!("{key} is a list"));
    assert!(!list.is_empty(), "{key} is empty");
    list
}

/// A list of numbers.
pub fn reals(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// The number at `key`.
pub fn real(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} is a number"))
}
