//! A tuner like HEBO \[CowenRivers2022\]: losses are transformed to be more normal, a Gaussian process is
//! fitted, and a point is taken from the Pareto set of three acquisition functions (MACE).
//!
//! DIFFERS: HEBO also warps the inputs, adds noise to its acquisition functions to make them robust, takes
//! their logarithms, starts the search for the Pareto set at the incumbent, and falls back on a random
//! point where the deviation is small. None of that is here, and so the tuner does not have its name.

use std::collections::BTreeMap;

use models::gp::{
    Gp, GpSettings,
    acquisition::{log_expected_improvement, log_probability_of_improvement},
    power_transform,
};
use numerics::{
    solve::nsga2::{Gene, Nsga2},
    space::{Domain, Space},
};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::{failed::as_worst, fitted::fitted};
use crate::{
    sobol::Sequence,
    tuner::{Error, Fidelity, Suggestion, Trial, Tuner},
};

/// Settings of the tuner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HeboLikeSettings {
    /// The search for the Pareto set.
    pub nsga2: Nsga2,
    /// Improvement, in deviations of the transformed losses, that counts.
    pub xi: f64,
    /// The process on the features of the unit cube.
    pub gp: GpSettings,
}

impl Default for HeboLikeSettings {
    fn default() -> Self {
        let gp = GpSettings {
            ard: true,
            noise: 1e-2,
            fit_noise: true,
            fit_amplitude: true,
            restarts: 1,
            ..GpSettings::default()
        };
        Self { nsga2: Nsga2 { population: 100, generations: 100 }, xi: 1e-4, gp }
    }
}

/// The tuner.
#[derive(Debug, Clone)]
pub struct HeboLike {
    space: Space,
    settings: HeboLikeSettings,
    genes: Vec<Gene>,
    asked: u64,
    /// The sequence of initial points, drawn at the first ask.
    sequence: Option<Sequence>,
    /// Configurations and losses by the number of the suggestion.
    told: BTreeMap<u64, (Vec<f64>, f64)>,
}

impl HeboLike {
    /// A tuner on a space.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{minimise::minimise, bayesian::hebo_like::{HeboLike, HeboLikeSettings}};
    ///
    /// let mut tuner = HeboLike::new(Bounds::cube(2, 1.0)?, HeboLikeSettings::default())?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let found = minimise(&mut tuner, 20, &mut rng, |s| s.config.iter().map(|x| x * x).sum());
    /// assert!(found.best().is_some_and(|best| best.value < 0.5));
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(space: impl Into<Space>, settings: HeboLikeSettings) -> Result<Self, Error> {
        let refuse = |key, value: String, expected| Err(Error::Setting { key, value, expected });
        if settings.nsga2.population < 4 {
            let value = settings.nsga2.population.to_string();
            return refuse("nsga2.population", value, "at least 4");
        }
        if !(settings.xi.is_finite() && settings.xi >= 0.0) {
            return refuse("xi", settings.xi.to_string(), "a finite number ≥ 0");
        }
        let space = space.into();
        let gene = |domain| match domain {
            Domain::Categorical { .. } => Gene::Choice,
            Domain::Float { .. } | Domain::Int { .. } => Gene::Real,
        };
        let genes = space.domains().map(gene).collect();
        Ok(Self { space, settings, genes, asked: 0, sequence: None, told: BTreeMap::new() })
    }

    /// A random member of the Pareto set that was not evaluated; a random configuration if there is none or
    /// no process can be fitted.
    fn propose(&self, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let told = fitted(self.told.values(), |(_, loss)| *loss);
        let Some(losses) = as_worst(told.iter().map(|(_, v)| *v)) else {
            return self.space.draw(rng);
        };
        let points: Vec<Vec<f64>> =
            told.iter().map(|(c, _)| self.space.features(&self.space.to_unit(c))).collect();
        let targets = power_transform::normalised(&losses);
        let Ok(gp) = Gp::fit(&points, &targets, self.settings.gp, rng) else {
            return self.space.draw(rng);
        };
        let lowest = (0..targets.len()).min_by(|&a, &b| targets[a].total_cmp(&targets[b]));
        let best = lowest.map_or(0.0, |i| gp.predict(&points[i]).0);
        let (t, d) = (targets.len() as f64, self.space.dimensions() as f64);
        // √(2υτ) of GP-UCB with υ = ½ and τ = (2 + d/2) ln t + ln(3π²/(3δ)), δ = 0.01.
        let confidence = (std::f64::consts::PI.powi(2) / 0.01).ln();
        let kappa = ((2.0 + 0.5 * d) * t.ln() + confidence).sqrt();
        let xi = self.settings.xi;
        let front = self.settings.nsga2.minimise(
            &self.genes,
            |unit| {
                let (mean, deviation) = gp.predict(&self.space.features(unit));
                [
                    mean - kappa * deviation,
                    -log_expected_improvement(mean, deviation, best, xi),
                    -log_probability_of_improvement(mean, deviation, best, xi),
                ]
            },
            rng,
        );
        let new: Vec<Vec<f64>> = front
            .iter()
            .map(|p| self.space.from_unit(&p.unit))
            .filter(|c| self.told.values().all(|(told, _)| told != c))
            .collect();
        if new.is_empty() {
            return self.space.draw(rng);
        }
        new[rng.random_range(0..new.len())].clone()
    }
}

impl Tuner for HeboLike {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let sequence = *self.sequence.get_or_insert_with(|| Sequence::draw(rng));
        let id = self.asked;
        self.asked += 1;
        let config = if id <= self.space.dimensions() as u64 {
            self.space.from_unit(&sequence.point(id, self.space.dimensions(), rng))
        } else {
            self.propose(rng)
        };
        Some(Suggestion { id, config, fidelity: Fidelity::FULL })
    }

    fn tell(&mut self, trial: Trial) {
        self.told.insert(trial.suggestion.id, (trial.suggestion.config, trial.value));
    }
}
