//! The twelve test functions, on [−1, 1]^D scaled by a radius of their own.

use serde::{Deserialize, Serialize};

/// A test function. Its minimum is in the box.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Function {
    /// Σ x².
    Sphere,
    /// ½ Σ x⁴ − 16 x² + 5 x.
    Styblinski,
    /// 10 D + Σ x² − 10 cos 2πx.
    Rastrigin,
    /// −Σ x sin √|x|.
    Schwefel,
    /// A hole in a plain of small waves.
    Ackley,
    /// A wide bowl with small waves.
    Griewank,
    /// `Σ_d` (`Σ_j` (j + `1)(x_j^d` − j^−d))².
    Perm,
    /// A bowl that is steep in three quarters of the coordinates.
    KTablet,
    /// Σ d x².
    WeightedSphere,
    /// A curved valley.
    Rosenbrock,
    /// Waves about a valley.
    Levy,
    /// Σ |x| · exp(−Σ sin x²).
    XinSheYang,
}

impl Function {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Sphere,
        Self::Styblinski,
        Self::Rastrigin,
        Self::Schwefel,
        Self::Ackley,
        Self::Griewank,
        Self::Perm,
        Self::KTablet,
        Self::WeightedSphere,
        Self::Rosenbrock,
        Self::Levy,
        Self::XinSheYang,
    ];

    /// The name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sphere => "sphere",
            Self::Styblinski => "styblinski",
            Self::Rastrigin => "rastrigin",
            Self::Schwefel => "schwefel",
            Self::Ackley => "ackley",
            Self::Griewank => "griewank",
            Self::Perm => "perm",
            Self::KTablet => "k-tablet",
            Self::WeightedSphere => "weighted-sphere",
            Self::Rosenbrock => "rosenbrock",
            Self::Levy => "levy",
            Self::XinSheYang => "xin-she-yang",
        }
    }

    /// The box is [−radius, radius]^D.
    #[must_use]
    pub fn radius(self) -> f64 {
        match self {
            Self::Sphere | Self::Styblinski | Self::WeightedSphere | Self::Rosenbrock => 5.0,
            Self::Rastrigin | Self::KTablet => 5.12,
            Self::Schwefel => 500.0,
            Self::Ackley => 32.768,
            Self::Griewank => 600.0,
            Self::Perm => 1.0,
            Self::Levy => 10.0,
            Self::XinSheYang => std::f64::consts::TAU,
        }
    }

    /// Whether the minimum is in the middle of the box, where the prior has its mean.
    #[must_use]
    pub fn centred(self) -> bool {
        matches!(
            self,
            Self::Sphere
                | Self::Rastrigin
                | Self::Ackley
                | Self::Griewank
                | Self::KTablet
                | Self::WeightedSphere
                | Self::XinSheYang
        )
    }

    /// The value at a point of the box.
    #[must_use]
    pub fn value(self, x: &[f64]) -> f64 {
        use std::f64::consts::{E, PI, TAU};
        let d = x.len() as f64;
        let sum = |f: &dyn Fn(f64) -> f64| x.iter().map(|&v| f(v)).sum::<f64>();
        let places = || x.iter().zip(1_u32..).map(|(&v, i)| (v, f64::from(i)));
        match self {
            Self::Sphere => sum(&|v| v * v),
            Self::Styblinski => 0.5 * sum(&|v| v.powi(4) - 16.0 * v * v + 5.0 * v),
            Self::Rastrigin => 10.0 * d + sum(&|v| v * v - 10.0 * (TAU * v).cos()),
            Self::Schwefel => -sum(&|v| v * v.abs().sqrt().sin()),
            Self::Ackley => {
                let (square, wave) = (sum(&|v| v * v) / d, sum(&|v| (TAU * v).cos()) / d);
                20.0 + E - 20.0 * (-0.2 * square.sqrt()).exp() - wave.exp()
            }
            Self::Griewank => {
                let wave: f64 = places().map(|(v, i)| (v / i.sqrt()).cos()).product();
                1.0 + sum(&|v| v * v) / 4000.0 - wave
            }
            Self::Perm => {
                let term = |k: i32| {
                    let one = |(v, j): (f64, f64)| (j + 1.0) * (v.powi(k) - j.powi(-k));
                    places().map(one).sum::<f64>().powi(2)
                };
                (1..=x.len() as i32).map(term).sum()
            }
            Self::KTablet => {
                let flat = x.len().div_ceil(4);
                let scaled = |(i, v): (usize, &f64)| if i < flat { *v } else { 100.0 * v };
                x.iter().enumerate().map(scaled).map(|v| v * v).sum()
            }
            Self::WeightedSphere => places().map(|(v, i)| i * v * v).sum(),
            Self::Rosenbrock => {
                let pair = |w: &[f64]| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (w[0] - 1.0).powi(2);
                x.windows(2).map(pair).sum()
            }
            Self::Levy => {
                let w: Vec<f64> = x.iter().map(|v| 1.0 + (v - 1.0) / 4.0).collect();
                let (first, last) = (w[0], w[w.len() - 1]);
                let one = |v: &f64| (v - 1.0).powi(2) * (1.0 + 10.0 * (PI * v + 1.0).sin().powi(2));
                (PI * first).sin().powi(2)
                    + w[..w.len() - 1].iter().map(one).sum::<f64>()
                    + (last - 1.0).powi(2) * (1.0 + (TAU * last).sin().powi(2))
            }
            Self::XinSheYang => sum(&f64::abs) * (-sum(&|v| (v * v).sin())).exp(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minima_are_where_they_are_known_to_be() {
        for d in [2_usize, 5, 10] {
            let at = |v: f64| vec![v; d];
            for function in Function::ALL {
                let (place, value) = match function {
                    Function::Styblinski => (at(-2.903_534), -39.166_165_7 * d as f64),
                    Function::Schwefel => (at(420.968_746), -418.982_887_27 * d as f64),
                    Function::Rosenbrock | Function::Levy => (at(1.0), 0.0),
                    Function::Perm => ((1..=d).map(|j| 1.0 / j as f64).collect(), 0.0),
                    _ => (at(0.0), 0.0),
                };
                let found = function.value(&place);
                assert!((found - value).abs() < 1e-5, "{function:?} {d}: {found}");
                let radius = function.radius();
                assert!(place.iter().all(|v| v.abs() <= radius), "{function:?}");
                let corner = function.value(&at(0.97 * radius));
                assert!(corner > found, "{function:?}: {corner}");
                assert_eq!(function.centred(), place.iter().all(|v| *v == 0.0), "{function:?}");
            }
        }
    }

    #[test]
    fn values_by_hand() {
        let value = |f: Function, x: &[f64]| f.value(x);
        assert_eq!(value(Function::KTablet, &[1.0, 1.0, 0.0, 0.0, 1.0]), 10_002.0);
        assert_eq!(value(Function::WeightedSphere, &[1.0, 2.0, 3.0]), 36.0);
        assert_eq!(value(Function::Rosenbrock, &[0.0, 1.0, 1.0]), 101.0);
        // (2·0 + 3·0.5)² + (2·0 + 3·0.75)² at (1, 1).
        assert!(
            (value(Function::Perm, &[1.0, 1.0]) - (1.5_f64.powi(2) + 2.25_f64.powi(2))).abs()
                < 1e-12
        );
        let x = std::f64::consts::FRAC_PI_2.sqrt();
        assert!((value(Function::XinSheYang, &[x]) - x / std::f64::consts::E).abs() < 1e-12);
    }
}
