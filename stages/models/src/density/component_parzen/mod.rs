//! Parzen estimators with the components of \[Watanabe2023\] as options: weights, bandwidths with a least width,
//! a prior, and kernels of categories. One kernel per observation, each the product of one kernel per parameter.
//!
//! Observations are evaluated column by column for all kernels at once, since studies of the components fit and
//! evaluate millions of these.

mod bandwidth;
mod column;
mod heights;
mod weights;

pub use bandwidth::Heuristic;
pub use weights::{Weighting, Weights};

use numerics::linalg::{elementary::exp, simd_dispatch::wide};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use self::{bandwidth::Rule, column::Column};
use crate::density::{mixture::pick, product_parzen::Parameter};

/// Products of heights are folded into a logarithm before they leave this range.
const FOLD: f64 = 1e100;
/// Partial sums of exponentials, so that they need not wait for each other.
const LANES: usize = 8;

/// How kernels are made from observations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ComponentSettings {
    /// Whether there is a kernel of the prior: as wide as the range, or the same for every category.
    pub prior: bool,
    /// Where the widths of numerical kernels come from.
    pub heuristic: Heuristic,
    /// Least width of a numerical kernel, as a share of the range (the paper's Δ).
    pub minimum_width: f64,
    /// The least width of n observations' kernels is also (n + 1)^(−exponent) of the range (the paper's α); without
    /// one only `minimum-width` counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exponent: Option<f64>,
    /// The probability of other categories in a kernel (the paper's b); without one Optuna's, which falls with n.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category_width: Option<f64>,
}

/// A mixture of product kernels.
#[derive(Debug, Clone)]
pub struct ComponentParzen {
    /// Of the kernels, the prior's last where there is one.
    weights: Vec<f64>,
    columns: Vec<Column>,
    /// ln of a kernel's weight times its heights in all columns.
    ln_heights: Vec<f64>,
}

impl ComponentParzen {
    /// A kernel at each of `rows`, which are configurations, the oldest first, and the prior's. Without rows there is
    /// a prior whatever the settings. `joint` tells whether parameters are to be modelled jointly.
    ///
    /// ```
    /// use models::density::{
    ///     component_parzen::{ComponentParzen, ComponentSettings, Heuristic, Weighting},
    ///     product_parzen::{Parameter, Range},
    /// };
    ///
    /// let range = Range { low: 0.0, high: 10.0, log: false, step: None };
    /// let parameters = [Parameter::Numerical(range), Parameter::Categorical { choices: 3 }];
    /// let settings = ComponentSettings {
    ///     prior: true,
    ///     heuristic: Heuristic::Scott,
    ///     minimum_width: 0.1,
    ///     exponent: Some(2.0),
    ///     category_width: None,
    /// };
    /// let rows = [&[2.0, 0.0][..], &[3.0, 0.0]];
    /// let weights = Weighting::Uniform.of(&[0.5, 0.7], None, true);
    /// let density = ComponentParzen::fit(&parameters, &rows, &weights, true, &settings);
    /// let found = density.ln_densities(&[vec![2.5, 0.0], vec![8.0, 2.0]]);
    /// assert!(found[0] > found[1]);
    /// ```
    pub fn fit(
        parameters: &[Parameter],
        rows: &[&[f64]],
        weights: &Weights,
        joint: bool,
        settings: &ComponentSettings,
    ) -> Self {
        let prior = settings.prior || rows.is_empty();
        let ComponentSettings { heuristic, minimum_width: minimum, exponent, .. } = *settings;
        let rule = Rule { heuristic, minimum, exponent };
        let together = if joint { parameters.len() } else { 1 };
        let column = |(j, &parameter): (usize, &Parameter)| {
            let points: Vec<f64> = rows.iter().map(|row| row[j]).collect();
            Column::fit(parameter, &points, prior, together, (rule, settings.category_width))
        };
        let columns: Vec<Column> = parameters.iter().enumerate().map(column).collect();
        let mut all = weights.points.clone();
        if prior {
            all.push(weights.prior);
        }
        let ln_heights = ln_heights(&all, &columns);
        Self { weights: all, columns, ln_heights }
    }

    /// ln of the density at each point.
    pub fn ln_densities(&self, points: &[Vec<f64>]) -> Vec<f64> {
        let mut sums = vec![0.0; self.weights.len()];
        let one = |point: &Vec<f64>| {
            sums.copy_from_slice(&self.ln_heights);
            for (column, &x) in self.columns.iter().zip(point) {
                column.add(x, &mut sums);
            }
            ln_sum_exp(&mut sums)
        };
        points.iter().map(one).collect()
    }

    /// ln of the density of one parameter alone at each of its values.
    ///
    /// # Panics
    /// If there is no such parameter.
    pub fn ln_marginals(&self, parameter: usize, values: &[f64]) -> Vec<f64> {
        let column = std::slice::from_ref(&self.columns[parameter]);
        let heights = ln_heights(&self.weights, column);
        let mut sums = vec![0.0; heights.len()];
        let one = |&x: &f64| {
            sums.copy_from_slice(&heights);
            column[0].add(x, &mut sums);
            ln_sum_exp(&mut sums)
        };
        values.iter().map(one).collect()
    }

    /// A draw from the mixture; with `independent` each parameter from its own marginal.
    pub fn draw(&self, independent: bool, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let kernel = |rng: &mut ChaCha12Rng| pick(self.weights.iter().copied(), rng.random());
        let common = kernel(rng);
        let each = self.columns.iter().enumerate().map(|(j, column)| {
            let own = if independent && j > 0 { kernel(rng) } else { common };
            column.draw(own, rng)
        });
        each.collect()
    }
}

/// ln of each weight times the heights of its kernel.
fn ln_heights(weights: &[f64], columns: &[Column]) -> Vec<f64> {
    let mut products = weights.to_vec();
    let mut ln = vec![0.0; weights.len()];
    for column in columns {
        column.raise(&mut products);
        for (product, ln) in products.iter_mut().zip(&mut ln) {
            if *product > FOLD || *product < 1.0 / FOLD {
                *ln += product.ln();
                *product = 1.0;
            }
        }
    }
    for (product, ln) in products.iter().zip(&mut ln) {
        *ln += product.ln();
    }
    ln
}

/// ln Σ eˣ; NaN if a term is NaN. Overwrites the terms.
fn ln_sum_exp(terms: &mut [f64]) -> f64 {
    let top = largest(terms);
    if top.is_infinite() || top.is_nan() {
        return top;
    }
    top + sum_exp(terms, top).ln()
}

wide! {
    /// The largest value; NaN if one is NaN, −∞ if there is none.
    fn largest['a]['a](terms: &'a [f64]) -> f64 {
        let mut tops = [f64::NEG_INFINITY; LANES];
        let mut chunks = terms.chunks_exact(LANES);
        let larger = |a: f64, b: f64| if a > b || a.is_nan() { a } else { b };
        for chunk in &mut chunks {
            for (top, x) in tops.iter_mut().zip(chunk) {
                *top = larger(*top, *x);
            }
        }
        let rest = chunks.remainder().iter().chain(&tops);
        rest.fold(f64::NEG_INFINITY, |top, &x| larger(top, x))
    }
}

wide! {
    /// Σ e^(x − top), in an order that does not depend on the machine.
    fn sum_exp['a]['a](terms: &'a [f64], top: f64) -> f64 {
        let mut sums = [0.0; LANES];
        let mut chunks = terms.chunks_exact(LANES);
        for chunk in &mut chunks {
            for (sum, x) in sums.iter_mut().zip(chunk) {
                *sum += exp(x - top);
            }
        }
        let rest: f64 = chunks.remainder().iter().map(|x| exp(x - top)).sum();
        sums.iter().sum::<f64>() + rest
    }
}

#[cfg(test)]
mod tests;
