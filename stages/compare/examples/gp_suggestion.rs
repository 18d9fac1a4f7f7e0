//! Times a suggestion of Bayesian optimisation, for `make bench`.
//!
//! Usage: `gp_suggestion DIMENSIONS OBSERVATIONS SIGNS REPEATS SEED`: after OBSERVATIONS random points of a
//! smooth function it makes REPEATS suggestions one after another (each is evaluated and told). At SIGNS
//! points the signs of all derivatives are given; 0 is plain GP-EI. Prints one JSON object: CPU seconds in
//! ask and tell per suggestion, and the lowest loss.

use std::io::Write as _;

use numerics::space::{Bounds, Space};
use pipeline::machine::cpu_seconds;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;
use serde_json::json;
use tuners::bayesian::directed::{Directed, DirectedSettings};
use tuners::bayesian::hypertune::{Directions, sign_sites};
use tuners::tuner::{Trial, Tuner};

/// A bowl with ripples and its minimum near 0.8 in every coordinate.
fn loss(x: &[f64]) -> f64 {
    x.iter().map(|v| (v - 0.8) * (v - 0.8) + 0.05 * (9.0 * v).cos()).sum()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<usize> =
        std::env::args().skip(1).map(|a| a.parse()).collect::<Result<_, _>>()?;
    let [d, observations, signs, repeats, seed] = numbers.as_slice() else {
        return Err("usage: gp_suggestion DIMENSIONS OBSERVATIONS SIGNS REPEATS SEED".into());
    };
    let space: Space = Bounds::new(vec![0.0; *d], vec![1.0; *d])?.into();
    let mut rng = ChaCha12Rng::seed_from_u64(*seed as u64);
    let directions = Directions::of(&vec![1; *d]);
    let sites = sign_sites(&space, directions, &vec![0.5; *d], *signs, &mut rng);
    let settings = DirectedSettings { starts: *observations, ..DirectedSettings::default() };
    let mut tuner = Directed::with_sites(space, settings, sites)?;
    let (mut best, mut seconds) = (f64::INFINITY, 0.0);
    for i in 0..observations + repeats {
        let start = cpu_seconds();
        let Some(suggestion) = tuner.ask(&mut rng) else { return Err("it stopped asking".into()) };
        let value = loss(&suggestion.config);
        best = value.min(best);
        tuner.tell(Trial { suggestion, value });
        if i >= *observations {
            seconds += cpu_seconds() - start;
        }
    }
    let found = json!({ "seconds": seconds / *repeats as f64, "best": best });
    writeln!(std::io::stdout().lock(), "{found}")?;
    Ok(())
}
