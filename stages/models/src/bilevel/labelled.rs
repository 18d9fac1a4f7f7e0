//! A part of a data set: a design matrix and one target per row.

use numerics::linalg::design::Design;

/// Why a part was refused.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum Error {
    /// Rows and targets differ in number.
    #[error("{rows} rows but {targets} targets")]
    Length {
        /// Number of rows of the design matrix.
        rows: usize,
        /// Number of targets.
        targets: usize,
    },
    /// A target that the model cannot use.
    #[error("target {value} in row {row}: {expected}")]
    Target {
        /// Row of the target.
        row: usize,
        /// Its value.
        value: f64,
        /// The accepted values.
        expected: &'static str,
    },
    /// The parts have different numbers of columns.
    #[error("parts with {0} and {1} columns")]
    Columns(usize, usize),
    /// A part is empty.
    #[error("a part without rows or columns")]
    Empty,
    /// A feature is NaN or infinite.
    #[error("a feature is not finite")]
    NotFinite,
}

/// Samples with their targets (±1 for two classes, 0..c for c classes, real for regression).
#[derive(Debug, Clone, PartialEq)]
pub struct Labelled {
    /// Features, one row per sample.
    pub features: Design,
    /// Targets, one per row.
    pub targets: Vec<f64>,
}

impl Labelled {
    /// Pairs features with targets.
    ///
    /// # Errors
    /// If they differ in length, are empty, or hold a value that is not finite.
    pub fn new(features: Design, targets: Vec<f64>) -> Result<Self, Error> {
        let rows = features.n_rows();
        if rows != targets.len() {
            return Err(Error::Length { rows, targets: targets.len() });
        }
        if rows == 0 || features.n_cols() == 0 {
            return Err(Error::Empty);
        }
        let finite = match &features {
            Design::Dense(a) => a.iter().all(|v| v.is_finite()),
            Design::Sparse(_) => true, // checked at construction
        };
        if !finite {
            return Err(Error::NotFinite);
        }
        let part = Self { features, targets };
        part.check(f64::is_finite, "expected a finite number")?;
        Ok(part)
    }

    /// Checks every target.
    ///
    /// # Errors
    /// Names the first target that `accept` refuses.
    pub fn check(&self, accept: impl Fn(f64) -> bool, expected: &'static str) -> Result<(), Error> {
        match self.targets.iter().position(|&t| !accept(t)) {
            Some(row) => Err(Error::Target { row, value: self.targets[row], expected }),
            None => Ok(()),
        }
    }

    /// The chosen rows, in the given order; rows must exist.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            features: self.features.select(rows),
            targets: rows.iter().map(|&i| self.targets[i]).collect(),
        }
    }
}

/// Train (inner), test (outer) and validation (generalisation) parts of one data set.
#[derive(Debug, Clone, PartialEq)]
pub struct Thirds {
    /// Part of the inner objective.
    pub train: Labelled,
    /// Part of the outer objective.
    pub test: Labelled,
    /// Part that measures generalisation.
    pub validation: Labelled,
}

impl Thirds {
    /// Splits rows by the part each belongs to (0 train, 1 test, 2 validation).
    pub fn by_part(data: &Labelled, part: impl Fn(usize) -> usize) -> Self {
        let rows = |p| (0..data.targets.len()).filter(|&i| part(i) == p).collect::<Vec<_>>();
        Self {
            train: data.select(&rows(0)),
            test: data.select(&rows(1)),
            validation: data.select(&rows(2)),
        }
    }

    /// Checks that the parts share their columns and that every target is acceptable.
    ///
    /// # Errors
    /// Names the first difference.
    pub fn check(
        &self,
        accept: impl Fn(f64) -> bool + Copy,
        expected: &'static str,
    ) -> Result<(), Error> {
        let columns = self.train.features.n_cols();
        for part in [&self.train, &self.test, &self.validation] {
            if part.targets.is_empty() {
                return Err(Error::Empty);
            }
            if part.features.n_cols() != columns {
                return Err(Error::Columns(columns, part.features.n_cols()));
            }
            part.check(accept, expected)?;
        }
        Ok(())
    }
}
