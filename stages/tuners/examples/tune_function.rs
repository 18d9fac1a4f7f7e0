//! Tunes a function of your own with two tuners. Usage: `tune_function`.

use std::io::Write as _;

use numerics::space::{Domain, Parameter, Space};
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use tuners::method::Method;
use tuners::{bayesian::tpe::TpeSettings, minimise::minimise};

/// Your loss. Its minimum is 0, at rate 0.01 and 3 layers.
fn loss(rate: f64, layers: f64) -> f64 {
    (rate.log10() + 2.0).powi(2) + 0.1 * (layers - 3.0).powi(2)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let parameter = |name: &str, domain| Parameter { name: name.to_owned(), domain };
    let space = Space::new(vec![
        parameter("rate", Domain::Float { low: 1e-5, high: 1.0, log: true }),
        parameter("layers", Domain::Int { low: 1, high: 8, log: false }),
    ])?;
    let tpe = Method::Tpe(TpeSettings::default());
    for (name, method) in [("random", Method::Random {}), ("tpe", tpe)] {
        let (mut tuner, mut rng) = (method.tuner(space.clone())?, ChaCha12Rng::seed_from_u64(7));
        let found = minimise(&mut *tuner, 60, &mut rng, |s| loss(s.config[0], s.config[1]));
        let best = found.best().ok_or("every evaluation failed")?;
        writeln!(std::io::stdout(), "{name} {:.4} at {:?}", best.value, best.suggestion.config)?;
    }
    Ok(())
}
