//! Tree-structured Parzen estimators with their components as options, after \[Watanabe2023\]: how many trials
//! are good, whether parameters are modelled jointly, and how densities are made of trials.
//!
//! Candidates are drawn from the density of the good trials, and the next trial is the candidate with the largest
//! ratio of that density to the density of the others. Pending suggestions do not count.

use std::collections::BTreeMap;

use models::density::{
    component_parzen::{ComponentParzen, ComponentSettings, Heuristic, Weighting},
    product_parzen::Parameter,
};
use numerics::space::Space;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::{multivariate_tpe::parameter, tpe_split::share_of_trials};
use crate::tuner::{Error, Fidelity, Suggestion, Trial, Tuner, failed_last};

/// How many of n trials are good.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "rule")]
pub enum Splitting {
    /// ⌈beta · n⌉.
    Linear {
        /// The share.
        beta: f64,
    },
    /// ⌈beta · √n⌉.
    Sqrt {
        /// The factor.
        beta: f64,
    },
}

impl Splitting {
    /// The number of good trials among n: at most `at_most`, and at most n.
    ///
    /// ```
    /// use tuners::bayesian::component_tpe::Splitting;
    ///
    /// assert_eq!([10, 11, 400].map(|n| Splitting::Linear { beta: 0.1 }.good(n, 25)), [1, 2, 25]);
    /// assert_eq!([16, 17, 400].map(|n| Splitting::Sqrt { beta: 1.0 }.good(n, 25)), [4, 5, 20]);
    /// ```
    #[must_use]
    pub fn good(self, n: usize, at_most: usize) -> usize {
        match self {
            Self::Linear { beta } => share_of_trials(n, beta, at_most),
            Self::Sqrt { beta } => ((beta * (n as f64).sqrt()).ceil() as usize).min(at_most),
        }
        .min(n)
    }

    fn beta(self) -> f64 {
        match self {
            Self::Linear { beta } | Self::Sqrt { beta } => beta,
        }
    }
}

/// Settings of TPE by components.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ComponentTpeSettings {
    /// Random configurations at first.
    pub startup: usize,
    /// Draws among which the ratio of the densities is maximised.
    pub candidates: usize,
    /// Whether parameters are modelled jointly, not each by itself.
    pub multivariate: bool,
    /// Whether each parameter of a candidate is drawn from its own marginal, as in the authors' code, even where
    /// parameters are modelled jointly.
    pub independent_draws: bool,
    /// How many trials are good.
    pub splitting: Splitting,
    /// Most good trials.
    pub good_at_most: usize,
    /// How trials are weighted.
    pub weighting: Weighting,
    /// How kernels are made from trials.
    pub kernels: ComponentSettings,
}

impl Default for ComponentTpeSettings {
    /// The settings that the paper recommends.
    fn default() -> Self {
        Self {
            startup: 10,
            candidates: 24,
            multivariate: true,
            independent_draws: true,
            splitting: Splitting::Linear { beta: 0.15 },
            good_at_most: 25,
            weighting: Weighting::ExpectedImprovement,
            kernels: ComponentSettings {
                prior: true,
                heuristic: Heuristic::Hyperopt,
                minimum_width: 0.03,
                exponent: Some(2.0),
                category_width: None,
            },
        }
    }
}

/// TPE by components.
#[derive(Debug, Clone)]
pub struct ComponentTpe {
    space: Space,
    parameters: Vec<Parameter>,
    settings: ComponentTpeSettings,
    asked: u64,
    told: BTreeMap<u64, (Vec<f64>, f64)>,
}

/// Good trials, or the others: configurations and losses, the oldest first.
#[derive(Debug, Default)]
struct Group<'a> {
    rows: Vec<&'a [f64]>,
    losses: Vec<f64>,
}

impl ComponentTpe {
    /// A tuner on a space.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::minimise::minimise;
    /// use tuners::bayesian::component_tpe::{ComponentTpe, ComponentTpeSettings};
    ///
    /// let mut tuner = ComponentTpe::new(Bounds::cube(2, 1.0)?, ComponentTpeSettings::default())?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let found = minimise(&mut tuner, 60, &mut rng, |s| s.config.iter().map(|x| x * x).sum());
    /// assert!(found.best().is_some_and(|best| best.value < 0.01));
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(space: impl Into<Space>, settings: ComponentTpeSettings) -> Result<Self, Error> {
        let space = space.into();
        let parameters = space.domains().map(parameter).collect();
        check(&settings)?;
        Ok(Self { space, parameters, settings, asked: 0, told: BTreeMap::new() })
    }

    /// The good trials and the others. Of equal losses the earlier one is the better.
    fn divide(&self) -> [Group<'_>; 2] {
        let all: Vec<&(Vec<f64>, f64)> = self.told.values().collect();
        let ComponentTpeSettings { splitting, good_at_most, .. } = self.settings;
        let mut order: Vec<usize> = (0..all.len()).collect();
        // The sum turns −0 into 0.
        order.sort_by(|&a, &b| (all[a].1 + 0.0).total_cmp(&(all[b].1 + 0.0)));
        let mut is_good = vec![false; all.len()];
        for &i in order.iter().take(splitting.good(all.len(), good_at_most)) {
            is_good[i] = true;
        }
        let mut groups = [Group::default(), Group::default()];
        for ((row, loss), good) in all.into_iter().zip(is_good) {
            let own = &mut groups[usize::from(!good)];
            own.rows.push(row);
            own.losses.push(*loss);
        }
        groups
    }

    fn propose(&self, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let ComponentTpeSettings { candidates, multivariate, weighting, kernels, .. } =
            self.settings;
        let [good, others] = self.divide();
        let fit = |group: &Group<'_>, threshold: Option<f64>| {
            let weights = weighting.of(&group.losses, threshold, kernels.prior);
            ComponentParzen::fit(&self.parameters, &group.rows, &weights, multivariate, &kernels)
        };
        let threshold = others.losses.iter().copied().reduce(f64::min);
        let (l, g) = (fit(&good, threshold), fit(&others, None));
        let draws: Vec<Vec<f64>> =
            (0..candidates).map(|_| l.draw(self.settings.independent_draws, rng)).collect();
        if multivariate {
            let best = first_largest(&l.ln_densities(&draws), &g.ln_densities(&draws));
            return draws.into_iter().nth(best).unwrap_or_default();
        }
        let value = |j: usize| {
            let values: Vec<f64> = draws.iter().map(|draw| draw[j]).collect();
            values[first_largest(&l.ln_marginals(j, &values), &g.ln_marginals(j, &values))]
        };
        (0..self.parameters.len()).map(value).collect()
    }
}

/// The place of the first of the largest differences l − g.
fn first_largest(l: &[f64], g: &[f64]) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (i, score) in l.iter().zip(g).map(|(l, g)| l - g).enumerate() {
        if score > best.1 {
            best = (i, score);
        }
    }
    best.0
}

fn check(settings: &ComponentTpeSettings) -> Result<(), Error> {
    let refuse = |key, value: String, expected| Err(Error::Setting { key, value, expected });
    for (key, value) in [
        ("startup", settings.startup),
        ("candidates", settings.candidates),
        ("good-at-most", settings.good_at_most),
    ] {
        if value == 0 {
            return refuse(key, "0".to_owned(), "at least 1");
        }
    }
    let beta = settings.splitting.beta();
    let most = if matches!(settings.splitting, Splitting::Linear { .. }) { 1.0 } else { f64::MAX };
    if !(beta > 0.0 && beta <= most) {
        return refuse("splitting.beta", beta.to_string(), "above 0; at most 1 if linear");
    }
    let ComponentSettings { minimum_width, exponent, category_width, .. } = settings.kernels;
    if !(0.0..=0.5).contains(&minimum_width) {
        return refuse("kernels.minimum-width", minimum_width.to_string(), "between 0 and 0.5");
    }
    let exponent = exponent.unwrap_or(1.0);
    if !(exponent > 0.0 && exponent.is_finite()) {
        return refuse("kernels.exponent", exponent.to_string(), "a finite number above 0");
    }
    let category = category_width.unwrap_or(0.0);
    if !(0.0..1.0).contains(&category) {
        return refuse("kernels.category-width", category.to_string(), "from 0 to below 1");
    }
    Ok(())
}

impl Tuner for ComponentTpe {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let few = self.told.len() < self.settings.startup;
        // DIFFERS: the authors draw a first whole number uniformly from its interval and round it, which gives the
        // first and the last value half of the probability of the others; here all values are alike, as for all
        // tuners, so that they can begin with the same trials.
        let config = if few { self.space.draw(rng) } else { self.propose(rng) };
        let id = self.asked;
        self.asked += 1;
        Some(Suggestion { id, config, fidelity: Fidelity::FULL })
    }

    fn tell(&mut self, trial: Trial) {
        let value = failed_last(trial.value);
        self.told.insert(trial.suggestion.id, (trial.suggestion.config, value));
    }
}

#[cfg(test)]
#[path = "component_tpe_tests.rs"]
mod tests;
