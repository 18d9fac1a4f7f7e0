//! The tables that claims rest on, by role, for papers whose criteria read them as they are.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use pipeline::stage::{Context, Stop};

use crate::table::{Columns, replaced};

/// The inputs that are there.
#[derive(Clone, Default)]
pub struct Tables(BTreeMap<String, RecordBatch>);

impl Tables {
    /// Reads them.
    ///
    /// # Errors
    /// When a table is corrupt.
    pub fn read(cx: &Context) -> Result<Self, Stop> {
        let one = |role: &str| -> Result<_, Stop> { Ok((role.to_owned(), cx.input(role)?)) };
        Ok(Self(cx.roles().map(one).collect::<Result<_, Stop>>()?))
    }

    /// The table of a role, if it could be had.
    #[must_use]
    pub fn get(&self, role: &str) -> Option<&RecordBatch> {
        self.0.get(role)
    }

    /// The same with other values in some columns of one table.
    ///
    /// # Errors
    /// When the table has no such columns, or other rows.
    pub fn with(&self, role: &str, columns: Columns) -> Result<Self, Stop> {
        let mut tables = self.clone();
        if let Some(table) = tables.0.get_mut(role) {
            *table = replaced(table, &columns.batch()?)?;
        }
        Ok(tables)
    }
}
