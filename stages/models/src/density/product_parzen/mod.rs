//! Parzen estimators of several parameters jointly, as in Optuna 5.0: a mixture of one kernel per observation
//! and one for the prior, each the product of one kernel per parameter.
//!
//! Numerical kernels are normal distributions, each truncated to the parameter's range; see [`Numerical`] and
//! [`Categorical`].

mod categorical;
mod numerical;

pub use categorical::Categorical;
pub use numerical::{Numerical, Range};

use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::density::mixture::{ln_sum_exp, pick};

/// Where the widths of numerical kernels come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Bandwidth {
    /// Each kernel's from the gaps to its neighbours: Optuna from 5.0 on, and before it for
    /// parameters that are modelled by themselves.
    Neighbours,
    /// All from the numbers n of observations and d of parameters, 0.2 n^(−1/(d + 4)) of the range:
    /// Optuna up to 4.9 for parameters that are modelled jointly.
    Scott,
}

/// How kernels are made from observations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct KernelSettings {
    /// Weight of the prior, where an observation has 1; at least 0.
    pub prior_weight: f64,
    /// Whether n observations' kernels are at least 1/min(100, n + 2) of the range wide, not 1e-12.
    pub magic_clip: bool,
    /// Whether the ends of the range are neighbours of the first and the last observation.
    pub endpoints: bool,
    /// Where the widths of numerical kernels come from.
    pub bandwidth: Bandwidth,
}

impl Default for KernelSettings {
    /// The settings of Optuna 5.0.
    fn default() -> Self {
        let bandwidth = Bandwidth::Neighbours;
        Self { prior_weight: 1.0, magic_clip: true, endpoints: false, bandwidth }
    }
}

/// The values of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Parameter {
    /// Numbers.
    Numerical(Range),
    /// Unordered categories, given by their index.
    Categorical {
        /// The number of categories.
        choices: usize,
    },
}

/// The kernels of one parameter.
#[derive(Debug, Clone)]
pub enum Kernels {
    /// Kernels of a number.
    Numerical(Numerical),
    /// Kernels of a category.
    Categorical(Categorical),
}

/// A mixture of product kernels.
#[derive(Debug, Clone)]
pub struct ProductParzen {
    weights: Vec<f64>,
    kernels: Vec<Kernels>,
}

impl ProductParzen {
    /// Kernels at `rows` (n × d, one value per parameter, inside its range; the oldest first) with `weights`
    /// (n), and the prior's. Without rows there is only the prior.
    ///
    /// ```
    /// use models::density::product_parzen::{KernelSettings, Parameter, ProductParzen, Range};
    ///
    /// let rate = Range { low: 1e-4, high: 1.0, log: true, step: None };
    /// let parameters = [Parameter::Numerical(rate), Parameter::Categorical { choices: 3 }];
    /// let rows = [[1e-3, 2.0], [2e-3, 2.0]];
    /// let density = ProductParzen::fit(&parameters, &rows, &[1.0; 2], KernelSettings::default());
    /// assert!(density.ln_density(&[1.5e-3, 2.0]) > density.ln_density(&[0.5, 0.0]));
    /// ```
    ///
    /// # Panics
    /// If a row has fewer values than there are parameters, or the number of weights is not that of rows.
    pub fn fit<R: AsRef<[f64]>>(
        parameters: &[Parameter],
        rows: &[R],
        weights: &[f64],
        settings: KernelSettings,
    ) -> Self {
        assert_eq!(weights.len(), rows.len(), "a weight per row");
        let kernels = parameters.iter().enumerate().map(|(j, parameter)| {
            let points: Vec<f64> = rows.iter().map(|row| row.as_ref()[j]).collect();
            match *parameter {
                Parameter::Numerical(range) => {
                    Kernels::Numerical(Numerical::fit(range, &points, parameters.len(), settings))
                }
                Parameter::Categorical { choices } => {
                    Kernels::Categorical(Categorical::fit(choices, &points, settings.prior_weight))
                }
            }
        });
        let kernels = kernels.collect();
        let mut weights = weights.to_vec();
        weights.push(if rows.is_empty() { 1.0 } else { settings.prior_weight });
        let total: f64 = weights.iter().sum();
        for w in &mut weights {
            *w /= total;
        }
        Self { weights, kernels }
    }

    /// Weights of the kernels, the prior's last; they sum to 1 (length n + 1).
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Kernels per parameter, in the parameters' order.
    pub fn kernels(&self) -> &[Kernels] {
        &self.kernels
    }

    /// A draw, one value per parameter.
    pub fn draw(&self, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let k = pick(self.weights.iter().copied(), rng.random());
        let draw = |kernels: &Kernels| match kernels {
            Kernels::Numerical(kernels) => kernels.draw(k, rng),
            Kernels::Categorical(kernels) => kernels.draw(k, rng),
        };
        self.kernels.iter().map(draw).collect()
    }

    /// ln of the density at a point, one value per parameter: a probability for discrete values, the density
    /// of ln x on logarithmic scales. −∞ outside an interval, NaN at a point with a NaN.
    pub fn ln_density(&self, point: &[f64]) -> f64 {
        let of = |k: usize| {
            let factor = |(kernels, &x): (&Kernels, &f64)| match kernels {
                Kernels::Numerical(kernels) => kernels.ln_density(k, x),
                Kernels::Categorical(kernels) => kernels.ln_density(k, x),
            };
            self.weights[k].ln() + self.kernels.iter().zip(point).map(factor).sum::<f64>()
        };
        ln_sum_exp(&(0..self.weights.len()).map(of).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests;
