//! Failing disks: every call of the store to its file system fails in turn, in every way that we can think of, and
//! the power is cut before it. The user of the store is told where and what to do, or does not notice; and once the
//! disk is mended, a plain run ends with the same bytes as if nothing had happened.
//!
//! `CUTS=20` tries more of what each power cut may leave, `DISASTERS=1000` tries more stores that meet several
//! failures one after another, and `DISK_SEED=7` tries other ones. A failure message says how to repeat it.

mod content;
mod memory;
mod opened;
mod scene;
#[path = "../toy/mod.rs"]
mod toy;

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    thread,
};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha12Rng;

use self::{
    memory::Trouble,
    scene::{Experiment, Scene},
};

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// How many calls there are when nothing fails.
fn calls(experiment: &Experiment) -> usize {
    let scene = Scene::new(experiment);
    scene.all().expect("nothing fails");
    assert!(scene.compacted.get(), "else its calls would not be among them");
    let calls = scene.memory.mend();
    scene.judge();
    calls
}

/// Runs `check` for each number below `n`, on two threads.
fn each(n: usize, check: impl Fn(&Experiment, usize) + Sync) {
    let experiment = Experiment::new();
    let every_other = |from: usize| {
        for i in (from..n).step_by(2) {
            let sound = catch_unwind(AssertUnwindSafe(|| check(&experiment, i)));
            assert!(sound.is_ok(), "in number {i}");
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| every_other(1));
        every_other(0);
    });
}

fn each_call(check: impl Fn(&Scene, usize) + Sync) {
    let calls = calls(&Experiment::new());
    each(calls, |experiment, call| check(&Scene::new(experiment), call));
}

/// Otherwise a call would not be among those that fail here.
#[test]
fn the_store_has_no_other_way_to_files() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("is there").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let text = fs::read_to_string(entry.path()).expect("can be read");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let other =
                ["fs::", " File::", "OpenOptions", "of_file("].map(|way| code.contains(way));
            // Locks are the kernel's business.
            let locks = entry.file_name() == "locks.rs";
            assert!(other == [false; 4] || locks, "{:?}", entry.file_name());
        }
    }
}

#[test]
fn a_call_that_fails_ends_a_run_or_nothing() {
    each_call(|scene, call| {
        scene.disturb(call..call + 1, Trouble::Broken);
        scene.judge();
    });
}

#[test]
fn a_full_disk_ends_a_run() {
    each_call(|scene, call| {
        scene.disturb(call..usize::MAX, Trouble::Full);
        scene.judge();
    });
}

#[test]
fn an_interrupted_call_is_made_again() {
    each_call(|scene, call| {
        let until = if call == 0 { usize::MAX } else { call + 1 };
        scene.disturb(call..until, Trouble::Interrupted);
        scene.judge();
    });
}

#[test]
fn what_a_call_leaves_undone_is_done_by_the_next() {
    each_call(|scene, call| {
        let until = if call == 0 { usize::MAX } else { call + 1 };
        scene.disturb(call..until, Trouble::Short);
        scene.judge();
    });
}

#[test]
fn a_power_cut_costs_time_alone() {
    let seed = number("DISK_SEED", 0);
    each_call(|scene, call| {
        for cut in 0..number("CUTS", 2) {
            let mut rng = ChaCha12Rng::seed_from_u64((seed + cut) << 32 | call as u64);
            let scene = scene.again();
            scene.disturb(call..usize::MAX, Trouble::Off);
            scene.cut(&mut rng);
            scene.judge();
        }
    });
}

#[test]
fn what_outlived_a_start_of_the_machine_is_hashed_once() {
    let experiment = Experiment::new();
    let scene = Scene::new(&experiment);
    scene.all().expect("nothing fails");
    scene.idle();
    let before = scene.idle();
    scene.memory.start();
    let first = scene.idle();
    assert!(first > before + 10, "{first} calls after the start, {before} before");
    // The log is longer now, which may take one more read.
    let again = scene.idle();
    assert!(again <= before + 1, "{again} calls, {before} before");
    scene.memory.start();
    assert_eq!(scene.idle(), again, "it has outlived one");
}

#[test]
fn disasters_in_a_row_cost_time_alone() {
    let (seed, count) = (number("DISK_SEED", 0), number("DISASTERS", 300));
    let calls = calls(&Experiment::new()) as u64;
    each(usize::try_from(count).expect("is small"), |experiment, i| {
        let mut rng = ChaCha12Rng::seed_from_u64(seed + i as u64);
        let scene = Scene::new(experiment);
        for _ in 0..=rng.next_u64() % 4 {
            let call = usize::try_from(rng.next_u64() % calls).expect("is small");
            let (when, trouble) = match rng.next_u64() % 4 {
                0 => (call..call + 1, Trouble::Broken),
                1 => (call..usize::MAX, Trouble::Full),
                _ => (call..usize::MAX, Trouble::Off),
            };
            scene.disturb(when, trouble);
            if trouble == Trouble::Off || rng.next_u64().is_multiple_of(4) {
                scene.cut(&mut rng);
            }
        }
        scene.judge();
    });
}
