//! How the cost of a suggestion grows with the trials, for `make bench-tuners`.
//!
//! Usage: `tuner_growth DIMENSIONS TRIALS…`. For each tuner, after so many random trials of a sum of squares at the full
//! fidelity, one line: its name, the trials, the median of a few suggestions in CPU milliseconds. A tuner that
//! ends before so many trials has no such line. The variable TUNERS names some of them.

use std::io::Write as _;

use numerics::space::{Domain, Parameter, Space};
use pipeline::machine::cpu_seconds;
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use tuners::{
    method::Method,
    multi_fidelity::{
        brackets::{Arithmetic, Budgets, Sizes},
        hyperband::HyperbandSettings,
    },
    tuner::{Fidelity, Suggestion, Trial, Tuner},
};

/// Suggestions at first, which are not measured: those of an initial design, or of a start of a chain; fewer where
/// they have taken [`PATIENCE`] seconds.
const UNMEASURED: usize = 100;
const PATIENCE: f64 = 5.0;
/// Suggestions of which the median is taken.
const MEASURED: usize = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<usize> =
        std::env::args().skip(1).map(|number| number.parse()).collect::<Result<_, _>>()?;
    let [dimensions, sizes @ ..] = numbers.as_slice() else {
        return Err("usage: tuner_growth DIMENSIONS TRIALS…".into());
    };
    let parameter = |i: usize| Parameter {
        name: format!("x{i}"),
        domain: Domain::Float { low: 0.0, high: 1.0, log: false },
    };
    let space = Space::new((0..*dimensions).map(parameter).collect())?;
    let budgets = Budgets {
        minimum: 1,
        maximum: 81,
        eta: 3,
        arithmetic: Arithmetic::Exact,
        sizes: Sizes::Code,
    };
    let methods = Method::published(HyperbandSettings { budgets, brackets: None });
    let wanted = std::env::var("TUNERS").unwrap_or_default();
    let wanted: Vec<&str> = wanted.split_whitespace().collect();
    let mut out = std::io::stdout().lock();
    for method in methods {
        let name = serde_json::to_value(method)?["kind"].as_str().unwrap_or_default().to_owned();
        if !wanted.is_empty() && !wanted.contains(&name.as_str()) {
            continue;
        }
        for &trials in sizes {
            let taken = suggestion(method.tuner(space.clone())?, &space, trials);
            let taken = taken.map_or("none".to_owned(), |s| format!("{:.3}", s * 1e3));
            writeln!(out, "{name} {trials} {taken}")?;
            out.flush()?;
        }
    }
    Ok(())
}

/// Seconds of asking and telling, after so many trials.
fn suggestion(mut tuner: Box<dyn Tuner>, space: &Space, trials: usize) -> Option<f64> {
    let loss = |config: &[f64]| config.iter().map(|x| (x - 0.3) * (x - 0.3)).sum::<f64>();
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    let step = |tuner: &mut dyn Tuner, rng: &mut ChaCha12Rng| {
        let suggestion = tuner.ask(rng)?;
        let value = loss(&suggestion.config);
        tuner.tell(Trial { suggestion, value });
        Some(())
    };
    // Numbers above those that the tuner will give.
    for id in (1_u64 << 32..).take(trials.saturating_sub(UNMEASURED)) {
        let suggestion = Suggestion { id, config: space.draw(&mut rng), fidelity: Fidelity::FULL };
        let value = loss(&suggestion.config);
        tuner.tell(Trial { suggestion, value });
    }
    let start = cpu_seconds();
    for _ in 0..UNMEASURED.min(trials) {
        step(tuner.as_mut(), &mut rng)?;
        if cpu_seconds() - start > PATIENCE {
            break;
        }
    }
    let mut taken = Vec::new();
    for _ in 0..MEASURED {
        let start = cpu_seconds();
        step(tuner.as_mut(), &mut rng)?;
        taken.push(cpu_seconds() - start);
    }
    taken.sort_by(f64::total_cmp);
    Some(taken[MEASURED / 2])
}
