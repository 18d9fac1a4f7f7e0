//! Parts of files, and files with something odd in them: what can be computed is, and the rest is named.

use std::{fs, path::Path};

use reference::{
    case::{Case, Outcome},
    check,
};
use serde_json::{Map, Value, json};

fn golden(name: &str) -> Map<String, Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(name);
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

fn cases(file: &Value) -> Vec<Case> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("values.json");
    fs::write(&path, file.to_string()).unwrap();
    check(&path, &|id| Err(format!("no data set is needed, not {id}"))).unwrap()
}

fn of(outcome: Outcome, cases: &[Case]) -> Vec<&Case> {
    cases.iter().filter(|case| case.outcome == outcome).collect()
}

/// Files that bring their inputs along and take little time.
const FILES: [&str; 8] = [
    "aggregates.json",
    "bohb_kde.json",
    "brackets.json",
    "cmaes.json",
    "gp_monotone.json",
    "harmonica.json",
    "statistics.json",
    "tpe.json",
];
/// What is about the whole file, or says nothing on its own.
const WHOLE: [&str; 6] =
    ["protocol", "tolerances", "description", "note", "convergence", "synthetic_runs_section_5_4"];

#[test]
fn every_section_is_enough() {
    for name in FILES {
        let whole = golden(name);
        for key in whole.keys().filter(|key| !WHOLE.contains(&key.as_str())) {
            let kept = |(k, _): &(&String, &Value)| *k == key || WHOLE[..2].contains(&k.as_str());
            let part: Map<_, _> =
                whole.iter().filter(kept).map(|(k, v)| (k.clone(), v.clone())).collect();
            let cases = cases(&Value::Object(part));
            let wrong: Vec<_> = cases.iter().filter(|case| !case.passed()).collect();
            assert!(wrong.is_empty() && !cases.is_empty(), "{name} {key}: {wrong:?}");
        }
    }
}

#[test]
fn an_unknown_key_is_noted_and_fails_nothing() {
    for name in FILES {
        let mut file = golden(name);
        file.insert("seed".to_owned(), json!(3));
        let cases = cases(&Value::Object(file));
        let [odd] = of(Outcome::Ignored, &cases)[..] else { panic!("{name}") };
        assert_eq!(odd.name, "seed");
        assert!(of(Outcome::NotUnderstood, &cases).is_empty(), "{name}");
    }
}

/// Replaces the n-th number of a value.
fn spoil(value: &mut Value, left: &mut usize) {
    match value {
        Value::Number(_) if *left == 0 => *value = json!({"odd": true}),
        Value::Number(_) => *left -= 1,
        Value::Array(items) => items.iter_mut().for_each(|item| visit(item, left)),
        Value::Object(members) => members.values_mut().for_each(|member| visit(member, left)),
        _ => {}
    }
}

fn visit(value: &mut Value, left: &mut usize) {
    // Once a number is replaced, no other is counted.
    if *left != usize::MAX {
        let before = *left;
        spoil(value, left);
        if before == 0 && value.get("odd").is_some() {
            *left = usize::MAX;
        }
    }
}

#[test]
fn one_bad_value_stops_no_other_case() {
    for name in FILES {
        let whole = golden(name);
        let all = cases(&Value::Object(whole.clone())).len();
        for n in [0, 7, 60, 200, 400] {
            let mut file = Value::Object(whole.clone());
            for (_, section) in file.as_object_mut().unwrap() {
                let mut left = n;
                visit(section, &mut left);
            }
            let cases = cases(&file);
            assert!(2 * cases.len() > all, "{name} {n}: {} of {all}", cases.len());
        }
    }
}

#[test]
fn published_summaries_need_no_computation() {
    let set = json!({"n": 100, "smoothie": 0.2, "random5": 0.1, "least_smooth": 0.3});
    let cases = cases(&json!({"protocol": "from logs", "datasets": {"ant": set}}));
    assert!(cases.iter().all(Case::passed) && of(Outcome::Passed, &cases).is_empty());
}
