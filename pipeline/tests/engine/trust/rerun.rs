//! `rerun --check` computes results again beside the store and reports which differ.

use std::{collections::BTreeSet, fs};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use crate::world::{Ended, World, set, wait_until};

const STORE: &str = "artifacts/store/v1";

fn rerun(world: &World, args: &[&str]) -> Ended {
    world.toy(&[&["rerun", "--seed", "7"], args].concat())
}

/// The stages that were started according to the trace.
fn started(world: &World) -> BTreeSet<String> {
    let trace = world.trace();
    set(trace.iter().filter_map(|line| line.strip_prefix("start ")?.split(' ').next()))
}

fn differing(ended: &Ended) -> BTreeSet<String> {
    set(ended.stdout.lines().filter_map(|line| line.strip_prefix("differs      ")))
}

/// A store in which the stage `toy/a/draw/split=0` has the result of `toy/b/draw/split=0`, wrong under its key.
fn wrong() -> World {
    let world = World::new();
    world.good_run(&[]);
    let log = fs::read_to_string(world.path(STORE).join("log")).expect("is there");
    // The results of two stages of one kind are swapped, as on a remote that is not trusted.
    let done = |stage: &str| {
        let line = log.lines().find(|l| l.starts_with("d ") && l.contains(&format!(" {stage} ")));
        line.and_then(|line| line.rsplit_once(" ~")).expect("is done").0.to_owned()
    };
    let (a, b) = (done("toy/a/draw/split=0"), done("toy/b/draw/split=0"));
    let (key, outputs) =
        (a.rsplit_once(' ').expect("words").0, b.rsplit_once(' ').expect("words").1);
    let body = format!("{key} {outputs}");
    let sum = pipeline::digest::Digest::of(body.as_bytes()).to_string();
    world.write(&format!("{STORE}/log"), &format!("{log}{body} ~{}\n", &sum[..8]));
    world.good_run(&[]); // its readers are computed from it
    world
}

#[test]
fn sound_results_come_out_the_same_and_stay() {
    let world = World::new();
    world.good_run(&[]);
    let (stages, before) = (world.plan(&[]).len(), world.artifacts());
    let log = fs::read(world.path(STORE).join("log")).expect("is there");
    fs::remove_file(world.path("trace")).expect("is there");
    let all = rerun(&world, &["--check", "1000"]);
    assert_eq!(all.code, 0, "{}{}", all.stdout, all.stderr);
    let expected =
        format!("0 of {stages} differ: which are all there are (profile full, --seed 7)\n");
    assert_eq!(all.stdout, expected);
    assert_eq!(started(&world).len(), stages, "they were really computed");
    assert!(world.artifacts() == before);
    assert!(
        fs::read(world.path(STORE).join("log")).expect("is there") == log,
        "nothing is recorded"
    );
    assert!(fs::read_dir(world.path(STORE).join("tmp")).expect("is there").next().is_none());
}

#[test]
fn a_sample_is_drawn_by_its_seed_and_says_how_sure_it_is() {
    let world = World::new();
    world.good_run(&[]);
    let stages = world.plan(&[]).len();
    let drawn = |seed: &str| {
        fs::remove_file(world.path("trace")).expect("is there");
        let ended = world.toy(&["rerun", "--check", "5", "--seed", seed]);
        let said = format!(
            "0 of 5 differ: at most 45.1 % of the {stages} results are wrong, at 95 % confidence \
             (profile full, --seed {seed})\n"
        );
        assert_eq!((ended.code, ended.stdout), (0, said));
        started(&world)
    };
    let first = drawn("1");
    assert_eq!(first.len(), 5);
    assert_eq!(first, drawn("1"));
    assert_ne!(first, drawn("2"));
}

#[test]
fn targets_say_among_what_is_drawn() {
    let world = World::new();
    world.good_run(&[]);
    fs::remove_file(world.path("trace")).expect("is there");
    assert_eq!(rerun(&world, &["--check", "1000", "toy/a/draw"]).code, 0);
    let expected = set(["toy/a/data", "toy/a/draw/split=0", "toy/a/draw/split=1"]);
    assert_eq!(started(&world), expected);
    let none = rerun(&world, &["--check", "1", "--profile", "wide", "toy/a/draw/split=2"]);
    assert_eq!(none.code, 0, "what it needs has a result: {}", none.stderr);
    let none = rerun(&World::new(), &["--check", "1"]);
    assert_eq!(none.code, 2);
    assert!(none.stderr.contains("there are no results under profile full"), "{}", none.stderr);
}

#[test]
fn a_wrong_result_is_found_though_every_digest_agrees() {
    let world = wrong();
    assert_eq!(world.toy(&["verify", "--deep"]).code, 0);
    assert_eq!(world.toy(&["fsck"]).code, 0);
    let before = world.artifacts();
    let ended = rerun(&world, &["--check", "1000"]);
    assert_eq!(ended.code, 1, "{}{}", ended.stdout, ended.stderr);
    // Its readers are right, since each is computed again from its recorded inputs.
    assert_eq!(differing(&ended), set(["toy/a/draw/split=0"]));
    let recorded = &world.digests()["toy/a/draw/split=0"];
    assert!(ended.stdout.contains(&format!("output main\n  recorded {recorded}\n  now      ")));
    assert!(world.artifacts() == before, "it is not replaced");
    world.good_run(&["--force", "toy/a/draw/split=0"]);
    assert_eq!(rerun(&world, &["--check", "1000"]).code, 0);
}

#[test]
fn workers_and_checkpoints_serve_it_too() {
    let world = World::with("worker = false", "worker = true");
    world.add_odd("x", "resume", 60, 3);
    world.good_run(&["toy/a", "toy/odd/x"]);
    let ended = rerun(&world, &["--check", "1000", "toy/a"]);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    // It continues from its own checkpoints, one step per attempt, as in a run; but not from those of the store.
    fs::remove_file(world.path("trace")).expect("is there");
    let ended = rerun(&world, &["--check", "1000", "toy/odd/x"]);
    assert!(ended.stdout.starts_with("0 of 2 differ"), "{}{}", ended.stdout, ended.stderr);
    let steps = world.trace().iter().filter(|line| line.starts_with("start toy/odd/x ")).count();
    assert_eq!(steps, 3);
}

#[test]
fn a_stage_that_cannot_be_computed_now_is_told() {
    let world = World::odd("absent", 60, 0);
    let flag = world.path("flag-x");
    fs::write(&flag, "").expect("can be written");
    world.good_run(&["toy/odd/x"]);
    fs::remove_file(&flag).expect("is there");
    let ended = rerun(&world, &["--check", "9", "toy/odd/x"]);
    assert_eq!(ended.code, 0, "what is not available here is no error: {}", ended.stderr);
    assert!(ended.stdout.starts_with("unavailable  toy/odd/x\n  put a file"), "{}", ended.stdout);
    let one = "\n0 of 1 differ: at most 95 % of the 2 results are wrong, at 95 % confidence";
    assert!(ended.stdout.contains(one), "{}", ended.stdout);

    let world = World::odd("peek", 60, 0);
    world.write("flag-x", "");
    world.good_run(&["toy/odd/x"]);
    fs::remove_file(world.path("flag-x")).expect("is there");
    let ended = rerun(&world, &["--check", "9", "toy/odd/x"]);
    assert_eq!(ended.code, 1);
    assert!(ended.stdout.starts_with("failed       toy/odd/x\n"), "{}", ended.stdout);
    assert!(ended.stderr.contains("1 stages with results fail"), "{}", ended.stderr);
}

#[test]
fn it_ends_when_it_is_interrupted() {
    let world = World::with("worker = false", "worker = true");
    world.good_run(&["toy/a"]);
    // The same keys would not sleep: only a stage with a recorded result is computed again.
    world.edit("sleep_ms = 0", "sleep_ms = 2000");
    world.good_run(&["toy/a/times-2/split=0"]);
    fs::remove_file(world.path("trace")).expect("is there");
    let args = ["rerun", "--check", "9", "--seed", "7", "toy/a/times-2/split=0"];
    let child = world.command(&args).stdout(std::process::Stdio::piped()).spawn().expect("starts");
    wait_until("a stage to start", || {
        world.trace().iter().any(|line| line.starts_with("start toy/a/times-2"))
    });
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).expect("runs");
    let ended = Ended::from(child.wait_with_output().expect("ends"));
    assert_eq!(ended.code, 130, "{}", ended.stdout);
    assert!(!world.someone_works(), "no worker outlives it");
    assert!(fs::read_dir(world.path(STORE).join("tmp")).expect("is there").next().is_none());
}

#[test]
fn one_at_a_time_and_what_a_kill_leaves_is_swept() {
    let world = World::with("sleep_ms = 0", "sleep_ms = 1500");
    world.good_run(&["toy/a/times-2/split=0"]);
    fs::remove_file(world.path("trace")).expect("is there");
    let args = ["rerun", "--check", "9", "toy/a/times-2/split=0"];
    let mut child = world.command(&args).spawn().expect("starts");
    wait_until("a stage to start", || {
        world.trace().iter().any(|line| line.starts_with("start toy/a/times-2"))
    });
    let second = rerun(&world, &["--check", "1"]);
    assert!(second.stderr.contains("another `retune rerun`"), "{}", second.stderr);
    child.kill().expect("runs");
    child.wait().expect("ends");
    let left = || fs::read_dir(world.path(STORE).join("tmp")).expect("is there").count();
    assert_eq!(left(), 1);
    world.good_run(&["toy/a/times-2/split=0"]);
    assert_eq!(left(), 0);
}
