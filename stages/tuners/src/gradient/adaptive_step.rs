//! The adaptive step of \[Pedregosa2016\] section 3, as printed and as in the authors' code.

use numerics::linalg::vector::{distance, norm};
use serde::{Deserialize, Serialize};

use crate::tuner::Branch;

/// How L is initialised from the first approximate gradient p₁ (length s).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FirstLipschitz {
    /// ‖p₁‖: the first move has length 1.
    Norm,
    /// ‖p₁‖/√s, or 1 if ‖p₁‖ ≤ 1e-3.
    NormPerRootDimension,
    /// 5‖p₁‖.
    FiveNorms,
}

/// What happens to the step when the test fails or holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Policy {
    /// The paper's rule: test the move that led here, correct L, then move on in any case.
    Paper {
        /// Step factor β > 1 when the test holds.
        grow: f64,
        /// Step factor α < 1 when it fails.
        shrink: f64,
    },
    /// The code's rule: test with the length of the next move, and undo bad moves.
    Code {
        /// Factor of L when the test holds.
        held: f64,
        /// Factor of L when the move is undone.
        rejected: f64,
        /// The move is undone if the test fails and `g ≥ ratio · g_old`.
        reject_ratio: f64,
        /// Factor of ε after an undone move.
        tighten: f64,
        /// DIFFERS: since 2017 the code takes every move that is not undone twice, the second time
        /// without projection; the paper takes it once.
        double: bool,
        /// Whether the length of the next move is taken before the projection.
        length_before_projection: bool,
    },
}

/// Constants of the step rule.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct StepRules {
    /// λ is projected to [−bound, bound]ˢ; the largest number for no projection.
    pub bound: f64,
    /// How L is initialised.
    pub first_lipschitz: FirstLipschitz,
    /// C of inequality (3).
    pub c: f64,
    /// M of inequality (3).
    pub m: f64,
    /// Factor of LΔ² in inequality (3): 1 as printed, ½ as a descent lemma allows.
    pub quadratic: f64,
    /// A test that fails by no more than this share of |g| holds, since g is only known to that precision. 0
    /// as printed.
    pub rounding: f64,
    /// The consequence of the test.
    pub policy: Policy,
}

/// The decision taken at one λ.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// The next λ.
    pub lambda: Vec<f64>,
    /// L with which the move was made.
    pub used_lipschitz: f64,
    /// L after the iteration.
    pub lipschitz: f64,
    /// The outcome of the step.
    pub branch: Branch,
    /// Factor for the next ε.
    pub tighten: f64,
    /// Right side minus left side of the test; infinite if there was no test.
    pub slack: f64,
}

#[derive(Debug, Clone)]
struct Previous {
    lambda: Vec<f64>,
    value: f64,
    epsilon: f64,
}

/// The state of the rule during a run.
#[derive(Debug, Clone)]
pub struct AdaptiveStep {
    rules: StepRules,
    lipschitz: Option<f64>,
    previous: Option<Previous>,
    /// A test whose slack is not larger than this share of |g| is decided by `tie`.
    tie_width: f64,
    tie: bool,
}

impl AdaptiveStep {
    /// The initial state of a rule.
    pub fn new(rules: StepRules) -> Self {
        // Without a width nothing is a tie: a slack of 0 holds anyway.
        let tie_width = if rules.rounding > 0.0 { rules.rounding } else { -1.0 };
        Self { rules, lipschitz: None, previous: None, tie_width, tie: true }
    }

    /// Decides the next test as `held` if its two sides differ by at most `width`·|g|: for replays of a run
    /// with different rounding.
    pub fn decide_ties(&mut self, width: f64, held: bool) {
        (self.tie_width, self.tie) = (width, held);
    }

    /// Decides at `λ_k`, given `g(λ_k, x_k)`, `p_k`, `ε_k` and the `ε_{k+1}` that would follow.
    pub fn advance(
        &mut self,
        lambda: &[f64],
        value: f64,
        p: &[f64],
        epsilon: f64,
        next_epsilon: f64,
    ) -> Move {
        let l = self.lipschitz.unwrap_or_else(|| self.first_lipschitz(p));
        let decision = match self.rules.policy {
            Policy::Paper { grow, shrink } => {
                let slack = self.previous.as_ref().map_or(f64::INFINITY, |old| {
                    let length = distance(lambda, &old.lambda);
                    self.slack(value, old.value, epsilon, old.epsilon, length, l)
                });
                let (branch, l) = if self.previous.is_none() {
                    (Branch::First, l)
                } else if self.holds(slack, value) {
                    (Branch::Grow, l / grow)
                } else {
                    (Branch::Shrink, l / shrink)
                };
                let lambda = self.project(&moved(lambda, p, l));
                Move { lambda, used_lipschitz: l, lipschitz: l, branch, tighten: 1.0, slack }
            }
            Policy::Code {
                held,
                rejected,
                reject_ratio,
                tighten,
                double,
                length_before_projection,
            } => {
                let once = self.project(&moved(lambda, p, l));
                let length =
                    if length_before_projection { norm(p) / l } else { distance(&once, lambda) };
                let old = self.previous.as_ref().map_or(f64::INFINITY, |o| o.value);
                // DIFFERS: the code lowers ε before the test, so its ε_k is the coming one.
                let slack = self.slack(value, old, next_epsilon, epsilon, length, l);
                let twice = if double { moved(&once, p, l) } else { once };
                let (branch, next, after, tighten) = if self.holds(slack, value) {
                    (Branch::Grow, twice, l * held, 1.0)
                } else if value >= reject_ratio * old {
                    (Branch::Reject, lambda.to_vec(), l * rejected, tighten)
                } else {
                    (Branch::Keep, twice, l, 1.0)
                };
                Move { lambda: next, used_lipschitz: l, lipschitz: after, branch, tighten, slack }
            }
        };
        self.lipschitz = Some(decision.lipschitz);
        self.previous = Some(Previous { lambda: lambda.to_vec(), value, epsilon });
        decision
    }

    /// Right side minus left side of inequality (3) of the paper.
    fn slack(
        &self,
        value: f64,
        old: f64,
        epsilon: f64,
        old_epsilon: f64,
        length: f64,
        lipschitz: f64,
    ) -> f64 {
        let StepRules { c, m, quadratic, .. } = self.rules;
        let bound = old + c * epsilon + old_epsilon * (c + m) * length
            - quadratic * lipschitz * length * length;
        bound - value
    }

    fn holds(&self, slack: f64, value: f64) -> bool {
        if slack.abs() <= self.tie_width * value.abs() { self.tie } else { slack >= 0.0 }
    }

    fn first_lipschitz(&self, p: &[f64]) -> f64 {
        let size = norm(p);
        let l = match self.rules.first_lipschitz {
            FirstLipschitz::Norm => size,
            FirstLipschitz::NormPerRootDimension if size <= 1e-3 => 1.0,
            FirstLipschitz::NormPerRootDimension => size / (p.len() as f64).sqrt(),
            FirstLipschitz::FiveNorms => 5.0 * size,
        };
        // At a stationary initial point any L leaves λ unchanged.
        if l > 0.0 { l } else { 1.0 }
    }

    fn project(&self, lambda: &[f64]) -> Vec<f64> {
        lambda.iter().map(|v| v.clamp(-self.rules.bound, self.rules.bound)).collect()
    }
}

/// λ − p/L.
fn moved(lambda: &[f64], p: &[f64], lipschitz: f64) -> Vec<f64> {
    let step = 1.0 / lipschitz;
    lambda.iter().zip(p).map(|(v, d)| v - step * d).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gradient::hoag_rules::HoagRules;

    /// L and ‖p‖ along a run on 50λ₀² + 5λ₁² + 7e6, with an error in the thirteenth digit.
    fn run(step: StepRules) -> Vec<(f64, f64)> {
        let mut rule = AdaptiveStep::new(step);
        let (mut lambda, mut epsilon) = (vec![1.0, -1.0], 0.1);
        let one = |k: u32| {
            let p = [100.0 * lambda[0], 10.0 * lambda[1]];
            let error = 7e-7 * (f64::from(k * 7919 % 13) / 13.0 - 0.5);
            let value = 0.5 * (p[0] * lambda[0] + p[1] * lambda[1]) + 7e6 + error;
            let next = rule.advance(&lambda, value, &p, epsilon, 0.9 * epsilon);
            lambda.clone_from(&next.lambda);
            epsilon *= 0.9;
            (next.lipschitz, norm(&p))
        };
        (0..400).map(one).collect()
    }

    #[test]
    fn an_l_that_never_falls_becomes_constant_and_the_gradient_0() {
        let step = HoagRules::preset("paper-constant-L").unwrap().step;
        let course = run(step);
        assert!(course.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        let (first, last) = (course[0], course[399]);
        assert_eq!(course[100].0, last.0, "constant from somewhere on");
        assert!(last.1 < 1e-6 * first.1, "{last:?}");
        // Without the guard, tests fail because of that error, and the steps go to 0 before the gradient
        // does.
        let stalled = run(StepRules { rounding: 0.0, ..step })[399];
        assert!(stalled.0 > 1e3 * last.0 && stalled.1 > 1e3 * last.1, "{stalled:?}");
    }
}
