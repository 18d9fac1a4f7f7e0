//! A run that is stopped, gracefully or not, leaves a store from which the next run continues.

use std::{
    process::Child,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use crate::{
    victims::workers,
    world::{World, set, wait_until},
};

fn send(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id()).expect("a process id");
    kill(Pid::from_raw(pid), signal).expect("the run is alive");
}

/// A world with a stage that takes a minute, and a run of it that has just started that stage.
fn long(worker: bool) -> (World, Child) {
    let world = if worker {
        World::odd("sleep", 600, 0)
    } else {
        let world = World::new();
        world.add_odd("x", "ok", 600, 0);
        world.edit("sleep_ms = 0", "sleep_ms = 60000");
        world
    };
    let target = if worker { "toy/odd/x" } else { "toy/a/times-2/split=0" };
    let child = world.start(&["toy/dag", target]);
    let tmp = world.path("artifacts/store/v1/tmp");
    wait_until("the long stage's start", || {
        let folders = std::fs::read_dir(&tmp).into_iter().flatten().flatten();
        let job = if worker { "log" } else { "" };
        world.path("artifacts/store/v1/log").is_file()
            && folders.map(|folder| folder.path().join(job)).any(|path| path.exists())
            && world.digests().keys().filter(|name| name.starts_with("toy/dag")).count() == 4
    });
    (world, child)
}

#[track_caller]
fn interrupted(worker: bool, signal: Signal) {
    let (world, child) = long(worker);
    let start = Instant::now();
    send(&child, signal);
    let ran = World::finish(child);
    assert!(start.elapsed() < Duration::from_secs(2), "took {:?}", start.elapsed());
    assert_eq!(ran.ended.code, 130);
    assert_eq!(ran.ended.stderr, "error: interrupted\nhelp: run again to go on from here\n");
    assert!(!world.someone_works(), "a worker outlived the run");
    assert_eq!(ran.summary("failed"), set::<&str>([]), "an interrupted stage has not failed");
    let again = world.good_run(&["toy/dag"]);
    assert!(again.executed().is_empty(), "what was done stays done");
    let left = std::fs::read_dir(world.path("artifacts/store/v1/tmp")).expect("is there");
    assert_eq!(left.count(), 0, "the next run sweeps what the stopped one left");
}

#[test]
fn ctrl_c_ends_workers_and_the_run_within_two_seconds() {
    interrupted(true, Signal::SIGINT);
}

#[test]
fn ctrl_c_ends_a_run_with_a_long_stage_in_process() {
    interrupted(false, Signal::SIGINT);
}

#[test]
fn being_terminated_is_like_ctrl_c() {
    interrupted(true, Signal::SIGTERM);
}

#[test]
fn a_killed_engine_takes_its_workers_along() {
    let (world, mut child) = long(true);
    send(&child, Signal::SIGKILL);
    child.wait().expect("ends");
    wait_until("the workers' end", || !world.someone_works());
    assert!(world.good_run(&["toy/dag"]).executed().is_empty());
}

#[test]
fn a_killed_worker_is_a_failure_of_its_stage() {
    let (_world, child) = long(true);
    wait_until("the worker", || !workers(&child).is_empty());
    kill(workers(&child)[0], Signal::SIGKILL).expect("is alive");
    let ran = World::finish(child);
    assert_eq!((ran.ended.code, ran.summary("failed")), (1, set(["toy/odd/x"])));
}
