//! Images as a table of a stage. Separate from [`crate::port`], which is also used by stages without images.

use arrow_array::RecordBatch;
use data::{image_table, images::Images};

use crate::{
    port::{ReadTable, Table},
    table::TableError,
};

/// A table of images with their classes.
pub struct ImageTable;

impl Table for ImageTable {
    type Held<'h> = Images;

    fn batch(held: Images) -> Result<RecordBatch, TableError> {
        image_table::encode(held).map_err(|e| TableError::new(e.to_string()))
    }
}

impl ReadTable for ImageTable {
    type Read = Images;

    fn read(table: RecordBatch) -> Result<Images, TableError> {
        image_table::decode(&table).map_err(|e| TableError::new(e.to_string()))
    }
}
