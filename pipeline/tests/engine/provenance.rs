//! `log`, `diff` and `export`: what the records say about how results came about. `cargo xtask provenance` tests that
//! third-party tools accept the exports.

use std::{collections::BTreeSet, fs};

use pipeline::digest::Digest;
use serde_json::Value;

use crate::world::World;

fn json(world: &World, args: &[&str]) -> Value {
    let ended = world.toy(args);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).expect("JSON")
}

/// A world that has run once, workers included.
fn ran() -> World {
    let world = World::with("worker = false", "worker = true");
    world.good_run(&[]);
    world
}

#[test]
fn an_artifact_says_how_it_came_about() {
    let world = ran();
    let told = json(&world, &["log", "toy/a/times-2/split=0", "--json"]);
    let account = &told["account"];
    assert_eq!(account["kind"], "mix");
    assert_eq!(account["params"]["times"], 2);
    let draw = world.digests()["toy/a/draw/split=0"].clone();
    assert_eq!(account["inputs"], serde_json::json!([["in", draw]]));
    assert_eq!(account["seed"], Value::Null, "it draws nothing");
    assert!(account["cost"]["peak_mib"].as_u64() > Some(0), "a worker's memory is measured");
    assert!(account["cost"]["wall_s"].as_f64() > Some(0.0));
    let (machine, program) = (&told["environment"]["machine"], &told["environment"]["program"]);
    assert_eq!(machine["host"], account["host"]);
    assert!(machine["processors"].as_u64() > Some(0));
    let libraries = program["libraries"].as_array().expect("a list");
    assert!(libraries.iter().any(|library| library[0] == "blake3"), "{libraries:?}");

    let drawn = json(&world, &["log", "toy/a/draw/split=0", "--json"]);
    assert_eq!(drawn["account"]["seed"].as_str().map(str::len), Some(64));
    // By its content and by the key that it was computed under, as well as by its name.
    for other in [&draw, &drawn["account"]["key"].as_str().expect("text")[..12].to_owned()] {
        assert_eq!(json(&world, &["log", other, "--json"])["account"], drawn["account"]);
    }
    let file = json(&world, &["log", "toy/a/data", "--json"]);
    let content = Digest::of(&fs::read(world.path("data/a.txt")).expect("is there"));
    assert_eq!(file["account"]["files"], serde_json::json!([content]));
    let words = world.toy(&["log", "toy/a/times-2/split=0"]).stdout;
    assert!(words.contains(&format!("in: {draw} of toy/a/draw/split=0")), "{words}");
}

#[test]
fn what_is_unknown_is_said() {
    let world = ran();
    let unknown = world.toy(&["log", "toy/a/drew/split=0"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("did you mean `toy/a/draw/split=0`?"), "{}", unknown.stderr);
    let empty = World::new();
    assert_eq!(empty.toy(&["export", "prov", "prov.json"]).code, 3);
    assert_eq!(empty.toy(&["log"]).stdout, "nothing was computed in this store\n");
}

#[test]
fn a_diff_says_by_how_much_results_moved() {
    let world = ran();
    let before = world.value("toy/a/times-3/split=0");
    world.edit("below = 100", "below = 7");
    world.good_run(&[]);
    let after = world.value("toy/a/times-3/split=0");
    let report = json(&world, &["diff", "--json"]);
    let changed = report["changed"].as_array().expect("a list");
    let stage = |name: &str| changed.iter().find(|c| c["stage"] == name).expect("it changed");
    let drawn = stage("toy/a/draw/split=0");
    assert_eq!(drawn["changes"][0]["what"], "params.below");
    assert_eq!(
        (&drawn["changes"][0]["old"], &drawn["changes"][0]["new"]),
        (&"100".into(), &"7".into())
    );
    let moved = &stage("toy/a/times-3/split=0")["outputs"][0]["difference"]["moved"][0];
    assert_eq!(moved["column"], "value");
    let most = (moved["most"]["old"].as_f64(), moved["most"]["new"].as_f64());
    let wanted = (Some(before as f64), Some(after as f64));
    assert_eq!(most, wanted);
    let words = world.toy(&["diff", "1", "2"]).stdout;
    assert!(
        words.contains(&format!("value: 1 of 1 rows differ, most in row 0: {before} → {after} ("))
    );
}

#[test]
fn what_a_run_was_not_asked_for_is_not_removed() {
    let world = ran();
    world.good_run(&["toy/a", "--set", "below=7"]);
    let report = json(&world, &["diff", "--json"]);
    let names = |list: &str| report[list].as_array().expect("a list").len();
    assert_eq!((names("removed"), names("added"), names("only_new")), (0, 0, 0));
    let told = world.toy(&["diff"]).stdout;
    assert!(
        told.contains(&format!("{} stages only run 1 was asked for", names("only_old"))),
        "{told}"
    );
    assert!(!told.contains("removed  "), "{told}");
    assert!(!told.contains("e0)"), "whole numbers change by whole numbers: {told}");
    // A stage that a run of everything does not have is gone.
    world.edit("methods = [2, 3]", "methods = [2]");
    world.good_run(&[]);
    let told = world.toy(&["diff", "1", "3"]).stdout;
    assert!(told.contains("removed  toy/a/times-3"), "{told}");
}

#[test]
fn a_research_object_holds_the_run() {
    let world = ran();
    assert_eq!(world.toy(&["export", "ro-crate", "crate"]).code, 0);
    for (stage, digest) in world.digests() {
        let copy = fs::read(world.path(&format!("crate/artifacts/{digest}.parquet")));
        assert_eq!(Digest::of(&copy.expect("was copied")).to_string(), digest, "{stage}");
    }
    let text = fs::read(world.path("crate/ro-crate-metadata.json")).expect("is there");
    let metadata: Value = serde_json::from_slice(&text).expect("JSON");
    let entities = metadata["@graph"].as_array().expect("a list");
    let ids: Vec<&str> = entities.iter().filter_map(|entity| entity["@id"].as_str()).collect();
    let different: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(different.len(), ids.len(), "an identifier is given once");
    let of_type = |kind: &str| entities.iter().filter(|e| e["@type"] == kind).count();
    assert_eq!(
        of_type("CreateAction"),
        world.plan(&[]).len() + 1,
        "one a stage and one for the run"
    );
    assert_eq!(of_type("ControlAction"), world.plan(&[]).len());
    // Every entity that is referred to is described.
    let mut open = entities.iter().collect::<Vec<_>>();
    while let Some(value) = open.pop() {
        match value {
            Value::Object(map) if map.len() == 1 && map.contains_key("@id") => {
                let id = map["@id"].as_str().expect("text");
                let known = different.contains(id) || id == "https://w3id.org/ro/crate/1.1";
                assert!(known, "{id} is not described");
            }
            Value::Object(map) => open.extend(map.values()),
            Value::Array(list) => open.extend(list),
            _ => {}
        }
    }
    let again = world.toy(&["export", "ro-crate", "crate"]);
    assert_eq!(again.code, 2, "a crate is not written over another");
    assert_eq!(world.toy(&["export", "ro-crate", "again"]).code, 0);
    assert_eq!(fs::read(world.path("again/ro-crate-metadata.json")).expect("is there"), text);
}

#[test]
fn a_corrupt_artifact_is_not_given_away() {
    let world = ran();
    let object = world.object("toy/report");
    fs::write(&object, "no table").expect("can be written");
    let ended = world.toy(&["export", "ro-crate", "crate"]);
    assert_eq!(ended.code, 3);
    assert!(ended.stderr.contains("is corrupt"), "{}", ended.stderr);
}

#[test]
fn provenance_links_what_was_read_to_what_was_made() {
    let world = ran();
    assert_eq!(world.toy(&["export", "prov", "prov.json"]).code, 0);
    let text = fs::read(world.path("prov.json")).expect("is there");
    let document: Value = serde_json::from_slice(&text).expect("JSON");
    let values = |part: &str| -> Vec<Value> {
        document[part].as_object().expect("a map").values().cloned().collect()
    };
    let made: BTreeSet<_> =
        values("wasGeneratedBy").iter().map(|g| g["prov:entity"].to_string()).collect();
    let used = values("used");
    let artifacts: Vec<_> = used.iter().map(|u| u["prov:entity"].to_string()).collect();
    let artifacts: Vec<_> = artifacts.iter().filter(|e| e.contains(":artifact-")).collect();
    assert!(!artifacts.is_empty() && artifacts.iter().all(|entity| made.contains(*entity)));
    assert_eq!(values("activity").len(), world.plan(&[]).len());
}

#[test]
fn the_sheet_ticks_what_the_records_show() {
    let world = ran();
    let sheet = |file: &str| {
        assert_eq!(world.toy(&["export", "sheet", file]).code, 0);
        fs::read_to_string(world.path(file)).expect("is there")
    };
    let ticked = |sheet: &str, what: &str| {
        let line = sheet.lines().find(|line| line.contains(what)).expect("has this line");
        line.starts_with("- [x]")
    };
    let first = sheet("first.md");
    assert!(ticked(&first, "The command is stated: `toy run --profile full`"));
    assert!(ticked(&first, "Functional: complete"));
    assert!(!ticked(&first, "Functional: consistent"), "nothing was computed twice");
    assert!(!ticked(&first, "Results Reproduced"), "no record can know that");
    world.good_run(&["--force", "toy/report"]);
    assert!(ticked(&sheet("second.md"), "Functional: consistent"));
    fs::remove_file(world.object("toy/report")).expect("was there");
    assert!(!ticked(&sheet("third.md"), "Functional: complete"));
    world.good_run(&["toy/a/*", "toy/b", "--set", "below=7"]);
    let stated = "`toy run 'toy/a/*' toy/b --profile full --set below=7`";
    assert!(ticked(&sheet("fourth.md"), &format!("The command is stated: {stated}")));
    assert!(world.toy(&["runs"]).stdout.contains("full --set below=7 toy/a/* toy/b\n"));
    assert_eq!(world.toy(&["export", "ro-crate", "crate"]).code, 0);
    let text = fs::read_to_string(world.path("crate/ro-crate-metadata.json")).expect("is there");
    assert!(text.contains(stated), "{text}");
    // Older records do not say what was asked for, and a command without it computes something else.
    let last = json(&world, &["runs", "--json"]).as_array().expect("a list").len();
    let record = format!("artifacts/store/v1/runs/{last}.json");
    let text = fs::read_to_string(world.path(&record)).expect("is there");
    let mut run: Value = serde_json::from_str(&text).expect("JSON");
    run.as_object_mut().expect("a map").remove("targets").expect("was recorded");
    world.write(&record, &run.to_string());
    assert!(!ticked(&sheet("fifth.md"), "The command is stated"));
}
