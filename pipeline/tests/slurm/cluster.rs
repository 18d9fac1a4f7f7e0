//! The cluster under test, and runs that use it.

use std::{
    path::PathBuf,
    process::Command,
    thread::sleep,
    time::{Duration, Instant},
};

use crate::world::{Ran, World};

/// Checks often, so that tests are fast.
pub const SETTINGS: &str = "poll-seconds = 0.3\ntask-seconds = 2.0\n";

/// A world whose runs use the cluster.
pub fn world(from: &str, to: &str) -> World {
    let world = World::with(from, to);
    world.write("slurm.toml", SETTINGS);
    world
}

/// The flags of a run on the cluster.
pub fn out<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&["--executor", "slurm", "--slurm", "slurm.toml"], args].concat()
}

/// A run on the cluster that must succeed.
pub fn good_run(world: &World, args: &[&str]) -> Ran {
    world.good_run(&out(args))
}

/// The output of a Slurm command.
pub fn ask(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().expect("is installed");
    assert!(
        output.status.success(),
        "{program} {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The tasks that are on the cluster now, in the given format of `squeue`.
pub fn queued(format: &str) -> Vec<String> {
    let text = ask("squeue", &["--noheader", "--array", &format!("--format={format}")]);
    text.lines().map(|line| line.trim().to_owned()).collect()
}

/// The folder of the cluster.
pub fn folder() -> PathBuf {
    let folder = std::env::var_os("SLURM_TEST_CLUSTER");
    folder.expect("run by cargo xtask slurm, which starts a cluster").into()
}

/// The process id of the controller.
pub fn controller() -> String {
    let started = folder().join("slurmctld.started");
    std::fs::read_to_string(started).expect("is running").trim().to_owned()
}

/// Waits until the cluster is in its initial state.
pub fn at_rest() {
    wait_long("an idle cluster", || {
        ask("sinfo", &["--noheader", "--Node", "--format=%T"]).lines().all(|state| state == "idle")
            && queued("%i").is_empty()
    });
}

/// Waits until `done` returns true; fails the test after a minute.
pub fn wait_long(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_mins(1), "waited too long for: {what}");
        sleep(Duration::from_millis(50));
    }
}

/// The lines of the trace that begin with `start`.
pub fn traced(world: &World, start: &str) -> Vec<String> {
    world.trace().into_iter().filter(|line| line.starts_with(start)).collect()
}

/// What the run reported about the cluster.
pub fn said(ran: &Ran) -> Vec<String> {
    let said = ran.events.iter().filter(|event| event["event"] == "cluster");
    said.map(|event| event["message"].as_str().expect("text").to_owned()).collect()
}
