//! Keys that have another name now, so that an older config gets an error that says which.

use pipeline::{config::Config, error::Error};
use toml::{Table, Value};

/// Why a config was refused: the first key with a former name, by file, line, key and present name, or else what it
/// was `refused` for. `names` are pairs of a former name and the present one.
pub(super) fn explained(refused: Error, config: &Config, names: &[(&str, &str)]) -> Error {
    let table = config.get().unwrap_or_default();
    found(&table, "", names).map_or(refused, |(key, present)| {
        config.invalid(&key, &format!("is called `{present}` now"))
    })
}

/// The first dotted key that ends in a former name, which may be dotted itself, and the name it has now.
fn found<'a>(table: &Table, prefix: &str, names: &[(&str, &'a str)]) -> Option<(String, &'a str)> {
    table.iter().find_map(|(name, value)| {
        let key = format!("{prefix}{name}");
        let is = |former: &str| key.strip_suffix(former).is_some_and(ends_a_name);
        let renamed = names.iter().find(|(former, _)| is(former));
        renamed.map(|&(_, present)| (key.clone(), present)).or_else(|| within(value, &key, names))
    })
}

/// Whether what stands before a name is the beginning of a dotted key.
fn ends_a_name(before: &str) -> bool {
    before.is_empty() || before.ends_with('.')
}

fn within<'a>(value: &Value, key: &str, names: &[(&str, &'a str)]) -> Option<(String, &'a str)> {
    match value {
        Value::Table(inner) => found(inner, &format!("{key}."), names),
        Value::Array(all) => all.iter().find_map(|value| within(value, key, names)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_former_name_is_found_at_any_depth() {
        let found = |text: &str| {
            found(&text.parse().unwrap(), "", &[("deep.old", "deeper"), ("old", "new")])
        };
        for (text, key) in [
            ("old = 1", "old"),
            ("[a.b]\nold = 1", "a.b.old"),
            ("[[a]]\nb = 1\n[[a]]\nb = { old = 2 }", "a.b.old"),
        ] {
            assert_eq!(found(text), Some((key.to_owned(), "new")), "{text}");
        }
        assert_eq!(found("[deep]\nold = 1"), Some(("deep.old".to_owned(), "deeper")));
        assert_eq!(found("a = \"old\"\n[older]\nnew = 1\nvery-old = 2"), None);
    }
}
