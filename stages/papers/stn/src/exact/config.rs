//! The part of the config that is about the theory, typed and checked.

use pipeline::{config::Config, error::Result};
use serde::{Deserialize, Serialize};

/// Section 3.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Exact {
    /// Theorem 2.
    pub gated: Gated,
    /// Theorem 3.
    pub quadratic: Quadratic,
    /// Figure 2.
    pub neighbourhood: Neighbourhood,
}

/// Linear networks of two layers with a penalised Jacobian.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Gated {
    /// Numbers of inputs D.
    pub dimensions: Vec<usize>,
    /// Training examples N.
    pub examples: usize,
    /// The largest scale of an input over the smallest.
    pub spreads: Vec<f64>,
    /// How many λ, equally spaced.
    pub penalties: u32,
    /// They go from −bound to bound.
    pub bound: f64,
    /// Random data sets of each kind.
    pub seeds: u32,
    /// The number of inputs whose gates are shown, one of `dimensions`.
    pub shown: usize,
}

/// Quadratic training losses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Quadratic {
    /// Numbers of hyper-parameters n and of weights m.
    pub sizes: Vec<[usize; 2]>,
    /// σ of the perturbations.
    pub deviation: f64,
    /// With the exact expectation: the last gradient over the first.
    pub tolerance: f64,
    /// With sampled perturbations: steps of gradient descent.
    pub steps: u32,
    /// Perturbations a step.
    pub batch: usize,
    /// Random losses of each size.
    pub seeds: u32,
}

/// One weight with one penalty: (dw − t)² + e^λ w², validated by (w − v)².
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Neighbourhood {
    /// d.
    pub singular: f64,
    /// t.
    pub target: f64,
    /// v.
    pub validated: f64,
    /// λ₀.
    pub centre: f64,
    /// σ, ascending.
    pub deviations: Vec<f64>,
    /// Those whose curves are shown.
    pub shown: Vec<f64>,
    /// Random first guesses of φ.
    pub starts: u32,
    /// Most steps of gradient descent.
    pub steps: u32,
    /// Curves go from λ₀ − reach to λ₀ + reach.
    pub reach: f64,
    /// Points of a curve.
    pub points: u32,
}

fn positive(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

impl Exact {
    /// Checks the values.
    ///
    /// # Errors
    /// If a value is invalid: names file, line, key and what would be accepted.
    pub fn check(&self, config: &Config) -> Result<()> {
        let fault = self.gated.fault().map(|(key, expected)| ("gated", key, expected));
        let fault = fault.or_else(|| self.quadratic.fault().map(|(key, e)| ("quadratic", key, e)));
        let fault =
            fault.or_else(|| self.neighbourhood.fault().map(|(key, e)| ("neighbourhood", key, e)));
        fault.map_or(Ok(()), |(part, key, expected)| {
            Err(config.invalid(&format!("exact.{part}.{key}"), &format!("expected {expected}")))
        })
    }
}

/// A key and what is accepted there.
type Fault = Option<(&'static str, &'static str)>;

impl Gated {
    fn fault(&self) -> Fault {
        let most = self.dimensions.iter().max().copied().unwrap_or(0);
        if self.dimensions.is_empty() || self.dimensions.contains(&0) {
            return Some(("dimensions", "numbers of at least 1"));
        }
        if self.examples < most {
            return Some(("examples", "at least as many as the largest dimension"));
        }
        if self.spreads.is_empty() || !self.spreads.iter().all(|s| s.is_finite() && *s >= 1.0) {
            return Some(("spreads", "finite numbers of at least 1"));
        }
        if self.penalties < 2 {
            return Some(("penalties", "at least 2"));
        }
        // Beyond this, the gates of small inputs have no significant digits left compared with the others.
        if !(positive(self.bound) && self.bound <= 20.0) {
            return Some(("bound", "a number > 0 and at most 20"));
        }
        if self.seeds == 0 {
            return Some(("seeds", "at least 1"));
        }
        (!self.dimensions.contains(&self.shown)).then_some(("shown", "one of dimensions"))
    }
}

impl Quadratic {
    fn fault(&self) -> Fault {
        if self.sizes.is_empty() || self.sizes.iter().any(|size| size.contains(&0)) {
            return Some(("sizes", "pairs [hyper-parameters, weights] of at least 1"));
        }
        if !positive(self.deviation) {
            return Some(("deviation", "a finite number > 0"));
        }
        if !(positive(self.tolerance) && self.tolerance < 1.0) {
            return Some(("tolerance", "a number > 0 and below 1"));
        }
        if self.batch == 0 {
            return Some(("batch", "at least 1"));
        }
        (self.seeds == 0).then_some(("seeds", "at least 1"))
    }
}

impl Neighbourhood {
    fn fault(&self) -> Fault {
        if !positive(self.singular) {
            return Some(("singular", "a finite number > 0"));
        }
        let finite = [("target", self.target), ("validated", self.validated)];
        if let Some((key, _)) = finite.into_iter().find(|(_, value)| !value.is_finite()) {
            return Some((key, "a finite number"));
        }
        if !(-10.0..=10.0).contains(&self.centre) {
            return Some(("centre", "a number from -10 to 10"));
        }
        let within = |list: &[f64]| list.iter().all(|s| positive(*s) && *s <= 3.0);
        let ascending = self.deviations.windows(2).all(|pair| pair[0] < pair[1]);
        if self.deviations.is_empty() || !ascending || !within(&self.deviations) {
            return Some(("deviations", "ascending numbers > 0 and at most 3"));
        }
        if !within(&self.shown) {
            return Some(("shown", "numbers > 0 and at most 3"));
        }
        if !(positive(self.reach) && self.reach <= 10.0) {
            return Some(("reach", "a number > 0 and at most 10"));
        }
        if self.points < 2 {
            return Some(("points", "at least 2"));
        }
        (self.starts == 0).then_some(("starts", "at least 1"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_range_are_named() {
        let gated = Gated {
            dimensions: vec![2, 3],
            examples: 5,
            spreads: vec![1.0],
            penalties: 20,
            bound: 10.0,
            seeds: 1,
            shown: 3,
        };
        let key = |gated: Gated| gated.fault().map(|(key, _)| key);
        assert_eq!(key(gated.clone()), None);
        assert_eq!(key(Gated { examples: 2, ..gated.clone() }), Some("examples"));
        assert_eq!(key(Gated { bound: f64::NAN, ..gated.clone() }), Some("bound"));
        assert_eq!(key(Gated { spreads: vec![0.5], ..gated.clone() }), Some("spreads"));
        assert_eq!(key(Gated { shown: 4, ..gated }), Some("shown"));
        let line = Neighbourhood {
            singular: 2.0,
            target: 2.0,
            validated: 0.3,
            centre: 1.0,
            deviations: vec![0.1, 1.0],
            shown: vec![0.1],
            starts: 1,
            steps: 10,
            reach: 3.0,
            points: 5,
        };
        let key = |line: Neighbourhood| line.fault().map(|(key, _)| key);
        assert_eq!(key(line.clone()), None);
        assert_eq!(key(Neighbourhood { centre: f64::NAN, ..line.clone() }), Some("centre"));
        let deviations = vec![1.0, 0.1];
        assert_eq!(key(Neighbourhood { deviations, ..line.clone() }), Some("deviations"));
        assert_eq!(key(Neighbourhood { shown: vec![f64::NAN], ..line }), Some("shown"));
    }
}
