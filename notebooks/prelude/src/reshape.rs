//! Derives tables from tables: adds columns, selects rows, aggregates rows.

use std::collections::BTreeMap;

use crate::{
    error::Result,
    table::{Column, Table},
};

impl Table {
    /// This table with the number column `name`, one value per row; rows without a value get NaN.
    #[must_use]
    pub fn with(&self, name: &str, mut values: Vec<f64>) -> Self {
        values.resize(self.rows(), f64::NAN);
        self.plus(name, Column::Number(values))
    }

    /// This table with the text column `name`, computed by `text` from the displayed values of each row in
    /// the columns `from`.
    ///
    /// # Errors
    /// If there is no such column.
    pub fn named(&self, name: &str, from: &[&str], text: fn(&[String]) -> String) -> Result<Self> {
        let shown = (0..self.rows()).map(|row| Ok(text(&self.shown(row, from)?)));
        let values = shown.collect::<Result<Vec<String>>>()?;
        Ok(self.plus(name, Column::Text(values)))
    }

    /// This table with the column `name`: the column `over` divided by the column `under`.
    ///
    /// # Errors
    /// If there is no such number column.
    pub fn ratio(&self, name: &str, over: &str, under: &str) -> Result<Self> {
        let (a, b) = (self.column::<f64>(over)?, self.column::<f64>(under)?);
        Ok(self.with(name, a.iter().zip(b).map(|(a, b)| a / b).collect()))
    }

    /// This table with the number column `name` times `factor`: 100 for a share in per cent.
    ///
    /// # Errors
    /// If there is no such number column.
    pub fn times(&self, name: &str, factor: f64) -> Result<Self> {
        Ok(self.with(name, self.column::<f64>(name)?.iter().map(|v| factor * v).collect()))
    }

    /// This table with other column names: pairs of the old and the new one.
    #[must_use]
    pub fn renamed(&self, names: &[(&str, &str)]) -> Self {
        names.iter().fold(self.clone(), |table, (old, new)| table.rename(old, new))
    }

    /// The rows whose number column `name` is `value`.
    ///
    /// # Errors
    /// If there is no such number column.
    pub fn at(&self, name: &str, value: f64) -> Result<Self> {
        let column = self.column::<f64>(name)?;
        Ok(self.pick(&(0..self.rows()).filter(|&r| column[r] == value).collect::<Vec<_>>()))
    }

    /// The rows whose flag `name` is set.
    ///
    /// # Errors
    /// If there is no such flag.
    pub fn where_set(&self, name: &str) -> Result<Self> {
        let column = self.column::<bool>(name)?;
        Ok(self.pick(&(0..self.rows()).filter(|&r| column[r]).collect::<Vec<_>>()))
    }

    /// The rows whose text column `name` is not empty.
    ///
    /// # Errors
    /// If there is no such text column.
    pub fn filled(&self, name: &str) -> Result<Self> {
        let column = self.column::<String>(name)?;
        Ok(self.pick(&(0..self.rows()).filter(|&r| !column[r].is_empty()).collect::<Vec<_>>()))
    }

    /// One row for each combination of the columns `by`, in order of first appearance, with the
    /// mean of each of `means` over its rows; what is not a number does not count.
    ///
    /// # Errors
    /// If there is no such column.
    pub fn means(&self, by: &[&str], means: &[&str]) -> Result<Self> {
        let groups = self.groups(by)?;
        let first: Vec<usize> = groups.iter().map(|rows| rows[0]).collect();
        let mut out = self.pick(&first).keep(by);
        for name in means {
            let column = self.column::<f64>(name)?;
            let mean = |rows: &Vec<usize>| {
                let held: Vec<f64> =
                    rows.iter().map(|&r| column[r]).filter(|v| v.is_finite()).collect();
                held.iter().sum::<f64>() / held.len() as f64
            };
            out = out.with(name, groups.iter().map(mean).collect());
        }
        Ok(out)
    }

    /// One row for each combination of the columns `by`, with a number column for each value of the text
    /// column `names`: the number in `values` of the row with that name.
    ///
    /// # Errors
    /// If there is no such column.
    pub fn wide(&self, by: &[&str], names: &str, values: &str) -> Result<Self> {
        let groups = self.groups(by)?;
        let (name, value) = (self.column::<String>(names)?, self.column::<f64>(values)?);
        let first: Vec<usize> = groups.iter().map(|rows| rows[0]).collect();
        let mut out = self.pick(&first).keep(by);
        for wanted in self.values(names)? {
            let find = |rows: &Vec<usize>| {
                rows.iter().find(|&&r| name[r] == wanted).map_or(f64::NAN, |&r| value[r])
            };
            out = out.with(&wanted, groups.iter().map(find).collect());
        }
        Ok(out)
    }

    /// The reverse of [`Table::wide`]: one row for each row and each number column of `columns`, with its
    /// number in `value` and the column's label, the second of the pair, in `name`.
    ///
    /// # Errors
    /// If there is no such column.
    pub fn long(
        &self,
        by: &[&str],
        columns: &[(&str, &str)],
        name: &str,
        value: &str,
    ) -> Result<Self> {
        let rows: Vec<usize> = columns.iter().flat_map(|_| 0..self.rows()).collect();
        let names = columns.iter().flat_map(|c| std::iter::repeat_n(c.1.to_owned(), self.rows()));
        let mut values = Vec::with_capacity(rows.len());
        for (column, _) in columns {
            values.extend_from_slice(self.column::<f64>(column)?);
        }
        let long = self.pick(&rows).keep(by).plus(name, Column::Text(names.collect()));
        Ok(long.with(value, values))
    }

    /// The rows of each combination of the columns `by`, in order of first appearance.
    fn groups(&self, by: &[&str]) -> Result<Vec<Vec<usize>>> {
        let mut places: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (row, key) in self.row_keys(by)?.into_iter().enumerate() {
            let place = *places.entry(key).or_insert(groups.len());
            if place == groups.len() {
                groups.push(Vec::new());
            }
            groups[place].push(row);
        }
        Ok(groups)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};

    use super::*;

    fn toy() -> Table {
        let batch = RecordBatch::try_from_iter([
            ("task", Arc::new(StringArray::from(vec!["b", "b", "a", "b"])) as ArrayRef),
            ("measure", Arc::new(StringArray::from(vec!["pd", "pf", "pd", ""]))),
            ("tuned", Arc::new(BooleanArray::from(vec![true, false, true, false]))),
            ("value", Arc::new(Float64Array::from(vec![Some(1.0), Some(2.0), Some(4.0), None]))),
        ]);
        Table::from_batch(&batch.unwrap(), "toy", "main", "k").unwrap()
    }

    #[test]
    fn means_leave_out_what_is_no_number_and_keep_the_order() {
        let means = toy().means(&["task"], &["value"]).unwrap();
        assert_eq!(means.column::<String>("task").unwrap(), ["b", "a"]);
        assert_eq!(means.column::<f64>("value").unwrap(), [1.5, 4.0]);
        assert!(means.column::<String>("measure").is_err());
    }

    #[test]
    fn wide_has_a_column_for_each_name() {
        let wide = toy().filled("measure").unwrap().wide(&["task"], "measure", "value").unwrap();
        assert_eq!(wide.column::<f64>("pd").unwrap(), [1.0, 4.0]);
        let pf = wide.column::<f64>("pf").unwrap();
        assert!(pf[0] == 2.0 && pf[1].is_nan());
        let long =
            wide.long(&["task"], &[("pf", "alarm"), ("pd", "recall")], "what", "value").unwrap();
        assert_eq!(long.column::<String>("what").unwrap(), ["alarm", "alarm", "recall", "recall"]);
        assert_eq!(long.column::<f64>("value").unwrap()[2..], [1.0, 4.0]);
    }

    #[test]
    fn columns_are_added_and_rows_chosen() {
        let named = toy().named("what", &["task", "tuned"], |row| row.join("/")).unwrap();
        assert_eq!(named.column::<String>("what").unwrap(), ["b/yes", "b/no", "a/yes", "b/no"]);
        let other = toy().renamed(&[("value", "score")]);
        assert!(other.column::<f64>("score").is_ok() && other.column::<f64>("value").is_err());
        assert_eq!(toy().where_set("tuned").unwrap().rows(), 2);
        assert_eq!(toy().at("value", 2.0).unwrap().rows(), 1);
        let twice = toy().with("two", vec![2.0; 4]).ratio("half", "value", "two").unwrap();
        assert_eq!(twice.column::<f64>("half").unwrap()[2], 2.0);
    }
}
