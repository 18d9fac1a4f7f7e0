//! What is worth recording, and how what is recorded is brought back.

use std::fs;

use crate::world::World;

const FOLDER: &str = "artifacts/recorded/toy";

fn recorded() -> World {
    let world = World::new();
    world.edit("[profiles.wide]", "[profiles.tiny]\n[profiles.wide]");
    world.good_run(&[]);
    let ended = world.toy(&["record", "toy"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    world
}

fn text(world: &World) -> String {
    fs::read_to_string(world.path(FOLDER).join("recorded.json")).expect("is there")
}

#[test]
fn a_run_that_shows_nothing_is_not_recorded() {
    let world = recorded();
    let before = text(&world);
    world.good_run(&["--profile", "tiny"]);
    for also in [&[][..], &["--replace"]] {
        let ended = world.toy(&[&["record", "toy", "--profile", "tiny"], also].concat());
        assert_eq!(ended.code, 2, "{ended:?}");
        let said = "under profile tiny, whose results have no meaning: it is not recorded";
        assert!(ended.stderr.contains(said), "{ended:?}");
    }
    assert_eq!(text(&world), before);
}

#[test]
fn a_run_of_fewer_stages_replaces_nothing_unless_told_so() {
    let world = recorded();
    let before = text(&world);
    world.good_run(&["toy/report"]);
    let refused = world.toy(&["record", "toy"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    for part in ["run 2 (profile full, 15 stages, ", "would replace (profile full, 19 stages, "] {
        assert!(refused.stderr.contains(part), "{part}: {refused:?}");
    }
    assert!(refused.stderr.contains("help: `--replace` replaces it"), "{refused:?}");
    assert_eq!(text(&world), before);
    assert_eq!(world.toy(&["record", "toy", "--replace"]).code, 0);
    assert_ne!(text(&world), before);
}

#[test]
fn what_is_recorded_is_brought_back_by_git_and_nothing_is_moved_there() {
    let world = recorded();
    let shown = world.toy(&["show", "toy/report", "--path", "--store", FOLDER]).stdout;
    let object = world.path(shown.trim());
    fs::write(&object, "no table").expect("can be written");
    let show = || world.toy(&["show", "toy/report", "--store", FOLDER]);
    let (first, second) = (show(), show());
    assert_eq!((first.code, &first.stderr), (3, &second.stderr), "the same each time");
    let remedy = format!("help: `git checkout -- {FOLDER}` brings it back\n");
    assert!(first.stderr.ends_with(&remedy) && object.is_file(), "{first:?}");
    fs::remove_file(&object).expect("is there");
    let missing = show();
    assert!(missing.stderr.contains("of stage toy/report is missing"), "{missing:?}");
    assert!(missing.code == 3 && missing.stderr.ends_with(&remedy), "{missing:?}");
}
