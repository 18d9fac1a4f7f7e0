//! `runs`, `pin`, `unpin` and what `gc` keeps for them.

use pipeline::digest::Digest;
use serde_json::Value;

use crate::world::World;

const DRAW: &str = "toy/a/draw/split=0";

/// A world with two runs; the config has changed since the first.
fn moved_on() -> World {
    let world = World::new();
    world.good_run(&[]);
    world.edit("below = 100", "below = 1000000");
    world.good_run(&[]);
    world
}

/// The sentence that `gc` ends with.
fn gc(world: &World, args: &[&str]) -> String {
    let ended = world.toy(&[&["gc"], args].concat());
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    ended.stdout.lines().last().expect("a summary").to_owned()
}

#[test]
fn a_pinned_run_is_kept_until_it_is_unpinned() {
    let world = moved_on();
    let pinned = world.toy(&["pin", "1"]);
    let stages = world.plan(&[]).len();
    assert_eq!(
        pinned.stdout,
        format!("run 1 is pinned: `retune gc` keeps the results of its {stages} stages\n")
    );
    let dry = gc(&world, &["--dry-run"]);
    assert!(dry.starts_with("would remove 0 files, 0.0 MiB; "), "{dry}");
    assert!(dry.ends_with(" only for pinned runs: 1"), "{dry}");
    assert_eq!(gc(&world, &[]), dry.replace("would remove", "removed"));
    world.edit("below = 1000000", "below = 100");
    assert!(world.good_run(&[]).executed().is_empty(), "all of run 1 is there");

    world.edit("below = 100", "below = 1000000");
    assert_eq!(world.toy(&["unpin", "1"]).code, 0);
    let gone = gc(&world, &[]);
    assert!(!gone.starts_with("removed 0 files") && !gone.contains("pinned"), "{gone}");
    assert!(world.good_run(&[]).executed().is_empty(), "the current config keeps its own");
    world.edit("below = 1000000", "below = 100");
    assert!(world.good_run(&[]).executed().contains(DRAW));
}

#[test]
fn pinning_late_says_what_is_missing() {
    let world = moved_on();
    gc(&world, &[]);
    let pinned = world.toy(&["pin", "1"]);
    assert_eq!(pinned.code, 0, "{}", pinned.stderr);
    assert!(pinned.stdout.ends_with("of them were removed before\n"), "{}", pinned.stdout);
}

#[test]
fn runs_are_listed_with_their_pins() {
    let world = moved_on();
    assert_eq!(world.toy(&["pin", "2"]).code, 0);
    let listed: Value = serde_json::from_str(&world.toy(&["runs", "--json"]).stdout).expect("JSON");
    let runs: Vec<_> = listed.as_array().expect("a list").iter().collect();
    let facts: Vec<_> =
        runs.iter().map(|run| (run["id"].as_u64(), run["pinned"].as_bool())).collect();
    assert_eq!(facts, [(Some(1), Some(false)), (Some(2), Some(true))]);
    let text = world.toy(&["runs"]).stdout;
    let lines: Vec<_> = text.lines().collect();
    assert!(lines.len() == 2 && !lines[0].contains("pinned") && lines[1].contains("pinned  full"));
    // A run that ends like a pinned one is the same run, still pinned.
    world.good_run(&["--force", DRAW]);
    assert_eq!(world.toy(&["runs"]).stdout.lines().count(), 2);
    let unknown = world.toy(&["pin", "7"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("recorded runs: 1, 2\n"), "{}", unknown.stderr);
}

#[test]
fn records_of_runs_from_before_there_were_pins_are_read() {
    let world = moved_on();
    let path = "artifacts/store/v1/runs/1.json";
    let text = std::fs::read_to_string(world.path(path)).expect("is there");
    let old: String = text.lines().filter(|line| !line.contains("\"pinned\"")).collect();
    assert!(old.len() < text.len());
    world.write(path, &old);
    assert_eq!(world.toy(&["pin", "1"]).code, 0);
}

#[test]
fn what_one_profile_still_waits_for_is_kept_when_another_ran_last() {
    let world = World::new();
    world.edit("[profiles.wide]\nsplits = 3", "[profiles.wide]\nbelow = 1000000");
    world.good_run(&[]);
    let lost = world.object(DRAW);
    world.good_run(&["--profile", "wide"]);
    std::fs::remove_file(lost).expect("is there");
    gc(&world, &[]);
    // Its readers waited: whether they are valid is known once it has been computed again.
    assert_eq!(world.good_run(&[]).executed(), std::collections::BTreeSet::from([DRAW.to_owned()]));
}

#[test]
fn a_garbled_record_stops_gc_alone_and_says_what_to_do() {
    let world = moved_on();
    assert_eq!(world.toy(&["pin", "1"]).code, 0);
    let record = world.path("artifacts/store/v1/runs/1.json");
    let sound = std::fs::read(&record).unwrap();
    std::fs::write(&record, "{\"id\": 1, \"fini").unwrap();
    // It is not known what it pinned, so nothing is removed.
    let ended = world.toy(&["gc"]);
    assert_eq!(ended.code, 3, "{}", ended.stdout);
    let named = ended.stderr.contains("runs/1.json") && ended.stderr.contains("put the file back");
    assert!(named, "{}", ended.stderr);
    // The others are listed, and commands that do not need it work.
    let listed = world.toy(&["runs"]);
    assert_eq!(listed.code, 3);
    assert!(listed.stdout.contains("    2 ") && listed.stderr.contains("runs/1.json"));
    assert_eq!(world.toy(&["show", DRAW, "--profile", "full"]).code, 0);
    assert!(world.good_run(&[]).executed().is_empty());
    std::fs::write(&record, sound).unwrap();
    gc(&world, &[]);
    world.edit("below = 1000000", "below = 100");
    assert!(world.good_run(&[]).executed().is_empty(), "all of the pinned run is there");
}

#[test]
fn a_log_of_which_most_no_longer_counts_is_compacted() {
    let world = World::new();
    world.good_run(&[]);
    let log = world.path("artifacts/store/v1/log");
    let size = || std::fs::metadata(&log).unwrap().len();
    let mut text = std::fs::read_to_string(&log).unwrap();
    for n in 0..4000_u32 {
        let key = Digest::of(&n.to_le_bytes());
        let body = format!("b {key} {}", "x".repeat(200));
        text += &format!("{body} ~{}\n", &Digest::of(body.as_bytes()).to_string()[..8]);
    }
    world.write("artifacts/store/v1/log", &text);
    let dry = world.toy(&["gc", "--dry-run"]).stdout;
    assert!(dry.contains("would compact the log from 1.1 MiB to 0.0 MiB\n"), "{dry}");
    assert_eq!(size(), text.len() as u64);
    let ended = world.toy(&["gc"]).stdout;
    assert!(ended.contains("compacted the log from 1.1 MiB to 0.0 MiB\n"), "{ended}");
    assert!(size() < 1 << 16, "{}", size());
    assert!(!world.toy(&["gc"]).stdout.contains("compacted"));
    assert!(world.good_run(&[]).executed().is_empty());
    let found = world.toy(&["fsck"]);
    assert_eq!(found.code, 0, "{}{}", found.stdout, found.stderr);
}
