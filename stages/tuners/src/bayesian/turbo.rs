//! Trust-region Bayesian optimisation, TuRBO-1 \[Eriksson2019\]: a Gaussian process that is searched only in a box
//! around the best point. The box grows after successes and shrinks after failures; when it is too small, the search
//! starts again elsewhere.
//!
//! DIFFERS: the paper draws functions from the posterior (Thompson sampling) at its candidates, which takes a factor
//! of their joint covariance; here a candidate's score is its expected improvement on the box's best. Categories, of
//! which the paper has none, have no side: a candidate changes them to any other.

use std::collections::BTreeMap;

use models::gp::{Gp, GpSettings, acquisition::log_expected_improvement};
use numerics::space::{Domain, Space};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::{
    failed::as_worst,
    fitted::fitted,
    trust_region::{Region, Rules},
};
use crate::{
    bayesian::tpe::best,
    sobol::Sequence,
    tuner::{Error, Fidelity, Suggestion, Trial, Tuner, failed_last},
};

/// Settings of `TuRBO`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TurboSettings {
    /// First points of each region, from a Sobol sequence; `None` for twice the number of parameters.
    pub starts: Option<usize>,
    /// Candidates for a suggestion; `None` for a hundred per parameter, at most 5000.
    pub candidates: Option<usize>,
    /// Number of parameters in which a candidate differs from the best point, in expectation.
    pub perturbed: f64,
    /// How the region's side moves.
    pub region: Rules,
    /// The process on the features of the unit cube.
    pub gp: GpSettings,
}

impl Default for TurboSettings {
    /// The constants of the authors' code.
    fn default() -> Self {
        let gp = GpSettings {
            ard: true,
            noise: 5e-3,
            fit_noise: true,
            fit_amplitude: true,
            restarts: 0,
            length_scales: [5e-3, 2.0],
            ..GpSettings::default()
        };
        Self { starts: None, candidates: None, perturbed: 20.0, region: Rules::default(), gp }
    }
}

/// `TuRBO` with one trust region.
#[derive(Debug, Clone)]
pub struct Turbo {
    space: Space,
    settings: TurboSettings,
    starts: u64,
    candidates: usize,
    asked: u64,
    /// Number of the first suggestion that belongs to the current region.
    first: u64,
    /// The sequence of initial points, drawn at the first ask.
    sequence: Option<Sequence>,
    /// Points of the unit cube and losses by the number of the suggestion; failed ones have +∞.
    told: BTreeMap<u64, (Vec<f64>, f64)>,
}

impl Turbo {
    /// A tuner on a space.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{minimise::minimise, bayesian::turbo::{Turbo, TurboSettings}};
    ///
    /// let mut tuner = Turbo::new(Bounds::cube(2, 1.0)?, TurboSettings::default())?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let found = minimise(&mut tuner, 25, &mut rng, |s| s.config.iter().map(|x| x * x).sum());
    /// assert!(found.best().is_some_and(|best| best.value < 0.1));
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(space: impl Into<Space>, settings: TurboSettings) -> Result<Self, Error> {
        let refuse = |key, value: String, expected| Err(Error::Setting { key, value, expected });
        let space = space.into();
        let sides = space.dimensions();
        let starts = settings.starts.unwrap_or(2 * sides);
        let candidates = settings.candidates.unwrap_or((100 * sides).min(5000));
        if starts == 0 {
            return refuse("starts", "0".to_owned(), "at least 1");
        }
        if candidates == 0 {
            return refuse("candidates", "0".to_owned(), "at least 1");
        }
        if !(settings.perturbed.is_finite() && settings.perturbed > 0.0) {
            return refuse("perturbed", settings.perturbed.to_string(), "a finite number > 0");
        }
        settings.region.check()?;
        Ok(Self {
            space,
            settings,
            starts: starts as u64,
            candidates,
            asked: 0,
            first: 0,
            sequence: None,
            told: BTreeMap::new(),
        })
    }

    /// The region after all that was told of it, in the order of asking.
    fn region(&self) -> Region {
        let mut region = Region::new(self.settings.region, self.space.dimensions());
        for (&id, (_, loss)) in self.told.range(self.first..) {
            if id < self.first + self.starts {
                region.starts_with(*loss);
            } else {
                region.told(*loss);
            }
        }
        region
    }

    /// The candidate of the region with the largest expected improvement; a random point if no process can be fitted.
    fn propose(&self, length: f64, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let own = fitted(self.told.range(self.first..).map(|(_, t)| t), |(_, loss)| *loss);
        let Some(losses) = as_worst(own.iter().map(|(_, v)| *v)) else {
            return self.space.draw_unit(rng);
        };
        let lowest = losses.iter().copied().fold(f64::INFINITY, f64::min);
        let features: Vec<Vec<f64>> = own.iter().map(|(u, _)| self.space.features(u)).collect();
        let centre = own.iter().find(|(_, v)| *v == lowest).map(|(unit, _)| unit);
        let gp = Gp::fit(&features, &losses, self.settings.gp, rng);
        let (Some(centre), Ok(gp)) = (centre, gp) else { return self.space.draw_unit(rng) };
        let sides = self.sides(length, gp.length_scales());
        let draws = (0..self.candidates).map(|_| self.candidate(centre, &sides, rng));
        let scored = best(draws, |unit| {
            let (mean, deviation) = gp.predict(&self.space.features(unit));
            log_expected_improvement(mean, deviation, lowest, 0.0)
        });
        scored.unwrap_or_else(|| centre.clone())
    }

    /// The sides of the box: in proportion to the numbers' length scales, with the volume of a cube of side `length`.
    /// Categories have 1.
    fn sides(&self, length: f64, scales: &[f64]) -> Vec<f64> {
        let numbers: Vec<Option<f64>> = self
            .space
            .domains()
            .zip(self.space.slots())
            .map(|(domain, slot)| {
                (!matches!(domain, Domain::Categorical { .. })).then(|| scales[slot])
            })
            .collect();
        let logs: Vec<f64> = numbers.iter().flatten().map(|scale| scale.ln()).collect();
        let mean = (logs.iter().sum::<f64>() / logs.len().max(1) as f64).exp();
        numbers.iter().map(|scale| scale.map_or(1.0, |own| length * own / mean)).collect()
    }

    /// The centre, with some of its coordinates drawn anew from the box: each with the probability that `perturbed`
    /// of them are expected to be, and one at least.
    fn candidate(&self, centre: &[f64], sides: &[f64], rng: &mut ChaCha12Rng) -> Vec<f64> {
        let share = (self.settings.perturbed / centre.len() as f64).min(1.0);
        let mut drawn: Vec<bool> = centre.iter().map(|_| rng.random::<f64>() < share).collect();
        if !drawn.contains(&true) {
            drawn[rng.random_range(0..centre.len())] = true;
        }
        let coordinate = |((domain, (&at, &side)), drawn): ((Domain, (&f64, &f64)), bool)| {
            if !drawn {
                return at;
            }
            if let Domain::Categorical { .. } = domain {
                return rng.random();
            }
            let (low, high) = ((at - 0.5 * side).max(0.0), (at + 0.5 * side).min(1.0));
            low + (high - low) * rng.random::<f64>()
        };
        self.space.domains().zip(centre.iter().zip(sides)).zip(drawn).map(coordinate).collect()
    }
}

impl Tuner for Turbo {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let sequence = *self.sequence.get_or_insert_with(|| Sequence::draw(rng));
        let id = self.asked;
        let mut length = self.region().length();
        if length.is_none() {
            self.first = id;
            length = self.region().length();
        }
        let known = self.told.range(self.first..).any(|(_, (_, loss))| loss.is_finite());
        let unit = match length {
            Some(length) if known && id >= self.first + self.starts => self.propose(length, rng),
            _ => sequence.point(id, self.space.dimensions(), rng),
        };
        self.asked += 1;
        Some(Suggestion { id, config: self.space.from_unit(&unit), fidelity: Fidelity::FULL })
    }

    fn tell(&mut self, trial: Trial) {
        let unit = self.space.to_unit(&trial.suggestion.config);
        let loss = failed_last(trial.value);
        self.told.insert(trial.suggestion.id, (unit, loss));
    }
}

#[cfg(test)]
#[path = "turbo_tests.rs"]
mod tests;
