//! The sizes among a stage's parameters: every positive number, and the length of every list, by its
//! path. What a fit may depend on beside the bytes of the inputs.

use std::collections::BTreeMap;

use serde_json::Value;

/// Path → size. A list counts by its length, `true` and text not at all; names of variants belong to
/// the path.
#[must_use]
pub fn sizes(params: &Value) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    walk(params, "", &mut found);
    found
}

fn walk(value: &Value, path: &str, found: &mut BTreeMap<String, f64>) {
    let below =
        |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match value {
        Value::Number(number) => {
            if let Some(x) = number.as_f64().filter(|x| x.is_finite() && *x > 0.0) {
                found.insert(path.to_owned(), x);
            }
        }
        Value::Array(list) if !list.is_empty() => {
            found.insert(below("length"), list.len() as f64);
        }
        Value::Object(map) => map.iter().for_each(|(name, value)| walk(value, &below(name), found)),
        _ => {}
    }
}

/// Which of its variants a stage is: the texts under `kind`, and the names of what stands alone in an
/// object, which is how variants are written. Stages of different variants cost differently whatever
/// their sizes. Empty where there are none.
#[must_use]
pub fn variant(params: &Value) -> String {
    let mut found = Vec::new();
    collect(params, true, &mut found);
    found.join(", ")
}

fn collect<'a>(value: &'a Value, top: bool, found: &mut Vec<&'a str>) {
    let Value::Object(map) = value else { return };
    for (name, value) in map {
        match value {
            Value::String(text) if name == "kind" => found.push(text),
            _ if map.len() == 1 && !top => found.push(name),
            _ => {}
        }
        collect(value, false, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_lengths_are_sizes() {
        let params = serde_json::json!({
            "rows": 600, "rule": {"epsilon": 1e-3, "kind": "x"}, "grid": [1, 2, 3], "off": 0, "neg": -1
        });
        assert_eq!(variant(&params), "x");
        let nested =
            serde_json::json!({"control": {"tuned": {"scale": {"fixed": 1.0}, "rate": 2}}});
        assert_eq!(variant(&nested), "tuned, fixed");
        let found: Vec<_> = sizes(&params).into_iter().collect();
        let wanted = [("grid.length", 3.0), ("rows", 600.0), ("rule.epsilon", 1e-3)];
        assert_eq!(found, wanted.map(|(name, x)| (name.to_owned(), x)));
    }
}
