//! A stage that fails stops only what needs it; exit codes are those of `--help`.

use crate::world::{World, set};

/// All stages that do not depend on `toy/odd`.
fn others(world: &World) -> usize {
    world.plan(&[]).keys().filter(|name| !name.starts_with("toy/odd")).count()
}

#[track_caller]
fn fails_alone(does: &str, timeout_s: u64, message: &str) {
    let world = World::odd(does, timeout_s, 0);
    let ran = world.run(&[]);
    assert_eq!(ran.ended.code, 1);
    assert_eq!(ran.summary("failed"), set(["toy/odd/x"]));
    assert_eq!(ran.summary("executed").len(), others(&world), "independent stages went on");
    assert_eq!(ran.summary("blocked"), set(["toy/odd/x/after", "toy/odd/x/anyway"]));
    let failed = ran.events.iter().find(|e| e["event"] == "failed").expect("is told");
    let told = failed["message"].as_str().expect("a text");
    assert!(told.contains(message), "{told:?} lacks {message:?}");
    assert_eq!(ran.ended.stderr, "error: stage toy/odd/x failed\n");
    let again = world.run(&[]);
    assert_eq!(again.executed(), set(["toy/odd/x"]), "only the failed stage is tried again");
}

#[test]
fn an_error() {
    fails_alone("fail", 60, "as told");
}

#[test]
fn a_panic() {
    fails_alone("panic", 60, "panicked: as told");
}

#[test]
fn an_abort() {
    fails_alone("abort", 60, "worker was ended by signal 6");
}

#[test]
fn too_long() {
    fails_alone("sleep", 1, "took longer than its limit of 1 s and was stopped");
}

#[test]
fn a_retry_helps_a_flaky_stage() {
    let ran = World::odd("flaky", 60, 1).good_run(&[]);
    assert_eq!(ran.starts("toy/odd/x"), 2);
    assert_eq!(ran.stages("held"), set::<&str>([]), "a stage never waits for itself");
    assert!(ran.summary("executed").contains("toy/odd/x/after"));
}

#[test]
fn retries_come_to_an_end() {
    let ran = World::odd("fail", 60, 2).run(&["toy/odd/x"]);
    assert_eq!((ran.ended.code, ran.starts("toy/odd/x")), (1, 3));
}

#[test]
fn an_unavailable_stage_is_no_error_and_optional_readers_run() {
    let world = World::odd("absent", 60, 0);
    let ran = world.good_run(&[]);
    assert_eq!(ran.summary("unavailable"), set(["toy/odd/x"]));
    assert_eq!(ran.summary("blocked"), set(["toy/odd/x/after"]));
    assert_eq!(ran.summary("executed").len(), others(&world) + 1);
    assert_eq!(world.value("toy/odd/x/anyway"), 0);
    let plan = world.plan(&[]);
    assert_eq!(plan["toy/odd/x"], "unavailable");
    assert_eq!(plan["toy/odd/x/after"], "blocked");
    assert_eq!(plan["toy/odd/x/anyway"], "fresh");
    let again = world.good_run(&[]);
    assert_eq!(again.executed(), set(["toy/odd/x"]), "it is tried again, its readers are not");

    world.write("flag-x", "now it is there");
    let why = world.toy(&["why", "toy/odd/x"]).stdout;
    assert!(why.contains("put a file at"), "{why}");
    let ran = world.good_run(&[]);
    // The two readers do the same to the same input: one key, computed once.
    let (mut settled, cut_off) = (ran.executed(), ran.summary("cut_off"));
    assert_eq!((settled.len(), cut_off.len()), (2, 1));
    settled.extend(cut_off);
    assert_eq!(settled, set(["toy/odd/x", "toy/odd/x/after", "toy/odd/x/anyway"]));
    assert_eq!(world.value("toy/odd/x/anyway"), 1);
    assert!(world.good_run(&[]).executed().is_empty());
}

#[test]
fn a_gpu_stage_without_a_gpu_is_unavailable() {
    let world = World::odd("gpu", 60, 0);
    let ran = world.good_run(&["--gpus", "0"]);
    assert_eq!(ran.summary("unavailable"), set(["toy/odd/x"]));
    assert_eq!(ran.summary("blocked"), set(["toy/odd/x/after"]));
    let ran = world.good_run(&["--gpus", "1"]);
    assert!(ran.summary("executed").contains("toy/odd/x"));
}

#[test]
fn fail_fast_starts_nothing_more() {
    let world = World::odd("fail", 60, 0);
    world.edit("sleep_ms = 0", "sleep_ms = 100");
    let ran = world.run(&["--fail-fast", "--jobs", "1", "toy/odd/x", "toy/report"]);
    assert_eq!(ran.ended.code, 1);
    assert_eq!(ran.summary("failed"), set(["toy/odd/x"]));
    assert!(!ran.executed().contains("toy/report"), "most stages were not reached");
}

#[test]
fn exit_codes_are_documented() {
    let help = World::new().toy(&["--help"]).stdout;
    for code in ["0 all is well", "1 a stage failed", "2 the command line", "3 the store", "130"] {
        assert!(help.replace('\n', " ").contains(code), "--help lacks {code:?}:\n{help}");
    }
}
