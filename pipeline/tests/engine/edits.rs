//! After each kind of edit: exactly which stages run again, that `plan` predicted it, and that `why` gives the
//! reason.

use std::{collections::BTreeSet, fs};

use pipeline::artifacts::Artifacts;

use crate::{
    harm::flip_bit,
    world::{World, set},
};

const SPLITS: [&str; 2] = ["split=0", "split=1"];

fn draws(sets: &[&str]) -> BTreeSet<String> {
    let of = |s: &&str| SPLITS.map(|split| format!("toy/{s}/draw/{split}"));
    sets.iter().flat_map(of).collect()
}

fn mixes(sets: &[&str], methods: &[u8]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for s in sets {
        for m in methods {
            names.extend(SPLITS.map(|split| format!("toy/{s}/times-{m}/{split}")));
        }
    }
    names
}

fn union(parts: &[BTreeSet<String>]) -> BTreeSet<String> {
    parts.iter().flatten().cloned().collect()
}

fn report() -> BTreeSet<String> {
    set(["toy/report"])
}

/// What an edit must lead to.
struct Expected {
    /// Stages that run again.
    executed: BTreeSet<String>,
    /// Stages that were expected to follow and do not, because their inputs came out the same.
    cut_off: BTreeSet<String>,
    /// A stage and what `why` must say of it.
    why: &'static [(&'static str, &'static str)],
}

/// Makes a world that is up to date, edits it, and compares plan, `why` and run with `expected`.
#[track_caller]
fn check(edit: impl FnOnce(&World), args: &[&str], expected: &Expected) -> World {
    let world = World::new();
    world.good_run(&[]);
    edit(&world);
    let plan = world.plan(args);
    let planned = |state: &str| set(plan.iter().filter(|(_, s)| *s == state).map(|(n, _)| n));
    let (stale, waiting) = (planned("stale"), planned("waiting"));
    for (stage, text) in expected.why {
        let why = world.toy(&[&["why", stage], args].concat());
        assert_eq!(why.code, 0, "{}", why.stderr);
        assert!(why.stdout.contains(text), "why {stage}:\n{}\nlacks {text:?}", why.stdout);
    }
    let ran = world.good_run(args);
    assert_eq!(ran.executed(), expected.executed, "executed");
    assert_eq!(ran.summary("executed"), expected.executed, "the summary's list");
    assert_eq!(ran.stages("cut_off"), expected.cut_off, "cut off");
    assert!(stale.is_subset(&expected.executed), "planned as stale, did not run: {stale:?}");
    let planned = union(&[stale, waiting]);
    let happened = union(&[expected.executed.clone(), expected.cut_off.clone()]);
    assert_eq!(planned, happened, "the plan's stages are those that were looked at");
    let again = world.good_run(args);
    assert!(again.executed().is_empty(), "a second run has nothing to do");
    world
}

fn nothing() -> Expected {
    Expected { executed: BTreeSet::new(), cut_off: BTreeSet::new(), why: &[] }
}

#[test]
fn nothing_edited() {
    let why: &[_] = &[("toy/report", "toy/report is up to date (key ")];
    check(|_| (), &[], &Expected { why, ..nothing() });
}

#[test]
fn a_value_reruns_what_reads_it_and_what_follows() {
    check(
        |w| w.edit("below = 100", "below = 1000000"),
        &[],
        &Expected {
            executed: union(&[draws(&["a", "b"]), mixes(&["a", "b"], &[2, 3]), report()]),
            why: &[
                ("toy/a/draw/split=0", "params.below: 100 → 1000000"),
                ("toy/a/times-2/split=0", "toy/a/draw/split=0 will run"),
            ],
            ..nothing()
        },
    );
}

#[test]
fn a_value_of_one_stage_reruns_that_stage() {
    let why: &[_] = &[("toy/report", "params.plus: 0 → 5")];
    let edit = |w: &World| w.edit("label = 0", "label = 5");
    check(edit, &[], &Expected { executed: report(), why, ..nothing() });
}

#[test]
fn a_value_of_the_command_line_counts_like_one_in_the_file() {
    let why: &[_] = &[("toy/report", "params.plus: 0 → 6")];
    check(|_| (), &["--set", "label=6"], &Expected { executed: report(), why, ..nothing() });
}

#[test]
fn a_value_no_stage_reads_reruns_nothing() {
    check(|w| w.edit("splits = 3", "splits = 4"), &[], &nothing());
}

#[test]
fn a_comment_reruns_nothing() {
    check(|w| w.edit("below = 100", "# how far\nbelow   =   100 # here"), &[], &nothing());
}

#[test]
fn a_new_seed_reruns_all_that_is_random() {
    check(
        |w| w.edit("seed = 1", "seed = 2"),
        &[],
        &Expected {
            executed: union(&[draws(&["a", "b"]), mixes(&["a", "b"], &[2, 3]), report()]),
            why: &[("toy/b/draw/split=1", "seed: ")],
            ..nothing()
        },
    );
}

#[test]
fn a_new_data_set_reruns_only_what_joins_them() {
    check(
        |w| w.edit("[\"a\", \"b\"]", "[\"a\", \"b\", \"c\"]"),
        &[],
        &Expected {
            executed: union(&[
                set(["toy/c/data"]),
                draws(&["c"]),
                mixes(&["c"], &[2, 3]),
                report(),
            ]),
            why: &[("toy/c/data", "has no result yet"), ("toy/report", "toy/c/data will run")],
            ..nothing()
        },
    );
}

#[test]
fn data_content_reruns_its_readers() {
    check(
        |w| w.write("data/a.txt", "11"),
        &[],
        &Expected {
            executed: union(&[
                set(["toy/a/data"]),
                draws(&["a"]),
                mixes(&["a"], &[2, 3]),
                report(),
            ]),
            why: &[("toy/a/data", "file 0: "), ("toy/a/data", " → ")],
            ..nothing()
        },
    );
}

#[test]
fn data_content_without_effect_stops_at_once() {
    check(
        |w| w.write("data/a.txt", " 10\n"),
        &[],
        &Expected {
            executed: set(["toy/a/data"]),
            cut_off: union(&[draws(&["a"]), mixes(&["a"], &[2, 3]), report()]),
            why: &[("toy/a/draw/split=0", "runs if an input comes out different")],
        },
    );
}

#[test]
fn touched_or_moved_data_reruns_nothing() {
    check(|w| w.write("data/a.txt", "10"), &[], &nothing());
    let moved = |w: &World| {
        fs::rename(w.path("data"), w.path("elsewhere")).expect("can be moved");
        w.edit("files = \"data\"", "files = \"elsewhere\"");
    };
    check(moved, &[], &nothing());
}

#[test]
fn a_profile_reruns_what_differs_and_going_back_nothing() {
    let wide = |name: &str| format!("{name}/split=2");
    let names = ["a", "b"].iter().flat_map(|s| {
        [
            wide(&format!("toy/{s}/draw")),
            wide(&format!("toy/{s}/times-2")),
            wide(&format!("toy/{s}/times-3")),
        ]
    });
    let executed = union(&[names.collect(), report()]);
    let why: &[_] = &[("toy/a/draw/split=2", "has no result yet")];
    let world = check(|_| (), &["--profile", "wide"], &Expected { executed, why, ..nothing() });
    assert!(
        world.good_run(&[]).executed().is_empty(),
        "the first profile's results are still there"
    );
}

#[test]
fn results_are_shown_of_the_profile_that_is_asked_for() {
    let world = World::new();
    let path = |profile: &[&str]| {
        let shown = world.toy(&[&["show", "toy/report", "--path"], profile].concat());
        assert_eq!(shown.code, 0, "{}", shown.stderr);
        shown.stdout
    };
    world.good_run(&[]);
    let full = path(&[]);
    world.good_run(&["--profile", "wide"]);
    let wide = path(&[]);
    assert_ne!(wide, full, "without a profile, the last run");
    assert_eq!(path(&["--profile", "full"]), full);
    assert_eq!(path(&["--profile", "wide"]), wide);
    let other = world.toy(&["show", "toy/report", "--profile", "ful"]);
    assert_eq!(other.code, 2);
    assert_eq!(
        other.stderr,
        "error: no run under profile `ful` yet\nhelp: runs were under: full, wide\n"
    );
}

#[test]
fn a_value_put_back_reruns_nothing() {
    let world = World::new();
    let first = world.good_run(&[]).executed();
    assert_eq!(first.len(), 2 + 4 + 8 + 1 + 4, "{first:?}");
    world.edit("below = 100", "below = 50");
    world.good_run(&[]);
    world.edit("below = 50", "below = 100");
    assert!(world.good_run(&[]).executed().is_empty());
}

fn readers_of_a_draw() -> BTreeSet<String> {
    set(["toy/a/times-2/split=0", "toy/a/times-3/split=0", "toy/report"])
}

#[test]
fn a_deleted_artifact_is_computed_again() {
    check(
        |w| fs::remove_file(w.object("toy/a/draw/split=0")).expect("is there"),
        &[],
        &Expected {
            executed: set(["toy/a/draw/split=0"]),
            cut_off: readers_of_a_draw(),
            why: &[("toy/a/draw/split=0", "is gone")],
        },
    );
}

#[test]
fn a_corrupted_artifact_is_put_aside_and_computed_again() {
    let world = check(
        |w| flip_bit(&w.object("toy/a/draw/split=0")), // size and modification time are kept
        &[],
        &Expected {
            executed: set(["toy/a/draw/split=0"]),
            cut_off: readers_of_a_draw(),
            why: &[("toy/a/draw/split=0", "is corrupt")],
        },
    );
    let aside = fs::read_dir(world.path("artifacts/store/v1/quarantine")).expect("is there");
    assert_eq!(aside.count(), 1);
}

#[test]
fn a_truncated_artifact_is_computed_again() {
    check(
        |w| fs::write(w.object("toy/a/draw/split=0"), "").expect("can be written"),
        &[],
        &Expected {
            executed: set(["toy/a/draw/split=0"]),
            cut_off: readers_of_a_draw(),
            why: &[("toy/a/draw/split=0", "is corrupt")],
        },
    );
}

#[test]
fn a_renamed_stage_reruns_nothing() {
    let world = check(|w| w.edit("toy/report", "toy/summary"), &[], &nothing());
    assert!(world.toy(&["show", "toy/summary"]).code == 0, "its result has the new name");
}

#[test]
fn an_added_stage_runs_and_its_reader() {
    check(
        |w| w.edit("methods = [2, 3]", "methods = [2, 3, 4]"),
        &[],
        &Expected {
            executed: union(&[mixes(&["a", "b"], &[4]), report()]),
            why: &[("toy/a/times-4/split=0", "has no result yet")],
            ..nothing()
        },
    );
}

#[test]
fn a_removed_stage_reruns_its_reader() {
    check(
        |w| w.edit("methods = [2, 3]", "methods = [3]"),
        &[],
        &Expected { executed: report(), why: &[("toy/report", "input 0004: ")], ..nothing() },
    );
}

#[test]
fn a_target_runs_what_it_needs_and_nothing_else() {
    let world = World::new();
    let ran = world.good_run(&["toy/a/times-2/split=0"]);
    let executed = set(["toy/a/data", "toy/a/draw/split=0", "toy/a/times-2/split=0"]);
    assert_eq!(ran.executed(), executed);
    let forced = world.good_run(&["toy/a/times-2/split=0", "--force", "toy/a/draw/split=0"]);
    assert_eq!(forced.executed(), set(["toy/a/draw/split=0"]));
}

#[test]
fn what_the_last_run_did_not_reach_is_known_to_be_of_another_profile() {
    let world = World::new();
    world.good_run(&["--profile", "wide"]);
    world.good_run(&["toy/a"]);
    let other = |stage| {
        let results = Artifacts::open(&world.path("artifacts")).expect("a store");
        results.other_profile_of(stage).expect("it has a result")
    };
    assert_eq!(other("toy/report").as_deref(), Some("wide"));
    assert_eq!(other("toy/a/draw/split=0"), None);
    world.good_run(&[]);
    assert_eq!(other("toy/report"), None);
}
