//! Tests of ranges: which values are refused, and by which key.

use std::path::Path;

use super::*;

#[derive(Clone, Ranges, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Part {
    #[range(above = 0.0, below = 1.0)]
    held_out: f64,
    #[range(at_least = -1, at_most = 5)]
    level: i64,
}

#[derive(Clone, Ranges, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Values {
    #[range(entries = 2, at_least = 1)]
    sizes: Vec<u32>,
    #[range(above = 0)]
    rates: BTreeMap<String, f64>,
    #[range(entries = 2)]
    ends: [f64; 2],
    #[range(at_least = 1)]
    memory: Option<u64>,
    #[range(inside)]
    parts: BTreeMap<String, Part>,
    #[range(inside)]
    list: Vec<Part>,
    #[range(inside, name = "only")]
    one: Option<Part>,
    note: String,
}

fn values() -> Values {
    let part = Part { held_out: 0.5, level: -1 };
    Values {
        sizes: vec![1, 2],
        rates: [("adam".to_owned(), 0.1)].into(),
        ends: [0.0, 1.0],
        memory: Some(1),
        parts: [("a".to_owned(), part.clone())].into(),
        list: vec![part.clone(), part.clone()],
        one: Some(part),
        note: String::new(),
    }
}

fn fault(edit: impl Fn(&mut Values)) -> Option<(String, String)> {
    let mut values = values();
    edit(&mut values);
    values.fault().map(|fault| (fault.key, fault.expected))
}

#[test]
fn each_value_is_refused_by_its_key() {
    assert_eq!(fault(|v| v.note.clear()), None);
    assert_eq!(fault(|v| v.memory = None), None);
    let one = "at least 2 entries, each at least 1";
    let share = "above 0 and below 1";
    let level = "at least -1 and at most 5";
    for (found, key, expected) in [
        (fault(|v| v.sizes.truncate(1)), "sizes", one),
        (fault(|v| v.sizes[1] = 0), "sizes[1]", one),
        (fault(|v| v.rates = [("sgd".to_owned(), 0.0)].into()), "rates.sgd", "above 0"),
        (fault(|v| v.ends[0] = f64::NAN), "ends[0]", "at least 2 entries"),
        (fault(|v| v.memory = Some(0)), "memory", "at least 1"),
        (fault(|v| v.parts.get_mut("a").unwrap().held_out = 1.0), "parts.a.held-out", share),
        (fault(|v| v.parts.get_mut("a").unwrap().held_out = 0.0), "parts.a.held-out", share),
        (fault(|v| v.list[1].held_out = f64::NAN), "list[1].held-out", share),
        (fault(|v| v.list[0].level = 6), "list[0].level", level),
        (fault(|v| v.one.as_mut().unwrap().level = -2), "only.level", level),
    ] {
        assert_eq!(found, Some((key.to_owned(), expected.to_owned())));
    }
}

#[test]
fn file_line_and_key_are_named() {
    let text = "held-out = 0.5\nlevel = 9\n[profiles.smoke]\n";
    let config = Config::parse(Path::new("configs/x.toml"), text, "smoke").unwrap();
    let values: Part = config.get().unwrap();
    let error = values.check(&config).unwrap_err().to_string();
    assert_eq!(error, "configs/x.toml:2: `level`: expected at least -1 and at most 5");
}
