//! Figure 6: the error of Harmonica's estimate against the noise level A.
//!
//! The paper does not say what its estimation error is. Here it is that of Lemma 7, before squaring: the root
//! mean square difference between a stage's polynomial and the function that it was fitted to, without its
//! noise, at new points of the subspace in which the stage sampled. The constant added to the polynomial is
//! its mean residual on the samples.

use kit::port::Out;
use models::polynomial::sparse_parity::Polynomial;
use ndarray::{Array1, Array2};
use numerics::linalg::cholesky::Cholesky;
use pipeline::stage::{Context, Needs, Stage, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};
use tuners::harmonica::HarmonicaSettings;

use crate::{
    synthetic::{
        config::{Noise, Sweep},
        function::{Hierarchy, Weights},
        run::{self, function, noisy_stages},
    },
    tables::noise::Estimated,
};

/// Harmonica at every noise level of every sweep. A seed has one function, one set of uniform numbers and one
/// noise that is scaled by A, so that levels differ in nothing else.
#[derive(Serialize, Deserialize)]
pub struct NoiseStage {
    /// How the function is drawn.
    pub weights: Weights,
    /// Number of variables.
    pub variables: usize,
    /// Harmonica's settings, except the number of samples.
    pub settings: HarmonicaSettings,
    /// Sweeps, seeds, points.
    pub values: Noise,
}

impl NoiseStage {
    /// All stages at all levels.
    pub const MAIN: Out<Estimated> = Out::table("main");
}

impl Stage for NoiseStage {
    const KIND: &'static str = "harmonica/noise";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(200)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut rows = Vec::new();
        for seed in 0..self.values.seeds {
            let HarmonicaSettings { stages, features, degree, .. } = self.settings;
            let shape = (self.variables, degree);
            let h = function(cx, seed, self.weights, shape, (stages, features))?;
            for (name, sweep) in &self.values.sweeps {
                for &level in &sweep.levels {
                    let found = self.level(cx, &h, (seed, level), sweep)?;
                    let own =
                        |row| Estimated { sweep: name.clone(), decides: sweep.decides, ..row };
                    rows.extend(found.into_iter().map(own));
                }
            }
        }
        Self::MAIN.write(cx, &rows)
    }
}

impl NoiseStage {
    fn level(
        &self,
        cx: &Context,
        h: &Hierarchy,
        (seed, level): (u32, f64),
        sweep: &Sweep,
    ) -> Result<Vec<Estimated>, Stop> {
        let Sweep { samples, restrictions, .. } = *sweep;
        let restrictions = restrictions.unwrap_or(self.settings.restrictions);
        let settings = HarmonicaSettings { samples, restrictions, ..self.settings };
        let noise = (self.weights, level);
        let all = noisy_stages(cx, seed, h, noise, settings, self.variables)?;
        let mut rows = Vec::new();
        for (i, stage) in all.iter().enumerate() {
            let polynomial = stage.polynomial();
            let targets = stage.targets(self.settings.residual);
            let fresh = cx.rng(&format!("fresh {seed} {i}"))?;
            let expected = |x: &[bool]| {
                let own = stage.earlier(self.settings.residual, x);
                h.value(x) + self.weights.mean_noise(level) - own
            };
            // Both are measured at the same points.
            let error = |g: &Polynomial| {
                error(stage, &targets, g, self.values.points, expected, &mut fresh.clone())
            };
            let refitted = least_squares(&polynomial, &stage.samples, &targets);
            rows.push(Estimated {
                level,
                seed,
                stage: i as u32 + 1,
                features: polynomial.terms.len(),
                error: error(&polynomial),
                refitted: error(&refitted),
                ..Estimated::default()
            });
        }
        Ok(rows)
    }
}

/// Root mean square of b + g(x) minus the expected value, with b the mean residual of g on the targets.
fn error(
    stage: &run::Stage,
    targets: &[f64],
    g: &Polynomial,
    points: u32,
    expected: impl Fn(&[bool]) -> f64,
    rng: &mut ChaCha12Rng,
) -> f64 {
    let left = targets.iter().zip(&stage.samples).map(|(t, x)| t - g.value(x));
    let constant = left.sum::<f64>() / targets.len() as f64;
    let mut sum = 0.0;
    for _ in 0..points {
        let x = stage.fresh(rng);
        let difference = constant + g.value(&x) - expected(&x);
        sum += difference * difference;
    }
    (sum / f64::from(points)).sqrt()
}

/// The terms with least-squares weights, fitted together with a constant; unchanged if the samples do not
/// distinguish them.
fn least_squares(g: &Polynomial, samples: &[Vec<bool>], targets: &[f64]) -> Polynomial {
    let mut units = g.clone();
    units.terms.iter_mut().for_each(|t| t.weight = 1.0);
    let columns = units.terms.len() + 1;
    let design = Array2::from_shape_fn((samples.len(), columns), |(i, j)| {
        if j == 0 { 1.0 } else { units.terms[j - 1].value(&samples[i]) }
    });
    let targets = Array1::from_iter(targets.iter().copied());
    let Ok(factor) = Cholesky::new(&design.t().dot(&design)) else { return g.clone() };
    let solution = factor.solve(design.t().dot(&targets).view());
    units.terms.iter_mut().zip(solution.iter().skip(1)).for_each(|(t, w)| t.weight = *w);
    units
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use crate::synthetic::function::signs;
    use models::polynomial::sparse_parity::Term;

    #[test]
    fn least_squares_finds_the_weights_beside_a_constant() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let terms = [(3.0, vec![0, 2]), (-0.5, vec![1])];
        let f = Polynomial {
            terms: terms.map(|(weight, monomial)| Term { monomial, weight }).to_vec(),
        };
        let samples: Vec<Vec<bool>> = (0..40).map(|_| signs(3, &mut rng)).collect();
        let targets: Vec<f64> = samples.iter().map(|x| 7.0 + f.value(x)).collect();
        let mut shrunk = f.clone();
        shrunk.terms.iter_mut().for_each(|t| t.weight *= 0.6);
        let found = least_squares(&shrunk, &samples, &targets);
        for (a, b) in found.terms.iter().zip(&f.terms) {
            assert!((a.weight - b.weight).abs() < 1e-12, "{a:?}");
        }
        let stage = run::Stage { under: Vec::new(), samples, values: targets.clone(), found: None };
        let exact = |x: &[bool]| 7.0 + f.value(x);
        assert!(error(&stage, &targets, &found, 100, exact, &mut rng) < 1e-12);
        // The shrunk one has errors of 1.2 and 0.2, in all four combinations of signs.
        let off = error(&stage, &targets, &shrunk, 4000, exact, &mut rng);
        assert!((off - 1.2_f64.hypot(0.2)).abs() < 0.1, "{off}");
    }
}
