//! The sizes of artifacts, read from their footers on first use.

use std::{cell::RefCell, collections::HashMap, fs::File};

use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::{digest::Digest, store::Store, work::Size};

/// Artifact → size.
pub(super) struct Sizes<'a> {
    store: &'a Store,
    found: RefCell<HashMap<Digest, Option<Size>>>,
}

impl<'a> Sizes<'a> {
    pub(super) fn new(store: &'a Store) -> Self {
        Self { store, found: RefCell::default() }
    }

    /// The size of an artifact; `None` if it is gone.
    pub(super) fn of(&self, digest: Digest) -> Option<Size> {
        *self.found.borrow_mut().entry(digest).or_insert_with(|| self.read(digest))
    }

    fn read(&self, digest: Digest) -> Option<Size> {
        let file = File::open(self.store.object(digest)).ok()?;
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).ok()?;
        let rows = usize::try_from(reader.metadata().file_metadata().num_rows()).ok()?;
        let width = |kind: &DataType| match kind {
            DataType::FixedSizeBinary(bytes) => usize::try_from(*bytes).unwrap_or(1),
            _ => 1,
        };
        let columns = reader.schema().fields().iter().map(|field| width(field.data_type())).sum();
        Some(Size::new(rows, columns))
    }
}
