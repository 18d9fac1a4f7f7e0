//! What a network sees of its images: standardised by the training images, and in training shifted and mirrored
//! if requested.

use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;

use super::images::Images;

/// Standardised values of the 256 bytes, channel by channel.
#[derive(Debug, Clone)]
pub struct Scale(pub Vec<[f32; 256]>);

impl Scale {
    /// Standardises to mean 0 and standard deviation 1 of each channel over these images; a constant channel
    /// is only centred.
    pub fn of(images: &Images<'_>) -> Self {
        let table = |(mean, deviation): (f64, f64)| {
            let by = if deviation > 0.0 { deviation } else { 1.0 };
            std::array::from_fn(|byte| ((byte as f64 - mean) / by) as f32)
        };
        Self(images.moments().into_iter().map(table).collect())
    }
}

/// A view of an image: shifted by whole pixels, with the mean value as padding, and mirrored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct View {
    /// Rows.
    pub down: i32,
    /// Columns.
    pub right: i32,
    /// Whether left is right.
    pub mirrored: bool,
}

impl View {
    /// A view shifted by at most `most` pixels each way.
    pub fn draw(most: i32, rng: &mut ChaCha12Rng) -> Self {
        let down = rng.random_range(-most..=most);
        let right = rng.random_range(-most..=most);
        Self { down, right, mirrored: rng.random() }
    }

    /// The values of a plane of bytes (size × size), row by row.
    pub fn of<'a>(
        self,
        plane: &'a [u8],
        size: usize,
        table: &'a [f32; 256],
    ) -> impl Iterator<Item = f32> + 'a {
        let within =
            move |at: usize, by: i32| at.checked_add_signed(by as isize).filter(|&at| at < size);
        (0..size).flat_map(move |y| {
            let line = within(y, self.down).map(|y| &plane[y * size..(y + 1) * size]);
            (0..size).map(move |x| {
                let x = if self.mirrored { size - 1 - x } else { x };
                match (line, within(x, self.right)) {
                    (Some(line), Some(x)) => table[usize::from(line[x])],
                    _ => 0.0,
                }
            })
        })
    }
}
