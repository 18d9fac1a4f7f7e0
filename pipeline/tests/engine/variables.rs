//! Options that are given in the environment. A variable that is set to an empty string counts as unset.

use crate::world::{Ended, World};

fn toy_in(world: &World, args: &[&str], name: &str, value: &str) -> Ended {
    world.command(args).env(name, value).output().expect("starts").into()
}

#[test]
fn a_profile_set_to_nothing_is_the_programs_own() {
    let world = World::new();
    let plan = |value| toy_in(&world, &["status", "--json"], "PROFILE", value);
    let own = world.toy(&["status", "--json"]);
    assert_eq!((own.code, plan("").code), (0, 0), "{:?}", plan(""));
    assert_eq!(plan("").stdout, own.stdout);
    let wide = plan("wide");
    assert!(wide.code == 0 && wide.stdout != own.stdout, "{wide:?}");
    assert_eq!(plan("narrow").code, 2);
}

#[test]
fn jobs_set_to_nothing_are_all_cores() {
    let world = World::new();
    let run = |value| toy_in(&world, &["run", "--profile", "full"], "JOBS", value);
    let ran = run("");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(run("1").code, 0);
    let refused = run("many");
    assert!(refused.code == 2 && refused.stderr.contains("--jobs"), "{refused:?}");
    // The command line takes precedence.
    let said = toy_in(&world, &["run", "--jobs", "1"], "JOBS", "many");
    assert_eq!(said.code, 0, "{said:?}");
}

#[test]
fn slots_are_bounded_and_none_is_no_request() {
    let world = World::new();
    let cases: [&[&str]; 8] = [
        &["run", "--jobs", "1000000"],
        &["run", "--jobs", "0"],
        &["run", "--gpu-share", "0"],
        &["run", "--gpus", "1000000000000"],
        &["run", "--memory", "0"],
        &["run", "--jobs", "abc"],
        &["rerun", "--check", "1", "--jobs", "0"],
        &["audit", "--jobs", "99999999999999999999"],
    ];
    for args in cases {
        let ended = world.toy(args);
        let (option, value) = (args[args.len() - 2], args[args.len() - 1]);
        assert_eq!(ended.code, 2, "{args:?}: {}", ended.stderr);
        for part in [option, value, "expected "] {
            assert!(ended.stderr.contains(part), "{args:?}: {}", ended.stderr);
        }
    }
    let ended = toy_in(&world, &["run"], "JOBS", "0");
    assert!(ended.code == 2 && ended.stderr.contains("expected 1 to 4096"), "{ended:?}");
    assert_eq!(world.toy(&["run", "--gpus", "0"]).code, 0, "a run may do without GPUs");
}

/// As many threads as slots would bring other work on the machine to a halt.
#[test]
fn a_run_starts_no_more_threads_than_it_can_use() {
    let world = World::with("sleep_ms = 0", "sleep_ms = 300");
    let mut child = world.command(&["run", "--jobs", "4000", "--plain"]).spawn().expect("starts");
    let status = format!("/proc/{}/status", child.id());
    let threads = || {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("Threads:"));
        line.and_then(|count| count.trim().parse::<usize>().ok())
    };
    let mut most = 0;
    while child.try_wait().expect("is ours").is_none() {
        most = most.max(threads().unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(child.wait().expect("ended").success());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    assert!(most > 2 && most < 60 + cores, "{most} threads for 19 stages");
}
