//! A disk that refuses: full, read-only, or with a log that cannot be written. One error names the file and the
//! remedy, what was computed before is kept, and the next run continues from there.
//!
//! Mounts are made in a mount namespace of their own; if that is not allowed, these tests say on standard error that
//! they were skipped.

use std::{collections::BTreeMap, fs, io::Write, os::unix::fs::PermissionsExt, process::Command};

use crate::world::{Ended, World, program};

const REMEDY: &str =
    "help: make it writable for this user, or name another store with --store DIR\n";
const STORE: &str = "artifacts/store/v1";

/// Runs a script in a mount namespace of its own with the toy program as `$TOY`; `None`, with a message on standard
/// error, if mounting is not allowed.
fn with_mounts(world: &World, script: &str) -> Option<Ended> {
    let unshare = |options: &[&str], script: &str| {
        let mut command = Command::new("unshare");
        command.args(options).args(["--mount", "sh", "-ec", script]).current_dir(world.path(""));
        command.env("TOY", program()).env_remove("PROFILE").env_remove("JOBS");
        command.output().ok()
    };
    let probe = "mkdir -p probe && mount -t tmpfs none probe";
    // As the current user, or as root within the namespace.
    let ways = [&[][..], &["--user", "--map-root-user"]];
    let allowed = |way: &&&[&str]| unshare(way, probe).is_some_and(|out| out.status.success());
    let Some(way) = ways.iter().find(allowed) else {
        let name = std::thread::current().name().unwrap_or("a test").to_owned();
        // Not `eprintln`, since the test harness would capture it.
        drop(writeln!(std::io::stderr(), "SKIPPED {name}: no right to mount"));
        return None;
    };
    unshare(way, script).map(Ended::from)
}

#[track_caller]
fn one_error(ended: &Ended, said: &str, remedy: &str) {
    assert_eq!(ended.code, 3, "{ended:?}");
    let errors: Vec<_> = ended.stderr.lines().filter(|l| l.starts_with("error: ")).collect();
    assert_eq!(errors.len(), 1, "{}", ended.stderr);
    assert!(errors[0].contains(said), "{:?} lacks {said:?}", errors[0]);
    assert!(ended.stderr.ends_with(remedy), "{}", ended.stderr);
}

/// A world that is up to date except for its report.
fn edited() -> World {
    let world = World::new();
    world.good_run(&[]);
    world.edit("label = 0", "label = 1");
    world
}

/// The next run computes the report and nothing else.
#[track_caller]
fn goes_on(world: &World) {
    assert_eq!(world.good_run(&[]).executed(), crate::world::set(["toy/report"]));
    assert_eq!(world.toy(&["verify", "--deep"]).code, 0);
    assert!(world.good_run(&[]).executed().is_empty());
}

#[test]
fn a_read_only_store_is_one_clear_error_and_can_still_be_read() {
    let world = edited();
    let frozen = "mount --bind artifacts artifacts && mount -o remount,ro,bind artifacts && ";
    let Some(run) = with_mounts(&world, &format!("{frozen} $TOY run")) else { return };
    one_error(&run, STORE, REMEDY);
    assert!(run.stderr.contains("Read-only file system"), "{}", run.stderr);
    let reading = format!("{frozen} $TOY plan; $TOY show toy/report --csv; $TOY verify --deep");
    let read = with_mounts(&world, &reading).expect("as before");
    assert_eq!(read.code, 0, "{}", read.stderr);
    assert!(read.stdout.contains("1 stage to run"), "{}", read.stdout);
    goes_on(&world);
}

#[test]
fn a_file_of_the_store_that_cannot_be_written_is_one_clear_error() {
    // Of these, the log and the lock are needed before anything is computed.
    for (file, computed) in [("log", 0), ("lock", 0), ("records.jsonl", 1), ("runs", 1)] {
        let world = edited();
        let path = format!("{STORE}/{file}");
        let frozen = format!("mount --bind {path} {path} && mount -o remount,ro,bind {path}");
        let Some(run) = with_mounts(&world, &format!("{frozen} && $TOY run")) else { return };
        one_error(&run, &path, REMEDY);
        let planned = world.planned("stale").len();
        assert_eq!(1 - planned, computed, "{file}: what was computed counts");
        assert_eq!(world.good_run(&[]).executed().len(), planned, "{file}");
        assert_eq!(world.toy(&["verify", "--deep"]).code, 0);
    }
}

#[test]
fn a_missing_right_is_one_clear_error() {
    let world = edited();
    let log = world.path(&format!("{STORE}/log"));
    let set = |mode| fs::set_permissions(&log, fs::Permissions::from_mode(mode)).expect("is ours");
    set(0o444);
    if fs::File::options().append(true).open(&log).is_ok() {
        drop(writeln!(std::io::stderr(), "SKIPPED a_missing_right: this user may write anything"));
        return;
    }
    let run = world.toy(&["run"]);
    set(0o644);
    one_error(&run, &format!("{STORE}/log: Permission denied"), REMEDY);
    goes_on(&world);
}

/// Stages in workers (`worker_every = 1`) or in threads of the engine (40).
fn forty(worker_every: u32) -> World {
    let bulk = format!("bulk = {{ rows = 400, worker_every = {worker_every}, sleep_ms = 0 }}");
    World::with("layers = 2\nwidth = 2", &format!("layers = 5\nwidth = 8\n{bulk}"))
}

/// Runs on a disk of this many KiB, then continues on a larger one; returns how many stages were kept.
fn fill(kib: u32, worker_every: u32, artifacts: &BTreeMap<String, Vec<u8>>) -> Option<usize> {
    let world = forty(worker_every);
    let script = format!(
        "mkdir small artifacts && mount -t tmpfs -o size={kib}k none small
         set +e; $TOY run --store small toy/dag >/dev/null; code=$?
         cp -r small/. artifacts/; exit $code"
    );
    let full = with_mounts(&world, &script)?;
    one_error(
        &full,
        "No space left on device",
        "help: free some space (`retune gc` removes artifacts nothing needs) and run again; \
         finished stages are kept\n",
    );
    assert!(full.stderr.contains("small/"), "a file is named: {}", full.stderr);
    // The store may be so new that nothing is recorded in it yet.
    let plan = world.plan(&["toy/dag"]);
    let kept = plan.values().filter(|state| *state == "fresh").count();
    let ran = world.good_run(&["toy/dag"]);
    assert_eq!(ran.executed().len() + ran.summary("cut_off").len() + kept, plan.len());
    assert_eq!(world.toy(&["verify", "--deep"]).code, 0);
    assert!(world.artifacts() == *artifacts, "{kib} KiB: artifacts differ");
    Some(kept)
}

#[test]
fn a_full_disk_loses_nothing() {
    let alone = forty(40);
    alone.good_run(&["toy/dag"]);
    let artifacts = alone.artifacts();
    // Sizes at which different writes are the first to fail: the log's, a job's, an artifact's.
    let mut kept = Vec::new();
    for kib in [40, 44, 48, 52, 160, 240] {
        for worker_every in [1, 40] {
            let Some(n) = fill(kib, worker_every, &artifacts) else { return };
            kept.push(n);
        }
    }
    assert!(kept.iter().any(|&n| n > 10), "{kept:?} stages were kept");
}
