//! What comes back from the cluster if nothing goes wrong, or if only a stage fails.

use std::{collections::BTreeSet, fs};

use crate::{
    cluster::{at_rest, good_run, out, traced, wait_long, world},
    world::{World, set},
};

/// A graph of some depth, a third of it in workers.
const BULK: &str = "layers = 5\nwidth = 8\nbulk = { rows = 300, worker_every = 3, sleep_ms = 5 }";

#[test]
fn artifacts_are_the_same_bytes_as_here() {
    at_rest();
    let there = world("layers = 2\nwidth = 2", BULK);
    let ran = good_run(&there, &[]);
    let here = World::with("layers = 2\nwidth = 2", BULK);
    here.good_run(&[]);
    let artifacts = there.artifacts();
    assert_eq!(artifacts.len(), ran.executed().len());
    assert!(artifacts == here.artifacts(), "artifacts differ");
    assert!(good_run(&there, &[]).executed().is_empty(), "and they are known");
    // Nothing is left behind.
    for part in ["attempts", "ended", "arrays"] {
        let left = fs::read_dir(there.path(&format!("artifacts/store/v1/jobs/{part}")));
        assert_eq!(left.expect("is there").count(), 0, "{part}");
    }
}

#[test]
fn the_other_place_finds_what_one_has_computed() {
    let world = world("layers = 2\nwidth = 2", "layers = 3\nwidth = 4");
    good_run(&world, &["toy/dag/layer=1"]);
    assert_eq!(world.good_run(&["toy/dag"]).executed().len(), 4);
    world.edit("plus = 1", "plus = 2");
    assert_eq!(good_run(&world, &["toy/dag"]).executed().len(), 8);
}

#[test]
fn short_stages_share_a_job() {
    let world = world("layers = 2\nwidth = 2", "layers = 2\nwidth = 8");
    good_run(&world, &["toy/dag"]);
    let starts = traced(&world, "start ");
    let processes: BTreeSet<_> = starts.iter().filter_map(|line| line.rsplit(' ').next()).collect();
    assert_eq!(starts.len(), 16);
    assert!(processes.len() <= 4, "{} processes for 16 short stages", processes.len());
}

#[test]
fn gpus_are_those_that_the_job_was_given() {
    let world = World::odd("gpu", 30, 0);
    world.write("slurm.toml", crate::cluster::SETTINGS);
    let here = world.run(&["--gpus", "0", "toy/odd/x"]);
    assert_eq!(here.summary("unavailable"), set(["toy/odd/x"]));
    good_run(&world, &["toy/odd/x"]);
    assert_eq!(world.value("toy/odd/x"), 1);
}

#[test]
fn failures_are_told_as_here() {
    for (does, wanted) in [
        ("fail", "as told"),
        ("panic", "panicked: as told"),
        ("abort", "worker was ended by signal 6"),
        ("sleep", "took longer than its limit of 1 s and was stopped"),
    ] {
        // Only the last one is to reach its limit, however busy the machine is.
        let world = World::odd(does, if does == "sleep" { 1 } else { 60 }, 0);
        world.write("slurm.toml", crate::cluster::SETTINGS);
        let ran = world.run(&out(&["toy/odd/x"]));
        assert_eq!(ran.ended.code, 1, "{does}");
        let failed = ran.events.iter().find(|event| event["event"] == "failed").expect("it failed");
        let message = failed["message"].as_str().expect("text");
        assert!(message.starts_with(wanted), "{does}: {message}");
    }
}

#[test]
fn a_stage_is_tried_again_as_here() {
    let world = World::odd("flaky", 30, 1);
    world.write("slurm.toml", crate::cluster::SETTINGS);
    let ran = good_run(&world, &["toy/odd/x"]);
    assert_eq!(ran.starts("toy/odd/x"), 2);
}

#[test]
fn what_no_node_has_is_unavailable() {
    let world = world("worker = false", "worker = true");
    world.write("slurm.toml", "program-mib = 1000000\n");
    let ran = world.run(&out(&["toy/dag/layer=0/i=0"]));
    assert_eq!(ran.ended.code, 0, "{}", ran.ended.stderr);
    assert_eq!(ran.summary("unavailable"), set(["toy/dag/layer=0/i=0"]));
}

#[test]
fn wrong_settings_end_the_run() {
    let world = World::new();
    world.write("slurm.toml", "partition = \"no-such\"\n");
    let ran = world.run(&out(&["toy/dag"]));
    assert_eq!(ran.ended.code, 2, "{}", ran.ended.stderr);
    assert!(ran.ended.stderr.contains("no-such"), "{}", ran.ended.stderr);
    world.write("slurm.toml", "partitoin = \"main\"\n");
    let ran = world.run(&out(&["toy/dag"]));
    assert_eq!(ran.ended.code, 2);
    assert!(ran.ended.stderr.contains("partitoin"), "{}", ran.ended.stderr);
}

#[test]
fn an_interruption_cancels_what_is_out() {
    let world = world("sleep_ms = 0", "sleep_ms = 20000");
    world.edit("worker = false", "worker = true");
    let run = world.start(&out(&["toy/a/times-2"]));
    wait_long("a stage on the cluster", || traced(&world, "start toy/a/times-2").len() == 2);
    let pid = nix::unistd::Pid::from_raw(i32::try_from(run.id()).expect("a process"));
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).expect("is alive");
    let ran = World::finish(run);
    assert_eq!(ran.ended.code, 130, "{}", ran.ended.stderr);
    at_rest();
    assert_eq!(traced(&world, "end toy/a/times-2").len(), 0, "they were ended");
    world.edit("sleep_ms = 20000", "sleep_ms = 0");
    good_run(&world, &["toy/a/times-2"]);
}
