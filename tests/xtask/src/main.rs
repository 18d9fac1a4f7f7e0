//! `cargo xtask CHECK [ARGUMENT…]`: checks of the whole tool that need what `cargo test` does not: others' tools, a
//! server, a cluster, a browser, hours. What a check installs lies in `.tools`; what a Python or JavaScript library does
//! the checking is in `tests/checks`.
//!
//! Exits with 1 when a check fails, with 77 where this machine lacks what it needs.

mod artifacts;
mod newcomer;
mod notebooks;
mod provenance;
mod resume;
mod s3;
mod site;
mod slurm;
mod tools;

use std::{io::Write, process::ExitCode};

use tools::{Checkout, End};

/// A check, by its name.
struct Check {
    name: &'static str,
    about: &'static str,
    run: fn(&Checkout, &[String]) -> Result<(), End>,
}

const CHECKS: [Check; 8] = [
    Check {
        name: "artifacts",
        about: "[STORE] every artifact in DuckDB, pandas and polars: they agree, columns say what they hold",
        run: artifacts::check,
    },
    Check {
        name: "newcomer",
        about: "the guides to a change, a tuner and a paper, carried out in a copy of the checkout",
        run: newcomer::check,
    },
    Check {
        name: "notebooks",
        about: "a failing cell fails its notebook, in whichever way it fails; pages are made once",
        run: notebooks::check,
    },
    Check {
        name: "provenance",
        about: "exported research objects and PROV-JSON, looked at by others' tools",
        run: provenance::check,
    },
    Check {
        name: "resume",
        about: "trainings that are killed go on, and end with the same bytes",
        run: resume::check,
    },
    Check {
        name: "s3",
        about: "[TEST ARGUMENT…] results shared by a server that speaks S3, started and stopped here",
        run: s3::check,
    },
    Check {
        name: "site",
        about: "[STORE] the report's pages in headless Chromium: links, toggles, accessibility",
        run: site::check,
    },
    Check {
        name: "slurm",
        about: "[TEST ARGUMENT…] the engine on a Slurm cluster of two nodes, started and stopped here (root)",
        run: slurm::check,
    },
];

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_default();
    let words: Vec<String> = words.collect();
    let Some(check) = CHECKS.iter().find(|check| check.name == name) else {
        let all = CHECKS.map(|check| format!("  {:12}{}\n", check.name, check.about)).concat();
        // Nobody is left to tell where standard error is closed.
        drop(write!(std::io::stderr(), "cargo xtask CHECK [ARGUMENT…]\n{all}"));
        return ExitCode::from(2);
    };
    match Checkout::here().and_then(|checkout| (check.run)(&checkout, &words)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(end) => {
            drop(writeln!(std::io::stderr(), "error: {}", end.message()));
            ExitCode::from(end.code())
        }
    }
}
