//! Columns of a table as an array.

use ndarray::Array2;

use crate::{error::Result, table::Table};

impl Table {
    /// The number columns `names` side by side: an array with a row per row of the table and a column per name.
    ///
    /// ```no_run
    /// # fn cell() -> prelude::Result<()> {
    /// # let nb = prelude::open()?;
    /// let curve = nb.table("toy/figures/curve")?.array(&["x", "y"])?;
    /// let centred = &curve - &curve.mean_axis(prelude::ndarray::Axis(0)).unwrap_or_default();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If there is no such number column.
    pub fn array(&self, names: &[&str]) -> Result<Array2<f64>> {
        let columns =
            names.iter().map(|name| self.column::<f64>(name)).collect::<Result<Vec<_>>>()?;
        let rows = columns.first().map_or(0, |column| column.len());
        Ok(Array2::from_shape_fn((rows, names.len()), |(row, column)| columns[column][row]))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};

    use super::*;

    #[test]
    fn columns_lie_side_by_side_in_the_order_of_their_names() {
        let x: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0]));
        let y: ArrayRef = Arc::new(Float64Array::from(vec![Some(3.0), None]));
        let name: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
        let batch = RecordBatch::try_from_iter([("x", x), ("y", y), ("name", name)]).unwrap();
        let table = Table::from_batch(&batch, "toy/data", "main", "").unwrap();
        let array = table.array(&["y", "x"]).unwrap();
        assert_eq!(array.dim(), (2, 2));
        assert_eq!((array[(0, 0)], array[(0, 1)], array[(1, 1)]), (3.0, 1.0, 2.0));
        assert!(array[(1, 0)].is_nan());
        let error = table.array(&["name"]).unwrap_err().to_string();
        assert!(error.contains("`name`"), "{error}");
    }
}
