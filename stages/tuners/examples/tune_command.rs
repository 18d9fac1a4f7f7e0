//! Tunes any program: its arguments are the parameters, the last line that it prints is the loss. Usage:
//! `tune_command PROGRAM`, where PROGRAM can be a script that trains and validates.

use std::{io::Write as _, process::Command};

use numerics::space::Bounds;
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use tuners::differential_evolution::DifferentialEvolutionSettings;
use tuners::{method::Method, minimise::minimise};

/// The loss that the program prints for a configuration; `None` if it fails, which counts as the worst loss.
fn loss(program: &str, config: &[f64]) -> Option<f64> {
    let output = Command::new(program).args(config.iter().map(f64::to_string)).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    if output.status.success() { text.lines().last()?.trim().parse().ok() } else { None }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let program = std::env::args().nth(1).ok_or("usage: tune_command PROGRAM")?;
    let space = Bounds::new(vec![-2.0, 0.0], vec![2.0, 10.0])?;
    let settings = DifferentialEvolutionSettings::default();
    let mut tuner = Method::DifferentialEvolution(settings).tuner(space.into())?;
    let mut rng = ChaCha12Rng::seed_from_u64(7);
    let value = |config: &[f64]| loss(&program, config).unwrap_or(f64::NAN);
    let found = minimise(&mut *tuner, 120, &mut rng, |s| value(&s.config));
    let best = found.best().ok_or("every evaluation failed")?;
    writeln!(std::io::stdout(), "{:.4} at {:?}", best.value, best.suggestion.config)?;
    Ok(())
}
