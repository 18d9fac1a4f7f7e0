//! Fabolas \[Klein2017\]: losses and costs on shares of the data are modelled together, and the next
//! evaluation is the one with the largest expected information gain about the minimum on the whole data per
//! unit of cost.
//!
//! It recommends the point whose predicted loss on the whole data is lowest ([`Fabolas::recommend`]), not the
//! best loss that it has evaluated.

use std::collections::BTreeMap;

use models::gp::{share::ShareHyper, slice_sampling::shuffled};
use numerics::space::Space;
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;

pub use super::fabolas_settings::FabolasSettings;
use super::{
    fabolas_model::{Seen, Surrogate},
    fitted::fitted,
};
use crate::tuner::{Error, Fidelity, Suggestion, Trial, Tuner};

/// Fabolas.
#[derive(Debug, Clone)]
pub struct Fabolas {
    space: Space,
    settings: FabolasSettings,
    asked: u64,
    /// The initial points in the unit cube, drawn at the first ask.
    starts: Vec<Vec<f64>>,
    /// Divisors of suggestions, and their costs if they were told.
    divisors: BTreeMap<u64, u64>,
    costs: BTreeMap<u64, f64>,
    /// Evaluated unit points and losses.
    told: BTreeMap<u64, (Vec<f64>, f64)>,
    /// Last states of the chains of the loss and of the cost.
    chains: Option<[ShareHyper; 2]>,
}

/// A Latin hypercube in \[0, 1\]ᵈ: each of the n cells of each coordinate has one point.
fn latin_hypercube(n: usize, d: usize, rng: &mut ChaCha12Rng) -> Vec<Vec<f64>> {
    let mut points = vec![vec![0.0; d]; n];
    for j in 0..d {
        for (point, cell) in points.iter_mut().zip(shuffled(n, rng)) {
            point[j] = (cell as f64 + rng.random::<f64>()) / n as f64;
        }
    }
    points
}

impl Fabolas {
    /// A tuner on a space. Losses have to be positive, like error rates, since their logarithms are modelled.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{bayesian::fabolas::{Fabolas, FabolasSettings}, minimise::minimise};
    ///
    /// let settings = FabolasSettings { chain: 2, processes: 2, functions: 20, ..Default::default() };
    /// let mut tuner = Fabolas::new(Bounds::cube(2, 1.0)?, settings)?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let found = minimise(&mut tuner, 12, &mut rng, |s| {
    ///     0.01 + s.config.iter().map(|x| x * x).sum::<f64>() + 0.1 * (1.0 - s.fidelity.of(1.0))
    /// });
    /// // It begins on small shares of the data.
    /// assert!(found.trials[0].suggestion.fidelity.of(1.0) < 1.0);
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(space: impl Into<Space>, settings: FabolasSettings) -> Result<Self, Error> {
        settings.check()?;
        Ok(Self {
            space: space.into(),
            settings,
            asked: 0,
            starts: Vec::new(),
            divisors: BTreeMap::new(),
            costs: BTreeMap::new(),
            told: BTreeMap::new(),
            chains: None,
        })
    }

    /// t: the position of 1/divisor between the smallest share and the whole, on a logarithmic scale.
    fn share(&self, divisor: u64) -> f64 {
        1.0 - (divisor as f64).log2() / (self.settings.smallest as f64).log2()
    }

    /// The nearest share whose inverse is a whole number.
    fn divisor(&self, share: f64) -> u64 {
        let smallest = self.settings.smallest;
        ((smallest as f64).powf(1.0 - share).round() as u64).clamp(1, smallest)
    }

    /// The models given all evaluations; `None` if there are no evaluations or no model can be fitted.
    fn surrogate(&mut self, rng: &mut ChaCha12Rng) -> Option<Surrogate> {
        let seen = |(id, (unit, loss)): (&u64, &(Vec<f64>, f64))| {
            let divisor = self.divisors.get(id).copied().unwrap_or(1);
            // Unless a cost was told, an evaluation costs its share.
            let cost = self.costs.get(id).copied().unwrap_or(1.0 / divisor as f64);
            let features = self.space.features(unit);
            Seen { unit: unit.clone(), features, share: self.share(divisor), loss: *loss, cost }
        };
        let told = fitted(self.told.iter(), |(_, (_, loss))| *loss);
        let all: Vec<Seen> = told.into_iter().map(seen).collect();
        let surrogate = Surrogate::fit(all, &self.settings, self.chains.as_ref(), rng)?;
        self.chains = Some(surrogate.chains().clone());
        Some(surrogate)
    }

    /// The configuration with the lowest predicted loss on the whole data, among those evaluated on any
    /// share; `None` before a finite loss was told.
    pub fn recommend(&mut self, rng: &mut ChaCha12Rng) -> Option<Vec<f64>> {
        let surrogate = self.surrogate(rng)?;
        Some(self.space.from_unit(surrogate.incumbent()))
    }

    fn propose(&mut self, rng: &mut ChaCha12Rng) -> (Vec<f64>, f64) {
        let draw = |rng: &mut ChaCha12Rng| (self.space.draw_unit(rng), rng.random::<f64>());
        let random = draw(rng);
        let candidates: Vec<_> = (0..self.settings.candidates).map(|_| draw(rng)).collect();
        let Some(surrogate) = self.surrogate(rng) else { return random };
        let best = surrogate.best(&self.space, &candidates, &self.settings, rng);
        best.map_or(random, |i| candidates[i].clone())
    }
}

impl Tuner for Fabolas {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        if self.asked == 0 {
            self.starts = latin_hypercube(self.settings.starts, self.space.dimensions(), rng);
        }
        let shares = self.settings.divisors.len() as u64;
        let (unit, divisor) = if let Some(start) = self.starts.get((self.asked / shares) as usize) {
            (start.clone(), self.settings.divisors[(self.asked % shares) as usize])
        } else {
            let (unit, share) = self.propose(rng);
            (unit, self.divisor(share))
        };
        let id = self.asked;
        self.asked += 1;
        self.divisors.insert(id, divisor);
        let fidelity = Fidelity::Part { divisor };
        Some(Suggestion { id, config: self.space.from_unit(&unit), fidelity })
    }

    fn spent(&mut self, id: u64, cost: f64) {
        if cost.is_finite() && cost > 0.0 {
            self.costs.insert(id, cost);
        }
    }

    fn tell(&mut self, trial: Trial) {
        let unit = self.space.to_unit(&trial.suggestion.config);
        self.told.insert(trial.suggestion.id, (unit, trial.value));
    }
}

#[cfg(test)]
#[path = "fabolas_tests.rs"]
mod tests;
