//! The part of the config that is about the theory, typed and checked.

use kit::ranges::{Fault, Ranges};
use pipeline::{config::Config, error::Result};
use serde::{Deserialize, Serialize};

/// Section 3.
#[derive(Clone, Debug, PartialEq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Exact {
    /// Theorem 2.
    #[range(inside)]
    pub gated: Gated,
    /// Theorem 3.
    #[range(inside)]
    pub quadratic: Quadratic,
    /// Figure 2.
    #[range(inside)]
    pub neighbourhood: Neighbourhood,
}

/// Linear networks of two layers with a penalised Jacobian.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Gated {
    /// Numbers of inputs D.
    #[range(entries = 1, at_least = 1)]
    pub dimensions: Vec<usize>,
    /// Training examples N.
    pub examples: usize,
    /// The largest scale of an input over the smallest.
    #[range(entries = 1, at_least = 1)]
    pub spreads: Vec<f64>,
    /// How many λ, equally spaced.
    #[range(at_least = 2)]
    pub penalties: u32,
    /// They go from −bound to bound. Beyond 20, the gates of small inputs have no significant digits left compared
    /// with the others.
    #[range(above = 0, at_most = 20)]
    pub bound: f64,
    /// Random data sets of each kind.
    #[range(at_least = 1)]
    pub seeds: u32,
    /// The number of inputs whose gates are shown, one of `dimensions`.
    pub shown: usize,
}

/// Quadratic training losses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Quadratic {
    /// Numbers of hyper-parameters n and of weights m.
    #[range(entries = 1, at_least = 1)]
    pub sizes: Vec<[usize; 2]>,
    /// σ of the perturbations.
    #[range(above = 0)]
    pub deviation: f64,
    /// With the exact expectation: the last gradient over the first.
    #[range(above = 0, below = 1)]
    pub tolerance: f64,
    /// With sampled perturbations: steps of gradient descent.
    pub steps: u32,
    /// Perturbations a step.
    #[range(at_least = 1)]
    pub batch: usize,
    /// Random losses of each size.
    #[range(at_least = 1)]
    pub seeds: u32,
}

/// One weight with one penalty: (dw − t)² + e^λ w², validated by (w − v)².
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Neighbourhood {
    /// d.
    #[range(above = 0)]
    pub singular: f64,
    /// t.
    pub target: f64,
    /// v.
    pub validated: f64,
    /// λ₀.
    #[range(at_least = -10, at_most = 10)]
    pub centre: f64,
    /// σ, ascending.
    #[range(entries = 1, above = 0, at_most = 3)]
    pub deviations: Vec<f64>,
    /// Those whose curves are shown.
    #[range(above = 0, at_most = 3)]
    pub shown: Vec<f64>,
    /// Random first guesses of φ.
    #[range(at_least = 1)]
    pub starts: u32,
    /// Most steps of gradient descent.
    pub steps: u32,
    /// Curves go from λ₀ − reach to λ₀ + reach.
    #[range(above = 0, at_most = 10)]
    pub reach: f64,
    /// Points of a curve.
    #[range(at_least = 2)]
    pub points: u32,
}

impl Exact {
    /// Checks what ranges alone do not say.
    ///
    /// # Errors
    /// If a value is invalid: names file, line, key and what would be accepted.
    pub fn agree(&self, config: &Config) -> Result<()> {
        let fault = self.gated.disagrees().map(|fault| fault.inside("gated"));
        let line = || self.neighbourhood.disagrees().map(|fault| fault.inside("neighbourhood"));
        fault.or_else(line).map_or(Ok(()), |fault| Err(fault.inside("exact").error(config)))
    }
}

impl Gated {
    fn disagrees(&self) -> Option<Fault> {
        if self.dimensions.iter().any(|&d| d > self.examples) {
            return Some(Fault::new("examples", "at least as many as the largest dimension"));
        }
        let shown = self.dimensions.contains(&self.shown);
        (!shown).then(|| Fault::new("shown", "one of dimensions"))
    }
}

impl Neighbourhood {
    fn disagrees(&self) -> Option<Fault> {
        let ascending = self.deviations.windows(2).all(|pair| pair[0] < pair[1]);
        (!ascending).then(|| Fault::new("deviations", "ascending numbers"))
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
        let key = |own: Gated| own.fault().or_else(|| own.disagrees()).map(|fault| fault.key);
        let some = |key: &str| Some(key.to_owned());
        assert_eq!(key(gated.clone()), None);
        assert_eq!(key(Gated { examples: 2, ..gated.clone() }), some("examples"));
        assert_eq!(key(Gated { bound: f64::NAN, ..gated.clone() }), some("bound"));
        assert_eq!(key(Gated { spreads: vec![0.5], ..gated.clone() }), some("spreads[0]"));
        assert_eq!(key(Gated { shown: 4, ..gated }), some("shown"));
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
        let key =
            |own: Neighbourhood| own.fault().or_else(|| own.disagrees()).map(|fault| fault.key);
        assert_eq!(key(line.clone()), None);
        assert_eq!(key(Neighbourhood { centre: f64::NAN, ..line.clone() }), some("centre"));
        let deviations = vec![1.0, 0.1];
        assert_eq!(key(Neighbourhood { deviations, ..line.clone() }), some("deviations"));
        assert_eq!(key(Neighbourhood { shown: vec![f64::NAN], ..line }), some("shown[0]"));
    }
}
