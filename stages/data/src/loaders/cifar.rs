//! Reads CIFAR-10 from the publisher's binary batches: a record is the class in one byte, then 32 × 32 values
//! of each of three channels.

use std::path::Path;

use super::super::error::LoadError;
use super::super::files::Files;
use super::super::images::Images;

/// Pixels along one side of an image.
pub const SIDE: usize = 32;
/// Red, green, blue.
pub const CHANNELS: usize = 3;
/// The number of classes.
pub const CLASSES: u8 = 10;

/// The batches of the training part, in order.
const TRAIN: [&str; 5] =
    ["data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5"];
/// The batch of the test part.
const TEST: &str = "test_batch";

/// All 60 000 images: the 50 000 of the training part, then the 10 000 of the test part.
///
/// # Errors
/// If a batch is malformed.
pub fn load(files: &Files) -> Result<Images, LoadError> {
    let mut images =
        Images { pixels: Vec::new(), labels: Vec::new(), size: SIDE, channels: CHANNELS, train: 0 };
    for role in TRAIN {
        let (file, bytes) = files.read(role)?;
        append(&mut images, file, &bytes)?;
    }
    images.train = images.len();
    let (file, bytes) = files.read(TEST)?;
    append(&mut images, file, &bytes)?;
    Ok(images)
}

/// Adds the records of one batch.
fn append(images: &mut Images, file: &Path, bytes: &[u8]) -> Result<(), LoadError> {
    let (records, rest) = bytes.as_chunks::<{ 1 + SIDE * SIDE * CHANNELS }>();
    if !rest.is_empty() {
        let what = format!("{} bytes are left over after the last record", rest.len());
        return Err(LoadError::whole(file, what));
    }
    images.pixels.reserve_exact(records.len() * SIDE * SIDE * CHANNELS);
    for (number, [label, pixels @ ..]) in records.iter().enumerate() {
        if *label >= CLASSES {
            let what = format!("class {label} of image {number} is not below {CLASSES}");
            return Err(LoadError::whole(file, what));
        }
        images.labels.push(*label);
        images.pixels.extend_from_slice(pixels);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Images {
        Images { pixels: Vec::new(), labels: Vec::new(), size: SIDE, channels: CHANNELS, train: 0 }
    }

    #[test]
    fn records_are_taken_apart() {
        let record = |label: u8| {
            let mut record = vec![label; 3073];
            record[3072] = 77;
            record
        };
        let mut images = empty();
        append(&mut images, Path::new("x"), &[record(3), record(9)].concat()).unwrap();
        assert_eq!(images.labels, [3, 9]);
        assert_eq!((images.image(0)[0], images.image(1)[0], images.image(1)[3071]), (3, 9, 77));
        assert_eq!(images.fault(), None);
    }

    #[test]
    fn a_torn_batch_and_an_unknown_class_are_refused() {
        let mut images = empty();
        let error = append(&mut images, Path::new("x"), &[0; 3074]).unwrap_err();
        assert!(error.to_string().contains("1 bytes are left over"), "{error}");
        let error = append(&mut images, Path::new("x"), &[10; 3073]).unwrap_err();
        assert!(error.to_string().contains("class 10 of image 0"), "{error}");
    }
}
