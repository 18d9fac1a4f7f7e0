//! Tables one below the other.

use crate::{
    error::Result,
    table::{Column, Table},
};

/// The values of a column and then those of `more`, or as many missing ones; `None` if they are of another type.
fn extended(column: &Column, more: Option<&Column>, rows: usize) -> Option<Column> {
    use Column::{Flag, Number, Text};

    let missing = match column {
        Number(_) => Number(vec![f64::NAN; rows]),
        Text(_) => Text(vec![String::new(); rows]),
        Flag(_) => Flag(vec![false; rows]),
    };
    Some(match (column, more.unwrap_or(&missing)) {
        (Number(a), Number(b)) => Number([&a[..], b].concat()),
        (Text(a), Text(b)) => Text([&a[..], b].concat()),
        (Flag(a), Flag(b)) => Flag([&a[..], b].concat()),
        _ => return None,
    })
}

impl Table {
    /// These rows, and below them those of `other`: in the columns of this table, of which `other` may lack some.
    ///
    /// # Errors
    /// If a column has another type there.
    pub fn stacked(&self, other: &Self) -> Result<Self> {
        if self.is_absent() {
            return Ok(self.clone());
        }
        let extend = |(name, column): &(String, Column)| {
            let whole = extended(column, other.find(name), other.rows());
            Ok((name.clone(), whole.ok_or_else(|| other.lacking(name, column.kind()))?))
        };
        let columns = self.columns().iter().map(extend).collect::<Result<_>>()?;
        Ok(self.of(columns, self.rows() + other.rows()))
    }
}
