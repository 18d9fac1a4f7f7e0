//! What `plan` says of costs, and `run --limit`, which gives it something to go by.

use serde_json::Value;

use crate::world::World;

fn estimate(world: &World, args: &[&str]) -> Value {
    let ended = world.toy(&[&["plan", "--json"], args].concat());
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    serde_json::from_str::<Value>(&ended.stdout).expect("JSON")["estimate"].clone()
}

/// A world of a few bulky stages; `sleep_ms` is what they take.
fn bulky(rows: usize, sleep_ms: u64) -> World {
    let bulk = format!(
        "layers = 3\nwidth = 4\nbulk = {{ rows = {rows}, worker_every = 100, sleep_ms = {sleep_ms} }}"
    );
    World::with("layers = 2\nwidth = 2", &bulk)
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
fn without_records_there_is_no_estimate() {
    let world = bulky(100, 0);
    let said = world.toy(&["plan", "toy/dag"]).stdout;
    assert!(said.contains("no estimate: nothing like these stages was recorded"), "{said}");
    let none = estimate(&world, &["toy/dag"]);
    assert_eq!((&none["stages"], &none["unknown"]), (&12.into(), &12.into()));
}

#[test]
fn larger_runs_are_estimated_from_smaller_ones() {
    let world = bulky(200, 20);
    world.good_run(&["toy/dag"]);
    world.edit("sleep_ms = 20 }", "sleep_ms = 200 }");
    world.good_run(&["toy/dag"]);
    world.edit("sleep_ms = 200 }", "sleep_ms = 2000 }");
    let estimated = estimate(&world, &["toy/dag"]);
    assert_eq!((&estimated["stages"], &estimated["unknown"]), (&8.into(), &0.into()));
    let bulk = &estimated["kinds"]["bulk"];
    assert!(bulk["seconds"].as_str().expect("text").contains("sleep_ms^"), "{bulk}");
    assert_eq!(bulk["beyond"]["sleep_ms"][0].as_f64(), Some(10.0), "it says how far it goes");
    // Two stages of two seconds wait for each other: one in each of two layers.
    let critical_s = estimated["critical_h"].as_f64().expect("a number") * 3600.0;
    assert!((2.0..8.0).contains(&critical_s), "{estimated}");
    assert_eq!(estimated["critical"].as_array().map(Vec::len), Some(2), "{estimated}");
    // The same tables are written whatever the pause.
    let bytes = estimated["bytes"].as_f64().expect("a number");
    let written: u64 = world.artifacts().values().map(|table| table.len() as u64).sum();
    let ratio = bytes / written as f64;
    assert!((0.5..2.0).contains(&ratio), "{bytes} of {written}");
    let words = world.toy(&["plan", "toy/dag"]).stdout;
    assert!(words.contains("beyond the records: sleep_ms × 10.0"), "{words}");
    assert!(words.contains("critical path: "), "{words}");
}

#[test]
fn nothing_to_do_costs_nothing() {
    let world = bulky(100, 0);
    world.good_run(&["toy/dag"]);
    assert_eq!(estimate(&world, &["toy/dag"]), Value::Null);
}
