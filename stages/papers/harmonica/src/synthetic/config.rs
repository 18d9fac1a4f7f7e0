//! The part of the config that is about synthetic functions, typed and checked.

use std::collections::BTreeMap;

use models::polynomial::{parity::Basis, sparse_parity::MOST_VARIABLES};
use serde::{Deserialize, Serialize};
use tuners::{
    harmonica::{HarmonicaSettings, Penalty, Residual},
    multi_fidelity::brackets::{Budgets, Ladder},
};

use super::function::Weights;

/// More variables than this are considered a mistake.
const LARGEST: usize = 10_000;

/// Section 5.4.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Synthetic {
    /// Binary variables n.
    pub variables: usize,
    /// Samples T a stage.
    pub samples: usize,
    /// Features s a stage; also the terms of a sparse vector.
    pub features: usize,
    /// Stages q; also the levels of the function.
    pub stages: usize,
    /// Largest degree d of a feature.
    pub degree: usize,
    /// Weight α of the Lasso.
    pub alpha: f64,
    /// How the function is drawn and Harmonica run, by name.
    pub rules: BTreeMap<String, Rules>,
    /// Claim H1.
    pub recovery: Recovery,
    /// Figure 6.
    pub noise: Noise,
    /// Figure 5.
    pub times: Times,
    /// Claim H6.
    pub dummies: Dummies,
    /// Table 1.
    pub stability: Stability,
    /// Figures 2 and 3.
    pub contest: Contest,
}

/// What the paper and the authors' code do not share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rules {
    /// How the function is drawn.
    pub weights: Weights,
    /// Restrictions t kept of a stage.
    pub restrictions: usize,
    /// What later stages fit.
    pub residual: Residual,
}

/// Random sparse polynomials without noise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recovery {
    /// How many.
    pub instances: u32,
    /// Variables n.
    pub variables: usize,
    /// Samples T.
    pub samples: usize,
    /// Terms s.
    pub features: usize,
    /// Largest degree d.
    pub degree: usize,
    /// α as a share of the smallest that selects nothing.
    pub share: f64,
}

/// Noise levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Noise {
    /// Sweeps by name.
    pub sweeps: BTreeMap<String, Sweep>,
    /// Functions, each with samples of its own.
    pub seeds: u32,
    /// Fresh points at which an error is measured.
    pub points: u32,
}

/// One sweep over noise levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sweep {
    /// Samples per stage.
    pub samples: usize,
    /// Restrictions of the next stage, t, other than the rules'; the paper does not give Figure 6's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restrictions: Option<usize>,
    /// A, ascending.
    pub levels: Vec<f64>,
    /// Whether the claim is judged by it; others are shown.
    pub decides: bool,
}

/// What is timed.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Times {
    /// Numbers of variables.
    pub variables: Vec<usize>,
    /// Numbers of samples, ascending.
    pub samples: Vec<u32>,
    /// Where GP-EI runs.
    pub gp_ei: Surrogate,
    /// A.
    pub noise: f64,
    /// Functions.
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Dummies {
    /// Variables on which the function depends, the first ones.
    pub active: usize,
    /// Samples a stage.
    pub samples: usize,
    /// A.
    pub noise: f64,
    /// Functions.
    pub seeds: u32,
}

/// The Lasso's weight and the number of samples, moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Stability {
    /// Samples a stage.
    pub samples: usize,
    /// A.
    pub noise: f64,
    /// Functions.
    pub seeds: u32,
    /// Table 1, a stage each.
    pub stages: Vec<Range>,
}

/// A column of Table 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Range {
    /// λ of \[Hazan2018\] eq. (2), from and to.
    pub lambda: [f64; 2],
    /// The largest weight that goes with it, from Table 3.
    pub first_weight: f64,
    /// Samples that suffice.
    pub samples: usize,
}

/// Harmonica-1 against its rivals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Contest {
    /// Samples of its stage.
    pub samples: usize,
    /// 1/k of a full evaluation each.
    pub sample_divisor: u64,
    /// Full evaluations that the base algorithm may spend.
    pub base_resource: u64,
    /// Random search spends this many times what Harmonica does in all.
    pub random_times: u64,
    /// Hyperband likewise.
    pub hyperband_times: u64,
    /// A of a full evaluation.
    pub noise: f64,
    /// Functions.
    pub seeds: u32,
    /// Budgets of the base algorithm, successive halving, and of Hyperband.
    pub budgets: Budgets,
}

/// Names a key and what is accepted there.
type Fault = (String, &'static str);

fn level(value: f64) -> bool {
    value.is_finite() && value >= 0.0
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

    /// The first value that is out of range.
    pub fn fault(&self) -> Option<Fault> {
        let refuse = |key: &str, expected| Some((key.to_owned(), expected));
        if self.variables > LARGEST {
            return refuse("variables", "at most 10000");
        }
        if self.variables < self.degree || self.degree == 0 {
            return refuse("degree", "1 to the number of variables");
        }
        if !(1..=MOST_VARIABLES / self.degree).contains(&self.features) {
            return refuse("features", "at least 1, features times degree at most 24");
        }
        if !(1..=3).contains(&self.stages) {
            return refuse(
                "stages",
                "1 to 3: a level has 2^features times the vectors of the last",
            );
        }
        if self.samples < 2 {
            return refuse("samples", "at least 2");
        }
        if !(self.alpha.is_finite() && self.alpha > 0.0) {
            return refuse("alpha", "a finite number > 0");
        }
        for (name, rules) in &self.rules {
            if rules.restrictions == 0 {
                return Some((format!("rules.{name}.restrictions"), "at least 1"));
            }
        }
        self.parts_fault()
    }

    fn parts_fault(&self) -> Option<Fault> {
        let refuse = |key: &str, expected| Some((key.to_owned(), expected));
        let own = &self.recovery;
        let sizes = own.instances > 0 && own.samples > 1 && own.features > 0 && own.degree > 0;
        let few = own.features.saturating_mul(own.degree) <= MOST_VARIABLES;
        let within = (own.degree..=LARGEST).contains(&own.variables);
        if !(sizes && few && within && own.share > 0.0 && own.share <= 1.0) {
            return refuse(
                "recovery",
                "counts of at least 1, variables from the degree to 10000, features times degree ≤ 24, \
                 0 < share ≤ 1",
            );
        }
        let own = &self.noise;
        let sound = |sweep: &Sweep| {
            let ascending = sweep.levels.windows(2).all(|w| w[0] < w[1]);
            let sizes = sweep.samples > 1 && sweep.restrictions != Some(0);
            ascending && sizes && sweep.levels.iter().all(|a| level(*a))
        };
        if !(own.sweeps.values().all(sound) && own.seeds > 0 && own.points > 0) {
            return refuse(
                "noise",
                "finite levels ≥ 0, ascending; samples ≥ 2; at least 1 restriction, 1 seed and 1 point",
            );
        }
        let own = &self.times;
        let large = |n: &usize| {
            *n > LARGEST || *n < self.degree || Basis::new((0..*n).collect(), self.degree).is_err()
        };
        let ascending = own.samples.windows(2).all(|w| w[0] < w[1]);
        if own.variables.iter().any(large)
            || own.samples.first().is_none_or(|first| *first < 2)
            || !(ascending && level(own.noise) && own.seeds > 0)
        {
            return refuse(
                "times",
                "variables from the degree to 10000, ascending samples ≥ 2, noise ≥ 0, seeds ≥ 1",
            );
        }
        let own = &self.dummies;
        let active = (self.degree..=self.variables).contains(&own.active);
        if !(active && own.samples > 1 && level(own.noise) && own.seeds > 0) {
            return refuse(
                "dummies",
                "active up to all variables, samples ≥ 2, noise ≥ 0, seeds ≥ 1",
            );
        }
        let own = &self.stability;
        let range = |r: &Range| {
            let [low, high] = r.lambda;
            let lambda = low.is_finite() && high.is_finite() && 0.0 < low && low < high;
            lambda && r.first_weight.is_finite() && r.first_weight > 0.0 && r.samples > 1
        };
        let within = own.stages.iter().all(|r| range(r) && r.samples <= own.samples);
        if !(within && own.stages.len() == self.stages && level(own.noise) && own.seeds > 0) {
            return refuse("stability", "a range a stage, 0 < low < high, samples up to all");
        }
        let own = &self.contest;
        let counts = [own.sample_divisor, own.base_resource, own.random_times, own.hyperband_times];
        if counts.contains(&0) || own.samples < 2 || !level(own.noise) || own.seeds == 0 {
            return refuse("contest", "counts of at least 1 and a finite noise ≥ 0");
        }
        Ladder::new(own.budgets)
            .err()
            .and_then(|_| refuse("contest.budgets", "1 ≤ minimum ≤ maximum, eta ≥ 2"))
    }
}
