//! Several processes on one store.

use std::{collections::BTreeSet, fs, process::Stdio, thread::sleep, time::Duration};

use crate::world::{Ran, World, set, wait_until};

fn slow() -> World {
    World::with("sleep_ms = 0", "sleep_ms = 150")
}

/// Runs both at the same time and checks that no stage was computed twice.
fn both(world: &World, a: &[&str], b: &[&str]) -> (Ran, Ran) {
    let (first, second) = (world.start(a), world.start(b));
    let (first, second) = (World::finish(first), World::finish(second));
    assert_eq!((first.ended.code, second.ended.code), (0, 0), "{first:?}\n{second:?}");
    let twice: BTreeSet<_> = first.executed().intersection(&second.executed()).cloned().collect();
    assert_eq!(twice, set::<&str>([]), "computed twice");
    (first, second)
}

#[test]
fn two_runs_of_the_same_share_the_work() {
    let world = slow();
    let (first, second) = both(&world, &[], &[]);
    let mut all = first.executed();
    all.extend(second.executed());
    assert_eq!(all.len(), world.plan(&[]).len(), "none was lost");
    let alone = World::new();
    alone.good_run(&[]);
    assert_eq!(world.value("toy/report"), alone.value("toy/report"));
    assert!(world.good_run(&[]).executed().is_empty());
}

#[test]
fn two_runs_of_different_targets_meet_in_what_both_need() {
    let world = slow();
    both(&world, &["toy/a/times-2"], &["toy/a"]);
    both(&world, &["toy/b"], &["toy/report"]);
    assert!(world.good_run(&["toy/report"]).executed().is_empty(), "none was lost");
}

/// The computations in order, as the stages report them: a stage is never computed twice at the same time.
fn computed(world: &World) -> Vec<String> {
    let (mut running, mut ended) = (BTreeSet::new(), Vec::new());
    for line in world.trace() {
        let words: Vec<_> = line.split(' ').collect();
        let [what, name, pid] = words[..] else { panic!("{line:?} is no line of a trace") };
        if what == "start" {
            assert!(running.insert(name.to_owned()), "{name} started again (process {pid})");
        } else {
            assert!(running.remove(name), "{name} ended (process {pid}) and did not run");
            ended.push(name.to_owned());
        }
    }
    assert!(running.is_empty(), "did not end: {running:?}");
    ended.sort();
    ended
}

#[test]
fn a_common_cone_is_computed_once_by_two_processes() {
    // Above each target lies a triangle of stages; the two share a smaller one. The second process starts before,
    // within and after the first one's pass through it.
    let targets = ["toy/dag/layer=6/i=0", "toy/dag/layer=6/i=2"];
    let mut helped = false;
    for delay_ms in [0, 3, 10, 30, 60, 100, 150, 200] {
        let bulk = "layers = 7\nwidth = 8\nbulk = { rows = 200, worker_every = 3, sleep_ms = 8 }";
        let world = World::with("layers = 2\nwidth = 2", bulk);
        let first = world.start(&[targets[0]]);
        sleep(Duration::from_millis(delay_ms));
        let second = world.start(&[targets[1]]);
        let (first, second) = (World::finish(first), World::finish(second));
        assert_eq!((first.ended.code, second.ended.code), (0, 0), "{first:?}\n{second:?}");
        helped |= first.executed().len().min(second.executed().len()) > 5;
        let cone = |target: &str| set(world.plan(&[target]).keys());
        let (one, other) = (cone(targets[0]), cone(targets[1]));
        assert!(one.intersection(&other).count() > 10, "the cones share much");
        let wanted: Vec<_> = one.union(&other).cloned().collect();
        assert_eq!(computed(&world), wanted, "each once and none lost, after {delay_ms} ms");
        assert!(world.good_run(&targets).executed().is_empty(), "the store knows them all");
    }
    assert!(helped, "both processes had a part in one case at least");
}

#[test]
fn workers_are_shared_too() {
    let world = slow();
    world.edit("worker = false", "worker = true");
    both(&world, &["--jobs", "2"], &["--jobs", "2"]);
    assert!(world.good_run(&[]).executed().is_empty());
}

#[test]
fn many_runs_at_once_all_succeed() {
    let world = World::new();
    let runs: Vec<_> = (0..6).map(|_| world.start(&["--jobs", "2"])).collect();
    let mut executed = Vec::new();
    for run in runs {
        let ran = World::finish(run);
        assert_eq!(ran.ended.code, 0, "{}", ran.ended.stderr);
        executed.extend(ran.executed());
    }
    let different: BTreeSet<_> = executed.iter().collect();
    assert_eq!(executed.len(), different.len(), "no stage twice");
    assert_eq!(different.len(), world.plan(&[]).len(), "none lost");
}

#[test]
fn the_second_says_who_holds_a_stage() {
    let world = World::with("sleep_ms = 0", "sleep_ms = 600");
    let target = "toy/a/times-2/split=0";
    let first = world.start(&[target]);
    let by = format!("process {}", first.id());
    wait_until("the first run's draw", || {
        world.path("artifacts/store/v1/log").is_file()
            && world.digests().contains_key("toy/a/draw/split=0")
    });
    // The first run's stage ends only when the second run has reported that it waits.
    world.write("trace.hold", "");
    let (mut second, said) = (world.command(&["run", target]), world.path("said"));
    second.stdout(Stdio::null()).stderr(fs::File::create(&said).expect("can be made"));
    let mut second = second.spawn().expect("starts");
    let wanted = format!("waiting for {target}, which {by} computes\n");
    wait_until("the second run's word", || {
        fs::read_to_string(&said).is_ok_and(|said| said == wanted)
    });
    fs::remove_file(world.path("trace.hold")).expect("was there");
    assert!(second.wait().expect("ends").success());
    assert_eq!(World::finish(first).ended.code, 0);
}

#[test]
fn a_run_goes_on_alone_when_the_other_dies() {
    let world = World::with("sleep_ms = 0", "sleep_ms = 600");
    let target = "toy/a/times-2/split=0";
    let mut first = world.start(&[target]);
    wait_until("the first run's draw", || {
        world.path("artifacts/store/v1/log").is_file()
            && world.digests().contains_key("toy/a/draw/split=0")
    });
    let second = world.start(&[target]);
    sleep(Duration::from_millis(200));
    first.kill().expect("is alive");
    first.wait().expect("ends");
    let second = World::finish(second);
    assert_eq!(second.ended.code, 0);
    assert_eq!(second.stages("held"), set([target]));
    assert_eq!(second.executed(), set([target]));
}

#[test]
fn garbage_is_not_collected_under_a_run() {
    let world = World::with("sleep_ms = 0", "sleep_ms = 600");
    let run = world.start(&["toy/a/times-2/split=0"]);
    wait_until("the run's draw", || {
        world.path("artifacts/store/v1/log").is_file()
            && world.digests().contains_key("toy/a/draw/split=0")
    });
    let gc = world.toy(&["gc"]);
    assert_eq!(gc.code, 2);
    let said = "error: a run is using this store\nhelp: wait for it to end, then try again\n";
    assert_eq!(gc.stderr, said);
    assert_eq!(World::finish(run).ended.code, 0);
    assert_eq!(world.toy(&["gc"]).code, 0);
}
