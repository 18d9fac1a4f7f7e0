//! `fsck` finds whatever is spoilt in a store, `fsck --repair` moves it aside and deletes nothing, and a run then
//! computes exactly what the repair announced.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use pipeline::digest::Digest;

use crate::{
    harm::{flip_bit, forge_stamp},
    world::{Ended, World, set},
};

const STORE: &str = "artifacts/store/v1";
const LAST: &str = "toy/dag/layer=1/i=0";

fn world() -> World {
    let world = World::new();
    world.good_run(&[]);
    assert_eq!(fsck(&world, &[]).code, 0, "a run leaves nothing unsound");
    world
}

fn fsck(world: &World, args: &[&str]) -> Ended {
    world.toy(&[&["fsck"], args].concat())
}

/// The findings that are not mere leftovers: the kind of problem, and the file below the store.
fn findings(ended: &Ended) -> BTreeSet<(String, String)> {
    let lines = ended.stdout.lines().filter_map(|line| line.split_once(&format!("{STORE}/")));
    let parts =
        lines.map(|(trouble, rest)| (trouble.trim(), rest.split(':').next().unwrap_or(rest)));
    parts
        .filter(|(trouble, _)| ["unsound", "lost", "garbled", "snapshot"].contains(trouble))
        .map(|(trouble, path)| (trouble.to_owned(), path.to_owned()))
        .collect()
}

fn left_over(ended: &Ended) -> usize {
    ended.stdout.lines().filter(|line| line.starts_with("left over ")).count()
}

/// The stages of which a repair says that they will be computed again.
fn again(ended: &Ended) -> BTreeSet<String> {
    set(ended.stdout.lines().filter_map(|line| line.strip_prefix("computed again   ")))
}

fn relative(world: &World, path: &Path) -> String {
    path.strip_prefix(world.path(STORE)).expect("in the store").display().to_string()
}

fn below(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("is there").flatten() {
        match entry.path() {
            path if path.is_dir() => found.extend(below(&path)),
            path => found.push(path),
        }
    }
    found.sort();
    found
}

/// Every content in the store, wherever it lies.
fn contents(world: &World) -> BTreeSet<Vec<u8>> {
    below(&world.path(STORE)).iter().map(|path| fs::read(path).expect("can be read")).collect()
}

/// A repair after which nothing is unsound, and which lost no content.
fn repair(world: &World) -> Ended {
    let before = contents(world);
    let repaired = fsck(world, &["--repair"]);
    assert_eq!(repaired.code, 0, "{}{}", repaired.stdout, repaired.stderr);
    let after = contents(world);
    let gone = before.iter().filter(|old| !after.iter().any(|new| new.starts_with(old))).count();
    assert_eq!(gone, 0, "a repair deletes nothing, though the log may grow");
    let clean = fsck(world, &[]);
    assert_eq!((clean.code, findings(&clean).len()), (0, 0), "{}", clean.stdout);
    repaired
}

fn spoil(world: &World, path: &str, with: &str) {
    let old = fs::read_to_string(world.path(path)).expect("is there");
    world.write(path, &(old[..old.len() / 2].to_owned() + with));
}

#[test]
fn a_corrupt_object_is_found_moved_aside_and_computed_again() {
    let world = world();
    let object = world.object(LAST);
    flip_bit(&object);
    forge_stamp(&world, &object); // as if it had always been so: only hashing finds it
    assert_eq!(world.toy(&["verify"]).code, 0);
    let found = fsck(&world, &[]);
    assert_eq!(found.code, 1);
    let name = relative(&world, &object);
    let expected = [("unsound".to_owned(), name.clone()), ("lost".to_owned(), name)];
    assert_eq!(findings(&found), expected.into());
    assert!(object.exists(), "without --repair nothing is touched");
    let repaired = repair(&world);
    assert_eq!(again(&repaired), set([LAST]));
    assert_eq!(world.good_run(&[]).executed(), set([LAST]), "what it said, and nothing else");
}

#[test]
fn an_object_that_no_key_names_is_hashed_too() {
    let world = world();
    let object = world.object("toy/a/draw/split=0");
    world.edit("below = 100", "below = 1000000");
    world.good_run(&[]);
    flip_bit(&object);
    assert_eq!(world.toy(&["verify", "--deep"]).code, 0, "it is of no current stage");
    assert_eq!(fsck(&world, &["--sample", "100"]).code, 1);
    assert_eq!(again(&repair(&world)), set(["toy/a/draw/split=0"]));
    assert!(world.good_run(&[]).executed().is_empty());
    // And an object that no key names.
    let stray = Digest::of(b"sound").to_string();
    let folder = world.path(STORE).join("objects").join(&stray[..2]);
    fs::create_dir_all(&folder).expect("can be made");
    let stray = folder.join(format!("{stray}.parquet"));
    fs::write(&stray, "sound").expect("can be written");
    assert_eq!(fsck(&world, &[]).code, 0);
    fs::write(&stray, "other").expect("can be written");
    assert_eq!(fsck(&world, &["--sample", "0"]).code, 0, "none is hashed");
    assert_eq!(fsck(&world, &[]).code, 1);
    assert!(again(&repair(&world)).is_empty());
}

#[test]
fn a_missing_object_is_lost() {
    let world = world();
    fs::remove_file(world.object(LAST)).expect("is there");
    let found = fsck(&world, &[]);
    assert_eq!((found.code, findings(&found).len()), (1, 1), "{}", found.stdout);
    assert_eq!(again(&repair(&world)), set([LAST]));
    assert_eq!(world.good_run(&[]).executed(), set([LAST]));
}

#[test]
fn garbled_lines_of_the_log_are_dropped_and_kept_aside() {
    let world = world();
    let log = world.path(STORE).join("log");
    let text = fs::read_to_string(&log).expect("is there");
    let line = text.lines().find(|line| line.starts_with("d ") && line.contains(LAST));
    let line = line.expect("is done");
    fs::write(&log, text.replace(line, &line.replace("main:", "mian:"))).expect("can be written");
    let found = fsck(&world, &[]);
    assert_eq!(findings(&found), [("garbled".to_owned(), "log".to_owned())].into());
    assert_eq!(again(&repair(&world)), set([LAST]));
    let rest: String =
        text.lines().filter(|other| *other != line).map(|line| format!("{line}\n")).collect();
    assert_eq!(fs::read_to_string(&log).expect("is there"), rest, "the others stay as they are");
    assert_eq!(world.good_run(&[]).executed(), set([LAST]));
}

#[test]
fn a_snapshot_of_another_log_is_made_anew() {
    let world = World::with("layers = 2\nwidth = 2", "layers = 16\nwidth = 8");
    world.good_run(&[]);
    let index = world.path(STORE).join("log.index");
    let sound = fs::read(&index).expect("a run of this length writes one");
    assert_eq!(fsck(&world, &[]).code, 0);
    let mut bent = sound.clone();
    bent[30] ^= 1;
    for spoilt in [&bent[..], b"none", &sound[..sound.len() - 1]] {
        fs::write(&index, spoilt).expect("can be written");
        let found = fsck(&world, &[]);
        assert_eq!(findings(&found), [("snapshot".to_owned(), "log.index".to_owned())].into());
        assert!(again(&repair(&world)).is_empty());
        assert!(fs::read(&index).expect("is there") == sound, "the same facts are the same bytes");
    }
}

#[test]
fn whatever_is_garbled_is_found() {
    let world = world();
    let environment = fs::read_dir(world.path(STORE).join("environments")).expect("is there");
    let environment = environment.flatten().next().expect("one machine").file_name();
    let environment = format!("environments/{}", environment.to_str().expect("text"));
    let ended = format!("jobs/ended/{}.0.json", Digest::of(b"job"));
    world.write(&format!("{STORE}/{ended}"), "{\"ending\": {}}");
    let parts = [
        ("unsound", "runs/1.json"),
        ("unsound", environment.as_str()),
        ("unsound", ended.as_str()),
        ("garbled", "records.jsonl"),
    ];
    for (_, part) in parts {
        spoil(&world, &format!("{STORE}/{part}"), "?\n");
    }
    // A readable record whose parts do not give its key.
    let records = fs::read_to_string(world.path(STORE).join("records.jsonl")).expect("is there");
    let first = records.lines().find(|line| !line.is_empty()).expect("a record");
    let other = first.replacen("\"kind\",\"", "\"kind\",\"x", 1);
    assert_ne!(first, other);
    world.write(&format!("{STORE}/records.jsonl"), &records.replace(first, &other));

    let found = fsck(&world, &[]);
    let expected = parts.map(|(trouble, part)| (trouble.to_owned(), part.to_owned()));
    assert_eq!(findings(&found), expected.into());
    let garbled = found.stdout.lines().filter(|line| line.starts_with("garbled ")).count();
    assert_eq!(garbled, 2, "{}", found.stdout);
    repair(&world);
    assert!(world.good_run(&[]).executed().is_empty(), "none of these was needed");
}

#[test]
fn what_kills_leave_is_no_error_and_is_swept() {
    let world = world();
    let tmp = format!("{STORE}/tmp/{}.1.0/job.json", Digest::of(b"killed"));
    world.write(&tmp, "{");
    world.write(&format!("{STORE}/runs/9.tmp"), "{");
    world.write(&format!("{STORE}/notes.txt"), "by the user");
    let log = fs::read_to_string(world.path(STORE).join("log")).expect("is there");
    world.write(&format!("{STORE}/log"), &(log + "d torn"));
    let found = fsck(&world, &[]);
    assert_eq!((found.code, left_over(&found)), (0, 4), "{}", found.stdout);
    assert_eq!(fsck(&world, &["--repair"]).code, 0);
    assert!(!world.path(&tmp).exists(), "an attempt that nobody is at is swept");
    assert!(world.path(&format!("{STORE}/notes.txt")).exists());
}

#[test]
fn a_repair_needs_the_store_for_itself() {
    let world = World::with("sleep_ms = 0", "sleep_ms = 300000");
    let mut run = world.start(&["toy/a"]);
    crate::world::wait_until("a stage to start", || {
        world.trace().iter().any(|line| line.starts_with("start toy/a/times"))
    });
    let refused = fsck(&world, &["--repair"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("a run is using this store"), "{}", refused.stderr);
    assert_eq!(fsck(&world, &[]).code, 0, "looking does no harm");
    run.kill().expect("runs");
    run.wait().expect("ends");
}

#[test]
fn what_cannot_be_listed_ends_it_before_anything_is_touched() {
    let world = world();
    flip_bit(&world.object(LAST));
    let folder = world.path(STORE).join("environments");
    let away = world.path("environments");
    fs::rename(&folder, &away).expect("can be moved");
    fs::write(&folder, "a file").expect("can be written");
    let before = below(&world.path(STORE));
    let ended = fsck(&world, &["--repair"]);
    assert_eq!(ended.code, 3, "{}", ended.stdout);
    assert!(ended.stderr.contains("environments"), "{}", ended.stderr);
    assert_eq!(below(&world.path(STORE)), before);
}

#[test]
fn a_second_repair_goes_on_where_one_was_killed() {
    // Each state between two steps of a repair: moved aside but not forgotten, forgotten but not moved aside.
    let world = world();
    let object = world.object(LAST);
    flip_bit(&object);
    let moved = world.path(STORE).join("quarantine/moved");
    fs::rename(&object, &moved).expect("can be moved");
    assert_eq!(again(&repair(&world)), set([LAST]));
    fs::rename(&moved, &object).expect("can be moved");
    let found: BTreeMap<_, _> = findings(&fsck(&world, &[])).into_iter().collect();
    assert_eq!(found, [("unsound".to_owned(), relative(&world, &object))].into());
    repair(&world);
    assert_eq!(world.good_run(&[]).executed(), set([LAST]));
}
