//! Bayesian optimisation after Spearmint \[Snoek2012\]: a Gaussian process with a Matérn 5/2 covariance and
//! one length scale per dimension, and expected improvement averaged over samples of the hyper-parameters.
//!
//! The process is defined on the unit cube and is given each point as it was proposed; rounding to the
//! space's values happens afterwards, as in Spearmint.

use std::collections::BTreeMap;

use models::gp::{
    hyper::{Hyper, Observed, Priors, sample},
    posterior::Posterior,
};
use ndarray::{Array1, Array2};
use numerics::space::{Bounds, Space};
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};
use serde::{Deserialize, Serialize};

use super::{
    failed::as_worst,
    fitted::fitted,
    gp_ei_search::{Points, Search},
};
use crate::{
    sobol::{self, Sequence},
    tuner::{Error, Fidelity, Suggestion, Trial, Tuner},
};

/// Settings of the tuner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GpEiSettings {
    /// First suggestions, from the grid.
    pub starts: usize,
    /// Points of a scrambled Sobol sequence among which the improvement is looked for; at most 65 536.
    pub grid: usize,
    /// Further points, normal around the best one observed.
    pub sprays: usize,
    /// Their deviation.
    pub spray: f64,
    /// How many of all these are improved by a local search.
    pub refined: usize,
    /// Most iterations of a local search.
    pub iterations: usize,
    /// Iterations of the chain of hyper-parameters before the first suggestion that needs them.
    pub burn_in: usize,
    /// Iterations, and samples, a suggestion.
    pub samples: usize,
    /// Law of the hyper-parameters before any observation.
    pub priors: Priors,
}

impl Default for GpEiSettings {
    fn default() -> Self {
        Self {
            starts: 2,
            grid: 20_000,
            sprays: 10,
            spray: 1e-3,
            refined: 20,
            iterations: 50,
            burn_in: 100,
            samples: 10,
            priors: Priors::default(),
        }
    }
}

impl GpEiSettings {
    fn check(&self) -> Result<(), Error> {
        let refuse = |key, value: String, expected| Err(Error::Setting { key, value, expected });
        if self.samples == 0 {
            return refuse("samples", "0".to_owned(), "at least 1");
        }
        if !(1..=sobol::POINTS).contains(&self.grid) {
            return refuse("grid", self.grid.to_string(), "1 to 65536");
        }
        if !(1..=self.grid).contains(&self.starts) {
            return refuse("starts", self.starts.to_string(), "at least 1, at most the grid");
        }
        for (key, value) in [
            ("spray", self.spray),
            ("priors.longest", self.priors.longest),
            ("priors.noise", self.priors.noise),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return refuse(key, value.to_string(), "a finite number > 0");
            }
        }
        Ok(())
    }
}

/// The tuner.
#[derive(Debug, Clone)]
pub struct GpEi {
    space: Space,
    cube: Bounds,
    settings: GpEiSettings,
    asked: u64,
    /// The grid, created at the first ask.
    grid: Points,
    /// The current state of the chain of hyper-parameters.
    chain: Option<Hyper>,
    /// Proposed points and losses by the number of the suggestion.
    proposed: BTreeMap<u64, Vec<f64>>,
    told: BTreeMap<u64, f64>,
}

impl GpEi {
    /// A tuner on a space.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{minimise::minimise, bayesian::gp_ei::{GpEi, GpEiSettings}};
    ///
    /// let mut tuner = GpEi::new(Bounds::cube(2, 1.0)?, GpEiSettings::default())?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let found = minimise(&mut tuner, 12, &mut rng, |s| s.config.iter().map(|x| x * x).sum());
    /// assert!(found.best().is_some_and(|best| best.value < 0.5));
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(space: impl Into<Space>, settings: GpEiSettings) -> Result<Self, Error> {
        settings.check()?;
        let space = space.into();
        let sides = space.dimensions();
        let cube = Bounds::new(vec![0.0; sides], vec![1.0; sides])?;
        let (proposed, told) = (BTreeMap::new(), BTreeMap::new());
        Ok(Self {
            space,
            cube,
            settings,
            asked: 0,
            grid: Points::default(),
            chain: None,
            proposed,
            told,
        })
    }

    /// Point `i` of the grid.
    fn grid_point(&self, i: u64) -> Vec<f64> {
        self.grid.point((i % self.settings.grid as u64) as usize)
    }

    /// The losses, standardised; failed evaluations count as the worst.
    ///
    /// DIFFERS: Spearmint leaves the losses as they are; its priors would then depend on their scale.
    fn observed(&self) -> Observed {
        let told = fitted(self.told.iter(), |(_, loss)| **loss);
        let losses = as_worst(told.iter().map(|(_, v)| **v));
        // Without any loss, all trials are the same.
        let losses = losses.map_or_else(|| Array1::zeros(told.len()), Array1::from);
        let mean = losses.sum() / losses.len() as f64;
        let square = losses.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
        let deviation = (square / losses.len() as f64).sqrt();
        let scale = if deviation > 0.0 { 1.0 / deviation } else { 1.0 };
        let points = matrix(told.iter().map(|(id, _)| &self.proposed[id]), self.space.dimensions());
        Observed { points, targets: losses.mapv(|v| (v - mean) * scale) }
    }

    /// The process under each sample of the hyper-parameters. A pending suggestion counts as observed at its
    /// posterior mean.
    ///
    /// DIFFERS: Spearmint averages over several draws from the posterior there.
    fn processes(&mut self, observed: &Observed, rng: &mut ChaCha12Rng) -> Vec<Posterior> {
        let burn_in = if self.chain.is_some() { 0 } else { self.settings.burn_in };
        let start = self.chain.take().unwrap_or_else(|| Hyper::start(observed));
        let count = (burn_in, self.settings.samples);
        let all = sample(observed, self.settings.priors, start, count, rng);
        self.chain = all.last().cloned();
        let pending: Vec<&Vec<f64>> = self
            .proposed
            .iter()
            .filter(|(id, _)| !self.told.contains_key(id))
            .map(|(_, p)| p)
            .collect();
        let process = |hyper: &Hyper| {
            let own = Posterior::new(observed, hyper).ok()?;
            if pending.is_empty() {
                return Some(own);
            }
            let believed = pending.iter().map(|p| own.predict_with_gradient(p).mean);
            let targets = observed.targets.iter().copied().chain(believed).collect();
            let told = observed.points.rows();
            let told: Vec<Vec<f64>> = told.into_iter().map(|row| row.to_vec()).collect();
            let points =
                matrix(told.iter().chain(pending.iter().copied()), self.space.dimensions());
            Posterior::new(&Observed { points, targets }, hyper).ok()
        };
        all.iter().filter_map(process).collect()
    }

    /// The point of the cube with the largest mean expected improvement found.
    fn propose(&mut self, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let observed = self.observed();
        let processes = self.processes(&observed, rng);
        let lowest = |a: &(usize, &f64), b: &(usize, &f64)| a.1.total_cmp(b.1);
        let incumbent = observed.targets.iter().enumerate().min_by(lowest);
        let found = incumbent.and_then(|(i, &best)| {
            let mut spray = |_| {
                let near = |x: &f64| {
                    let step: f64 = StandardNormal.sample(rng);
                    (x + self.settings.spray * step).clamp(0.0, 1.0)
                };
                observed.points.row(i).iter().map(near).collect()
            };
            let sprays: Vec<Vec<f64>> = (0..self.settings.sprays).map(&mut spray).collect();
            let search = Search { processes: &processes, best, cube: &self.cube };
            let starts =
                search.best_of(&[&self.grid, &Points::new(&sprays)], self.settings.refined);
            search.refine(starts, self.settings.iterations)
        });
        found.unwrap_or_else(|| self.grid_point(self.asked))
    }
}

/// Points as rows.
fn matrix<'a>(points: impl Iterator<Item = &'a Vec<f64>>, dimensions: usize) -> Array2<f64> {
    let all: Vec<f64> = points.flatten().copied().collect();
    let rows = all.len() / dimensions;
    Array2::from_shape_fn((rows, dimensions), |(i, j)| all[i * dimensions + j])
}

impl Tuner for GpEi {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        if self.grid.is_empty() {
            let (sequence, sides) = (Sequence::draw(rng), self.space.dimensions());
            let grid = 0..self.settings.grid as u64;
            let points: Vec<Vec<f64>> = grid.map(|i| sequence.point(i, sides, rng)).collect();
            self.grid = Points::new(&points);
        }
        let id = self.asked;
        let point = if id < self.settings.starts as u64 || self.told.is_empty() {
            self.grid_point(id)
        } else {
            self.propose(rng)
        };
        self.asked += 1;
        let config = self.space.from_unit(&point);
        self.proposed.insert(id, point);
        Some(Suggestion { id, config, fidelity: Fidelity::FULL })
    }

    fn tell(&mut self, trial: Trial) {
        let Suggestion { id, config, .. } = trial.suggestion;
        self.proposed.entry(id).or_insert_with(|| self.space.to_unit(&config));
        self.told.insert(id, trial.value);
    }
}

#[cfg(test)]
#[path = "gp_ei_tests.rs"]
mod tests;
