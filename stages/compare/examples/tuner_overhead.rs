//! Times the suggestions of a tuner, for `make bench`.
//!
//! Usage: `tuner_overhead NAME CATEGORIES REALS EVALUATIONS SEED`, with NAME `bohb`, `dehb` or `gp-ei`, on
//! counting ones with budgets 9 to 243 by factors of 3 and exact losses. Prints one JSON object: CPU seconds
//! in ask and tell together, suggestions, lowest loss.

use std::io::Write as _;

use numerics::space::{Domain, Parameter, Space};
use pipeline::machine::cpu_seconds;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;
use serde_json::json;
use tuners::bayesian::gp_ei::{GpEi, GpEiSettings};
use tuners::evolution::Evolution;
use tuners::multi_fidelity::bohb::{Bohb, BohbSettings};
use tuners::multi_fidelity::brackets::{Arithmetic, Budgets, Sizes};
use tuners::multi_fidelity::dehb::{Dehb, DehbSettings};
use tuners::multi_fidelity::hyperband::HyperbandSettings;
use tuners::tuner::{Trial, Tuner};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, categories, reals, evaluations, seed] = arguments.as_slice() else {
        return Err("usage: tuner_overhead NAME CATEGORIES REALS EVALUATIONS SEED".into());
    };
    let (categories, reals): (usize, usize) = (categories.parse()?, reals.parse()?);
    let evaluations: usize = evaluations.parse()?;
    let parameter = |i: usize| Parameter {
        name: format!("x{i}"),
        domain: if i < categories {
            Domain::Categorical { choices: 2 }
        } else {
            Domain::Float { low: 0.0, high: 1.0, log: false }
        },
    };
    let space = Space::new((0..categories + reals).map(parameter).collect())?;
    let (arithmetic, sizes) = (Arithmetic::Exact, Sizes::Code);
    let budgets = Budgets { minimum: 9, maximum: 243, eta: 3, arithmetic, sizes };
    let hyperband = HyperbandSettings { budgets, brackets: None };
    let mut tuner: Box<dyn Tuner> = match name.as_str() {
        "bohb" => Box::new(Bohb::new(space, BohbSettings::on(hyperband))?),
        "dehb" => {
            let evolution = Evolution::default();
            Box::new(Dehb::new(space, DehbSettings { hyperband, evolution })?)
        }
        "gp-ei" => Box::new(GpEi::new(space, GpEiSettings::default())?),
        _ => return Err(format!("no tuner is named {name}").into()),
    };
    let mut rng = ChaCha12Rng::seed_from_u64(seed.parse()?);
    let mut best = f64::INFINITY;
    let start = cpu_seconds();
    for _ in 0..evaluations {
        let Some(suggestion) = tuner.ask(&mut rng) else { return Err("it stopped asking".into()) };
        let value = -suggestion.config.iter().sum::<f64>();
        best = value.min(best);
        tuner.tell(Trial { suggestion, value });
    }
    let seconds = cpu_seconds() - start;
    let found = json!({ "seconds": seconds, "suggestions": evaluations, "best": best });
    writeln!(std::io::stdout().lock(), "{found}")?;
    Ok(())
}
