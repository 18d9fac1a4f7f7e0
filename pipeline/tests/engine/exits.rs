//! The exit codes in the README's table, one test per row.

use std::{
    fs,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use crate::world::{Ended, World};

#[track_caller]
fn ends(world: &World, args: &[&str], code: i32, said: &str) -> Ended {
    let ended = world.toy(args);
    assert_eq!(ended.code, code, "{args:?}: {}", ended.stderr);
    assert!(ended.stderr.contains(said), "{args:?}: {}", ended.stderr);
    ended
}

/// There is a test here for each row of the table.
#[test]
fn the_table_has_these_codes() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md");
    let readme = fs::read_to_string(path).expect("is there");
    let (_, table) = readme.split_once("| exit code | meaning |").expect("has the table");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let codes = rows.filter_map(|row| row.split('|').nth(1)?.trim().parse::<i32>().ok());
    assert_eq!(codes.collect::<Vec<_>>(), [0, 1, 2, 3, 130]);
}

#[test]
fn unavailable_stages_are_listed_and_are_no_error() {
    let world = World::odd("absent", 60, 0);
    let ended = ends(&world, &["run"], 0, "");
    assert!(ended.stdout.contains("unavailable  toy/odd/x\n"), "{}", ended.stdout);
    let world = World::new();
    for name in ["p", "q", "r", "s"] {
        world.add_odd(name, "abroad", 60, 0);
    }
    let told = ends(&world, &["run"], 0, "").stdout;
    let folded =
        "unavailable  4 stages, such as toy/odd/s, toy/odd/r, toy/odd/q\n  needs the program ";
    assert!(told.contains(folded), "{told}");
    assert_eq!(told.matches("needs the program").count(), 1, "a reason is told once: {told}");
    assert!(told.contains("\n  4 stages that need them were not run\n"), "{told}");
    assert!(!told.contains("not run  "), "{told}");
}

#[test]
fn a_failed_stage_or_check_is_1() {
    let world = World::odd("fail", 60, 0);
    ends(&world, &["run"], 1, "stage toy/odd/x failed");
    let world = World::new();
    world.good_run(&[]);
    fs::remove_file(world.object("toy/report")).expect("can be removed");
    ends(&world, &["verify"], 1, "1 artifact missing or corrupt");
}

#[test]
fn what_names_nothing_and_a_wrong_config_are_2() {
    let world = World::new();
    world.good_run(&[]);
    ends(&world, &["nosuch"], 2, "");
    for verb in ["run", "plan", "status", "why", "graph"] {
        ends(&world, &[verb, "nosuch"], 2, "no stage is named `nosuch`");
    }
    ends(&world, &["show", "nosuch"], 2, "no result of stage `nosuch`");
    ends(&world, &["log", "nosuch"], 2, "nothing is recorded of `nosuch`");
    ends(&world, &["show", "toy/report", "--profile", "wide"], 2, "no run under profile `wide`");
    ends(&world, &["show", "toy/report", "--output", "nosuch"], 2, "has no output `nosuch`");
    ends(&world, &["diff"], 2, "fewer than two runs");
    for args in [
        &["pin", "77"][..],
        &["unpin", "77"],
        &["diff", "1", "77"],
        &["export", "prov", "prov.json", "--run", "77"],
        &["record", "toy", "--run", "77"],
    ] {
        ends(&world, args, 2, "there is no run 77; recorded runs: 1\n");
    }
    world.edit("below = 100", "below = -1");
    ends(&world, &["run"], 2, "must be positive");
}

#[test]
fn files_that_cannot_be_read_or_written_are_3() {
    let world = World::new();
    ends(&world, &["run", "--configs", "elsewhere"], 3, "elsewhere");
    world.write("artifacts", "no folder");
    ends(&world, &["run"], 3, "artifacts");
}

#[test]
fn an_interrupted_run_is_130_and_the_next_one_goes_on() {
    let world = World::with("sleep_ms = 0", "sleep_ms = 700");
    let mut command: Command = world.command(&["run", "--jobs", "1"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("starts");
    let since = Instant::now();
    while world.trace().is_empty() {
        assert!(since.elapsed() < Duration::from_mins(1), "no stage has started");
        std::thread::sleep(Duration::from_millis(20));
    }
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).expect("is there");
    assert_eq!(child.wait().expect("ends").code(), Some(130));
    ends(&world, &["run"], 0, "");
}
