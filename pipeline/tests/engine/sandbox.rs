//! `run --sandbox`: a stage reaches what it declares and nothing else. These tests need Linux with
//! Landlock.

use crate::{
    harm::{flip_bit, forge_stamp},
    world::{World, set},
};

/// A world whose stage `toy/odd/x` meddles with a file that it does not declare.
fn meddler(does: &str) -> World {
    let world = World::odd(does, 20, 0);
    if does != "litter" {
        world.write("flag-x", "undeclared");
    }
    world
}

#[test]
fn ordinary_stages_pass_and_write_the_same_bytes() {
    let (free, confined) = (World::new(), World::new());
    free.good_run(&[]);
    let ran = confined.good_run(&["--sandbox"]);
    assert_eq!(ran.executed(), free.plan(&[]).into_keys().collect());
    assert_eq!(confined.digests(), free.digests());
    assert!(confined.good_run(&[]).executed().is_empty(), "the sandbox is part of no key");
}

#[test]
fn stages_of_the_engines_own_process_get_one_each() {
    let world = World::new();
    let processes = |args: &[&str]| {
        world.good_run(&[&["toy/a/times-2", "--force", "toy/a/times-2"], args].concat());
        let split = |i: u8| {
            let stage = format!("toy/a/times-2/split={i}");
            let shown = world.toy(&["show", &stage, "--csv", "--output", "times"]);
            shown.stdout.lines().nth(1).expect("a process id").to_owned()
        };
        set([split(0), split(1)])
    };
    assert_eq!(processes(&[]).len(), 1);
    assert_eq!(processes(&["--sandbox"]).len(), 2);
}

#[test]
fn an_undeclared_file_is_refused_with_stage_file_and_remedy() {
    for does in ["peek", "spy", "litter"] {
        let world = meddler(does);
        let ran = world.run(&["--sandbox"]);
        assert_eq!(ran.ended.code, 1, "{does}: {}", ran.ended.stdout);
        assert_eq!(ran.summary("failed"), set(["toy/odd/x"]), "{does}");
        let end = ran.events.iter().rfind(|e| e["event"] == "failed").expect("it failed");
        let message = end["message"].as_str().expect("a text");
        let flag = world.path("flag-x").display().to_string();
        assert!(message.starts_with(&format!("{flag}: Permission denied")), "{message}");
        assert!(message.contains("help: in --sandbox a stage reaches only"), "{message}");
        assert_eq!(world.path("flag-x").exists(), does != "litter");
        // Without the sandbox nothing is wrong.
        let free = world.good_run(&[]);
        assert!(free.executed().contains("toy/odd/x"), "{does}");
    }
}

#[test]
fn a_declared_file_is_read_wherever_it_lies() {
    let world = World::new();
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    std::fs::rename(world.path("data/a.txt"), elsewhere.path().join("a.txt")).expect("moves");
    std::os::unix::fs::symlink(elsewhere.path().join("a.txt"), world.path("data/a.txt"))
        .expect("links");
    world.good_run(&["--sandbox"]);
}

#[test]
fn a_corrupt_input_is_moved_aside_for_a_stage_that_may_not() {
    let world = World::new();
    world.good_run(&["toy/a/draw/split=0"]);
    let object = world.object("toy/a/draw/split=0");
    flip_bit(&object);
    forge_stamp(&world, &object);
    let ran = world.run(&["toy/a", "--sandbox"]);
    assert_eq!(ran.ended.code, 1);
    assert!(ran.ended.stdout.contains("it was moved to quarantine"), "{}", ran.ended.stdout);
    assert!(!ran.ended.stdout.contains("only what it declares"), "{}", ran.ended.stdout);
    assert!(world.good_run(&["toy/a", "--sandbox"]).executed().contains("toy/a/draw/split=0"));
}
