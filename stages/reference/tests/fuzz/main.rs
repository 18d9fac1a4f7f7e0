//! Fuzz tests with damaged files of reference values: whatever they contain, nothing panics, runs forever or
//! exhausts the memory. Every name of a data set gives the same small data set.
//!
//! `PROPTEST_CASES` sets the number of files; they are the same each time unless `PROPTEST_RNG_SEED` selects
//! others.

mod edits;
mod seeds;

use std::{
    fs, io::Write as _, panic::resume_unwind, path::Path, sync::mpsc, thread, time::Duration,
};

use ndarray::Array2;
use nix::sys::resource::{Resource, setrlimit};
use proptest::{
    prelude::*,
    sample::select,
    test_runner::{Config, RngAlgorithm, RngSeed},
};
use reference::{check, prepare::RefData};
use serde_json::Value;
use tempfile::TempDir;

/// Time limit of one file. Valid files take milliseconds, the slowest accepted ones some seconds, and the
/// machine may be busy.
const PATIENCE: Duration = Duration::from_mins(5);

fn fixed() -> Config {
    // A file that takes longer has failed, and ends the test.
    setrlimit(Resource::RLIMIT_AS, 8 << 30, 8 << 30).expect("a process may lower its limits");
    let mut config = Config::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 300;
    }
    let minutes = 5 + u64::from(config.cases) / 20;
    setrlimit(Resource::RLIMIT_CPU, minutes * 60, minutes * 60).expect("as before");
    config.failure_persistence = None;
    config.rng_algorithm = RngAlgorithm::ChaCha;
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(23);
    }
    config
}

/// 24 rows of 3 features and 3 classes, whatever the name.
#[expect(clippy::unnecessary_wraps, reason = "a source of data may fail")]
fn source(_: &str) -> Result<RefData, String> {
    let features = Array2::from_shape_fn((24, 3), |(i, j)| ((7 * i + 5 * j) % 11) as f64 - 4.5);
    Ok(RefData { features, targets: (0..24).map(|i| f64::from(i % 3)).collect() })
}

/// The number of cases in the file, or its error.
fn try_file(file: &Path, text: &[u8]) -> Result<usize, String> {
    fs::write(file, text).expect("can be written");
    let (file, (done, over)) = (file.to_owned(), mpsc::channel());
    let trying = thread::spawn(move || {
        let cases = check(&file, &source).map(|cases| cases.len()).map_err(|e| e.to_string());
        done.send(()).expect("it is waited for");
        cases
    });
    if over.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
        // Nothing ends a thread, and smaller files of its kind would take as long. What a test prints is held
        // back until it ends.
        let told = [b"no end in sight: ", text, b"\n"].concat();
        std::io::stderr().write_all(&told).expect("is open");
        std::process::abort();
    }
    trying.join().unwrap_or_else(|panicked| resume_unwind(panicked))
}

fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
    made.expect("a temporary folder")
}

/// Else what follows would not be reached by what is spoilt.
#[test]
fn the_sound_ones_are_understood() {
    let dir = scratch();
    for (name, seed) in seeds::all() {
        let cases = check_value(&dir, &seed);
        assert!(cases.as_ref().is_ok_and(|cases| *cases > 2), "{name}: {cases:?}");
    }
}

fn check_value(dir: &TempDir, value: &Value) -> Result<usize, String> {
    try_file(&dir.path().join("values.json"), &serde_json::to_vec(value).expect("is JSON"))
}

proptest! {
    #![proptest_config(fixed())]

    #[test]
    fn a_spoilt_value_is_computed_or_refused(
        (_, seed) in select(seeds::all()),
        changes in edits::any(),
    ) {
        let dir = scratch();
        if let Err(told) = check_value(&dir, &edits::changed(seed, &changes)) {
            prop_assert!(!told.is_empty() && told.len() < 100_000, "{} bytes", told.len());
        }
    }

    #[test]
    fn a_spoilt_text_is_computed_or_refused(
        (_, seed) in select(seeds::all()),
        cuts in proptest::collection::vec((0.0..1.0f64, 0..40usize, any::<Vec<u8>>()), 1..4),
    ) {
        let mut text = serde_json::to_vec(&seed).expect("is JSON");
        for (share, take, put) in cuts {
            let at = (share * text.len() as f64) as usize;
            let end = (at + take).min(text.len());
            text.splice(at..end, put);
        }
        let dir = scratch();
        if let Err(told) = try_file(&dir.path().join("values.json"), &text) {
            prop_assert!(told.contains("values.json") || !told.contains("not JSON"), "{}", told);
        }
    }
}
