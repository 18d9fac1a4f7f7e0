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

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn views_are_shifts_and_mirrors() {
        let plane: Vec<u8> = (0..64).collect();
        // Unchanged bytes.
        let table: [f32; 256] = std::array::from_fn(|byte| byte as f32);
        let look = |view: View| view.of(&plane, 8, &table).collect::<Vec<f32>>();
        let plain: Vec<f32> = (0..64_u8).map(f32::from).collect();
        assert_eq!(look(View::default()), plain);
        let moved = look(View { down: 1, right: -1, mirrored: false });
        assert_eq!(moved[..3], [0.0, 8.0, 9.0]);
        assert_eq!(moved[56..], [0.0; 8]);
        let mirrored = look(View { down: 0, right: 1, mirrored: true });
        assert_eq!(mirrored[..8], [0.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
        // Shifted by at most 1 pixel, to one of 9 positions, mirrored or not.
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let seen: std::collections::BTreeSet<_> = (0..500)
            .map(|_| View::draw(1, &mut rng))
            .map(|view| (view.down, view.right, view.mirrored))
            .collect();
        assert_eq!(seen.len(), 18);
    }
}
