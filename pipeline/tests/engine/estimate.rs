//! What `plan` says about costs, what `rates` says about formulas, and `run --limit`, which gives both some records
//! to work with.

use serde_json::Value;

use crate::world::World;

fn estimate(world: &World, args: &[&str]) -> Value {
    let ended = world.toy(&[&["plan", "--json"], args].concat());
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    serde_json::from_str::<Value>(&ended.stdout).expect("JSON")["estimate"].clone()
}

/// A world with a few bulky stages; `sleep_ms` is the time that they take.
fn bulky(rows: usize, sleep_ms: u64) -> World {
    let bulk = format!(
        "layers = 3\nwidth = 4\nbulk = {{ rows = {rows}, worker_every = 100, sleep_ms = {sleep_ms} }}"
    );
    World::with("layers = 2\nwidth = 2", &bulk)
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

#[test]
fn a_limit_computes_so_many_and_no_more() {
    let world = World::new();
    let ran = world.good_run(&["--limit", "3"]);
    assert_eq!(ran.summary("executed").len(), 3);
    let rest = world.plan(&[]).len() - 3;
    assert_eq!(world.good_run(&["--limit", "1000"]).summary("executed").len(), rest);
    assert!(world.good_run(&["--limit", "0"]).executed().is_empty());
}

#[test]
fn without_records_all_is_unknown() {
    let world = bulky(100, 1000);
    let none = estimate(&world, &["toy/dag"]);
    assert_eq!((&none["stages"], &none["unknown"]), (&12.into(), &12.into()));
    assert_eq!(number(&none["cpu_h"]["middle"]), 0.0);
    let bulk = &none["kinds"]["bulk"];
    assert_eq!((&bulk["stages"], &bulk["cpu_h"]), (&8.into(), &Value::Null));
    assert!(number(&bulk["operations"]) > 8000.0, "its operations are told: {bulk}");
    let said = world.toy(&["plan", "toy/dag"]).stdout;
    assert!(said.contains("12 stages, CPU hours unknown; no GPU hours"), "{said}");
    assert!(said.contains("  not counted: 12 stages of "), "{said}");
    assert!(said.contains(" kinds and variants without a usable record; a larger"), "{said}");
}

#[test]
fn kinds_of_unknown_cost_come_after_the_others_in_one_line() {
    let world = bulky(200, 60);
    world.good_run(&["toy/dag/layer=1", "toy/a/data"]);
    world.edit("sleep_ms = 60 }", "sleep_ms = 240 }");
    let said = world.toy(&["plan"]).stdout;
    let (_, kinds) = said.split_once("those that take longest first:\n").expect("has the list");
    let lines: Vec<&str> = kinds.lines().take_while(|line| line.starts_with("  ")).collect();
    assert!(lines.first().is_some_and(|line| line.trim_start().starts_with("bulk ")), "{said}");
    let last = lines.last().expect("a line");
    assert!(last.starts_with("  of unknown cost: ") && last.contains("draw"), "{said}");
    assert_eq!(kinds.matches("unknown").count(), 1, "{said}");
}

#[test]
fn larger_runs_are_estimated_from_smaller_ones() {
    let world = bulky(200, 60);
    world.good_run(&["toy/dag"]);
    world.edit("sleep_ms = 60 }", "sleep_ms = 240 }");
    world.good_run(&["toy/dag"]);
    world.edit("sleep_ms = 240 }", "sleep_ms = 2400 }");
    let estimated = estimate(&world, &["toy/dag"]);
    assert_eq!((&estimated["stages"], &estimated["unknown"]), (&8.into(), &0.into()));
    let bulk = &estimated["kinds"]["bulk"];
    assert_eq!(bulk["records"].as_u64(), Some(16), "{bulk}");
    let beyond = number(&bulk["beyond"]);
    assert!((9.5..10.5).contains(&beyond), "it says how far it goes: {beyond}");
    // Eight stages of 2.4 seconds.
    let hours = &estimated["cpu_h"];
    let [low, high] = ["low", "high"].map(|end| number(&hours[end]) * 3600.0);
    assert!(low < 19.2 && 19.2 < high && high < 10.0 * low, "{low} {high}");
    // The longest chain has two stages: one in each of two layers.
    let critical_s = number(&estimated["critical_h"]) * 3600.0;
    assert!((2.0..8.0).contains(&critical_s), "{estimated}");
    assert_eq!(estimated["critical"].as_array().map(Vec::len), Some(2), "{estimated}");
    let words = world.toy(&["plan", "toy/dag"]).stdout;
    assert!(words.contains("critical path: "), "{words}");
    assert!(!words.contains("at least"), "{words}");
}

#[test]
fn what_is_unknown_is_in_no_sum_and_makes_it_the_least() {
    let world = bulky(200, 20);
    world.good_run(&["toy/dag"]);
    world.edit("sleep_ms = 20 }", "sleep_ms = 40 }");
    world.add_odd("x", "gpu", 60, 0);
    // That stage, and two stages that read what it writes.
    let estimated = estimate(&world, &["toy/dag", "toy/odd/x"]);
    assert_eq!((&estimated["unknown"], &estimated["unknown_on_gpu"]), (&3.into(), &1.into()));
    let words = world.toy(&["plan", "toy/dag", "toy/odd/x"]).stdout;
    assert!(words.contains("11 stages, at least "), "{words}");
    assert!(words.contains("GPU hours unknown"), "{words}");
    assert!(words.contains("odd (gpu) on a GPU"), "{words}");
    // A recorded variant says nothing about another one.
    world.add_odd("y", "sleep", 60, 0);
    assert_eq!(estimate(&world, &["toy/odd/y"])["unknown"], 3);
}

#[test]
fn what_another_profile_has_is_not_counted() {
    let world = World::new();
    let beyond = |args: &[&str]| {
        let ended = world.toy(&[&["plan", "--json", "--beyond", "full"], args].concat());
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        serde_json::from_str::<Value>(&ended.stdout).expect("JSON")
    };
    assert_eq!(beyond(&["--profile", "full"])["stages"], Value::Array(Vec::new()));
    let found = beyond(&["--profile", "wide"]);
    let names: Vec<_> = found["stages"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|s| s["stage"].as_str())
        .collect();
    // The third split, and who reads all splits.
    assert!(names.iter().any(|name| name.contains("split=2")), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("split=1")), "{names:?}");
    assert!(names.contains(&"toy/report"), "{names:?}");
    assert_eq!(
        found["counts"]["stale"]
            .as_u64()
            .zip(found["counts"]["waiting"].as_u64())
            .map(|(a, b)| a + b),
        Some(names.len() as u64)
    );
    assert_eq!(found["estimate"]["stages"].as_u64(), Some(names.len() as u64));
    let parts = found["parts"].as_object().expect("parts");
    let sum: u64 = parts.values().filter_map(|part| part["stages"].as_u64()).sum();
    assert_eq!(sum, names.len() as u64, "{parts:?}");
    let said = world.toy(&["plan", "--profile", "wide", "--beyond", "full"]).stdout;
    assert!(said.contains("by part, those that take longest first:\n  toy/"), "{said}");
    let wrong = world.toy(&["plan", "--beyond", "fulll"]);
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);
    assert!(wrong.stderr.contains("fulll"), "{}", wrong.stderr);
}

#[test]
fn a_run_says_that_it_does_not_know_before_it_does() {
    let world = bulky(100, 30);
    let ran = world.good_run(&["toy/dag", "-j", "1"]);
    let told: Vec<_> = ran.events.iter().filter(|e| e["event"] == "progress").collect();
    // The sources are of another kind than the slow stages.
    assert_eq!(told[0]["eta_s"], Value::Null, "{:?}", told[0]);
    assert!(told[0]["unknown"].as_u64() > Some(0), "{:?}", told[0]);
    world.edit("sleep_ms = 30 }", "sleep_ms = 31 }");
    let again = world.good_run(&["toy/dag", "-j", "1"]);
    let first = again.events.iter().find(|e| e["event"] == "progress").expect("it tells");
    assert!(number(&first["eta_s"]) > 0.1 && first["unknown"] == 0, "{first}");
}

#[test]
fn formulas_that_records_contradict_are_named() {
    let world = World::with("sleep_ms = 0", "sleep_ms = 60");
    world.good_run(&["toy/a"]);
    assert_eq!(world.toy(&["rates", "--check"]).code, 0, "of one size, all is well");
    world.edit("sleep_ms = 60", "sleep_ms = 300");
    world.good_run(&["toy/a"]);
    let said = world.toy(&["rates", "--check"]);
    assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("two sizes differ by 1."), "{}", said.stdout);
    let table = world.toy(&["rates", "--table"]).stdout;
    let lines: Vec<_> = table.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(
        lines.len() == 4 && lines.iter().all(|line| line.starts_with("mix\t\tfalse\t")),
        "{table}"
    );
    // A record of something that was not measured: ten times as long for the same work.
    let records = world.path("artifacts/store/v1/records.jsonl");
    let text = std::fs::read_to_string(&records).expect("is there");
    let slow = text.replace("\"wall_s\":0.3", "\"wall_s\":30.3");
    assert_ne!(slow, text);
    std::fs::write(&records, slow).expect("can be written");
    let said = world.toy(&["rates", "--check"]);
    assert_eq!(said.code, 1, "{}", said.stdout);
    assert!(said.stderr.contains("contradict the work of mix"), "{}", said.stderr);
}

#[test]
fn nothing_to_do_costs_nothing() {
    let world = bulky(100, 0);
    world.good_run(&["toy/dag"]);
    assert_eq!(estimate(&world, &["toy/dag"]), Value::Null);
}

#[test]
fn a_plan_begins_with_its_totals_and_names_a_pattern_once() {
    let world = World::with("layers = 2\nwidth = 2", "layers = 30\nwidth = 2");
    let said = world.toy(&["plan"]).stdout;
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].contains("stages to run"), "{said}");
    assert!(lines[1].starts_with("estimate: "), "{said}");
    let place = |text: &str| said.find(text).unwrap_or_else(|| panic!("no `{text}` in {said}"));
    assert!(place("by kind of stage") < place("\nstages:\n"), "{said}");
    let all = world.toy(&["plan", "--all"]).stdout;
    assert!(all.lines().count() > lines.len() && !all.contains("more stages"), "{all}");
    // A pattern explains every stage that it stands for.
    let ended = world.toy(&["why", "toy/dag/*"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stdout.matches("will run:").count() > 1, "{}", ended.stdout);
    assert_ne!(world.toy(&["why", "toy/nosuch/*"]).code, 0);
    // Stages that many others wait for are explained once.
    let said = world.toy(&["why", "toy/report"]).stdout;
    let draw = said.matches("toy/a/draw/split=0 runs if").count();
    assert_eq!((draw, said.matches("toy/a/data will run:").count()), (1, 1), "{said}");
    assert!(said.contains("toy/a/draw/split=0 is explained above"), "{said}");
}
