//! Tables as Parquet, with the same bytes for the same rows: fixed writer settings, a fixed `created_by`, no time
//! stamps. Independent of stages and stores.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{DataType, Schema};
use bytes::Bytes;
use parquet::{
    arrow::{ArrowWriter, arrow_reader::ParquetRecordBatchReaderBuilder},
    basic::{Compression, Encoding, ZstdLevel},
    file::{
        properties::{WriterProperties, WriterVersion},
        reader::ChunkReader,
    },
    schema::types::ColumnPath,
};

use crate::{
    digest::Digest,
    disk::{Disk, Handle, Open},
    error::{Error, Exit, Result},
};

fn properties(schema: &Schema) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_created_by("retune".to_owned())
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(1 << 20));
    // Byte strings of a fixed length are written plainly: not every reader knows the encoding that would be chosen.
    let fixed = |kind: &DataType| matches!(kind, DataType::FixedSizeBinary(_));
    for field in schema.fields().iter().filter(|field| fixed(field.data_type())) {
        let path = || ColumnPath::from(field.name().as_str());
        properties = properties
            .set_column_encoding(path(), Encoding::PLAIN)
            .set_column_dictionary_enabled(path(), false);
    }
    properties.build()
}

fn broken(doing: &str, path: &Path, source: &dyn std::fmt::Display) -> Error {
    Error::new(Exit::Store, format!("cannot {doing} {}: {source}", path.display()))
}

/// Writes `batch` to a new file at `path`. The same batch gives the same bytes.
///
/// ```
/// use arrow_array::record_batch;
/// use pipeline::table;
///
/// let dir = tempfile::tempdir()?;
/// let batch = record_batch!(("x", Float64, [1.0, 2.0]))?;
/// let (a, b) = (table::file_name(dir.path(), "a"), table::file_name(dir.path(), "b"));
/// table::write(&a, &batch)?;
/// table::write(&b, &batch)?;
/// assert_eq!(table::read(&a)?, batch);
/// assert_eq!(table::rows(&a)?, 2);
/// assert_eq!(std::fs::read(&a)?, std::fs::read(&b)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the file cannot be written; no file is left then.
pub fn write(path: &Path, batch: &RecordBatch) -> Result<()> {
    write_on(&Disk::default(), path, batch).map(drop)
}

/// The same on any disk.
pub(crate) fn write_on(disk: &Disk, path: &Path, batch: &RecordBatch) -> Result<Handle> {
    let file = disk.open(path, Open::New).map_err(|e| Error::io("create", path, &e))?;
    // Half a table is of no use, and on a full disk its space is needed for the message.
    fill(file, path, batch).inspect_err(|_| drop(disk.remove(path)))
}

fn fill(mut file: Handle, path: &Path, batch: &RecordBatch) -> Result<Handle> {
    let properties = properties(batch.schema_ref());
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties))
        .map_err(|e| explain(path, e))?;
    // `close` and not `into_inner`: for the last bytes, which may be all of them, the latter does not keep the
    // original error.
    let written = writer.write(batch).and_then(|()| writer.close());
    written.map_err(|e| explain(path, e))?;
    Ok(file)
}

/// Parquet wraps the I/O error that it met; the remedy depends on which one it was.
fn explain(path: &Path, source: parquet::errors::ParquetError) -> Error {
    use parquet::errors::ParquetError::External;
    match &source {
        External(inner) => match inner.downcast_ref::<std::io::Error>() {
            Some(io) => Error::io("write", path, io),
            None => broken("write", path, &source),
        },
        _ => broken("write", path, &source),
    }
}

/// Reads the whole table at `path` as one batch.
///
/// # Errors
/// When the file is missing or is not a Parquet table.
pub fn read(path: &Path) -> Result<RecordBatch> {
    parse(path, File::open(path).map_err(|e| Error::io("open", path, &e))?)
}

/// Reads the table at `path` if its content has this digest; otherwise returns the digest that it has. The bytes that
/// are hashed are the bytes that are read, whoever writes to the file meanwhile.
///
/// # Errors
/// When the file is missing or is not a Parquet table.
pub(crate) fn read_checked(
    disk: &Disk,
    path: &Path,
    digest: Digest,
) -> Result<Result<RecordBatch, Digest>> {
    let content = disk.read(path).map_err(|e| Error::io("read", path, &e))?;
    let found = Digest::of(&content);
    if found != digest {
        return Ok(Err(found));
    }
    Ok(Ok(parse(path, Bytes::from(content))?))
}

/// The whole table as one batch. `path` is for messages.
fn parse(path: &Path, content: impl ChunkReader + 'static) -> Result<RecordBatch> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(content)
        .and_then(|builder| builder.with_batch_size(1 << 20).build())
        .map_err(|e| broken("read", path, &e))?;
    let schema = reader.schema();
    let batches = reader.collect::<Result<Vec<_>, _>>().map_err(|e| broken("read", path, &e))?;
    concat(&schema, &batches).map_err(|e| broken("read", path, &e))
}

fn concat(
    schema: &Arc<Schema>,
    batches: &[RecordBatch],
) -> Result<RecordBatch, arrow_schema::ArrowError> {
    match batches {
        [one] => Ok(one.clone()),
        _ => arrow_select::concat::concat_batches(schema, batches),
    }
}

/// The number of rows in a Parquet file, from its footer alone.
///
/// # Errors
/// When the file is missing or is not a Parquet table.
pub fn rows(path: &Path) -> Result<usize> {
    let file = File::open(path).map_err(|e| Error::io("open", path, &e))?;
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| broken("read", path, &e))?;
    Ok(usize::try_from(reader.metadata().file_metadata().num_rows()).unwrap_or(0))
}

/// The name under which a stage's output `name` is written in its attempt folder.
#[must_use]
pub fn file_name(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!("{name}.parquet"))
}

#[cfg(test)]
mod tests {
    use arrow_array::record_batch;

    use super::*;

    #[test]
    fn a_table_is_read_if_it_is_the_one_that_was_recorded() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("table.parquet");
        let batch = record_batch!(("x", Float64, [1.0, 2.0])).unwrap();
        write(&path, &batch).unwrap();
        let digest = Digest::of_file(&path).unwrap();
        let disk = Disk::default();
        assert_eq!(read_checked(&disk, &path, digest).unwrap(), Ok(batch));
        let other = Digest::of(b"another table");
        assert_eq!(
            read_checked(&disk, &path, other).unwrap(),
            Err(digest),
            "what was found is told"
        );
        assert!(read_checked(&disk, &dir.path().join("none"), digest).is_err());
    }
}
