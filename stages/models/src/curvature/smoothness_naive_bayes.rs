//! Smoothness of Gaussian naive Bayes, \[Yedida2024\] theorem 2, with one covariance Σ pooled over the
//! classes: the theorem, the authors' code, and the true second derivative.
//!
//! With S = Σ⁻¹ and `w = x − μ_class` all norms have n⁴ entries, but reduce to |S|_F, ‖Sw‖² and wᵀS³w: `‖Σ_t
//! A_t ⊗ B_t‖² = Σ_s,t ⟨A_s, A_t⟩⟨B_s, B_t⟩`.

use ndarray::{Array1, Array2};
use numerics::linalg::{cholesky::Cholesky, symmetric};

use crate::samples::Samples;

/// The sign of G, in which the two printings of theorem 2 differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// The theorem's statement: G = +Σ⁻¹(wwᵀ + ½Σ)Σ⁻¹.
    Statement,
    /// The proof: G = −Σ⁻¹(wwᵀ + ½Σ)Σ⁻¹.
    Proof,
}

/// The covariance of the rows about their class means.
#[derive(Debug, Clone, PartialEq)]
pub struct Pooled {
    /// Rows less the mean of their class (m×n).
    pub centred: Array2<f64>,
    /// Σ = centredᵀ centred / m (n×n).
    pub covariance: Array2<f64>,
    /// Σ⁻¹ (n×n), if Σ is not singular to working precision.
    pub precision: Option<Array2<f64>>,
    /// ln det Σ, −∞ if Σ is singular.
    pub ln_det: f64,
}

impl Pooled {
    /// Estimates the covariance.
    pub fn new(samples: &Samples) -> Self {
        let (m, n) = samples.x.dim();
        let mut centred = samples.x.clone();
        for class in 0..samples.classes {
            let rows = samples.rows_of(class as u32);
            let mut mean = Array1::<f64>::zeros(n);
            for &i in &rows {
                mean += &samples.x.row(i);
            }
            mean /= rows.len().max(1) as f64;
            for &i in &rows {
                let mut row = centred.row_mut(i);
                row -= &mean;
            }
        }
        let covariance = centred.t().dot(&centred) / m as f64;
        // Columns are brought to one scale first: a covariance is ill-conditioned mostly because of its
        // units.
        let scale = covariance.diag().mapv(f64::sqrt);
        let correlation =
            Array2::from_shape_fn((n, n), |(i, j)| covariance[[i, j]] / (scale[i] * scale[j]));
        let (precision, ln_det) = match Cholesky::new(&correlation) {
            Ok(factor) => {
                let inverse = factor.inverse();
                let scaled =
                    Array2::from_shape_fn((n, n), |(i, j)| inverse[[i, j]] / (scale[i] * scale[j]));
                (Some(scaled), factor.ln_det() + 2.0 * scale.mapv(f64::ln).sum())
            }
            Err(_) => (None, f64::NEG_INFINITY),
        };
        Self { centred, covariance, precision, ln_det }
    }

    /// det Σ; 0 if Σ is singular or det Σ too small for a double.
    pub fn det(&self) -> f64 {
        self.ln_det.exp()
    }

    /// ‖Σ⁻¹‖_F; NaN if Σ is singular.
    pub fn precision_norm(&self) -> f64 {
        self.precision.as_ref().map_or(f64::NAN, frobenius)
    }

    /// `λ_max(Σ) λ_max(Σ⁻¹)`; infinite if Σ is singular.
    pub fn condition(&self) -> f64 {
        let largest = symmetric::largest(&self.covariance);
        self.precision.as_ref().map_or(f64::INFINITY, |s| largest * symmetric::largest(s))
    }

    /// What the authors' code returns and sorts in descending order: −(2m + 3/2)‖Σ⁻¹‖_F², or 0 where
    /// det Σ is 0. Its tensor expression sums wwᵀ over all rows, which makes G = −(m + ½)Σ⁻¹.
    ///
    /// DIFFERS: the code leaves the means of classes from 2 on uninitialised; here every class has
    /// its mean. A Σ that is singular only to working precision gives 0 instead of rounding noise.
    pub fn code(&self) -> f64 {
        let m = self.centred.nrows() as f64;
        if self.det() > 0.0 { -(2.0 * m + 1.5) * self.precision_norm().powi(2) } else { 0.0 }
    }

    /// Theorem 2's ‖Σ⁻¹AG − ½Σ⁻¹AΣ⁻¹ + GAΣ⁻¹‖ for each row; empty where Σ is singular.
    pub fn theorem(&self, sign: Sign) -> Vec<f64> {
        let s = match sign {
            Sign::Statement => 1.0,
            Sign::Proof => -1.0,
        };
        // G = s (M + ½S) and G − ½S with M = S wwᵀ S.
        self.rows(|s2, q, r| {
            let combine = |a: f64, b: f64| a * a * q * q + 2.0 * a * b * r + b * b * s2;
            let half = 0.5 * s;
            let (g, less) = (combine(s, half), combine(s, half - 0.5));
            let (s_g, s_less) = (s * r + half * s2, s * r + (half - 0.5) * s2);
            (s2 * less + g * s2 + 2.0 * s_g * s_less).max(0.0).sqrt()
        })
    }

    /// The true ‖∂²ℓ/∂Σ²‖ of a row's log-likelihood ℓ = −½ ln det Σ − ½ wᵀΣ⁻¹w, whose second
    /// derivative is dΣ ↦ ½ S dΣ S − ½ (S dΣ M + M dΣ S); empty where Σ is singular.
    pub fn exact(&self) -> Vec<f64> {
        self.rows(|s2, q, r| {
            let (ss, mm, sm) = (s2 * s2, s2 * q * q, s2 * r);
            // ¼|S⊗S|² + ¼(|S⊗M|² + |M⊗S|² + 2⟨S⊗M, M⊗S⟩) − ½(⟨S⊗S, S⊗M⟩ + ⟨S⊗S, M⊗S⟩).
            (0.25 * ss + 0.25 * (2.0 * mm + 2.0 * r * r) - sm).max(0.0).sqrt()
        })
    }

    /// f(|S|_F², ‖Sw‖², wᵀS³w) for each row.
    fn rows(&self, f: impl Fn(f64, f64, f64) -> f64) -> Vec<f64> {
        let Some(precision) = &self.precision else { return Vec::new() };
        let s2 = frobenius(precision).powi(2);
        let one = |w: ndarray::ArrayView1<'_, f64>| {
            let v = precision.dot(&w);
            f(s2, v.dot(&v), v.dot(&precision.dot(&v)))
        };
        self.centred.rows().into_iter().map(one).collect()
    }
}

fn frobenius(a: &Array2<f64>) -> f64 {
    a.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use ndarray_linalg::Inverse as _;

    use super::*;

    fn pooled() -> Pooled {
        let x = Array2::from_shape_fn((40, 3), |(i, j)| {
            ((i * 7 + j * 11) as f64).sin() + ((i * j) as f64 * 0.3).cos()
        });
        Pooled::new(&Samples::new(x, (0..40).map(|i| i % 2).collect(), 2).unwrap())
    }

    /// ∂(linear map)/∂Σ entry by entry, as all n⁴ entries.
    fn norm_by_entries(map: impl Fn(&Array2<f64>) -> Array2<f64>) -> f64 {
        let mut total = 0.0;
        for k in 0..3 {
            for l in 0..3 {
                let mut unit = Array2::zeros((3, 3));
                unit[[k, l]] = 1.0;
                total += map(&unit).mapv(|v| v * v).sum();
            }
        }
        total.sqrt()
    }

    #[test]
    fn norms_agree_with_all_entries_written_out() {
        let p = pooled();
        let s = p.precision.as_ref().unwrap();
        for row in [0, 7, 39] {
            let w = p.centred.row(row).insert_axis(ndarray::Axis(1)).to_owned();
            let m = s.dot(&w).dot(&w.t()).dot(s);
            for (sign, factor) in [(Sign::Statement, 1.0), (Sign::Proof, -1.0)] {
                let g = (&m + &(s * 0.5)) * factor;
                let plain =
                    norm_by_entries(|d| s.dot(d).dot(&g) - 0.5 * s.dot(d).dot(s) + g.dot(d).dot(s));
                assert!((p.theorem(sign)[row] / plain - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_exact_norm_is_that_of_the_differentiated_gradient() {
        let p = pooled();
        let h = 1e-5;
        for row in [0, 7, 39] {
            let w = p.centred.row(row).insert_axis(ndarray::Axis(1)).to_owned();
            let gradient = |sigma: Array2<f64>| -> Array2<f64> {
                let s = sigma.inv().unwrap();
                let outer = s.dot(&w).dot(&w.t()).dot(&s);
                (outer - s) * 0.5
            };
            let numeric = norm_by_entries(|d| {
                (gradient(&p.covariance + &(d * h)) - gradient(&p.covariance - &(d * h)))
                    / (2.0 * h)
            });
            assert!((p.exact()[row] / numeric - 1.0).abs() < 1e-6, "{numeric}");
        }
    }

    #[test]
    fn a_singular_covariance_gives_zero() {
        let x = Array2::from_shape_fn((9, 2), |(i, _)| i as f64);
        let constant = Array2::from_shape_fn((9, 2), |(i, j)| if j == 0 { i as f64 } else { 1.0 });
        for x in [x, constant] {
            let p = Pooled::new(&Samples::new(x, vec![0, 0, 0, 0, 1, 1, 1, 1, 1], 2).unwrap());
            assert_eq!((p.code(), p.det()), (0.0, 0.0));
            assert!(p.theorem(Sign::Proof).is_empty());
        }
    }
}
