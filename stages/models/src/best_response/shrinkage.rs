//! A training loss of one weight and one penalty, whose best response is a sigmoid, which an affine map fits
//! only in a narrow neighbourhood.

use numerics::linalg::elementary::exp;

use super::Lower;

/// f(λ, w) = (dw − t)² + e^λ w² for λ ≤ 709, the loss of theorem 2 of \[MacKay2019\] for D = 1, and the validation
/// loss F(w) = (w − v)².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shrinkage {
    /// d > 0, the singular value of the inputs.
    pub singular: f64,
    /// t, the target.
    pub target: f64,
    /// v, the weight with the lowest validation loss.
    pub validated: f64,
}

impl Shrinkage {
    /// w*(λ) = dt/(d² + e^λ).
    #[must_use]
    pub fn response(&self, lambda: f64) -> f64 {
        self.singular * self.target / (self.singular * self.singular + exp(lambda))
    }

    /// ∂w*/∂λ.
    #[must_use]
    pub fn slope(&self, lambda: f64) -> f64 {
        let e = exp(lambda);
        -self.response(lambda) * e / (self.singular * self.singular + e)
    }

    /// F(w) and ∂F/∂w.
    #[must_use]
    pub fn validation(&self, w: f64) -> (f64, f64) {
        let off = w - self.validated;
        (off * off, 2.0 * off)
    }
}

impl Lower for Shrinkage {
    fn hypers(&self) -> usize {
        1
    }

    fn weights(&self) -> usize {
        1
    }

    fn value(&self, lambda: &[f64], w: &[f64], gradient: &mut [f64]) -> f64 {
        let (off, e) = (self.singular * w[0] - self.target, exp(lambda[0]));
        gradient[0] = 2.0 * (self.singular * off + e * w[0]);
        off * off + e * w[0] * w[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_response_has_no_gradient_and_its_slope_is_its_derivative() {
        let f = Shrinkage { singular: 2.0, target: 3.0, validated: 0.3 };
        // e^λ = 8: w* = 6/12, slope −½ · 8/12.
        let lambda = 8.0_f64.ln();
        assert!((f.response(lambda) - 0.5).abs() < 1e-15);
        assert!((f.slope(lambda) + 1.0 / 3.0).abs() < 1e-15);
        let numeric = (f.response(lambda + 1e-5) - f.response(lambda - 1e-5)) / 2e-5;
        assert!((f.slope(lambda) - numeric).abs() < 1e-9);
        let mut gradient = [0.0];
        // (2 · 0.5 − 3)² + 8 · 0.25
        assert!((f.value(&[lambda], &[0.5], &mut gradient) - 6.0).abs() < 1e-14);
        assert!(gradient[0].abs() < 1e-14);
        assert_eq!(f.validation(1.3), (1.0, 2.0));
    }
}
