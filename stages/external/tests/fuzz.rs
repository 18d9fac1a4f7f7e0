//! Answers that an optimiser spoilt: whatever a line holds, it becomes an answer or an error that is short, and what
//! is suggested lies in the space.
//!
//! `PROPTEST_CASES` says how many lines are tried (300); `PROPTEST_RNG_SEED` chooses others.

mod common;

use common::space;
use external::message::{Reply, suggestion};
use nix::sys::resource::{Resource, setrlimit};
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, RngSeed},
};

fn fixed() -> Config {
    // What takes more has gone wrong, and ends the test.
    setrlimit(Resource::RLIMIT_AS, 8 << 30, 8 << 30).expect("a process may lower its limits");
    setrlimit(Resource::RLIMIT_CPU, 300, 300).expect("as before");
    let mut config = Config::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 300;
    }
    config.failure_persistence = None;
    config.rng_algorithm = RngAlgorithm::ChaCha;
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(29);
    }
    config
}

/// Looks at a line as [`external::Optimiser`] does.
fn look(line: &[u8]) -> Result<bool, String> {
    let Reply::Suggest { config, divisor } = Reply::parse(line)? else { return Ok(false) };
    let made = suggestion(&space(), 0, &config, divisor, 27)?;
    assert!(space().contains(&made.config), "{made:?}");
    Ok(true)
}

const SOUND: [&str; 4] = [
    r#"{"type":"suggest","config":{"rate":0.01,"units":3,"kind":2},"divisor":9}"#,
    r#"{"type":"ready","name":"toy","version":"1.2"}"#,
    r#"{"type":"error","message":"why"}"#,
    r#"{"type":"told"}"#,
];

/// What stands where a number stood.
const NUMBERS: [&str; 12] = [
    "-1",
    "0",
    "1e308",
    "1e999",
    "-0.0",
    "3.5",
    "1e-400",
    "18446744073709551616",
    "null",
    "[]",
    "\"\"",
    "NaN",
];

/// A sound line with bytes replaced, inserted, removed, or a number replaced.
fn spoilt() -> impl Strategy<Value = Vec<u8>> {
    let edit = (any::<prop::sample::Index>(), 0..4u8, any::<u8>(), 0..NUMBERS.len());
    (prop::sample::select(&SOUND[..]), prop::collection::vec(edit, 1..4)).prop_map(
        |(line, edits)| {
            let mut line = line.as_bytes().to_vec();
            for (at, how, byte, number) in edits {
                if line.is_empty() {
                    break;
                }
                let at = at.index(line.len());
                match how {
                    0 => line[at] = byte,
                    1 => line.insert(at, byte),
                    2 => drop(line.remove(at)),
                    _ => {
                        let digit =
                            line.iter().skip(at).position(u8::is_ascii_digit).map(|d| at + d);
                        if let Some(from) = digit {
                            let to =
                                line[from..].iter().position(|b| !b.is_ascii_digit() && *b != b'.');
                            let to = to.map_or(line.len(), |n| from + n);
                            line.splice(from..to, NUMBERS[number].bytes());
                        }
                    }
                }
            }
            line
        },
    )
}

#[test]
fn sound_lines_are_answers() {
    for line in SOUND {
        look(line.as_bytes()).unwrap_or_else(|e| panic!("{line}: {e}"));
    }
}

proptest! {
    #![proptest_config(fixed())]

    #[test]
    fn whatever_was_written_is_an_answer_or_a_short_error(
        line in prop_oneof![prop::collection::vec(any::<u8>(), 0..300), spoilt(), "\\PC{0,80}".prop_map(String::into_bytes)]
    ) {
        if let Err(error) = look(&line) {
            prop_assert!(error.len() < 2000 && !error.is_empty(), "{}", error);
        }
    }

    #[test]
    fn deep_nesting_is_refused(depth in 1..100_000_usize) {
        let line = format!(r#"{{"type":"suggest","config":{{"rate":{}"#, "[".repeat(depth));
        prop_assert!(look(line.as_bytes()).is_err());
    }
}
