//! Texts and files that somebody else may have written: whatever they contain, nothing panics, runs forever or
//! exhausts the machine's memory; an error names the file, and what is sound beside it is kept.
//!
//! `PROPTEST_CASES` sets the number of cases on which a property is tried; they are the same ones each time unless
//! `PROPTEST_RNG_SEED` chooses others.

mod configs;
mod jobs;
mod log;
mod records;
mod spoilt;
#[path = "../toy/mod.rs"]
mod toy;

use std::path::Path;

use nix::sys::resource::{Resource, setrlimit};
use proptest::test_runner::{Config, RngAlgorithm, RngSeed};
use tempfile::TempDir;

/// A folder, in memory if possible, since a store waits for the disk at every write.
fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
    made.expect("a temporary folder")
}

/// The settings with which properties are tried.
fn fixed() -> Config {
    // The tests of this file share a process: if it needs more memory than this, something is wrong, and it is
    // killed.
    setrlimit(Resource::RLIMIT_AS, 8 << 30, 8 << 30).expect("a process may lower its limits");
    let mut config = Config::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 300;
    }
    let minutes = 5 + u64::from(config.cases) / 100;
    setrlimit(Resource::RLIMIT_CPU, minutes * 60, minutes * 60).expect("as before");
    config.failure_persistence = None;
    config.rng_algorithm = RngAlgorithm::ChaCha;
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(23);
    }
    config
}
