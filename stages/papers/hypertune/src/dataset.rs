//! Reads the data of a task for its stages: a design matrix with classes, or images.

use data::{classified::Classified, images::Images};
use kit::{
    data_sets::{image_table::ImageTable, stored},
    port::In,
};
use ndarray::{Array2, ArrayView2};
use pipeline::stage::{Context, Stop};
use serde::{Deserialize, Serialize};

/// How features are scaled; parameters come from the training part alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// As loaded, and bytes of images from 0 to 1.
    None,
    /// Mean 0 and standard deviation 1.
    Standard,
}

/// How data are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct View {
    /// How features are scaled.
    pub scaling: Scaling,
    /// Pixels along a side that images are shrunk to; none for their own.
    pub side: Option<usize>,
}

/// Stored data.
pub enum Dataset {
    /// Rows of features.
    Matrix(Classified),
    /// Images, whose classes are bytes.
    Images(Images),
}

/// Stored images; a matrix has the inputs of [`stored`].
pub const IMAGES: In<ImageTable> = In::new("images");

/// Number of rows or images.
///
/// # Errors
/// If an artifact is corrupt.
pub fn count(cx: &Context) -> Result<usize, Stop> {
    Ok(match IMAGES.read_if_there(cx)? {
        Some(images) => images.len(),
        None => stored::read(cx)?.y.len(),
    })
}

impl Dataset {
    /// Reads the chosen rows or images, in this order.
    ///
    /// # Errors
    /// If an artifact is corrupt, or the data have no classes.
    pub fn read(cx: &Context, rows: &[usize]) -> Result<Self, Stop> {
        if let Some(images) = IMAGES.read_if_there(cx)? {
            return Ok(Self::Images(chosen(&images, rows)));
        }
        let data =
            Classified::try_from(stored::read(cx)?).map_err(|e| Stop::Failed(e.to_string()))?;
        Ok(Self::Matrix(data.select(rows)))
    }
}

/// The chosen images, in this order.
#[must_use]
pub fn chosen(images: &Images, rows: &[usize]) -> Images {
    Images {
        pixels: rows.iter().flat_map(|&row| images.image(row)).copied().collect(),
        labels: rows.iter().map(|&row| images.labels[row]).collect(),
        train: rows.len(),
        ..*images
    }
}

/// Values of images as features from 0 to 1, one image per row.
#[must_use]
pub fn features(images: &Images) -> Array2<f64> {
    let bytes = ArrayView2::from_shape((images.len(), images.values()), &images.pixels);
    bytes.expect("as many values as images have").mapv(|byte| f64::from(byte) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_chosen_in_order_and_become_features() {
        let images = Images {
            pixels: vec![0, 51, 102, 255, 1, 2, 3, 4, 5, 6, 7, 8],
            labels: vec![2, 0, 1],
            size: 2,
            channels: 1,
            train: 2,
        };
        let own = chosen(&images, &[2, 0]);
        assert_eq!((own.labels.as_slice(), own.train, own.fault()), (&[1, 2][..], 2, None));
        assert_eq!((own.image(0), own.image(1)), (images.image(2), images.image(0)));
        assert_eq!(features(&own).row(1).to_vec(), [0.0, 0.2, 0.4, 1.0]);
    }
}
