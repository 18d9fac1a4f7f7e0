//! Images of one size with a class each, as bytes. A design matrix would be eight times as large.

use rand_chacha::ChaCha12Rng;

use super::split;

/// Images of `channels` × `size` × `size` values, and the class of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Images {
    /// One image after another, each channel by channel, each channel row by row.
    pub pixels: Vec<u8>,
    /// One class per image.
    pub labels: Vec<u8>,
    /// Pixels along one side.
    pub size: usize,
    /// Values per pixel.
    pub channels: usize,
    /// The number of images, at the front, that are published for training; the others are for testing.
    pub train: usize,
}

impl Images {
    /// Number of images.
    #[must_use]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Values of one image.
    #[must_use]
    pub fn values(&self) -> usize {
        self.channels * self.size * self.size
    }

    /// The values of image `i`.
    ///
    /// # Panics
    /// If `i` is not below the number of images.
    #[must_use]
    pub fn image(&self, i: usize) -> &[u8] {
        &self.pixels[i * self.values()..(i + 1) * self.values()]
    }

    /// The first inconsistency found, if there is one.
    #[must_use]
    pub fn fault(&self) -> Option<&'static str> {
        if self.values() == 0 {
            return Some("an image has no values");
        }
        if self.pixels.len() != self.len() * self.values() {
            return Some("there is not one image a class");
        }
        (self.train > self.len()).then_some("more images are for training than there are")
    }

    /// `train` images of the training part and `test` of the test part, drawn at random such that each class
    /// keeps its share, in their original order. All images of a part if it has no more.
    #[must_use]
    pub fn drawn(&self, train: usize, test: usize, rng: &mut ChaCha12Rng) -> Self {
        let (front, back) = self.labels.split_at(self.train);
        let mut rows = split::stratified(front, train, rng);
        let train = rows.len();
        rows.extend(split::stratified(back, test, rng).into_iter().map(|row| self.train + row));
        Self {
            pixels: rows.iter().flat_map(|&row| self.image(row)).copied().collect(),
            labels: rows.iter().map(|&row| self.labels[row]).collect(),
            train,
            ..*self
        }
    }

    /// The images reduced to `size` pixels along one side: a new pixel is the mean of those it covers,
    /// rounded to the nearest, a half upwards. `None` if `size` does not divide the present side.
    #[must_use]
    pub fn shrunk(&self, size: usize) -> Option<Self> {
        if size == 0 || !self.size.is_multiple_of(size) {
            return None;
        }
        let side = self.size / size;
        let area = side * side;
        let mut pixels = Vec::with_capacity(self.pixels.len() / area);
        for channel in self.pixels.chunks_exact(self.size * self.size) {
            for (row, column) in (0..size).flat_map(|row| (0..size).map(move |col| (row, col))) {
                let start = |line: usize| (row * side + line) * self.size + column * side;
                let lines = (0..side).map(|line| &channel[start(line)..start(line) + side]);
                let sum: usize = lines.flatten().map(|&value| usize::from(value)).sum();
                // The mean of bytes is a byte.
                pixels.push(((2 * sum + area) / (2 * area)) as u8);
            }
        }
        Some(Self { pixels, labels: self.labels.clone(), size, ..*self })
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    /// `n` images of two channels of 4 × 4; every value is the image's number.
    fn numbered(n: u8, train: usize) -> Images {
        let pixels = (0..n).flat_map(|i| [i; 32]).collect();
        Images { pixels, labels: (0..n).map(|i| i % 3).collect(), size: 4, channels: 2, train }
    }

    #[test]
    fn a_draw_keeps_parts_and_shares() {
        let whole = numbered(90, 60);
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let drawn = whole.drawn(12, 6, &mut rng);
        assert_eq!((drawn.len(), drawn.train, drawn.fault()), (18, 12, None));
        for class in 0..3 {
            assert_eq!(drawn.labels[..12].iter().filter(|&&label| label == class).count(), 4);
            assert_eq!(drawn.labels[12..].iter().filter(|&&label| label == class).count(), 2);
        }
        let numbers: Vec<u8> = (0..18).map(|i| drawn.image(i)[0]).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b) && numbers[11] < 60 && numbers[12] >= 60);
        assert!((0..18).all(|i| drawn.image(i)[31] % 3 == drawn.labels[i]));
        assert_eq!(whole.drawn(1000, 1000, &mut rng), whole);
        assert_ne!(whole.drawn(12, 6, &mut rng), drawn);
    }

    #[test]
    fn a_smaller_image_has_the_means_of_its_squares() {
        let mut images = numbered(2, 1);
        images.pixels[..32].copy_from_slice(&[
            0, 1, 10, 20, 2, 3, 30, 40, 255, 255, 0, 0, 255, 254, 0, 1, // first channel
            9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
        ]);
        let small = images.shrunk(2).unwrap();
        // 1.5, 25, 254.75 and 0.25, rounded.
        assert_eq!(small.image(0), [2, 25, 255, 0, 9, 9, 9, 9]);
        assert_eq!((small.image(1), small.size, small.train), (&[1; 8][..], 2, 1));
        assert_eq!(images.shrunk(4).unwrap(), images);
        assert!(images.shrunk(3).is_none() && images.shrunk(0).is_none());
    }
}
