//! Stationary covariance functions of Gaussian processes.

use serde::{Deserialize, Serialize};

/// A covariance function of the scaled distance r² = Σ ((xᵢ − x'ᵢ)/ℓᵢ)², with variance 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// (1 + √5 r + 5r²/3) e^{−√5 r}, \[Rasmussen2006\] eq. (4.17).
    Matern52,
    /// e^{−r²/2}.
    SquaredExponential,
}

impl Kernel {
    /// The covariance w₀ and the weights of higher derivatives, wᵢ₊₁ = −2 dwᵢ/d(r²). The last one of the
    /// Matérn covariance is infinite at r = 0, where it only occurs multiplied by r⁴; 0 is returned there.
    pub fn weights(self, squared: f64) -> [f64; 4] {
        match self {
            Self::Matern52 => {
                let s = (5.0 * squared).sqrt();
                let e = (-s).exp();
                let last = if s > 0.0 { 125.0 / 3.0 * e / s } else { 0.0 };
                [(1.0 + s + s * s / 3.0) * e, 5.0 / 3.0 * (1.0 + s) * e, 25.0 / 3.0 * e, last]
            }
            Self::SquaredExponential => [(-0.5 * squared).exp(); 4],
        }
    }

    /// The covariance k and the weight w = −2 dk/d(r²), from which all derivatives follow:
    /// ∂k/∂ln ℓᵢ = w ((xᵢ − x'ᵢ)/ℓᵢ)² and ∂k/∂xᵢ = −w (xᵢ − x'ᵢ)/ℓᵢ².
    pub fn value(self, squared: f64) -> (f64, f64) {
        match self {
            Self::Matern52 => {
                let s = (5.0 * squared).sqrt();
                let e = (-s).exp();
                ((1.0 + s + s * s / 3.0) * e, 5.0 / 3.0 * (1.0 + s) * e)
            }
            Self::SquaredExponential => {
                let k = (-0.5 * squared).exp();
                (k, k)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_slopes_of_each_other() {
        for kernel in [Kernel::Matern52, Kernel::SquaredExponential] {
            for squared in [0.01, 0.3, 1.0, 4.0, 20.0] {
                let h = 1e-5 * squared;
                let (at, up, down) = (
                    kernel.weights(squared),
                    kernel.weights(squared + h),
                    kernel.weights(squared - h),
                );
                assert_eq!((at[0], at[1]), kernel.value(squared));
                for i in 0..3 {
                    let slope = (up[i] - down[i]) / (2.0 * h);
                    let close = (at[i + 1] + 2.0 * slope).abs() < 1e-7 * (1.0 + at[i + 1]);
                    assert!(close, "{kernel:?} {squared} {i}");
                }
            }
        }
    }

    #[test]
    fn weight_is_minus_twice_the_slope_in_the_squared_distance() {
        for kernel in [Kernel::Matern52, Kernel::SquaredExponential] {
            assert!((kernel.value(0.0).0 - 1.0).abs() < 1e-15);
            for squared in [0.01, 0.3, 1.0, 4.0, 20.0] {
                let h = 1e-5 * squared;
                let slope = (kernel.value(squared + h).0 - kernel.value(squared - h).0) / (2.0 * h);
                assert!((kernel.value(squared).1 + 2.0 * slope).abs() < 1e-8, "{kernel:?}");
            }
        }
        // Matérn 5/2 at r = 1: (1 + √5 + 5/3) e^{−√5}.
        assert!((Kernel::Matern52.value(1.0).0 - 0.523_994_108_831_828).abs() < 1e-12);
    }
}
