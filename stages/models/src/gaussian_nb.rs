//! Gaussian naive Bayes: one mean and variance per class and feature.

use ndarray::{Array2, ArrayView2, Axis};

use super::samples::Samples;

/// Share of the largest variance that is added to all variances, as in scikit-learn.
pub const VAR_SMOOTHING: f64 = 1e-9;

/// A fitted classifier.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianNb {
    /// Mean of each class (classes × features).
    pub mean: Array2<f64>,
    /// Population variance of each class, with the smoothing added (classes × features).
    pub variance: Array2<f64>,
    /// ln of each class's share of the rows; −∞ for a class without rows.
    pub log_prior: Vec<f64>,
}

impl GaussianNb {
    /// Estimates means and variances, adding `smoothing` times the largest variance of a column (all
    /// rows together) to every variance.
    pub fn fit(samples: &Samples, smoothing: f64) -> Self {
        let (n, columns) = samples.x.dim();
        let spread = samples.x.var_axis(Axis(0), 0.0).iter().copied().fold(0.0, f64::max);
        let mut mean = Array2::zeros((samples.classes, columns));
        let mut variance = Array2::from_elem((samples.classes, columns), smoothing * spread);
        let mut log_prior = vec![f64::NEG_INFINITY; samples.classes];
        for (class, prior) in log_prior.iter_mut().enumerate() {
            let rows = samples.x.select(Axis(0), &samples.rows_of(class as u32));
            if let Some(centre) = rows.mean_axis(Axis(0)) {
                mean.row_mut(class).assign(&centre);
                let own = rows.var_axis(Axis(0), 0.0);
                variance.row_mut(class).zip_mut_with(&own, |v, o| *v += o);
                *prior = (rows.nrows() as f64 / n as f64).ln();
            }
        }
        Self { mean, variance, log_prior }
    }

    /// ln P(class) + ln p(x | class) of each row (rows × classes). If all rows of a class share a value and
    /// there is no smoothing, the variance is 0 and the result may be NaN.
    pub fn joint_log_likelihood(&self, x: ArrayView2<'_, f64>) -> Array2<f64> {
        Array2::from_shape_fn((x.nrows(), self.log_prior.len()), |(i, c)| {
            if self.log_prior[c] == f64::NEG_INFINITY {
                return f64::NEG_INFINITY;
            }
            let parts = x.row(i).into_iter().zip(self.mean.row(c)).zip(self.variance.row(c));
            let density =
                parts.map(|((x, m), v)| (std::f64::consts::TAU * v).ln() + (x - m) * (x - m) / v);
            self.log_prior[c] - 0.5 * density.sum::<f64>()
        })
    }

    /// The most likely class of each row; the first of equally likely ones, and class 0 if no values are
    /// comparable.
    pub fn classify(&self, x: ArrayView2<'_, f64>) -> Vec<u32> {
        let likelihood = self.joint_log_likelihood(x);
        likelihood.rows().into_iter().map(|row| arg_max(row.iter().copied())).collect()
    }
}

/// The first position of the largest value; NaN is never larger.
pub(crate) fn arg_max(values: impl Iterator<Item = f64>) -> u32 {
    let mut best = (0, f64::NEG_INFINITY);
    for (i, v) in values.enumerate() {
        if v > best.1 {
            best = (i as u32, v);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn likelihoods_of_a_small_example() {
        let x = array![[1.0], [3.0], [10.0], [14.0], [12.0]];
        let nb = GaussianNb::fit(&Samples::new(x, vec![0, 0, 1, 1, 1], 2).unwrap(), 0.0);
        assert_eq!(nb.mean, array![[2.0], [12.0]]);
        assert!((nb.variance[[0, 0]] - 1.0).abs() < 1e-15);
        assert!((nb.variance[[1, 0]] - 8.0 / 3.0).abs() < 1e-15);
        let at = nb.joint_log_likelihood(array![[4.0]].view());
        let tau = std::f64::consts::TAU;
        assert!((at[[0, 0]] - (0.4_f64.ln() - 0.5 * (tau.ln() + 4.0))).abs() < 1e-14);
        let expected = 0.6_f64.ln() - 0.5 * ((tau * 8.0 / 3.0).ln() + 64.0 * 3.0 / 8.0);
        assert!((at[[0, 1]] - expected).abs() < 1e-13);
        assert_eq!(nb.classify(array![[4.0], [9.0]].view()), [0, 1]);
    }

    #[test]
    fn a_class_without_rows_is_never_chosen_and_smoothing_keeps_constants_finite() {
        let x = array![[1.0, 5.0], [1.0, 4.0], [1.0, 0.0]];
        let samples = Samples::new(x, vec![0, 0, 2], 3).unwrap();
        let nb = GaussianNb::fit(&samples, VAR_SMOOTHING);
        assert_eq!(nb.classify(samples.x.view()), [0, 0, 2]);
    }
}
