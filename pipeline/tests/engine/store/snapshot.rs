//! The log's snapshot: it makes plans faster and never takes precedence over the log.

use std::{collections::BTreeMap, fs};

use crate::world::World;

const LOG: &str = "artifacts/store/v1/log";
const INDEX: &str = "artifacts/store/v1/log.index";

/// A world that has run often enough for a snapshot, with its snapshot, and its plan without one.
fn snapshotted() -> (World, Vec<u8>, BTreeMap<String, String>) {
    let world = World::with("layers = 2\nwidth = 2", "layers = 16\nwidth = 8");
    world.good_run(&[]);
    let index = fs::read(world.path(INDEX)).expect("a run of this length writes one");
    fs::remove_file(world.path(INDEX)).expect("is there");
    let plan = world.plan(&[]);
    assert!(plan.values().all(|state| state == "fresh"), "{plan:?}");
    (world, index, plan)
}

fn append(world: &World, text: &str) {
    let log = fs::read_to_string(world.path(LOG)).expect("is there");
    world.write(LOG, &(log + text));
}

#[test]
fn a_plan_is_the_same_with_and_without_it() {
    let (world, index, plan) = snapshotted();
    fs::write(world.path(INDEX), &index).expect("can be written");
    assert_eq!(world.plan(&[]), plan);
    assert!(world.good_run(&[]).executed().is_empty());
    assert_eq!(world.toy(&["verify", "--deep"]).code, 0);
}

#[test]
fn what_the_log_says_after_it_counts() {
    let (world, index, _) = snapshotted();
    let log = fs::read_to_string(world.path(LOG)).expect("is there");
    let key = log.lines().rfind(|l| l.starts_with("d ") && l.contains("toy/report"));
    let key = key.and_then(|line| line.split(' ').nth(1)).expect("is done");
    let body = format!("g {key}");
    let sum = pipeline::digest::Digest::of(body.as_bytes()).to_string();
    append(&world, &format!("{body} ~{}\n", &sum[..8]));
    fs::write(world.path(INDEX), &index).expect("can be written");
    assert_eq!(world.plan(&[])["toy/report"], "stale");
}

#[test]
fn a_garbled_or_truncated_one_is_ignored() {
    let (world, index, plan) = snapshotted();
    let mut spoiled = vec![Vec::new(), b"retune-index-v1\n".to_vec(), vec![0xff; 4096]];
    for at in [0, 1, 20, 30, 60, 87, 88, 100, index.len() / 2, index.len() - 1] {
        let mut bent = index.clone();
        bent[at] ^= 1;
        spoiled.extend([bent, index[..at].to_vec()]);
    }
    spoiled.push([&index[..], b"more"].concat());
    for bytes in spoiled {
        fs::write(world.path(INDEX), bytes).expect("can be written");
        assert_eq!(world.plan(&[]), plan);
        let verify = world.toy(&["verify"]);
        assert_eq!(verify.code, 0, "{}{}", verify.stdout, verify.stderr);
    }
}

#[test]
fn one_of_another_log_is_ignored_and_replaced_by_the_next_run() {
    let (world, index, plan) = snapshotted();
    // The log loses a stage's line in its middle: the snapshot still knows the stage.
    let log = fs::read_to_string(world.path(LOG)).expect("is there");
    let kept = log.lines().filter(|line| !line.contains(" toy/report "));
    world.write(LOG, &kept.map(|line| format!("{line}\n")).collect::<String>());
    fs::write(world.path(INDEX), &index).expect("can be written");
    assert_eq!(world.plan(&[])["toy/report"], "stale");
    assert_eq!(world.good_run(&[]).executed().len(), 1);
    assert_ne!(fs::read(world.path(INDEX)).expect("is there"), index);
    assert_eq!(world.plan(&[]), plan);
    // A log that is shorter than the part that the snapshot covers.
    world.write(LOG, "");
    fs::write(world.path(INDEX), &index).expect("can be written");
    assert!(world.plan(&[]).values().all(|state| state != "fresh"));
}
