//! Standardises columns to mean 0 and population standard deviation 1.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

/// Why columns could not be standardised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StandardiseError {
    /// A value is infinite or not a number, or so large that the variance overflows.
    #[error("column {column}: a value is not finite or too large to standardise")]
    NotFinite {
        /// The column, from 0.
        column: usize,
    },
    /// The matrix has another number of columns than the one that was fitted.
    #[error("{found} columns, but {expected} were fitted")]
    Columns {
        /// Columns of the matrix.
        found: usize,
        /// Columns of the fitted matrix.
        expected: usize,
    },
}

/// Means and standard deviations of columns, to be applied to the same or other rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Standardiser {
    /// Mean of each column.
    pub mean: Array1<f64>,
    /// Population standard deviation (division by n) of each column; 0 for a constant one.
    pub deviation: Array1<f64>,
}

impl Standardiser {
    /// Measures the columns of `x` (n × d). A column that has one value only, or no row, counts
    /// as constant.
    ///
    /// # Errors
    /// [`StandardiseError::NotFinite`].
    pub fn fit(x: ArrayView2<'_, f64>) -> Result<Self, StandardiseError> {
        let mut mean = Array1::zeros(x.ncols());
        let mut deviation = Array1::zeros(x.ncols());
        for (column, values) in x.axis_iter(Axis(1)).enumerate() {
            let (m, s) = moments(values).ok_or(StandardiseError::NotFinite { column })?;
            mean[column] = m;
            deviation[column] = s;
        }
        Ok(Self { mean, deviation })
    }

    /// (value − mean) / deviation for every column of `x`; 0 where the fitted column was constant.
    ///
    /// # Errors
    /// [`StandardiseError::Columns`].
    pub fn apply(&self, x: ArrayView2<'_, f64>) -> Result<Array2<f64>, StandardiseError> {
        let (found, expected) = (x.ncols(), self.mean.len());
        if found != expected {
            return Err(StandardiseError::Columns { found, expected });
        }
        let mut out = x.to_owned();
        for (column, mut values) in out.axis_iter_mut(Axis(1)).enumerate() {
            let (mean, deviation) = (self.mean[column], self.deviation[column]);
            values.mapv_inplace(|v| if deviation > 0.0 { (v - mean) / deviation } else { 0.0 });
        }
        Ok(out)
    }
}

/// Fits and applies to the same rows.
///
/// ```
/// use data::standardise::{Standardiser, standardise};
/// use ndarray::array;
///
/// let train = array![[1.0, 7.0], [3.0, 7.0]];
/// assert_eq!(standardise(train.view())?, array![[-1.0, 0.0], [1.0, 0.0]]);
/// let test = array![[5.0, 8.0]];
/// let fitted = Standardiser::fit(train.view())?;
/// assert_eq!(fitted.apply(test.view())?, array![[3.0, 0.0]], "a constant column stays 0");
/// # Ok::<(), data::standardise::StandardiseError>(())
/// ```
///
/// # Errors
/// [`StandardiseError::NotFinite`].
pub fn standardise(x: ArrayView2<'_, f64>) -> Result<Array2<f64>, StandardiseError> {
    Standardiser::fit(x)?.apply(x)
}

/// Standardises one column, such as a real target. A constant one becomes 0.
///
/// # Errors
/// [`StandardiseError::NotFinite`] with column 0.
pub fn standardise_column(y: &[f64]) -> Result<Vec<f64>, StandardiseError> {
    let column = ArrayView1::from(y).insert_axis(Axis(1));
    Ok(standardise(column)?.into_raw_vec_and_offset().0)
}

/// Mean and population standard deviation; `None` if one is not finite.
fn moments(values: ArrayView1<'_, f64>) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    let Some(&first) = values.first() else { return Some((0.0, 0.0)) };
    // Exactly constant: the rounded mean may differ from the value, and the quotient of two
    // rounding errors would be ±1 instead of 0.
    if values.iter().all(|&v| v == first) {
        return first.is_finite().then_some((first, 0.0));
    }
    let rough = values.iter().sum::<f64>() / n;
    // The second pass removes the rounding error of the first mean.
    let mean = rough + values.iter().map(|v| v - rough).sum::<f64>() / n;
    let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    (mean.is_finite() && deviation.is_finite()).then_some((mean, deviation))
}

#[cfg(test)]
mod tests {
    use ndarray::array;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn population_deviation_is_used() {
        let x = standardise(array![[1.0], [2.0], [3.0]].view()).unwrap();
        let expected = 1.5_f64.sqrt();
        assert!((x[[2, 0]] - expected).abs() < 1e-15 && x[[1, 0]] == 0.0);
    }

    #[test]
    fn a_constant_column_becomes_zero() {
        let x = Array2::from_elem((7, 1), 0.1);
        assert_eq!(standardise(x.view()).unwrap(), Array2::<f64>::zeros((7, 1)));
        assert_eq!(standardise(Array2::zeros((0, 2)).view()).unwrap().dim(), (0, 2));
    }

    #[test]
    fn what_is_not_finite_is_refused() {
        for bad in [f64::NAN, f64::INFINITY] {
            let error = standardise(array![[0.0, 1.0], [0.0, bad]].view()).unwrap_err();
            assert_eq!(error, StandardiseError::NotFinite { column: 1 });
        }
        assert!(standardise(array![[1e308], [-1e308]].view()).is_err());
        assert!(standardise(array![[f64::NAN]].view()).is_err());
    }

    proptest! {
        #[test]
        fn columns_have_mean_zero_and_deviation_one(
            column in prop::collection::vec(-1e3..1e3_f64, 2..50),
            shift in -1e6..1e6_f64,
        ) {
            let shifted: Vec<f64> = column.iter().map(|v| v + shift).collect();
            prop_assume!(shifted.iter().any(|v| (v - shifted[0]).abs() > 1e-3));
            let z = standardise_column(&shifted).unwrap();
            let n = z.len() as f64;
            prop_assert!((z.iter().sum::<f64>() / n).abs() < 1e-6);
            prop_assert!((z.iter().map(|v| v * v).sum::<f64>() / n - 1.0).abs() < 1e-6);
        }
    }
}
