//! A data set in memory: design matrix and target.

use ndarray::{Array2, Axis};

/// Design matrix, target and names. Rows are instances.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// Design matrix, rows × features.
    pub x: Features,
    /// One value per row.
    pub y: Target,
    /// One name per column of `x`.
    pub feature_names: Vec<String>,
}

/// A design matrix, rows × features, all values finite.
#[derive(Clone, Debug, PartialEq)]
pub enum Features {
    /// Every value stored, row-major.
    Dense(Array2<f64>),
    /// Only the non-zero values stored.
    Sparse(Sparse),
}

/// Compressed sparse rows: row `i` holds `indices[indptr[i]..indptr[i + 1]]`, ascending, and the
/// corresponding values.
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// `rows + 1` offsets into `indices` and `values`.
    pub indptr: Vec<usize>,
    /// Column of each stored value.
    pub indices: Vec<u32>,
    /// The stored values.
    pub values: Vec<f64>,
}

/// The target to be predicted, one value per row.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// Class membership.
    Classes {
        /// Index into `names`, one per row.
        labels: Vec<u32>,
        /// Names of the classes.
        names: Vec<String>,
    },
    /// A real number per row.
    Real(Vec<f64>),
}

impl Sparse {
    /// Columns and values of row `i`.
    ///
    /// # Panics
    /// If `i` is not below `rows`.
    #[must_use]
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.indptr[i]..self.indptr[i + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// The given rows, in the given order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let mut indptr = Vec::with_capacity(rows.len() + 1);
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        indptr.push(0);
        for &row in rows {
            let (columns, entries) = self.row(row);
            indices.extend_from_slice(columns);
            values.extend_from_slice(entries);
            indptr.push(indices.len());
        }
        Self { rows: rows.len(), cols: self.cols, indptr, indices, values }
    }

    fn fault(&self) -> Option<&'static str> {
        let offsets = self.indptr.len() == self.rows + 1
            && self.indptr.first() == Some(&0)
            && self.indptr.last() == Some(&self.indices.len())
            && self.indptr.is_sorted();
        if !offsets || self.indices.len() != self.values.len() {
            return Some("row offsets, columns and values do not fit together");
        }
        let ordered = (0..self.rows).all(|i| {
            let (columns, _) = self.row(i);
            columns.is_sorted_by(|a, b| a < b)
                && columns.last().is_none_or(|&last| (last as usize) < self.cols)
        });
        if !ordered {
            return Some("columns of a sparse row are not ascending or out of range");
        }
        (!self.values.iter().all(|v| v.is_finite())).then_some("a value is not finite")
    }
}

impl Features {
    /// (rows, columns).
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        match self {
            Self::Dense(x) => x.dim(),
            Self::Sparse(x) => (x.rows, x.cols),
        }
    }

    /// The given rows, in the given order.
    ///
    /// # Panics
    /// If a row is out of range.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Dense(x) => Self::Dense(x.select(Axis(0), rows)),
            Self::Sparse(x) => Self::Sparse(x.select(rows)),
        }
    }
}

impl Target {
    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Classes { labels, .. } => labels.len(),
            Self::Real(values) => values.len(),
        }
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of classes; `None` for a real target.
    #[must_use]
    pub fn classes(&self) -> Option<usize> {
        match self {
            Self::Classes { names, .. } => Some(names.len()),
            Self::Real(_) => None,
        }
    }

    /// The given rows, in the given order; the class names stay.
    ///
    /// # Panics
    /// If a row is out of range.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Classes { labels, names } => Self::Classes {
                labels: rows.iter().map(|&row| labels[row]).collect(),
                names: names.clone(),
            },
            Self::Real(values) => Self::Real(rows.iter().map(|&row| values[row]).collect()),
        }
    }
}

impl Loaded {
    /// The given rows, in the given order.
    ///
    /// # Panics
    /// If a row is out of range.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            x: self.x.select(rows),
            y: self.y.select(rows),
            feature_names: self.feature_names.clone(),
        }
    }

    /// The first inconsistency found, if there is one: lengths that differ, a value that is not finite, a
    /// label without a name.
    #[must_use]
    pub fn fault(&self) -> Option<&'static str> {
        let (rows, columns) = self.x.shape();
        if self.y.len() != rows {
            return Some("the target has another number of rows than the matrix");
        }
        if self.feature_names.len() != columns {
            return Some("there is not one feature name a column");
        }
        let target = match &self.y {
            Target::Classes { labels, names } => labels.iter().all(|&l| (l as usize) < names.len()),
            Target::Real(values) => values.iter().all(|v| v.is_finite()),
        };
        if !target {
            return Some("a target value is not finite or a label has no class");
        }
        match &self.x {
            Features::Sparse(x) => x.fault(),
            Features::Dense(x) => {
                (!x.iter().all(|v| v.is_finite())).then_some("a value is not finite")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sparse() -> Sparse {
        Sparse {
            rows: 3,
            cols: 4,
            indptr: vec![0, 2, 2, 3],
            indices: vec![0, 3, 1],
            values: vec![1.0, 2.0, 3.0],
        }
    }

    #[test]
    fn sparse_rows_are_selected_in_order() {
        let picked = sparse().select(&[2, 0]);
        assert_eq!(picked.indptr, [0, 1, 3]);
        assert_eq!(
            (picked.row(0), picked.row(1)),
            ((&[1][..], &[3.0][..]), (&[0, 3][..], &[1.0, 2.0][..]))
        );
        assert_eq!(picked.fault(), None);
    }

    #[test]
    fn faults_are_seen() {
        let mut x = sparse();
        x.indices[1] = 4;
        assert!(x.fault().is_some());
        let mut x = sparse();
        x.values[0] = f64::NAN;
        assert!(x.fault().is_some());
        let names = (0..4).map(|i| i.to_string()).collect::<Vec<_>>();
        let whole = Loaded {
            x: Features::Sparse(sparse()),
            y: Target::Classes { labels: vec![0, 1, 2], names: vec!["a".into(), "b".into()] },
            feature_names: names,
        };
        assert!(whole.fault().is_some(), "label 2 has no name");
    }
}
