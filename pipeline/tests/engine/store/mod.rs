//! What keeps a store in order: `verify`, `gc`, quarantine, recovery of the log.

mod gc;
mod read_only;
mod sharing;
mod snapshot;

use std::{fs, path::Path};

use crate::{
    harm::{flip_bit, forge_stamp},
    world::{World, set},
};

const DRAW: &str = "toy/a/draw/split=0";
const LOG: &str = "artifacts/store/v1/log";

/// The object names in the store.
fn objects(world: &World) -> std::collections::BTreeSet<String> {
    let files = |dir: &Path| -> Vec<_> {
        let entries = fs::read_dir(dir).expect("is there").flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let folders = files(&world.path("artifacts/store/v1/objects"));
    set(folders.iter().flat_map(|f| files(f)).map(|path| path.display().to_string()))
}

#[test]
fn verify_is_content_with_a_sound_store() {
    let world = World::new();
    world.good_run(&[]);
    for args in [&["verify"][..], &["verify", "--deep"]] {
        let verify = world.toy(args);
        assert_eq!(verify.code, 0, "{}", verify.stderr);
        assert!(verify.stdout.ends_with(" artifacts checked, 0 wrong\n"), "{}", verify.stdout);
    }
}

#[test]
fn verify_names_what_is_wrong() {
    let world = World::new();
    world.good_run(&[]);
    let (lost, bent) = (world.object(DRAW), world.object("toy/report"));
    fs::remove_file(&lost).expect("is there");
    flip_bit(&bent);
    let verify = world.toy(&["verify"]);
    assert_eq!(verify.code, 1);
    for (word, path) in [("missing ", &lost), ("corrupt ", &bent)] {
        let name = path.file_name().and_then(|n| n.to_str()).expect("a name");
        let told = verify.stdout.lines().any(|l| l.starts_with(word) && l.contains(name));
        assert!(told, "{}", verify.stdout);
    }
    assert_eq!(
        verify.stderr,
        "error: 2 artifacts missing or corrupt\nhelp: `retune run` recomputes those that are still asked for\n"
    );
    world.good_run(&[]);
    assert_eq!(world.toy(&["verify", "--deep"]).code, 0);
}

/// A world with a bit flipped that only hashing can find.
fn silently_corrupt() -> World {
    let world = World::new();
    world.good_run(&[]);
    let object = world.object(DRAW);
    flip_bit(&object);
    forge_stamp(&world, &object);
    assert_eq!(world.toy(&["verify"]).code, 0, "the stamp agrees");
    assert!(world.good_run(&[]).executed().is_empty());
    world
}

#[track_caller]
fn heals(world: &World) {
    let again = world.good_run(&[]);
    assert!(again.executed().contains(DRAW), "{:?}", again.executed());
    assert_eq!(world.toy(&["verify", "--deep"]).code, 0);
}

#[test]
fn only_deep_verification_finds_a_bit_lost_under_an_unchanged_stamp() {
    let world = silently_corrupt();
    let deep = world.toy(&["verify", "--deep"]);
    assert_eq!(deep.code, 1);
    assert!(deep.stdout.starts_with("corrupt "), "{}", deep.stdout);
    heals(&world);
}

#[test]
fn a_reader_never_uses_a_corrupt_artifact_whatever_its_stamp() {
    let world = silently_corrupt();
    let ran = world.run(&["--force", "toy/a/times-2/split=0"]);
    assert_eq!(ran.ended.code, 1);
    assert_eq!(ran.summary("failed"), set(["toy/a/times-2/split=0"]));
    assert!(ran.ended.stdout.contains("is corrupt: content "), "{}", ran.ended.stdout);
    heals(&world);
    let world = silently_corrupt();
    let show = world.toy(&["show", DRAW]);
    assert_eq!(show.code, 3);
    assert!(show.stderr.contains("it was moved to quarantine"), "{}", show.stderr);
    // From then on it is missing, and the remedy is the same.
    let remedy = format!("`retune run {DRAW}` computes it again");
    let again = world.toy(&["show", DRAW]);
    assert_eq!(again.code, 3);
    for (ended, what) in [(&show, "is corrupt"), (&again, "is missing")] {
        let said = &ended.stderr;
        assert!(
            said.contains(&format!("of stage {DRAW} {what}")) && said.contains(&remedy),
            "{said}"
        );
    }
    heals(&world);
}

#[test]
fn a_log_of_which_nothing_can_be_read_is_told() {
    let world = World::new();
    let log = "artifacts/store/v1/log";
    for garbled in ["garbage", "garbage\nmore of it\n"] {
        world.good_run(&[]);
        world.write(log, garbled);
        for args in [&["status"][..], &["plan"], &["show", DRAW], &["run"]] {
            let said = world.toy(args).stderr;
            assert_eq!(said.matches("warning: ").count(), 1, "{args:?}: {said}");
            assert!(said.contains(log) && said.contains("`retune fsck`"), "{said}");
        }
        assert_eq!(world.toy(&["status"]).stderr, "", "it can be read again");
    }
    assert_eq!(World::new().toy(&["status"]).stderr, "");
}

#[test]
fn gc_keeps_exactly_what_a_profile_reaches() {
    let world = World::new();
    world.good_run(&[]);
    world.good_run(&["--profile", "wide"]);
    let both = objects(&world);
    world.edit("below = 100", "below = 1000000");
    world.good_run(&["--profile", "wide"]);
    world.good_run(&[]);
    world.edit("below = 1000000", "below = 100");
    let all = objects(&world);
    assert!(all.len() > both.len());

    let dry = world.toy(&["gc", "--dry-run"]);
    assert_eq!(dry.code, 0, "{}", dry.stderr);
    assert_eq!(objects(&world), all, "--dry-run removes nothing");
    let listed = set(dry
        .stdout
        .lines()
        .filter(|l| l.ends_with(".parquet"))
        .map(|l| world.path(l).display().to_string()));
    assert_eq!(listed, all.difference(&both).cloned().collect());
    assert!(dry.stdout.contains(&format!("would remove {} files", listed.len())), "{}", dry.stdout);

    let gc = world.toy(&["gc"]);
    assert_eq!(gc.code, 0, "{}", gc.stderr);
    assert_eq!(objects(&world), both);
    assert_eq!(world.toy(&["verify", "--deep"]).code, 0, "what is gone is not missed");
    assert!(world.good_run(&[]).executed().is_empty());
    assert!(world.good_run(&["--profile", "wide"]).executed().is_empty());
    world.edit("below = 100", "below = 1000000");
    assert!(world.good_run(&[]).executed().contains(DRAW), "collected results are computed again");
}

#[test]
fn gc_forgets_removed_stages_and_keeps_what_waits() {
    let world = World::new();
    world.good_run(&[]);
    world.edit("methods = [2, 3]", "methods = [2]");
    world.write("data/a.txt", " 10\n");
    assert_eq!(world.toy(&["gc"]).code, 0);
    let ran = world.good_run(&[]);
    assert_eq!(ran.executed(), set(["toy/a/data", "toy/report"]), "the rest was kept");
    assert_eq!(world.toy(&["verify"]).code, 0, "a removed stage is not missed");
}

#[test]
fn gc_empties_the_quarantine() {
    let world = World::new();
    world.good_run(&[]);
    flip_bit(&world.object(DRAW));
    world.good_run(&[]);
    let aside = || fs::read_dir(world.path("artifacts/store/v1/quarantine")).expect("is there");
    assert_eq!(aside().count(), 1);
    assert_eq!(world.toy(&["gc"]).code, 0);
    assert_eq!(aside().count(), 0);
}

/// A file replaces only a file, and a folder only an empty folder.
#[test]
fn what_is_in_quarantine_gives_way_to_something_of_another_kind() {
    let world = World::new();
    world.good_run(&[]);
    let before = world.digests();
    let object = world.object(DRAW);
    let place = world
        .path("artifacts/store/v1/quarantine")
        .join(object.file_name().expect("an object has a name"));
    let turn_into_folder = |path: &Path| {
        if path.is_file() {
            fs::remove_file(path).expect("can be removed");
        }
        fs::create_dir_all(path.join("inside")).expect("can be created");
    };
    for (folder_there, folder_here) in [(true, false), (false, true), (true, true)] {
        fs::remove_dir_all(place.parent().expect("in quarantine")).expect("can be removed");
        fs::create_dir(place.parent().expect("in quarantine")).expect("can be created");
        if folder_there {
            turn_into_folder(&place);
        } else {
            fs::write(&place, "of an earlier time").expect("can be written");
        }
        if folder_here {
            turn_into_folder(&object);
        } else {
            flip_bit(&object);
        }
        assert!(world.good_run(&[]).executed().contains(DRAW));
        assert_eq!(world.digests(), before);
        assert_eq!(place.is_dir(), folder_here, "the newer one has the name");
        let earlier = place.with_extension("parquet.1");
        assert_eq!(earlier.is_dir(), folder_there, "and the earlier one is there, too");
        assert!(earlier.exists());
    }
}

#[test]
fn torn_and_garbled_log_lines_are_dropped_and_recomputed() {
    let world = World::new();
    world.good_run(&[]);
    let before = world.digests();
    let log = fs::read_to_string(world.path(LOG)).expect("is there");
    let garbled: String = log
        .lines()
        .map(|l| {
            let l = if l.contains(DRAW) { l.replacen("main:", "mian:", 1) } else { l.to_owned() };
            l + "\n"
        })
        .collect();
    let torn = garbled.len() - 30;
    let mut bytes = garbled.into_bytes();
    bytes.truncate(torn);
    bytes.splice(0..0, *b"\xff\xfe not text\n\n");
    fs::write(world.path(LOG), bytes).expect("can be written");
    let verify = world.toy(&["verify"]);
    assert_eq!(verify.code, 0, "{}", verify.stderr);
    assert!(verify.stdout.contains("2 garbled log lines were dropped"), "{}", verify.stdout);
    let executed = world.good_run(&[]).executed();
    assert!(executed.contains(DRAW) && executed.len() <= 2, "{executed:?}");
    assert!(world.good_run(&[]).executed().is_empty());
    let world_now = world.plan(&[]);
    assert!(world_now.values().all(|state| state == "fresh"));
    for (stage, digest) in &before {
        assert!(world.object(stage).ends_with(format!("{digest}.parquet")), "{stage}");
    }
}

#[test]
fn a_lost_log_costs_time_only() {
    let world = World::new();
    world.good_run(&[]);
    let value = world.value("toy/report");
    fs::remove_file(world.path(LOG)).expect("is there");
    world.good_run(&[]);
    assert_eq!(world.value("toy/report"), value);
}
