//! Labelled images as bytes.

/// Square images with their classes.
#[derive(Debug, Clone, Copy)]
pub struct Images<'a> {
    /// N×C×S×S: image by image, each channel by channel, each channel row by row.
    pub pixels: &'a [u8],
    /// N classes, counted from 0.
    pub labels: &'a [u8],
    /// Side S.
    pub size: usize,
    /// Channels C.
    pub channels: usize,
}

/// Images that no network can be trained on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadImages {
    /// No images, or images without pixels.
    #[error("no images, or images without pixels")]
    Empty,
    /// Bytes and labels whose numbers do not fit together.
    #[error("{pixels} bytes for {labels} images of {bytes} bytes")]
    Size {
        /// Number of bytes.
        pixels: usize,
        /// Number of labels.
        labels: usize,
        /// Bytes of one image.
        bytes: usize,
    },
    /// A class that the network does not have.
    #[error("image {image} has class {label}: expected one of {classes}, counted from 0")]
    Label {
        /// The first such image.
        image: usize,
        /// Its class.
        label: u8,
        /// Number of classes.
        classes: usize,
    },
}

impl Images<'_> {
    /// Number of images.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Bytes of one image.
    pub fn bytes(&self) -> usize {
        self.channels * self.size * self.size
    }

    /// Checks that bytes and labels fit together.
    ///
    /// # Errors
    /// If they do not, or a label is not below `classes`.
    pub fn check(&self, classes: usize) -> Result<(), BadImages> {
        let (pixels, labels, bytes) = (self.pixels.len(), self.len(), self.bytes());
        if labels == 0 || bytes == 0 {
            return Err(BadImages::Empty);
        }
        if bytes.checked_mul(labels) != Some(pixels) {
            return Err(BadImages::Size { pixels, labels, bytes });
        }
        match self.labels.iter().position(|&label| usize::from(label) >= classes) {
            Some(image) => Err(BadImages::Label { image, label: self.labels[image], classes }),
            None => Ok(()),
        }
    }

    /// Mean and standard deviation of the bytes of each channel over all images.
    pub fn moments(&self) -> Vec<(f64, f64)> {
        let plane = self.size * self.size;
        let mut sums = vec![(0_u64, 0_u64); self.channels];
        for (i, plane) in self.pixels.chunks_exact(plane).enumerate() {
            let (sum, squares) = &mut sums[i % self.channels];
            for &pixel in plane {
                *sum += u64::from(pixel);
                *squares += u64::from(pixel) * u64::from(pixel);
            }
        }
        let n = (self.len() * plane) as f64;
        let moments = |(sum, squares): (u64, u64)| {
            let mean = sum as f64 / n;
            (mean, (squares as f64 / n - mean * mean).max(0.0).sqrt())
        };
        sums.into_iter().map(moments).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_labels_must_belong_together() {
        let (pixels, labels) = ([0; 24], [0, 2]);
        let images = Images { pixels: &pixels, labels: &labels, size: 2, channels: 3 };
        assert_eq!(images.check(3), Ok(()));
        assert_eq!(images.check(2), Err(BadImages::Label { image: 1, label: 2, classes: 2 }));
        let short = Images { pixels: &pixels[1..], ..images };
        assert_eq!(short.check(3), Err(BadImages::Size { pixels: 23, labels: 2, bytes: 12 }));
        assert_eq!(Images { size: 0, ..images }.check(3), Err(BadImages::Empty));
        assert_eq!(Images { labels: &[], ..images }.check(3), Err(BadImages::Empty));
    }

    #[test]
    fn moments_are_those_of_a_channel() {
        // Two images of 1×1 with two channels.
        let images = Images { pixels: &[0, 7, 4, 7], labels: &[0, 0], size: 1, channels: 2 };
        assert_eq!(images.moments(), [(2.0, 2.0), (7.0, 0.0)]);
    }
}
