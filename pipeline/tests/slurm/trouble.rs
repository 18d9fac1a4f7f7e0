//! What a cluster does to a run: nodes fail, jobs are cancelled or restart, the controller does not answer, and the
//! engine itself dies. The results have the same bytes in all cases.

use std::{collections::BTreeMap, fs, process::Child, thread::sleep, time::Duration};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use crate::{
    cluster::{ask, at_rest, controller, good_run, out, queued, said, traced, wait_long, world},
    world::World,
};

/// Eight stages of three seconds, in workers.
fn slow() -> World {
    let world = world("sleep_ms = 0", "sleep_ms = 3000");
    world.edit("worker = false", "worker = true");
    world
}

const SLOW: &str = "toy/*/times-*";

/// The artifacts of those stages, computed here without the pauses.
fn wanted() -> BTreeMap<String, Vec<u8>> {
    let here = World::new();
    here.good_run(&[SLOW]);
    here.artifacts()
}

fn starts(world: &World) -> Vec<String> {
    let lines = traced(world, "start toy/").into_iter().filter(|line| line.contains("/times-"));
    lines.filter_map(|line| line.split(' ').nth(1).map(str::to_owned)).collect()
}

/// Brings nodes back, unless they have come back by themselves.
fn back(nodes: &[&str]) {
    for node in nodes {
        wait_long("a node that is back", || {
            let args = ["update", &format!("nodename={node}"), "state=resume"];
            let _ = std::process::Command::new("scontrol").args(args).output();
            let state =
                ask("sinfo", &["--noheader", "--Node", &format!("--nodes={node}"), "--format=%T"]);
            !state.starts_with("down") && !state.starts_with("drain")
        });
    }
}

/// A run some of whose stages are on the cluster.
fn under_way(world: &World) -> Child {
    at_rest();
    let run = world.start(&out(&[SLOW]));
    wait_long("stages on the cluster", || starts(world).len() >= 3);
    run
}

/// Skips the two minutes that restarted jobs would wait for.
fn hurry() {
    for line in queued("%i|%r") {
        if let Some(id) = line.strip_suffix("|BeginTime") {
            let update = ["update", &format!("jobid={id}"), "starttime=now"];
            // It may have begun just now.
            let _ = std::process::Command::new("scontrol").args(update).output();
        }
    }
}

/// Checks that the run ends well, with the right artifacts; returns what it reported about the cluster.
fn ends_well(world: &World, mut run: Child) -> Vec<String> {
    while run.try_wait().expect("is ours").is_none() {
        hurry();
        sleep(Duration::from_millis(200));
    }
    let ran = World::finish(run);
    assert_eq!(ran.ended.code, 0, "{}", ran.ended.stderr);
    same(world);
    said(&ran)
}

fn same(world: &World) {
    assert!(world.artifacts() == wanted(), "artifacts differ");
    assert!(good_run(world, &[SLOW]).executed().is_empty(), "nothing is left to do");
}

#[test]
fn an_engine_that_starts_anew_takes_up_what_is_out() {
    let world = slow();
    let mut run = under_way(&world);
    run.kill().expect("is alive");
    run.wait().expect("ends");
    assert!(!queued("%i").is_empty(), "its jobs go on");
    let ran = good_run(&world, &[SLOW]);
    let taken = said(&ran).iter().filter(|m| m.ends_with("is taken up again")).count();
    assert_eq!(taken, 8, "{:?}", said(&ran));
    let mut names = starts(&world);
    names.sort();
    let all = names.len();
    names.dedup();
    assert_eq!((all, names.len()), (8, 8), "every stage was computed once");
    same(&world);
}

#[test]
fn endings_that_came_while_no_engine_looked_are_taken() {
    let world = slow();
    let mut run = under_way(&world);
    run.kill().expect("is alive");
    run.wait().expect("ends");
    wait_long("the end of all jobs", || queued("%i").is_empty());
    let before = starts(&world).len();
    good_run(&world, &[SLOW]);
    assert_eq!(starts(&world).len(), before, "nothing was computed again");
    same(&world);
}

#[test]
fn a_failed_node_costs_only_what_ran_there() {
    let world = slow();
    let run = under_way(&world);
    ask("scontrol", &["update", "nodename=n1", "state=down", "reason=test"]);
    sleep(Duration::from_millis(500));
    back(&["n1"]);
    ends_well(&world, run);
    let again = starts(&world).len();
    assert!((9..=10).contains(&again), "two stages ran on the node: {again} starts");
}

#[test]
fn a_job_that_starts_again_is_not_counted_twice() {
    let world = slow();
    let run = under_way(&world);
    let running = queued("%i|%T")
        .into_iter()
        .find_map(|line| line.strip_suffix("|RUNNING").map(str::to_owned));
    ask("scontrol", &["requeue", &running.expect("some run")]);
    ends_well(&world, run);
    assert_eq!(starts(&world).len(), 9);
}

#[test]
fn a_cancelled_job_goes_out_again() {
    let world = slow();
    let run = under_way(&world);
    let ids: Vec<_> = queued("%A").into_iter().collect();
    ask("scancel", &ids.iter().map(String::as_str).collect::<Vec<_>>());
    let said = ends_well(&world, run);
    let again = said.iter().filter(|message| message.contains("CANCELLED")).count();
    assert!(again >= 3, "{said:?}");
}

#[test]
fn jobs_that_are_always_cancelled_fail_their_stages() {
    let world = slow();
    world.write("slurm.toml", "poll-seconds = 0.2\nresubmissions = 1\n");
    let run = world.start(&out(&["toy/a/times-2/split=0"]));
    for round in 1..=2 {
        wait_long("the stage on the cluster", || starts(&world).len() >= round);
        ask("scancel", &["--me"]);
    }
    let ran = World::finish(run);
    assert_eq!(ran.ended.code, 1, "{}", ran.ended.stderr);
    let failed = ran.events.iter().find(|event| event["event"] == "failed").expect("it failed");
    let message = failed["message"].as_str().expect("text");
    assert!(message.ends_with("after it had gone out 2 times"), "{message}");
}

#[test]
fn a_silent_controller_is_waited_for() {
    let world = slow();
    let run = under_way(&world);
    let pid = Pid::from_raw(controller().parse().expect("a number"));
    kill(pid, Signal::SIGSTOP).expect("is running");
    sleep(Duration::from_secs(5));
    kill(pid, Signal::SIGCONT).expect("is there");
    ends_well(&world, run);
    assert_eq!(starts(&world).len(), 8, "nothing was given up");
}

#[test]
fn a_corrupted_ending_fails_the_stage_alone() {
    let world = slow();
    let run = under_way(&world);
    // Invalid content is written where an ending is expected.
    let attempts = world.path("artifacts/store/v1/jobs/attempts");
    let attempt = fs::read_dir(&attempts).expect("is there").flatten().next().expect("one is out");
    let name = attempt.file_name().into_string().expect("UTF-8");
    world.write(&format!("artifacts/store/v1/jobs/ended/{name}.json"), "nonsense");
    let ran = World::finish(run);
    assert_eq!((ran.ended.code, ran.summary("failed").len()), (1, 1), "{}", ran.ended.stderr);
    good_run(&world, &[SLOW]);
    same(&world);
}
