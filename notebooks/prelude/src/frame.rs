//! Tables as data frames of polars, with the feature `polars`.

use polars::{
    frame::DataFrame,
    prelude::{IntoColumn as _, NamedFrom as _, Series},
};

use crate::{
    error::{Error, Result},
    table::{Column, Table},
};

impl Table {
    /// This table as a data frame, for what polars does with one. Missing numbers are NaN.
    ///
    /// The notebook asks for the feature: `:dep prelude = { path = "prelude", features = ["polars"] }`, which builds
    /// polars first (minutes, once); `prelude::polars` is the crate.
    ///
    /// # Errors
    /// If polars refuses the columns.
    pub fn polars(&self) -> Result<DataFrame> {
        let column = |(name, column): &(String, Column)| {
            let name = name.as_str().into();
            let series = match column {
                Column::Number(values) => Series::new(name, values),
                Column::Text(values) => Series::new(name, values),
                Column::Flag(values) => Series::new(name, values),
            };
            series.into_column()
        };
        let columns = self.columns().iter().map(column).collect();
        DataFrame::new(self.rows(), columns).map_err(Error::store)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};

    use super::*;

    #[test]
    fn numbers_texts_and_flags_arrive() {
        let x: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.5]));
        let name: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
        let on: ArrayRef = Arc::new(BooleanArray::from(vec![true, false]));
        let batch = RecordBatch::try_from_iter([("x", x), ("name", name), ("on", on)]).unwrap();
        let frame = Table::from_batch(&batch, "toy/data", "main", "").unwrap().polars().unwrap();
        assert_eq!(frame.shape(), (2, 3));
        assert_eq!(frame.column("x").unwrap().f64().unwrap().get(1), Some(2.5));
        assert_eq!(frame.column("name").unwrap().str().unwrap().get(0), Some("a"));
        assert_eq!(frame.column("on").unwrap().bool().unwrap().get(1), Some(false));
    }
}
