//! Values that are invalid in every config: numbers that are not finite, and counts that no machine could hold. The
//! checks of an experiment's own type are narrower; these come before a value is used for anything.

use toml::{Table, Value};

/// The largest whole number, except for seeds.
const LARGEST: u64 = 1_000_000_000;

/// The first dotted key whose value is out of bounds, and what is wrong with it.
pub(super) fn broken(table: &Table, prefix: &str) -> Option<(String, String)> {
    table.iter().find_map(|(name, value)| {
        let seed = name.ends_with("seed");
        broken_value(value, &format!("{prefix}{name}"), seed)
    })
}

fn broken_value(value: &Value, key: &str, seed: bool) -> Option<(String, String)> {
    let of = |expected: String| Some((key.to_owned(), expected));
    match value {
        Value::Table(inner) => broken(inner, &format!("{key}.")),
        Value::Array(all) => all.iter().find_map(|value| broken_value(value, key, seed)),
        Value::Float(x) if x.is_nan() => of("expected a number, not nan".to_owned()),
        // The parameters of a stage cannot represent it.
        Value::Float(x) if x.is_infinite() => of(format!("expected a finite number, not {x}")),
        Value::Integer(n) if !seed && n.unsigned_abs() > LARGEST => {
            of(format!("expected at most {LARGEST}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_a_bound_and_numbers_are_numbers() {
        let broken = |text: &str| broken(&text.parse().unwrap(), "").map(|(key, _)| key);
        for (text, key) in [
            ("a = 1\nb = 1000000001", Some("b")),
            ("a = 1000000000", None),
            ("a = -5000000000", Some("a")),
            ("[a.b]\nc = [1, [2, 5000000000]]", Some("a.b.c")),
            ("[[a]]\nb = 1\n[[a]]\nb = 5000000000", Some("a.b")),
            ("a = nan", Some("a")),
            ("a = inf", Some("a")),
            ("a = 1e308", None),
            ("root-seed = 5000000000000\na.seed = 9000000000000000000", None),
        ] {
            assert_eq!(broken(text).as_deref(), key, "{text}");
        }
    }
}
