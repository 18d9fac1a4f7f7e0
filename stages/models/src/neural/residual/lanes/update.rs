//! Update rules over a flat vector of parameters, as PyTorch defines them.

use numerics::linalg::simd_dispatch::wide;

use super::super::options::{Momentum, Optimiser};
use crate::neural::feedforward::scalar::Scalar;

/// Adam's β₁, β₂ and ε, \[Kingma2015\].
const BETAS: (f64, f64) = (0.9, 0.999);
const EPSILON: f64 = 1e-8;

/// An update rule with its state.
#[derive(Debug, Clone)]
pub struct Updater<T> {
    rule: Rule<T>,
    decay: Option<T>,
}

#[derive(Debug, Clone)]
enum Rule<T> {
    Plain,
    Momentum { coefficient: T, velocity: Vec<T> },
    Adam { first: Vec<T>, second: Vec<T>, steps: i32 },
}

impl<T: Scalar> Updater<T> {
    /// A rule for so many parameters, with the factor of the weight decay.
    pub fn new(optimiser: Optimiser, decay: Option<f64>, count: usize) -> Self {
        let zeros = || vec![T::ZERO; count];
        let rule = match optimiser {
            Optimiser::Sgd { momentum: None } => Rule::Plain,
            Optimiser::Sgd { momentum: Some(momentum) } => Rule::Momentum {
                coefficient: T::of(Momentum::coefficient(momentum)),
                velocity: zeros(),
            },
            Optimiser::Adam => Rule::Adam { first: zeros(), second: zeros(), steps: 0 },
        };
        Self { rule, decay: decay.map(T::of) }
    }

    /// Updates the values by their gradient at a learning rate.
    pub fn step(&mut self, values: &mut [T], gradient: &[T], rate: f64) {
        update(self, values, gradient, rate);
    }
}

wide! {
    fn update['a, T: Scalar]['a, T](
        updater: &'a mut Updater<T>,
        values: &'a mut [T],
        gradient: &'a [T],
        rate: f64,
    ) -> () {
        let decay = updater.decay.unwrap_or(T::ZERO);
        let pulls = |(value, gradient): (&T, &T)| decay.fused(*value, *gradient);
        match &mut updater.rule {
            Rule::Plain => {
                for (value, gradient) in values.iter_mut().zip(gradient) {
                    let pull = pulls((value, gradient));
                    *value += -T::of(rate) * pull;
                }
            }
            Rule::Momentum { coefficient, velocity } => {
                for ((value, gradient), speed) in values.iter_mut().zip(gradient).zip(velocity) {
                    *speed = coefficient.fused(*speed, pulls((value, gradient)));
                    *value += -T::of(rate) * *speed;
                }
            }
            Rule::Adam { first, second, steps } => {
                *steps += 1;
                let correction = |beta: f64| 1.0 - beta.powi(*steps);
                let (by, root) = (rate / correction(BETAS.0), correction(BETAS.1).sqrt());
                let [by, root, epsilon] = [by, root, EPSILON].map(T::of);
                let [new, squared] = [1.0 - BETAS.0, 1.0 - BETAS.1].map(T::of);
                let moments = first.iter_mut().zip(second);
                for ((value, gradient), (m, v)) in values.iter_mut().zip(gradient).zip(moments) {
                    let pull = pulls((value, gradient));
                    *m = new.fused(pull - *m, *m);
                    *v = squared.fused(pull * pull - *v, *v);
                    *value += -(by * (*m / (v.root() / root + epsilon)));
                }
            }
        }
    }
}
