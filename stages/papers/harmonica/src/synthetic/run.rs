//! Runs Harmonica on a function of signs, and records the samples and the result of each stage.

use driver::Search;
use models::polynomial::{
    parity::{Basis, Design, Signs},
    sparse_parity::Polynomial,
};
use numerics::space::{Domain, Parameter, Space};
use pipeline::stage::{Context, Stop};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use tuners::harmonica::{Harmonica, HarmonicaSettings, Residual, Restriction};

use super::function::{Hierarchy, Weights, signs};

/// One stage of a run.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The restrictions under which it sampled.
    pub under: Vec<Restriction>,
    /// Its samples, where `true` is −1.
    pub samples: Vec<Vec<bool>>,
    /// Their values.
    pub values: Vec<f64>,
    /// Its result.
    pub found: Option<Restriction>,
}

/// A space of binary parameters.
///
/// # Errors
/// If there is no variable.
pub fn space(variables: usize) -> Result<Space, Stop> {
    let parameter =
        |i| Parameter { name: format!("x{}", i + 1), domain: Domain::Categorical { choices: 2 } };
    Space::new((0..variables).map(parameter).collect()).map_err(|e| Stop::Failed(e.to_string()))
}

/// A configuration of [`space`] as signs.
#[must_use]
pub fn minus(config: &[f64]) -> Vec<bool> {
    config.iter().map(|&v| v == 1.0).collect()
}

/// The hierarchical function of a seed, given the number of variables, the degree of features, the number of
/// levels and the features per level.
///
/// # Errors
/// If there are too many monomials to number.
pub fn function(
    cx: &Context,
    seed: u32,
    weights: Weights,
    shape: (usize, usize),
    levels: (usize, usize),
) -> Result<Hierarchy, Stop> {
    let mut rng = cx.rng(&format!("function {seed}"))?;
    Hierarchy::draw(weights, shape, levels, &mut rng).map_err(|e| Stop::Failed(e.to_string()))
}

/// `stages` on that function with a given noise level, with samples drawn from the seed.
///
/// # Errors
/// As `stages`.
pub fn noisy_stages(
    cx: &Context,
    seed: u32,
    h: &Hierarchy,
    (weights, level): (Weights, f64),
    settings: HarmonicaSettings,
    variables: usize,
) -> Result<Vec<Stage>, Stop> {
    let mut noise = cx.rng(&format!("noise {seed}"))?;
    let mut asking = cx.rng(&format!("samples {seed}"))?;
    let evaluate = |x: &[bool]| h.value(x) + weights.noise(level, &mut noise);
    stages(settings, variables, &mut asking, evaluate)
}

/// Runs the stages of Harmonica and stops before its base algorithm.
///
/// # Errors
/// If the settings do not fit.
fn stages(
    settings: HarmonicaSettings,
    variables: usize,
    rng: &mut ChaCha12Rng,
    mut evaluate: impl FnMut(&[bool]) -> f64,
) -> Result<Vec<Stage>, Stop> {
    let mut tuner = Harmonica::new(space(variables)?, settings)
        .map_err(|e| Stop::Failed(format!("harmonica: {e}")))?;
    let mut all = Vec::with_capacity(settings.stages);
    for _ in 0..settings.stages {
        let under = tuner.restrictions().to_vec();
        let (mut samples, mut values) = (Vec::new(), Vec::new());
        Search::new(&mut tuner, rng).run(settings.samples, |suggestion, _| {
            let x = minus(&suggestion.config);
            let value = evaluate(&x);
            samples.push(x);
            values.push(value);
            Ok(Some(value.into()))
        })?;
        let found = tuner.restrictions().get(under.len()).cloned();
        all.push(Stage { under, samples, values, found });
    }
    Ok(all)
}

impl Stage {
    /// The sum of earlier polynomials to which the stage's own is added; 0 if it is fitted alone.
    #[must_use]
    pub fn earlier(&self, residual: Residual, minus: &[bool]) -> f64 {
        match residual {
            Residual::Restricted => 0.0,
            Residual::Subtracted => self.under.iter().map(|r| r.polynomial.value(minus)).sum(),
        }
    }

    /// The targets of the stage's fit (one per sample).
    #[must_use]
    pub fn targets(&self, residual: Residual) -> Vec<f64> {
        let pairs = self.values.iter().zip(&self.samples);
        pairs.map(|(v, x)| v - self.earlier(residual, x)).collect()
    }

    /// The first `rows` samples on the basis of the variables that were free.
    ///
    /// # Errors
    /// If the basis is too large.
    pub fn design(&self, rows: usize, degree: usize) -> Result<Design, Stop> {
        let variables = self.samples.first().map_or(0, Vec::len);
        let fixed = |v: &usize| self.under.iter().any(|r| r.variables.contains(v));
        let free = (0..variables).filter(|v| !fixed(v)).collect();
        let basis = Basis::new(free, degree).map_err(|e| Stop::Failed(e.to_string()))?;
        Ok(Design::new(Signs::new(variables, &self.samples[..rows]), basis))
    }

    /// The polynomial found, 0 if there is none.
    #[must_use]
    pub fn polynomial(&self) -> Polynomial {
        self.found.as_ref().map(|f| f.polynomial.clone()).unwrap_or_default()
    }

    /// A new point under the stage's restrictions, drawn as its samples.
    #[must_use]
    pub fn fresh(&self, rng: &mut ChaCha12Rng) -> Vec<bool> {
        let mut x = signs(self.samples.first().map_or(0, Vec::len), rng);
        for r in &self.under {
            let code = r.codes[rng.random_range(0..r.codes.len())];
            r.variables.iter().enumerate().for_each(|(j, &v)| x[v] = code >> j & 1 == 1);
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use models::polynomial::sparse_parity::Term;
    use tuners::harmonica::Penalty;

    #[test]
    fn stages_are_cut_where_harmonica_cuts_them() {
        let mut rng = ChaCha12Rng::seed_from_u64(4);
        let term = |weight, monomial: &[usize]| Term { monomial: monomial.to_vec(), weight };
        let f = Polynomial { terms: vec![term(9.0, &[0, 3]), term(7.0, &[1]), term(1.0, &[5, 6])] };
        let settings = HarmonicaSettings {
            stages: 3,
            samples: 80,
            features: 2,
            restrictions: 1,
            degree: 2,
            penalty: Penalty::Absolute { alpha: 0.1 },
            residual: Residual::Restricted,
            digits: 1,
        };
        let all = stages(settings, 8, &mut rng, |x| f.value(x)).unwrap();
        assert_eq!(all.iter().map(|s| s.samples.len()).collect::<Vec<_>>(), [80; 3]);
        assert_eq!(all[0].polynomial().variables(), [0, 1, 3]);
        assert_eq!((all[1].under.len(), all[1].polynomial().variables()), (1, vec![5, 6]));
        // The third stage has nothing left to find.
        assert!(all[2].found.is_none() && all[2].under.len() == 2);
        let x = all[2].fresh(&mut rng);
        assert_eq!(f.value(&x), -17.0);
        assert!((all[1].targets(Residual::Subtracted)[0] - all[1].values[0]).abs() > 15.0);
        assert_eq!(all[1].design(50, 2).unwrap().basis().columns(), 1 + 5 + 10);
    }
}
