//! The parametric maps `ŵ_φ` from hyper-parameters to weights that are fitted to a best response.

use numerics::linalg::elementary::logistic;

/// `ŵ_φ(λ)` and its derivative.
pub trait Form {
    /// Length of φ.
    fn parameters(&self) -> usize;
    /// Writes `ŵ_φ(λ)` (length m) to `w`.
    fn response(&self, phi: &[f64], lambda: &[f64], w: &mut [f64]);
    /// Adds `scale (∂ŵ_φ/∂φ)ᵀ g` to `out` (length of φ), for g of length m.
    fn pull_back(&self, phi: &[f64], lambda: &[f64], g: &[f64], scale: f64, out: &mut [f64]);
}

/// ŵ(λ) = Uλ + b: φ is U (m×n) row by row, then b (m).
#[derive(Clone, Copy, Debug)]
pub struct Affine {
    /// The number of hyper-parameters n.
    pub hypers: usize,
    /// The number of weights m.
    pub weights: usize,
}

impl Affine {
    /// U (m×n, row by row), the Jacobian of the map.
    #[must_use]
    pub fn slope<'a>(&self, phi: &'a [f64]) -> &'a [f64] {
        &phi[..self.weights * self.hypers]
    }
}

impl Form for Affine {
    fn parameters(&self) -> usize {
        self.weights * (self.hypers + 1)
    }

    fn response(&self, phi: &[f64], lambda: &[f64], w: &mut [f64]) {
        let (slope, offset) = phi.split_at(self.weights * self.hypers);
        for ((w, row), b) in w.iter_mut().zip(slope.chunks_exact(self.hypers)).zip(offset) {
            *w = row.iter().zip(lambda).map(|(u, l)| u * l).sum::<f64>() + b;
        }
    }

    fn pull_back(&self, _: &[f64], lambda: &[f64], g: &[f64], scale: f64, out: &mut [f64]) {
        let (slope, offset) = out.split_at_mut(self.weights * self.hypers);
        for ((g, row), b) in g.iter().zip(slope.chunks_exact_mut(self.hypers)).zip(offset) {
            for (u, l) in row.iter_mut().zip(lambda) {
                *u += scale * g * l;
            }
            *b += scale * g;
        }
    }
}

/// ŵ(λ) = s σ(aλ + c) of one hyper-parameter and one weight: φ = (s, a, c).
#[derive(Clone, Copy, Debug)]
pub struct Gate;

impl Gate {
    /// ∂ŵ/∂λ.
    #[must_use]
    pub fn slope(&self, phi: &[f64], lambda: f64) -> f64 {
        let gate = sigmoid(phi[1] * lambda + phi[2]);
        phi[0] * phi[1] * gate * (1.0 - gate)
    }
}

impl Form for Gate {
    fn parameters(&self) -> usize {
        3
    }

    fn response(&self, phi: &[f64], lambda: &[f64], w: &mut [f64]) {
        w[0] = phi[0] * sigmoid(phi[1] * lambda[0] + phi[2]);
    }

    fn pull_back(&self, phi: &[f64], lambda: &[f64], g: &[f64], scale: f64, out: &mut [f64]) {
        let gate = sigmoid(phi[1] * lambda[0] + phi[2]);
        let inner = scale * g[0] * phi[0] * gate * (1.0 - gate);
        out[0] += scale * g[0] * gate;
        out[1] += inner * lambda[0];
        out[2] += inner;
    }
}

/// σ(z).
fn sigmoid(z: f64) -> f64 {
    logistic(-z).1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the pull-back against central differences of gᵀŵ.
    fn check(form: &impl Form, phi: &[f64], lambda: &[f64], g: &[f64]) {
        let value = |phi: &[f64]| {
            let mut w = vec![0.0; g.len()];
            form.response(phi, lambda, &mut w);
            w.iter().zip(g).map(|(w, g)| w * g).sum::<f64>()
        };
        let mut out = vec![1.0; phi.len()];
        form.pull_back(phi, lambda, g, 2.0, &mut out);
        for i in 0..phi.len() {
            let mut moved = phi.to_vec();
            moved[i] += 1e-5;
            let above = value(&moved);
            moved[i] -= 2e-5;
            let numeric = (above - value(&moved)) / 2e-5;
            assert!((out[i] - 1.0 - 2.0 * numeric).abs() < 1e-8, "{i}: {} {numeric}", out[i]);
        }
    }

    #[test]
    fn pull_backs_are_derivatives() {
        let phi: Vec<f64> = (0..8).map(|i| f64::from(i).sin()).collect();
        let affine = Affine { hypers: 3, weights: 2 };
        assert_eq!(affine.parameters(), 8);
        check(&affine, &phi, &[0.3, -2.0, 1.0], &[1.5, -0.5]);
        check(&Gate, &[1.2, -0.8, 0.4], &[0.7], &[1.3]);
    }

    #[test]
    fn known_values() {
        let affine = Affine { hypers: 2, weights: 1 };
        let mut w = [0.0];
        affine.response(&[2.0, -1.0, 0.5], &[3.0, 4.0], &mut w);
        assert_eq!((w[0], affine.slope(&[2.0, -1.0, 0.5])), (2.5, &[2.0, -1.0][..]));
        Gate.response(&[3.0, 2.0, -2.0], &[1.0], &mut w);
        assert_eq!((w[0], Gate.slope(&[3.0, 2.0, -2.0], 1.0)), (1.5, 1.5));
    }
}
