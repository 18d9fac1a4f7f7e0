//! Fits `ŵ_φ` to the best response of a training loss around λ₀: min over φ of `E f(λ₀ + ε, ŵ_φ(λ₀ + ε))`
//! \[MacKay2019\] eq. (9). Only values and gradients of the loss are used.

use numerics::{
    linalg::vector::{add_scaled, axpy, dot, norm, subtract},
    solve::cg,
};
use rand_chacha::ChaCha12Rng;

use super::{Form, Lower, Neighbourhood};

/// `E f(λ, ŵ_φ(λ))` over the points of a neighbourhood; writes its derivative with respect to φ to
/// `gradient`.
pub fn expected(
    lower: &impl Lower,
    form: &impl Form,
    around: &Neighbourhood,
    phi: &[f64],
    gradient: &mut [f64],
) -> f64 {
    let (mut w, mut g) = (vec![0.0; lower.weights()], vec![0.0; lower.weights()]);
    gradient.fill(0.0);
    let mut value = 0.0;
    for (lambda, weight) in around.iter() {
        form.response(phi, lambda, &mut w);
        value += weight * lower.value(lambda, &w, &mut g);
        form.pull_back(phi, lambda, &g, weight, gradient);
    }
    value
}

/// The φ that minimises [`expected`] where that is quadratic in φ (f in w, and ŵ affine in φ), by conjugate
/// gradients from 0 down to `tolerance` times the first gradient; also returns how they ended.
pub fn conjugate_fit(
    lower: &impl Lower,
    form: &impl Form,
    around: &Neighbourhood,
    tolerance: f64,
) -> (Vec<f64>, cg::Report) {
    let n = form.parameters();
    let (mut phi, mut origin) = (vec![0.0; n], vec![0.0; n]);
    expected(lower, form, around, &phi, &mut origin);
    let downhill: Vec<f64> = origin.iter().map(|g| -g).collect();
    let mut at = vec![0.0; n];
    // The gradient is affine in φ: minus its value at 0, it is the Hessian's product.
    let product = |v: &[f64], out: &mut [f64]| {
        expected(lower, form, around, v, &mut at);
        subtract(&at, &origin, out);
    };
    let report = cg::solve(&mut phi, &downhill, tolerance * norm(&downhill), 20 * n, product);
    (phi, report)
}

/// Settings of [`sampled_fit`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Standard deviation σ of ε.
    pub deviation: f64,
    /// Perturbations per step.
    pub batch: usize,
    /// Number of steps.
    pub steps: u32,
    /// Step size.
    pub rate: f64,
}

/// Moves `phi` by stochastic gradient descent with fresh ε at every step, the inner loop of
/// algorithm 1.
pub fn sampled_fit(
    lower: &impl Lower,
    form: &impl Form,
    centre: &[f64],
    how: Sampling,
    phi: &mut [f64],
    rng: &mut ChaCha12Rng,
) {
    let mut gradient = vec![0.0; phi.len()];
    for _ in 0..how.steps {
        let around = Neighbourhood::draw(centre, how.deviation, how.batch, rng);
        expected(lower, form, &around, phi, &mut gradient);
        axpy(-how.rate, &gradient, phi);
    }
}

/// How [`descend`] ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Descent {
    /// Steps made.
    pub steps: u32,
    /// Value at the returned φ.
    pub value: f64,
}

/// Moves `phi` by at most `steps` steps of gradient descent on [`expected`], each whose length satisfies
/// Armijo's condition and at most doubles from one step to the next. Stops early if no step length satisfies
/// it.
pub fn descend(
    lower: &impl Lower,
    form: &impl Form,
    around: &Neighbourhood,
    steps: u32,
    phi: &mut [f64],
) -> Descent {
    const SHORTEST: f64 = 1e-18;
    let n = phi.len();
    let (mut gradient, mut next, mut trial) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut value = expected(lower, form, around, phi, &mut gradient);
    let mut rate = 1.0;
    for done in 0..steps {
        let slope = dot(&gradient, &gradient);
        let lowered = loop {
            add_scaled(phi, -rate, &gradient, &mut trial);
            let there = expected(lower, form, around, &trial, &mut next);
            if there < value - 0.5 * rate * slope {
                break Some(there);
            }
            rate *= 0.5;
            if rate <= SHORTEST {
                break None;
            }
        };
        let Some(there) = lowered else { return Descent { steps: done, value } };
        value = there;
        phi.copy_from_slice(&trial);
        std::mem::swap(&mut gradient, &mut next);
        rate *= 2.0;
    }
    Descent { steps, value }
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
