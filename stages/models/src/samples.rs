//! Rows with class numbers: the input of learners and preprocessing.

use ndarray::{Array2, Axis};

/// Why rows and labels were refused.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq, Eq)]
pub enum SamplesError {
    /// Rows and labels differ in number.
    #[error("{rows} rows but {labels} labels")]
    Length {
        /// Rows of the matrix.
        rows: usize,
        /// Number of labels.
        labels: usize,
    },
    /// A label is not below the number of classes.
    #[error("label {label} in row {row}, but there are {classes} classes")]
    Label {
        /// Row of the label.
        row: usize,
        /// Its value.
        label: u32,
        /// Number of classes.
        classes: usize,
    },
    /// A feature is NaN or infinite.
    #[error("the feature in row {row}, column {column} is not finite")]
    NotFinite {
        /// Row of the feature.
        row: usize,
        /// Column of the feature.
        column: usize,
    },
    /// There is no row, no column or fewer than two classes.
    #[error("{rows} rows, {columns} columns and {classes} classes: expected at least 1, 1 and 2")]
    Empty {
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
        /// Number of classes.
        classes: usize,
    },
}

/// Classified rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    /// Features (n×d), all finite.
    pub x: Array2<f64>,
    /// Class of each row, below `classes` (length n).
    pub y: Vec<u32>,
    /// Number of classes, whether or not all occur.
    pub classes: usize,
}

impl Samples {
    /// Pairs features with labels after checking them.
    ///
    /// # Errors
    /// If they differ in length, are empty, or hold a value that is not finite or not a class.
    pub fn new(x: Array2<f64>, y: Vec<u32>, classes: usize) -> Result<Self, SamplesError> {
        let (rows, columns) = x.dim();
        if rows != y.len() {
            return Err(SamplesError::Length { rows, labels: y.len() });
        }
        if rows == 0 || columns == 0 || classes < 2 {
            return Err(SamplesError::Empty { rows, columns, classes });
        }
        if let Some(row) = y.iter().position(|&label| label as usize >= classes) {
            return Err(SamplesError::Label { row, label: y[row], classes });
        }
        if let Some(((row, column), _)) = x.indexed_iter().find(|(_, v)| !v.is_finite()) {
            return Err(SamplesError::NotFinite { row, column });
        }
        Ok(Self { x, y, classes })
    }

    /// Number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.y.len()
    }

    /// Rows of each class.
    #[must_use]
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.classes];
        for &label in &self.y {
            counts[label as usize] += 1;
        }
        counts
    }

    /// The chosen rows, in the given order; rows must exist.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let y = rows.iter().map(|&i| self.y[i]).collect();
        Self { x: self.x.select(Axis(0), rows), y, classes: self.classes }
    }

    /// Row numbers of a class, ascending.
    #[must_use]
    pub fn rows_of(&self, class: u32) -> Vec<usize> {
        (0..self.y.len()).filter(|&i| self.y[i] == class).collect()
    }

    /// Appends rows (m×d, row-major) of one class.
    ///
    /// # Panics
    /// If `values` does not consist of whole rows.
    pub fn append(&mut self, values: Vec<f64>, class: u32) {
        let columns = self.x.ncols();
        let rows = values.len() / columns;
        let more = Array2::from_shape_vec((rows, columns), values).expect("whole rows");
        self.x.append(Axis(0), more.view()).expect("as many columns");
        self.y.resize(self.y.len() + rows, class);
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_its_place() {
        let x = || array![[1.0, 2.0], [3.0, 4.0]];
        assert!(Samples::new(x(), vec![0, 1], 2).is_ok());
        let refused = |x, y, classes| Samples::new(x, y, classes).unwrap_err();
        assert_eq!(refused(x(), vec![0], 2), SamplesError::Length { rows: 2, labels: 1 });
        let label = SamplesError::Label { row: 1, label: 2, classes: 2 };
        assert_eq!(refused(x(), vec![0, 2], 2), label);
        let bad = array![[1.0, 2.0], [f64::NAN, 0.0]];
        assert_eq!(refused(bad, vec![0, 1], 2), SamplesError::NotFinite { row: 1, column: 0 });
        let empty = SamplesError::Empty { rows: 2, columns: 2, classes: 1 };
        assert_eq!(refused(x(), vec![0, 0], 1), empty);
    }

    #[test]
    fn rows_are_selected_counted_and_appended() {
        let mut s = Samples::new(array![[1.0], [2.0], [3.0]], vec![0, 2, 0], 3).unwrap();
        assert_eq!(s.counts(), [2, 0, 1]);
        assert_eq!(s.rows_of(0), [0, 2]);
        s.append(vec![7.0, 8.0], 1);
        assert_eq!(s.y, [0, 2, 0, 1, 1]);
        assert_eq!(s.select(&[4, 1]).x, array![[8.0], [2.0]]);
    }
}
