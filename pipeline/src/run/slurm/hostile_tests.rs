//! The content of the folders of jobs may come from elsewhere: it is read or its file is named in an error, and no
//! name in it leads out of them.

use std::{fs, path::Path};

use proptest::{
    collection::vec,
    prelude::*,
    sample::select,
    test_runner::{Config, RngAlgorithm, RngSeed},
};
use tempfile::TempDir;

use super::{attach::take_up, folder::Folder};
use crate::{digest::Digest, run::job::Ending, store::Store};

/// As in `tests/fuzz`.
fn fixed() -> Config {
    let mut config = Config::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 300;
    }
    config.failure_persistence = None;
    config.rng_algorithm = RngAlgorithm::ChaCha;
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(23);
    }
    config
}

/// A store with the folders of jobs, one attempt on the cluster, and a file beside them.
fn jobs() -> (TempDir, Store, Folder, String) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let folder = Folder::of(&store).unwrap();
    let attempt = folder.new_attempt(Digest::of(b"a")).unwrap();
    fs::write(folder.attempt(&attempt).join("job.json"), "{}").unwrap();
    fs::write(store.root().join("precious"), "").unwrap();
    (dir, store, folder, attempt)
}

/// Takes up what is there; this includes the attempt on the cluster, and nothing of others is removed.
fn taken_up(store: &Store, folder: &Folder, attempt: &str) {
    let (left, _) = take_up(store, folder).unwrap();
    assert_eq!(left.keys().collect::<Vec<_>>(), [&Digest::of(b"a")]);
    assert!(folder.attempt(attempt).join("job.json").is_file());
    assert!(store.root().join("precious").is_file() && store.root().join("jobs/arrays").is_dir());
}

const PIECES: [&str; 26] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "null",
    "0",
    "-1",
    "1e999",
    "18446744073709551615",
    "..",
    "/",
    "\"ending\":",
    "\"dir\":\"/etc\"",
    "\"dir\":\"..\"",
    "\"dir\":\"\"",
    "{\"Failed\":\"a\"}",
    "\"Done\":{",
    "\"outputs\":[\"../../x\"]",
    "\"cost\":{\"wall_s\":1e308}",
    "\"tasks\":[[",
    "{\"attempt\":\"..\"",
    "\\u0000",
    "[[[[[[[[[[",
];

/// Valid texts with a piece inserted somewhere, and pieces in any order.
fn texts(sound: String) -> impl Strategy<Value = String> {
    let spoilt = (0.0..1.0, 0..40usize, select(&PIECES[..])).prop_map(move |(share, take, put)| {
        let mut bytes = sound.clone().into_bytes();
        let at = (share * bytes.len() as f64) as usize;
        let end = (at + take).min(bytes.len());
        bytes.splice(at..end, put.bytes());
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let pieces = vec(select(&PIECES[..]), 0..30).prop_map(|pieces| pieces.concat());
    prop_oneof![3 => spoilt, 1 => pieces]
}

fn ending() -> String {
    let cost = "{\"wall_s\":0.5,\"cpu_s\":null,\"peak_mib\":null}";
    format!("{{\"Done\":{{\"outputs\":[\"main\"],\"cost\":{cost},\"machine\":null}}}}")
}

#[test]
fn names_that_no_attempt_has_are_left_alone() {
    for name in ["...json", "..json", ".json", "x.json", "x.y.json"] {
        let (_dir, store, folder, attempt) = jobs();
        fs::write(store.root().join("jobs/ended").join(name), "{}").unwrap();
        taken_up(&store, &folder, &attempt);
    }
}

proptest! {
    #![proptest_config(fixed())]

    #[test]
    fn an_ending_is_read_or_its_file_is_named(text in texts(ending())) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ending.json");
        fs::write(&path, text).unwrap();
        if let Err(error) = Ending::load(dir.path()) {
            prop_assert!(error.to_string().contains(&path.display().to_string()), "{}", error);
        }
    }

    #[test]
    fn outputs_are_taken_from_the_attempts_own_folder(
        text in texts(format!("{{\"ending\":{},\"dir\":\"/nowhere/try-here-1\"}}", ending())),
    ) {
        let (_dir, store, folder, attempt) = jobs();
        fs::write(folder.outcome(&attempt), text).unwrap();
        prop_assert_eq!(folder.ended(), vec![attempt.clone()]);
        match folder.take(&attempt) {
            Ok(outcome) => prop_assert!(outcome.dir.starts_with(folder.attempt(&attempt))),
            Err(error) => {
                let path = folder.outcome(&attempt).display().to_string();
                prop_assert!(error.to_string().contains(&path), "{}", error);
            }
        }
        taken_up(&store, &folder, &attempt);
    }

    #[test]
    fn lists_of_tasks_are_of_use_or_are_not(
        text in texts(format!("{{\"tasks\":[[{{\"attempt\":\"{}.0\",\"program\":null,\"gpus\":0,\
                               \"timeout_s\":null}}]]}}", Digest::of(b"a"))),
        id in select(&["7", "", "-1", "99999999999999999999", "x", "\u{0}"][..]),
    ) {
        let (_dir, store, folder, attempt) = jobs();
        let own = folder.array("retune-a");
        fs::create_dir(&own).unwrap();
        fs::write(own.join("array.json"), text).unwrap();
        fs::write(own.join("id"), id).unwrap();
        taken_up(&store, &folder, &attempt);
        prop_assert!(own.starts_with(Path::new(store.root())));
    }
}
