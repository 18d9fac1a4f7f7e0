//! Converts [`Images`] to one Arrow table and back, without loss.
//!
//! A row is an image: `train` (whether it belongs to the training part; these come first), `label`, and
//! `pixels`, all values channel by channel as one binary value of fixed size. The size of an image follows
//! from it and the number of channels, which is the column `channels`.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt8Type;
use arrow_array::{Array, ArrayRef, BooleanArray, FixedSizeBinaryArray, RecordBatch, UInt8Array};
use arrow_schema::DataType;

use super::{described, images::Images};

/// Images that cannot be written to a table, or a table that holds no images.
#[derive(Debug, thiserror::Error)]
#[error("table of images: {0}")]
pub struct ImageTableError(String);

fn fault(what: impl Into<String>) -> ImageTableError {
    ImageTableError(what.into())
}

/// The table of `images`, which are consumed: the values are not copied.
///
/// # Errors
/// If the images contradict themselves ([`Images::fault`]), or have more than 255 channels.
pub fn encode(images: Images) -> Result<RecordBatch, ImageTableError> {
    if let Some(what) = images.fault() {
        return Err(fault(what));
    }
    let channels = u8::try_from(images.channels).map_err(|_| fault("too many channels"))?;
    let width = i32::try_from(images.values()).map_err(|_| fault("too large an image"))?;
    let n = images.len();
    let train: BooleanArray = (0..n).map(|i| Some(i < images.train)).collect();
    let pixels = FixedSizeBinaryArray::try_new(width, images.pixels.into(), None)
        .map_err(|e| fault(e.to_string()))?;
    described::batch(vec![
        ("train", "whether it is of the training part", Arc::new(train)),
        ("label", "number of the class", Arc::new(UInt8Array::from(images.labels))),
        ("channels", "colours", Arc::new(UInt8Array::from(vec![channels; n]))),
        ("pixels", "all values from 0 to 255, channel by channel, row by row", Arc::new(pixels)),
    ])
    .map_err(|e| fault(e.to_string()))
}

/// The images in `table`.
///
/// # Errors
/// If a column is missing or of another type, or the content contradicts itself.
pub fn decode(table: &RecordBatch) -> Result<Images, ImageTableError> {
    let train = column(table, "train", |kind| *kind == DataType::Boolean)?.as_boolean();
    let byte = |kind: &DataType| *kind == DataType::UInt8;
    let labels = column(table, "label", byte)?.as_primitive::<UInt8Type>();
    let channels = column(table, "channels", byte)?.as_primitive::<UInt8Type>();
    let pixels = column(table, "pixels", |kind| matches!(kind, DataType::FixedSizeBinary(_)))?;
    let pixels = pixels.as_fixed_size_binary();
    let channels = channels.values().first().copied().ok_or_else(|| fault("it is empty"))?;
    let area = usize::try_from(pixels.value_length()).unwrap_or(0) / usize::from(channels).max(1);
    let front = (0..train.len()).take_while(|&i| train.value(i)).count();
    if front != train.true_count() {
        return Err(fault("an image of the training part comes after one of the test part"));
    }
    let images = Images {
        pixels: (0..pixels.len()).flat_map(|i| pixels.value(i)).copied().collect(),
        labels: labels.values().to_vec(),
        size: area.isqrt(),
        channels: channels.into(),
        train: front,
    };
    images.fault().map_or(Ok(images), |what| Err(fault(what)))
}

fn column<'a>(
    table: &'a RecordBatch,
    name: &str,
    is: impl Fn(&DataType) -> bool,
) -> Result<&'a ArrayRef, ImageTableError> {
    let column =
        table.column_by_name(name).ok_or_else(|| fault(format!("it has no column `{name}`")))?;
    if !is(column.data_type()) || column.null_count() > 0 {
        return Err(fault(format!("column `{name}` is {}", column.data_type())));
    }
    Ok(column)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Images {
        let pixels = (0..36).map(|i| i * 7).collect();
        Images { pixels, labels: vec![2, 0, 1], size: 2, channels: 3, train: 2 }
    }

    #[test]
    fn images_come_back_as_they_went() {
        let table = encode(three()).unwrap();
        assert_eq!(decode(&table).unwrap(), three());
        // Part of a table is a table.
        let rest = decode(&table.slice(1, 2)).unwrap();
        assert_eq!((rest.len(), rest.train, rest.image(0)), (2, 1, three().image(1)));
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        assert!(encode(Images { train: 4, ..three() }).is_err());
        assert!(encode(Images { size: 3, ..three() }).is_err());
        let table = encode(three()).unwrap();
        assert!(decode(&table.slice(0, 0)).is_err());
        assert!(decode(&table.project(&[0, 1, 2]).unwrap()).is_err());
        // Test before train.
        let order = arrow_array::UInt32Array::from(vec![2, 0]);
        let columns: Vec<ArrayRef> = table
            .columns()
            .iter()
            .map(|column| arrow_select::take::take(column, &order, None).unwrap())
            .collect();
        let turned = RecordBatch::try_new(table.schema(), columns).unwrap();
        let error = decode(&turned).unwrap_err().to_string();
        assert!(error.contains("training part comes after"), "{error}");
    }
}
