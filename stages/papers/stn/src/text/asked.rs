//! The table of what a search asks for: configurations by name, and for how many epochs.

use arrow_array::RecordBatch;
use kit::table::{Columns, Rows, TableError};
use pipeline::stage::Stop;

/// A configuration to train.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Number within the search.
    pub number: u32,
    /// For how many epochs.
    pub epochs: u32,
    /// Hyper-parameters with their values.
    pub values: Vec<(String, f64)>,
}

impl Asked {
    /// The value of a hyper-parameter.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<f64> {
        self.values.iter().find(|(own, _)| own == name).map(|(_, value)| *value)
    }
}

/// One row a configuration and hyper-parameter.
///
/// # Errors
/// When columns have different numbers of rows; here all are made of the same ones.
pub fn table(all: &[Asked]) -> Result<RecordBatch, TableError> {
    let rows: Vec<(u32, &Asked, &(String, f64))> = (0..)
        .zip(all)
        .flat_map(|(row, asked)| asked.values.iter().map(move |value| (row, asked, value)))
        .collect();
    Columns::new()
        .index("row", "place in the round, from 0", rows.iter().map(|r| r.0))
        .index("number", "number within the search, from 0", rows.iter().map(|r| r.1.number))
        .index("epochs", "epochs to train", rows.iter().map(|r| r.1.epochs))
        .text("name", "hyper-parameter", rows.iter().map(|r| &r.2.0))
        .real("value", "its value", rows.iter().map(|r| r.2.1))
        .batch()
}

/// The configurations that [`table`] has written.
///
/// # Errors
/// When a column is missing.
pub fn read(table: &RecordBatch) -> Result<Vec<Asked>, Stop> {
    let rows = Rows(table);
    let (row, number, epochs) = (rows.index("row")?, rows.index("number")?, rows.index("epochs")?);
    let (name, value) = (rows.text("name")?, rows.real("value")?);
    let mut all: Vec<Asked> = Vec::new();
    for (i, name) in name.into_iter().enumerate() {
        if row[i] as usize == all.len() {
            all.push(Asked { number: number[i], epochs: epochs[i], values: Vec::new() });
        }
        let last = all.last_mut().ok_or_else(|| Stop::Failed("rows begin after 0".to_owned()))?;
        last.values.push((name, value[i]));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_come_back() {
        let one = |number, value| Asked {
            number,
            epochs: 4,
            values: vec![("a".to_owned(), value), ("b".to_owned(), 2.0)],
        };
        let all = vec![one(3, 0.1), one(4, 0.2)];
        let back = read(&table(&all).unwrap()).unwrap();
        assert_eq!(back, all);
        assert_eq!((back[1].value("a"), back[1].value("c")), (Some(0.2), None));
    }
}
