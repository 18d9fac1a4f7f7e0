//! `run --sandbox`: a stage reaches what it declares and nothing else. These tests need Linux with
//! Landlock.

use std::{io::Write, net::TcpListener};

use landlock::{
    ABI, Access, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetError, Scope,
};

use crate::{
    harm::{flip_bit, forge_stamp},
    world::{World, set},
};

/// A world whose stage `toy/odd/x` accesses a file that it does not declare.
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
        // Without the sandbox, the stage succeeds.
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

/// Whether this kernel has the rules that a test needs; if not, that is reported on standard error.
fn has(rules: impl FnOnce(Ruleset) -> Result<Ruleset, RulesetError>) -> bool {
    let known = rules(Ruleset::default().set_compatibility(CompatLevel::HardRequirement)).is_ok();
    if !known {
        let name = std::thread::current().name().unwrap_or("a test").to_owned();
        // Not `eprintln`, since the test harness would capture it.
        drop(writeln!(std::io::stderr(), "SKIPPED {name}: this kernel's Landlock is too old"));
    }
    known
}

#[test]
fn the_network_is_for_stages_that_load_data() {
    if !has(|rules| rules.handle_access(AccessNet::from_all(ABI::V4))) {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it has one");
    let confined = World::odd(&format!("dial {address}"), 20, 0);
    let ran = confined.run(&["--sandbox"]);
    assert_eq!(ran.summary("failed"), set(["toy/odd/x"]), "{}", ran.ended.stdout);
    let end = ran.events.iter().rfind(|e| e["event"] == "failed").expect("it failed");
    let message = end["message"].as_str().expect("a text");
    assert!(message.starts_with("Permission denied") && message.contains("Draft::downloads"));
    assert!(confined.good_run(&[]).executed().contains("toy/odd/x"), "no sandbox, no limits");
    World::odd(&format!("fetch {address}"), 20, 0).good_run(&["--sandbox"]);
}

#[test]
fn other_processes_are_out_of_reach() {
    if !has(|rules| rules.scope(Scope::from_all(ABI::V6))) {
        return;
    }
    let world = World::odd("threaten", 20, 0);
    assert_eq!(world.run(&["--sandbox"]).summary("failed"), set(["toy/odd/x"]));
    world.good_run(&[]);
}

#[test]
fn stages_of_an_experiment_that_is_not_trusted_are_confined_unless_the_user_says_otherwise() {
    let world = meddler("spy");
    world.write("not-ours", "");
    for args in [&[][..], &["--sandbox"], &["--sandbox=others"]] {
        assert_eq!(world.run(args).summary("failed"), set(["toy/odd/x"]), "{args:?}");
    }
    world.good_run(&["--sandbox=none"]);
    // The program trusts this one, so it is confined only on request.
    let ours = meddler("spy");
    assert_eq!(ours.run(&["--sandbox=all"]).summary("failed"), set(["toy/odd/x"]));
    ours.good_run(&[]);
}

#[test]
fn a_stage_that_declares_a_gpu_runs_confined() {
    // There need not be a GPU: device files that do not exist need no rule.
    let world = World::odd("gpu", 20, 0);
    world.good_run(&["--sandbox", "--gpus", "1"]);
    assert_eq!(world.value("toy/odd/x"), 1);
}
