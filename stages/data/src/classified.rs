//! Rows with class labels, and a training part with its test part: the input of learners.

use ndarray::{Array2, Axis};

use super::loaded::{Features, Loaded, Target};
use super::split::Rows;

/// A data set that is not one of dense features with classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClassifiedError {
    /// The design matrix is sparse.
    #[error("the design matrix is sparse; a dense one is needed")]
    Sparse,
    /// The target is real-valued.
    #[error("the target is a real number; bin it into classes first")]
    Real,
    /// [`Loaded::fault`] says why.
    #[error("the data contradict themselves: {0}")]
    Fault(&'static str),
}

/// Dense features with one class per row. All values finite, all labels below the number of classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Classified {
    /// n × d, row-major.
    pub x: Array2<f64>,
    /// Class of each of the n rows, from 0.
    pub labels: Vec<usize>,
    /// Names of the classes; there may be more than `labels` uses.
    pub class_names: Vec<String>,
    /// One name for each of the d columns.
    pub feature_names: Vec<String>,
}

impl Classified {
    /// Number of classes.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.class_names.len()
    }

    /// How many rows each class has, in the order of classes.
    #[must_use]
    pub fn class_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.classes()];
        for &label in &self.labels {
            counts[label] += 1;
        }
        counts
    }

    /// The given rows, in the given order.
    ///
    /// # Panics
    /// If a row is out of range.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            x: self.x.select(Axis(0), rows),
            labels: rows.iter().map(|&row| self.labels[row]).collect(),
            class_names: self.class_names.clone(),
            feature_names: self.feature_names.clone(),
        }
    }

    /// The same rows without the columns of these names.
    #[must_use]
    pub fn without(&self, names: &[&str]) -> Self {
        let kept: Vec<usize> = (0..self.feature_names.len())
            .filter(|&column| !names.contains(&self.feature_names[column].as_str()))
            .collect();
        Self {
            x: self.x.select(Axis(1), &kept),
            labels: self.labels.clone(),
            class_names: self.class_names.clone(),
            feature_names: kept.iter().map(|&column| self.feature_names[column].clone()).collect(),
        }
    }

    /// Divides the rows into the two parts of `rows`.
    ///
    /// # Panics
    /// If a row is out of range.
    #[must_use]
    pub fn split(&self, rows: &Rows) -> TrainTest {
        TrainTest { train: self.select(&rows.train), test: self.select(&rows.test) }
    }
}

impl TryFrom<Loaded> for Classified {
    type Error = ClassifiedError;

    fn try_from(loaded: Loaded) -> Result<Self, ClassifiedError> {
        if let Some(fault) = loaded.fault() {
            return Err(ClassifiedError::Fault(fault));
        }
        match (loaded.x, loaded.y) {
            (Features::Sparse(_), _) => Err(ClassifiedError::Sparse),
            (_, Target::Real(_)) => Err(ClassifiedError::Real),
            (Features::Dense(x), Target::Classes { labels, names }) => Ok(Self {
                // Row-major, whatever its layout was.
                x: x.as_standard_layout().into_owned(),
                labels: labels.into_iter().map(|label| label as usize).collect(),
                class_names: names,
                feature_names: loaded.feature_names,
            }),
        }
    }
}

/// Two parts with the same columns and classes.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainTest {
    /// The rows to learn from.
    pub train: Classified,
    /// The rows to evaluate on.
    pub test: Classified,
}

#[cfg(test)]
mod tests {
    use ndarray::{ShapeBuilder, array};

    use super::*;

    fn loaded() -> Loaded {
        Loaded {
            x: Features::Dense(array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
            y: Target::Classes {
                labels: vec![1, 0, 1],
                names: vec!["a".into(), "b".into(), "c".into()],
            },
            feature_names: vec!["p".into(), "q".into()],
        }
    }

    #[test]
    fn parts_and_columns_are_taken() {
        let data = Classified::try_from(loaded()).unwrap();
        assert_eq!((data.classes(), data.class_counts()), (3, vec![1, 2, 0]));
        let parts = data.split(&Rows { train: vec![2, 1], test: vec![0] });
        assert_eq!(parts.train.x, array![[5.0, 6.0], [3.0, 4.0]]);
        assert_eq!((parts.train.labels, parts.test.labels), (vec![1, 0], vec![1]));
        let narrow = data.without(&["p", "z"]);
        assert_eq!(
            (narrow.x, narrow.feature_names),
            (array![[2.0], [4.0], [6.0]], vec!["q".into()])
        );
    }

    #[test]
    fn the_matrix_is_row_major_whatever_came() {
        let columns =
            Array2::from_shape_vec((3, 2).f(), vec![1.0, 3.0, 5.0, 2.0, 4.0, 6.0]).unwrap();
        let data =
            Classified::try_from(Loaded { x: Features::Dense(columns), ..loaded() }).unwrap();
        assert_eq!(data.x.as_slice(), Some(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]));
    }

    #[test]
    fn what_has_no_classes_is_refused() {
        let real = Loaded { y: Target::Real(vec![0.0; 3]), ..loaded() };
        assert_eq!(Classified::try_from(real), Err(ClassifiedError::Real));
        let short = Loaded { feature_names: Vec::new(), ..loaded() };
        assert!(matches!(Classified::try_from(short), Err(ClassifiedError::Fault(_))));
    }
}
