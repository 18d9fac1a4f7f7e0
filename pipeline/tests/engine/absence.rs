//! What readers of results are told about stages that have none, or that were computed without others.

use std::fs;

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
