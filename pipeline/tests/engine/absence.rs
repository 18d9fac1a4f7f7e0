//! What readers of results are told about stages that have none, or that were computed without others.

use std::{collections::BTreeSet, fs};

use pipeline::artifacts::Artifacts;

use crate::world::World;

/// The stages that `told` names.
fn stages(told: Vec<pipeline::absence::Absence>) -> Vec<String> {
    told.into_iter().map(|absence| absence.stage).collect()
}

/// All results, and those of the profile alone: here, both are the same.
fn readers(world: &World) -> [Artifacts; 2] {
    let dir = world.path("artifacts");
    [Artifacts::open(&dir), Artifacts::under(&dir, "full")].map(|opened| opened.expect("a store"))
}

const X: [&str; 1] = ["toy/odd/x"];

#[test]
fn what_needs_an_unavailable_stage_is_absent_and_says_why() {
    let world = World::odd("absent", 60, 0);
    world.good_run(&[]);
    for results in readers(&world) {
        for name in ["toy/odd/x", "toy/odd/x/after"] {
            assert_eq!(stages(results.absence(name)), X, "{name}");
            assert!(results.stages("toy/odd").contains(&name.to_owned()));
            let error = results.table(name, "main").unwrap_err().to_string();
            assert!(error.contains("put a file at") && error.contains(name), "{error}");
        }
        assert_eq!(stages(results.absence("toy/odd/x/anyway")), [""; 0]);
        assert_eq!(stages(results.without("toy/odd/x/anyway")), X);
        assert_eq!(stages(results.without("toy/report")), [""; 0]);
        // A name that no run has seen is a different case.
        assert_eq!(stages(results.absence("toy/odd/y")), [""; 0]);
        let error = results.table("toy/odd/y", "main").unwrap_err().to_string();
        assert!(error.contains("no result of stage `toy/odd/y`"), "{error}");
    }
}

#[test]
fn what_was_absent_and_is_there_now_is_absent_no_more() {
    let world = World::odd("absent", 60, 0);
    world.good_run(&[]);
    world.write("flag-x", "now it is there");
    world.good_run(&[]);
    for results in readers(&world) {
        for name in ["toy/odd/x", "toy/odd/x/after", "toy/odd/x/anyway"] {
            assert_eq!(stages(results.absence(name)), [""; 0], "{name}");
            assert_eq!(stages(results.without(name)), [""; 0], "{name}");
            assert!(results.table(name, "main").is_ok(), "{name}");
        }
    }
}

/// An earlier result is not shown next to others that were computed without what it rests on.
#[test]
fn what_the_last_run_could_not_have_is_absent_though_an_earlier_one_had_it() {
    let world = World::odd("absent", 60, 0);
    world.write("flag-x", "it is there");
    world.good_run(&[]);
    fs::remove_file(world.path("flag-x")).expect("is there");
    let [results, _] = readers(&world);
    fs::remove_file(results.path("toy/odd/x", "main").expect("has a result")).expect("is there");
    world.good_run(&[]);
    for results in readers(&world) {
        assert_eq!(stages(results.absence("toy/odd/x/after")), X);
        assert_eq!(stages(results.without("toy/odd/x/anyway")), X);
    }
    // A later run of something else does not affect it.
    world.good_run(&["toy/report"]);
    for results in readers(&world) {
        assert_eq!(stages(results.absence("toy/odd/x/after")), X);
    }
    world.write("flag-x", "it is back");
    world.good_run(&["toy/odd/x"]);
    let [results, _] = readers(&world);
    assert_eq!(stages(results.absence("toy/odd/x/after")), [""; 0]);
    assert!(results.table("toy/odd/x/after", "main").is_ok());
}

/// The number of rows of a stage, and what is said beside them.
fn shown(world: &World, args: &[&str]) -> (String, String) {
    let ended = world.toy(&[&["show", "toy/a/draw/split=0", "--csv"], args].concat());
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    (ended.stdout, ended.stderr)
}

#[test]
fn overrides_choose_the_run_that_had_them() {
    let world = World::new();
    world.good_run(&["toy/a", "--set", "below=7"]);
    let (seven, said) = shown(&world, &["--set", "below=7"]);
    assert_eq!(said, "");
    // As long as nothing else was run, this is the profile's only result: it is shown, and said.
    for profile in [&[][..], &["--profile", "full"]] {
        let (same, said) = shown(&world, profile);
        assert_eq!(same, seven);
        assert!(said.contains("is of a run with --set below=7\n"), "{said}");
    }
    let none = world.toy(&["show", "toy/a/draw/split=0", "--set", "below=8", "--profile", "full"]);
    assert_eq!((none.code, none.stdout.as_str()), (2, ""));
    assert!(none.stderr.contains("no run under profile `full` had --set below=8 yet"), "{none:?}");
    let command = "`retune run TARGET --profile full --set below=8` computes its results";
    assert!(none.stderr.contains(command), "{none:?}");
    let none = world.toy(&["show", "toy/b/draw/split=0", "--set", "below=7"]);
    let command = "`retune run toy/b/draw/split=0 --profile full --set below=7` computes it";
    assert!(none.code == 2 && none.stderr.contains(command), "{none:?}");
    // A run without overrides is the profile's, also if one with overrides came later.
    world.good_run(&[]);
    world.good_run(&["toy/a", "--set", "label=3", "--set", "below=7"]);
    let (own, said) = shown(&world, &["--profile", "full"]);
    assert!(own != seven && said.is_empty(), "{own} {said}");
    let (both, _) = shown(&world, &["--set", "below=7", "--set", "label=3"]);
    assert_eq!(both, seven, "in any order");
    assert_eq!(shown(&world, &["--set", "below=7"]).0, seven);
}

#[test]
fn a_pattern_gives_the_rows_that_are_there() {
    let world = World::odd("absent", 60, 0);
    world.good_run(&[]);
    for form in ["--csv", "--json", "--path"] {
        let ended = world.toy(&["show", "toy/odd", form]);
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let rows: BTreeSet<&str> = ended.stdout.lines().collect();
        assert_eq!(rows.len(), if form == "--csv" { 2 } else { 1 }, "{}", ended.stdout);
        let left: Vec<&str> =
            ended.stderr.lines().filter(|l| l.starts_with("left out: ")).collect();
        assert_eq!(left.len(), 2, "{}", ended.stderr);
        let none = world.toy(&["show", "toy/odd/x", form]);
        assert_eq!((none.code, none.stdout.as_str()), (3, ""), "{form}: nothing is there");
    }
    let csv = world.toy(&["show", "toy/odd", "--csv"]).stdout;
    assert!(csv.starts_with("stage,"), "of several, also if one is there: {csv}");
}
