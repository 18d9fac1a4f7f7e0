//! The five feature scalers of \[Yedida2024\] table II.

use ndarray::{Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

/// How features are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scaler {
    /// Unchanged.
    None,
    /// Each row divided by its L2 norm.
    Normalise,
    /// (x − mean) / population standard deviation, per column.
    Standardise,
    /// Columns scaled to \[0, 1\].
    MinMax,
    /// Columns divided by their largest absolute value.
    MaxAbs,
    /// (x − median) / (P75 − P25), per column.
    Robust,
}

/// The five scalers of the paper, in its order.
pub const SCALERS: [Scaler; 5] =
    [Scaler::Normalise, Scaler::Standardise, Scaler::MinMax, Scaler::MaxAbs, Scaler::Robust];

/// A scaler fitted to columns, to be applied to the same or other rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Scaling {
    /// Rows are divided by their norms; nothing is fitted.
    Rows,
    /// (x − shift) / scale, one pair per column; no scale is 0.
    Columns {
        /// Subtracted.
        shift: Vec<f64>,
        /// Divided by.
        scale: Vec<f64>,
    },
}

impl Scaler {
    /// Fits to the columns of `x` (n×d). A constant column is divided by 1.
    pub fn fit(self, x: ArrayView2<'_, f64>) -> Scaling {
        let column = |values: &[f64]| -> (f64, f64) {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            match self {
                Self::None | Self::Normalise => (0.0, 1.0),
                // The rounded standard deviation of equal values may be a tiny number instead of 0.
                Self::Standardise if least == most => (least, 0.0),
                Self::Standardise => moments(values),
                Self::MinMax => (least, most - least),
                Self::MaxAbs => (0.0, most.max(-least)),
                Self::Robust => {
                    let mut sorted = values.to_vec();
                    sorted.sort_by(f64::total_cmp);
                    let spread = percentile(&sorted, 0.75) - percentile(&sorted, 0.25);
                    (percentile(&sorted, 0.5), spread)
                }
            }
        };
        if self == Self::Normalise {
            return Scaling::Rows;
        }
        let fitted = x.axis_iter(Axis(1)).map(|values| column(&values.to_vec()));
        let (shift, scale) = fitted.map(|(m, s)| (m, if s > 0.0 { s } else { 1.0 })).unzip();
        Scaling::Columns { shift, scale }
    }
}

impl Scaling {
    /// Scales `x` (n×d); a row of zeros stays unchanged.
    ///
    /// # Panics
    /// If `x` has another number of columns than the fitted matrix.
    pub fn apply(&self, x: ArrayView2<'_, f64>) -> Array2<f64> {
        let mut out = x.to_owned();
        match self {
            Self::Rows => {
                for mut row in out.axis_iter_mut(Axis(0)) {
                    let norm = row.iter().map(|v| v * v).sum::<f64>().sqrt();
                    if norm > 0.0 {
                        row.mapv_inplace(|v| v / norm);
                    }
                }
            }
            Self::Columns { shift, scale } => {
                assert_eq!(out.ncols(), shift.len(), "columns of the fitted matrix");
                for (mut values, (m, s)) in out.axis_iter_mut(Axis(1)).zip(shift.iter().zip(scale))
                {
                    values.mapv_inplace(|v| (v - m) / s);
                }
            }
        }
        out
    }
}

/// Mean and population standard deviation, in two passes.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let rough = values.iter().sum::<f64>() / n;
    let mean = rough + values.iter().map(|v| v - rough).sum::<f64>() / n;
    (mean, (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt())
}

/// The quantile `q` of ascending values, interpolated linearly; 0 without values.
fn percentile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let at = q * last as f64;
    let low = at.floor() as usize;
    let high = (low + 1).min(last);
    sorted[low] + (at - low as f64) * (sorted[high] - sorted[low])
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn columns_without_extent_and_rows_of_zeros_stay_finite() {
        let train = array![[0.1, 0.0], [0.1, 0.0], [0.1, 0.0]];
        let test = array![[0.3, 2.0], [0.0, 0.0]];
        for scaler in SCALERS {
            let scaling = scaler.fit(train.view());
            for x in [&train, &test] {
                assert!(scaling.apply(x.view()).iter().all(|v| v.is_finite()), "{scaler:?}");
            }
        }
        let scaled = Scaler::Standardise.fit(train.view()).apply(train.view());
        assert_eq!(scaled, Array2::<f64>::zeros((3, 2)));
    }

    #[test]
    fn test_rows_are_scaled_by_the_training_rows() {
        let train = array![[1.0], [2.0], [3.0], [4.0], [9.0]];
        let test = array![[5.0]];
        let of = |scaler: Scaler| scaler.fit(train.view()).apply(test.view())[[0, 0]];
        assert_eq!(of(Scaler::MinMax), 0.5);
        assert_eq!(of(Scaler::MaxAbs), 5.0 / 9.0);
        assert_eq!(of(Scaler::Robust), 1.0);
        assert_eq!(of(Scaler::None), 5.0);
        let deviation = ((7.84 + 3.24 + 0.64 + 0.04 + 27.04) / 5.0_f64).sqrt();
        assert!((of(Scaler::Standardise) - 1.2 / deviation).abs() < 1e-15);
    }

    #[test]
    fn rows_are_divided_by_their_norm() {
        let x = array![[3.0, 4.0], [0.0, -2.0]];
        let scaled = Scaler::Normalise.fit(x.view()).apply(x.view());
        assert_eq!(scaled, array![[0.6, 0.8], [0.0, -1.0]]);
    }
}
