//! The ready adapters with the real packages, where these are installed (`make optimisers`), and the smallest adapter
//! where there is a Python at all. What is not there is said and skipped.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use compare::external::adapters::{ADAPTERS, FOLDER};
use external::{Optimiser, optimiser::Settings};
use numerics::space::{Domain, Parameter, Space};
use pipeline::stage::Stop;
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use tuners::tuner::{Trial, Tuner};

/// More than any of them begins with at random, so that its model is used.
const EVALUATIONS: usize = 12;

fn said(what: &str) {
    writeln!(std::io::stderr().lock(), "{what}").expect("standard error is open");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the checkout")
}

/// A parameter of each kind.
fn space() -> Space {
    let parameter = |name: &str, domain| Parameter { name: name.to_owned(), domain };
    let parameters = vec![
        parameter("rate", Domain::Float { low: 1e-3, high: 1.0, log: true }),
        parameter("share", Domain::Float { low: -1.0, high: 1.0, log: false }),
        parameter("units", Domain::Int { low: 0, high: 9, log: false }),
        parameter("kind", Domain::Categorical { choices: 3 }),
        parameter("batch", Domain::Int { low: 1, high: 1000, log: true }),
    ];
    Space::new(parameters).expect("a space")
}

fn loss(config: &[f64]) -> f64 {
    let rate = (config[0].log10() + 2.0).powi(2) / 4.0;
    let batch = (config[4].log10() - 1.0).powi(2);
    rate + config[1].powi(2) + (config[2] - 7.0).abs() / 9.0 + f64::from(config[3] != 1.0) + batch
}

fn settings(seed: u64) -> Settings {
    // A busy machine takes a minute to import some of them.
    let limit = Duration::from_mins(10);
    Settings { seed, budget: EVALUATIONS as f64, divisor: 1, limit }
}

/// The configurations of a run; the fourth evaluation fails.
fn run(optimiser: &mut Optimiser, name: &str) -> Vec<Vec<f64>> {
    let mut rng = ChaCha12Rng::seed_from_u64(0);
    (0..EVALUATIONS)
        .map_while(|i| {
            let suggestion = optimiser.ask(&mut rng)?;
            let config = suggestion.config.clone();
            let value = if i == 3 { f64::NAN } else { loss(&config) };
            optimiser.spent(suggestion.id, 0.5);
            optimiser.tell(Trial { suggestion, value });
            assert!(
                space().parameters().iter().zip(&config).all(|(p, v)| p.domain.contains(*v)),
                "{name}"
            );
            Some(config)
        })
        .collect()
}

/// Another run in between changes nothing, another seed does.
fn check(name: &str, mut command: impl FnMut() -> Command) {
    let started = Optimiser::start(&mut command(), space(), settings(u64::MAX));
    let mut optimiser = started.unwrap_or_else(|e| panic!("{name}: {e}"));
    let first = run(&mut optimiser, name);
    let mut again = |optimiser: Optimiser, seed| {
        let next = optimiser.restart(&mut command(), space(), settings(seed));
        next.unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let mut other = again(optimiser, 7);
    let second = run(&mut other, name);
    let mut last = again(other, u64::MAX);
    let third = run(&mut last, name);
    last.finish().unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(first.len(), EVALUATIONS, "{name}");
    assert_eq!(first, third, "{name}: the runs before have an influence");
    assert_ne!(first, second, "{name}: the seed has none");
}

#[test]
fn adapters_of_installed_packages_ask_and_are_told() {
    for adapter in ADAPTERS {
        let program = adapter.program(adapter.name);
        let file = root().join(FOLDER).join(adapter.file);
        let command = || program.command(&root(), &file);
        match command() {
            Ok(_) => check(adapter.name, || command().expect("it was there")),
            Err(Stop::Unavailable(why)) => said(&format!("skipped {}: {why}", adapter.name)),
            Err(other) => panic!("{}: {other}", adapter.name),
        }
    }
}

#[test]
fn the_smallest_adapter_needs_no_package() {
    let command = || {
        let mut command = Command::new("python3");
        command.arg(root().join(FOLDER).join("random_.py"));
        command
    };
    if Command::new("python3").arg("--version").output().is_err() {
        said("skipped: there is no python3");
        return;
    }
    check("random", command);
}
