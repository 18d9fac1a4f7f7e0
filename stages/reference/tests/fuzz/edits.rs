//! Edits a JSON value: numbers, including those within texts and keys, and the tree.

use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Map, Value, json};

/// One edit: the node, as a share of all nodes, and its change.
pub type Change = (f64, Edit);

#[derive(Clone, Debug)]
pub enum Edit {
    /// It is replaced by another value.
    Other(Value),
    /// A number in it, or in its key, becomes this text. The share says which number.
    Number(f64, &'static str),
    /// It is removed.
    Gone,
    /// It is repeated this many times, if it is an item of a list.
    Often(usize),
    /// It becomes a copy of another node.
    Copied(f64),
    /// It is truncated to this many items of a list, or bytes of a text.
    Cut(usize),
}

const NUMBERS: [&str; 14] = [
    "0",
    "1",
    "2",
    "3",
    "25",
    "999",
    "12345678",
    "4294967296",
    "1000000000000",
    "9007199254740993",
    "18446744073709551615",
    "18446744073709551616",
    "0.000001",
    "",
];

fn values() -> Vec<Value> {
    vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(0.5),
        json!(1e-300),
        json!(1e308),
        json!(-1e308),
        json!(1e12),
        json!(123_456_789),
        json!(u64::MAX),
        json!(""),
        json!("é all 1000000000000 zero"),
        json!([]),
        json!({}),
        json!([[]]),
        json!([1.0, 2.0, 3.0]),
        json!({"a": 1}),
    ]
}

pub fn any() -> impl Strategy<Value = Vec<Change>> {
    let edit = prop_oneof![
        5 => select(values()).prop_map(Edit::Other),
        5 => (0.0..1.0, select(&NUMBERS[..])).prop_map(|(which, to)| Edit::Number(which, to)),
        1 => Just(Edit::Gone),
        1 => (0..200usize).prop_map(Edit::Often),
        1 => (0.0..1.0).prop_map(Edit::Copied),
        2 => (0..5usize).prop_map(Edit::Cut),
        2 => proptest::num::f64::ANY.prop_map(|v| Edit::Other(json!(v))),
    ];
    vec((0.0..1.0, edit), 1..4)
}

pub fn changed(mut value: Value, changes: &[Change]) -> Value {
    for (share, edit) in changes {
        let count = nodes(&value);
        let other = match edit {
            Edit::Copied(which) => nth(&value, &mut at(*which, count)).cloned(),
            _ => None,
        };
        change(&mut value, &mut at(*share, count), edit, other.as_ref());
    }
    value
}

fn at(share: f64, count: usize) -> usize {
    ((share * count as f64) as usize).min(count - 1)
}

fn nodes(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(nodes).sum(),
        Value::Object(members) => members.values().map(nodes).sum(),
        _ => 0,
    }
}

fn nth<'a>(value: &'a Value, n: &mut usize) -> Option<&'a Value> {
    if *n == 0 {
        return Some(value);
    }
    *n -= 1;
    match value {
        Value::Array(items) => items.iter().find_map(|item| nth(item, n)),
        Value::Object(members) => members.values().find_map(|member| nth(member, n)),
        _ => None,
    }
}

/// Changes the n-th node; returns whether it was below here.
fn change(value: &mut Value, n: &mut usize, edit: &Edit, other: Option<&Value>) -> bool {
    if *n == 0 {
        match edit {
            Edit::Other(to) => *value = to.clone(),
            Edit::Copied(_) => *value = other.cloned().unwrap_or_default(),
            Edit::Number(which, to) => numbers(value, *which, to),
            Edit::Cut(length) => match value {
                Value::Array(items) => items.truncate(*length),
                Value::String(text) => *text = text.chars().take(*length).collect(),
                _ => {}
            },
            Edit::Gone | Edit::Often(_) => {}
        }
        return true;
    }
    *n -= 1;
    match value {
        Value::Array(items) => {
            for i in 0..items.len() {
                let here = *n == 0;
                if change(&mut items[i], n, edit, other) {
                    match edit {
                        Edit::Gone if here => drop(items.remove(i)),
                        Edit::Often(times) if here => {
                            let item = items[i].clone();
                            items.splice(i..=i, std::iter::repeat_n(item, *times));
                        }
                        _ => {}
                    }
                    return true;
                }
            }
            false
        }
        Value::Object(members) => {
            for key in members.keys().cloned().collect::<Vec<_>>() {
                let here = *n == 0;
                if change(members.get_mut(&key).expect("is there"), n, edit, other) {
                    match edit {
                        Edit::Gone if here => drop(members.remove(&key)),
                        Edit::Number(which, to) if here => rename(members, &key, *which, to),
                        _ => {}
                    }
                    return true;
                }
            }
            false
        }
        _ => false,
    }
}

fn rename(members: &mut Map<String, Value>, key: &str, which: f64, to: &str) {
    if let Some(value) = members.remove(key) {
        members.insert(replaced(key, which, to), value);
    }
}

fn numbers(value: &mut Value, which: f64, to: &str) {
    match value {
        Value::String(text) => *text = replaced(text, which, to),
        Value::Number(_) => *value = serde_json::from_str(to).unwrap_or_default(),
        _ => {}
    }
}

/// The text with one of its numbers replaced.
fn replaced(text: &str, which: f64, to: &str) -> String {
    let digit = |i: usize| text.as_bytes().get(i).is_some_and(u8::is_ascii_digit);
    let starts: Vec<usize> =
        (0..text.len()).filter(|&i| digit(i) && (i == 0 || !digit(i - 1))).collect();
    if starts.is_empty() {
        return text.to_owned();
    }
    let start = starts[at(which, starts.len())];
    let end = (start..text.len()).find(|&i| !digit(i)).unwrap_or(text.len());
    format!("{}{to}{}", &text[..start], &text[end..])
}
