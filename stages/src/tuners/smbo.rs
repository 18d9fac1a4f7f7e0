//! Sequential model-based optimisation: a Gaussian process and expected improvement.
//! Knows no model of the data.

use std::collections::BTreeMap;

use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::models::acquisition::{expected_improvement, expected_improvement_with_gradient};
use crate::models::gp::{Gp, GpSettings};
use crate::solve::boxed;
use crate::tuner::{Bounds, Error, Suggestion, Trial, Tuner};

/// Settings of the tuner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SmboSettings {
    /// First points, equally spaced on the diagonal of the box, ends included.
    pub starts: usize,
    /// Random candidates for the acquisition's maximum.
    pub candidates: usize,
    /// Local maximisations: from the best candidate and from random points.
    pub maximisations: usize,
    /// ξ of expected improvement, in units of the loss.
    pub xi: f64,
    /// The process on the unit cube.
    pub gp: GpSettings,
}

impl Default for SmboSettings {
    /// The baseline of the HOAG paper.
    fn default() -> Self {
        Self {
            starts: 4,
            candidates: 10_000,
            maximisations: 10,
            xi: 0.0,
            gp: GpSettings::default(),
        }
    }
}

/// The tuner.
#[derive(Debug, Clone)]
pub struct Smbo {
    bounds: Bounds,
    settings: SmboSettings,
    asked: u64,
    /// Told points in the unit cube and losses, by the number of the suggestion.
    told: BTreeMap<u64, (Vec<f64>, f64)>,
}

impl Smbo {
    /// A tuner on a box.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(bounds: Bounds, settings: SmboSettings) -> Result<Self, Error> {
        let refuse = |key, value: String, expected| Err(Error::Setting { key, value, expected });
        if settings.starts < 2 {
            return refuse("starts", settings.starts.to_string(), "at least 2");
        }
        if settings.candidates == 0 {
            return refuse("candidates", "0".to_owned(), "at least 1");
        }
        if !(settings.xi.is_finite() && settings.xi >= 0.0) {
            return refuse("xi", settings.xi.to_string(), "a finite number ≥ 0");
        }
        Ok(Self { bounds, settings, asked: 0, told: BTreeMap::new() })
    }

    fn random_point(&self, rng: &mut ChaCha12Rng) -> Vec<f64> {
        (0..self.bounds.dimensions()).map(|_| rng.random()).collect()
    }

    /// The maximiser of expected improvement in the unit cube; a random point where no process can
    /// be fitted.
    fn propose(&self, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let points: Vec<Vec<f64>> = self.told.values().map(|(p, _)| p.clone()).collect();
        let finite = self.told.values().map(|(_, v)| *v).filter(|v| v.is_finite());
        let (best, worst) =
            finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(b, w), v| (b.min(v), w.max(v)));
        // A failed evaluation counts as the worst seen, so the search moves away from it.
        let losses: Vec<f64> =
            self.told.values().map(|(_, v)| if v.is_finite() { *v } else { worst }).collect();
        let Ok(gp) = Gp::fit(&points, &losses, self.settings.gp, rng) else {
            return self.random_point(rng);
        };
        let xi = self.settings.xi;
        let mut top = (f64::NEG_INFINITY, self.random_point(rng));
        for _ in 0..self.settings.candidates {
            let x = self.random_point(rng);
            let (mean, deviation) = gp.predict(&x);
            let value = expected_improvement(mean, deviation, best, xi);
            if value > top.0 {
                top = (value, x);
            }
        }
        let dimensions = self.bounds.dimensions();
        let Ok(cube) = Bounds::new(vec![0.0; dimensions], vec![1.0; dimensions]) else {
            return top.1;
        };
        for i in 0..self.settings.maximisations {
            let start = if i == 0 { top.1.clone() } else { self.random_point(rng) };
            let found = boxed::minimise(&start, &cube, 1e-9, 50, |x| {
                let p = gp.predict_with_gradient(x);
                let (value, gradient) = expected_improvement_with_gradient(&p, best, xi);
                (-value, gradient.iter().map(|g| -g).collect())
            });
            if -found.value > top.0 {
                top = (-found.value, found.x);
            }
        }
        top.1
    }
}

impl Tuner for Smbo {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let starts = self.settings.starts as u64;
        let unit = if self.asked < starts {
            vec![self.asked as f64 / (starts - 1) as f64; self.bounds.dimensions()]
        } else {
            self.propose(rng)
        };
        let id = self.asked;
        self.asked += 1;
        Some(Suggestion { id, config: self.bounds.from_unit(&unit), fidelity: 1.0 })
    }

    fn tell(&mut self, trial: Trial) {
        let unit = self.bounds.to_unit(&trial.suggestion.config);
        self.told.insert(trial.suggestion.id, (unit, trial.value));
    }
}
