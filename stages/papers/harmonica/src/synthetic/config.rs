//! The part of the config that is about synthetic functions, typed and checked.

use std::collections::BTreeMap;

use kit::ranges::{Fault, Ranges};
use models::polynomial::{parity::Basis, sparse_parity::MOST_VARIABLES};
use serde::{Deserialize, Serialize};
use tuners::{
    harmonica::{HarmonicaSettings, Penalty, Residual},
    multi_fidelity::brackets::{Budgets, Ladder},
};

use super::function::Weights;

/// More variables than this are considered a mistake.
const LARGEST: usize = 10_000;
/// A level of the function has 2^features times the vectors of the last.
const MOST_STAGES: usize = 3;

/// Section 5.4.
#[derive(Clone, Debug, PartialEq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Synthetic {
    /// Binary variables n.
    #[range(at_least = 1, at_most = LARGEST)]
    pub variables: usize,
    /// Samples T per stage.
    #[range(at_least = 2)]
    pub samples: usize,
    /// Features s per stage; also the terms of a sparse vector.
    #[range(at_least = 1)]
    pub features: usize,
    /// Stages q; also the levels of the function.
    #[range(at_least = 1, at_most = MOST_STAGES)]
    pub stages: usize,
    /// Largest degree d of a feature.
    #[range(at_least = 1)]
    pub degree: usize,
    /// Weight α of the Lasso.
    #[range(above = 0)]
    pub alpha: f64,
    /// How the function is drawn and Harmonica run, by name.
    #[range(inside)]
    pub rules: BTreeMap<String, Rules>,
    /// Claim H1.
    #[range(inside)]
    pub recovery: Recovery,
    /// Figure 6.
    #[range(inside)]
    pub noise: Noise,
    /// Figure 5.
    #[range(inside)]
    pub times: Times,
    /// Claim H6.
    #[range(inside)]
    pub dummies: Dummies,
    /// Table 1.
    #[range(inside)]
    pub stability: Stability,
    /// Figures 2 and 3.
    #[range(inside)]
    pub contest: Contest,
}

/// What the paper and the authors' code do not share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rules {
    /// How the function is drawn.
    pub weights: Weights,
    /// Restrictions t kept of a stage.
    #[range(at_least = 1)]
    pub restrictions: usize,
    /// What later stages fit.
    pub residual: Residual,
}

/// Random sparse polynomials without noise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recovery {
    /// How many.
    #[range(at_least = 1)]
    pub instances: u32,
    /// Variables n.
    #[range(at_least = 1, at_most = LARGEST)]
    pub variables: usize,
    /// Samples T.
    #[range(at_least = 2)]
    pub samples: usize,
    /// Terms s.
    #[range(at_least = 1)]
    pub features: usize,
    /// Largest degree d.
    #[range(at_least = 1)]
    pub degree: usize,
    /// α as a share of the smallest that selects nothing.
    #[range(above = 0, at_most = 1)]
    pub share: f64,
}

/// Noise levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Noise {
    /// Sweeps by name.
    #[range(inside)]
    pub sweeps: BTreeMap<String, Sweep>,
    /// Functions, each with samples of its own.
    #[range(at_least = 1)]
    pub seeds: u32,
    /// Fresh points at which an error is measured.
    #[range(at_least = 1)]
    pub points: u32,
}

/// One sweep over noise levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sweep {
    /// Samples per stage.
    #[range(at_least = 2)]
    pub samples: usize,
    /// Restrictions of the next stage, t, other than the rules'; the paper does not give Figure 6's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[range(at_least = 1)]
    pub restrictions: Option<usize>,
    /// A, ascending.
    #[range(at_least = 0)]
    pub levels: Vec<f64>,
    /// Whether the claim is judged by it; others are shown.
    pub decides: bool,
}

/// What is timed.
#[derive(Clone, Debug, PartialEq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Times {
    /// Numbers of variables.
    #[range(at_least = 1, at_most = LARGEST)]
    pub variables: Vec<usize>,
    /// Numbers of samples, ascending.
    #[range(at_least = 2, entries = 1)]
    pub samples: Vec<u32>,
    /// Where GP-EI runs.
    pub gp_ei: Surrogate,
    /// A.
    #[range(at_least = 0)]
    pub noise: f64,
    /// Functions.
    #[range(at_least = 1)]
    pub seeds: u32,
}

/// Where GP-EI runs.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Surrogate {
    /// Numbers of variables.
    pub variables: Vec<usize>,
    /// Most samples.
    pub samples: u32,
}

/// Functions that leave variables out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Dummies {
    /// Variables on which the function depends, the first ones.
    #[range(at_least = 1)]
    pub active: usize,
    /// Samples per stage.
    #[range(at_least = 2)]
    pub samples: usize,
    /// A.
    #[range(at_least = 0)]
    pub noise: f64,
    /// Functions.
    #[range(at_least = 1)]
    pub seeds: u32,
}

/// The Lasso's weight and the number of samples, moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Stability {
    /// Samples per stage.
    #[range(at_least = 2)]
    pub samples: usize,
    /// A.
    #[range(at_least = 0)]
    pub noise: f64,
    /// Functions.
    #[range(at_least = 1)]
    pub seeds: u32,
    /// Table 1, one entry per stage.
    #[range(inside)]
    pub stages: Vec<Range>,
}

/// A column of Table 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Range {
    /// λ of \[Hazan2018\] eq. (2), from and to.
    #[range(above = 0)]
    pub lambda: [f64; 2],
    /// The largest weight that goes with it, from Table 3.
    #[range(above = 0)]
    pub first_weight: f64,
    /// Samples that suffice.
    #[range(at_least = 2)]
    pub samples: usize,
}

/// Harmonica-1 against its rivals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Contest {
    /// Samples of its stage.
    #[range(at_least = 2)]
    pub samples: usize,
    /// 1/k of a full evaluation each.
    #[range(at_least = 1)]
    pub sample_divisor: u64,
    /// Full evaluations that the base algorithm may spend.
    #[range(at_least = 1)]
    pub base_resource: u64,
    /// Random search spends this many times what Harmonica does in all.
    #[range(at_least = 1)]
    pub random_times: u64,
    /// Hyperband likewise.
    #[range(at_least = 1)]
    pub hyperband_times: u64,
    /// A of a full evaluation.
    #[range(at_least = 0)]
    pub noise: f64,
    /// Functions.
    #[range(at_least = 1)]
    pub seeds: u32,
    /// Budgets of the base algorithm, successive halving, and of Hyperband.
    pub budgets: Budgets,
}

impl Synthetic {
    /// Harmonica's settings under these rules.
    #[must_use]
    pub fn settings(&self, rules: &Rules) -> HarmonicaSettings {
        HarmonicaSettings {
            stages: self.stages,
            samples: self.samples,
            features: self.features,
            restrictions: rules.restrictions,
            degree: self.degree,
            penalty: Penalty::Absolute { alpha: self.alpha },
            residual: rules.residual,
            digits: 1,
        }
    }

    /// The first value that does not go with the others, each being in its range.
    pub fn disagreement(&self) -> Option<Fault> {
        let Recovery { variables, degree, features, .. } = self.recovery;
        unfit(self.variables, self.degree, self.features)
            .or_else(|| Some(unfit(variables, degree, features)?.inside("recovery")))
            .or_else(|| self.parts_disagreement())
    }

    fn parts_disagreement(&self) -> Option<Fault> {
        for (name, sweep) in &self.noise.sweeps {
            if !sweep.levels.is_sorted_by(|a, b| a < b) {
                let key = format!("noise.sweeps.{name}.levels");
                return Some(Fault::new(&key, ASCENDING));
            }
        }
        let times = &self.times;
        let many =
            |&n: &usize| n < self.degree || Basis::new((0..n).collect(), self.degree).is_err();
        if times.variables.iter().any(many) {
            let expected = "at least the degree, and few enough for all their monomials";
            return Some(Fault::new("times.variables", expected));
        }
        if !times.samples.is_sorted_by(|a, b| a < b) {
            return Some(Fault::new("times.samples", ASCENDING));
        }
        if !(self.degree..=self.variables).contains(&self.dummies.active) {
            return Some(Fault::new(
                "dummies.active",
                "from the degree to the number of variables",
            ));
        }
        if self.stability.stages.len() != self.stages {
            return Some(Fault::new("stability.stages", "one entry per stage"));
        }
        for (i, range) in self.stability.stages.iter().enumerate() {
            let key = |name: &str| format!("stability.stages[{i}].{name}");
            if range.lambda[0] >= range.lambda[1] {
                return Some(Fault::new(&key("lambda"), "[smallest, largest]"));
            }
            if range.samples > self.stability.samples {
                return Some(Fault::new(&key("samples"), "at most stability.samples"));
            }
        }
        let budgets = Ladder::new(self.contest.budgets).err();
        budgets.map(|_| Fault::new("contest.budgets", "1 ≤ minimum ≤ maximum, eta ≥ 2"))
    }
}

/// What is expected of a list of levels.
const ASCENDING: &str = "ascending values";

/// What is wrong with so many features of this degree in so many variables.
fn unfit(variables: usize, degree: usize, features: usize) -> Option<Fault> {
    if degree > variables {
        return Some(Fault::new("degree", "at most the number of variables"));
    }
    let expected = format!("features times degree at most {MOST_VARIABLES}");
    (features > MOST_VARIABLES / degree).then(|| Fault::new("features", &expected))
}
