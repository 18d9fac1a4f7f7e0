//! Reads MNIST from the IDX format: as published, or subsampled by area averages.
//!
//! \[Pedregosa2016\] subsamples the 28 × 28 images to 12 × 12 without saying how. Here a target pixel is the
//! mean of the source over the square it covers: (7/3)² source pixels, where those on the edge count by the
//! share that lies inside.

use std::path::Path;

use ndarray::Array2;
use rayon::prelude::*;

use super::super::error::LoadError;
use super::super::files::Files;
use super::super::images::Images;
use super::super::loaded::{Features, Loaded, Target};

/// Pixels along one side of a published image.
pub const SIDE: usize = 28;
/// Pixels along one side of the images of \[Pedregosa2016\] §5.
pub const SMALL_SIDE: usize = 12;

/// One of the two published parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// 60 000 images.
    Train,
    /// 10 000 images.
    Test,
}

impl Part {
    /// The role of its images.
    fn images(self) -> &'static str {
        match self {
            Self::Train => "train-images-idx3-ubyte",
            Self::Test => "t10k-images-idx3-ubyte",
        }
    }

    /// The role of its labels.
    fn labels(self) -> &'static str {
        match self {
            Self::Train => "train-labels-idx1-ubyte",
            Self::Test => "t10k-labels-idx1-ubyte",
        }
    }
}

/// The training part, 60 000 × 144, values in [0, 1], ten classes.
///
/// # Errors
/// If a file is malformed.
pub fn load(files: &Files) -> Result<Loaded, LoadError> {
    load_part(files, Part::Train, SMALL_SIDE)
}

/// One part at `side` × `side` pixels, row-major, values in [0, 1], ten classes. A side of 28
/// leaves the images as they are.
///
/// # Errors
/// If a file is malformed, or `side` is not from 1 to 28.
pub fn load_part(files: &Files, part: Part, side: usize) -> Result<Loaded, LoadError> {
    let published = published(files, part)?;
    if !(1..=SIDE).contains(&side) {
        let what = format!("side {side} is not from 1 to {SIDE}");
        return Err(LoadError::whole(files.path(part.images())?, what));
    }
    let rows = published.labels.len();
    let overlap = overlaps(side);
    let mut values = vec![0.0; rows * side * side];
    values
        .par_chunks_mut(side * side)
        .zip(published.pixels.par_chunks(SIDE * SIDE))
        .for_each(|(small, image)| subsample(image, &overlap, small));
    let x = Array2::from_shape_vec((rows, side * side), values)
        .map_err(|error| LoadError::whole(Path::new(part.images()), error.to_string()))?;
    let name = |index: usize| format!("pixel_{}_{}", index / side, index % side);
    Ok(Loaded {
        x: Features::Dense(x),
        y: Target::Classes {
            labels: published.labels.iter().map(|&label| u32::from(label)).collect(),
            names: (0..10).map(|digit: u32| digit.to_string()).collect(),
        },
        feature_names: (0..side * side).map(name).collect(),
    })
}

/// All 70 000 images as published: the 60 000 of the training part, then the 10 000 of the test part.
///
/// # Errors
/// If a file is malformed.
pub fn images(files: &Files) -> Result<Images, LoadError> {
    let mut images = published(files, Part::Train)?;
    let test = published(files, Part::Test)?;
    images.pixels.extend(test.pixels);
    images.labels.extend(test.labels);
    Ok(images)
}

/// One part, all of it for training.
fn published(files: &Files, part: Part) -> Result<Images, LoadError> {
    let (image_file, image_bytes) = files.read(part.images())?;
    let (label_file, label_bytes) = files.read(part.labels())?;
    let pixels = idx(image_file, &image_bytes, &[SIDE, SIDE])?.to_vec();
    let labels = idx(label_file, &label_bytes, &[])?.to_vec();
    let train = labels.len();
    let images = Images { pixels, labels, size: SIDE, channels: 1, train };
    if images.fault().is_some() {
        let what = format!("{} values, but {train} labels", images.pixels.len());
        return Err(LoadError::whole(image_file, what));
    }
    if let Some(row) = images.labels.iter().position(|&label| label > 9) {
        let what = format!("label {} of image {row} is not a digit", images.labels[row]);
        return Err(LoadError::whole(label_file, what));
    }
    Ok(images)
}

/// For each target pixel along one axis: the source pixels that it covers, and how much of each, in units in
/// which a source pixel is `side` long and a target pixel 28 (so that all lengths are whole numbers).
fn overlaps(side: usize) -> Vec<Vec<(usize, u32)>> {
    let covered = |target: usize, source: usize| {
        let (from, to) = (target * SIDE, (target + 1) * SIDE);
        to.min((source + 1) * side).saturating_sub(from.max(source * side))
    };
    (0..side)
        .map(|target| {
            (0..SIDE)
                .map(|source| (source, covered(target, source) as u32))
                .filter(|&(_, length)| length > 0)
                .collect()
        })
        .collect()
}

/// Area mean of one image in [0, 1]: a sum of whole numbers, rounded once by the division.
fn subsample(image: &[u8], overlap: &[Vec<(usize, u32)>], small: &mut [f64]) {
    let area = (SIDE * SIDE * 255) as f64;
    let side = overlap.len();
    for (index, value) in small.iter_mut().enumerate() {
        let mut sum = 0;
        for &(row, height) in &overlap[index / side] {
            for &(column, width) in &overlap[index % side] {
                sum += height * width * u32::from(image[row * SIDE + column]);
            }
        }
        *value = f64::from(sum) / area;
    }
}

/// The data of an IDX file of unsigned bytes: any number of items, each of shape `item`.
fn idx<'a>(file: &Path, bytes: &'a [u8], item: &[usize]) -> Result<&'a [u8], LoadError> {
    let fault = |what: &str| LoadError::whole(file, format!("not the expected IDX file: {what}"));
    let magic = [0, 0, 8, item.len() as u8 + 1];
    let rest = bytes.strip_prefix(&magic).ok_or_else(|| fault("wrong first four bytes"))?;
    let (sizes, data) = rest
        .split_at_checked(4 * (item.len() + 1))
        .ok_or_else(|| fault("it ends in its header"))?;
    let sizes: Vec<usize> = sizes
        .chunks_exact(4)
        .map(|size| size.iter().fold(0, |n, &byte| n << 8 | usize::from(byte)))
        .collect();
    if sizes[1..] != *item {
        return Err(fault(&format!("items of shape {:?}, expected {item:?}", &sizes[1..])));
    }
    let expected = sizes.iter().product::<usize>();
    if data.len() != expected {
        return Err(fault(&format!("{} bytes of data, expected {expected}", data.len())));
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn area_weights_of_seven_thirds() {
        let overlap = overlaps(12);
        // In units of 1/12 source pixel: 28 long, so 2 whole pixels and a third of the next.
        assert_eq!(overlap[0], [(0, 12), (1, 12), (2, 4)]);
        assert_eq!(overlap[1], [(2, 8), (3, 12), (4, 8)]);
        assert!(overlap.iter().all(|cover| cover.iter().map(|&(_, w)| w).sum::<u32>() == 28));
    }

    #[test]
    fn a_flat_image_stays_flat_and_the_mean_is_kept() {
        for side in [1, 5, 12, 14, 28] {
            let overlap = overlaps(side);
            let mut small = vec![0.0; side * side];
            subsample(&[51; SIDE * SIDE], &overlap, &mut small);
            assert!(small.iter().all(|&v| v == 0.2), "side {side}");
            let image: Vec<u8> = (0..SIDE * SIDE).map(|i| (i * 37 % 251) as u8).collect();
            subsample(&image, &overlap, &mut small);
            let mean = small.iter().sum::<f64>() / small.len() as f64;
            let whole = image.iter().map(|&v| f64::from(v)).sum::<f64>() / (784.0 * 255.0);
            assert!((mean - whole).abs() < 1e-14, "side {side}");
        }
    }

    #[test]
    fn a_truncated_file_is_refused() {
        let file = Path::new("x-idx1-ubyte");
        assert_eq!(idx(file, &[0, 0, 8, 1, 0, 0, 0, 2, 7, 9], &[]).unwrap(), [7, 9]);
        for bad in [&[0, 0, 8, 1, 0, 0, 0, 2, 7][..], &[0, 0, 8, 1, 0, 0], &[0, 0, 8, 3], &[]] {
            assert!(idx(file, bad, &[]).is_err());
        }
    }
}
