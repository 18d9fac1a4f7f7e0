//! Feature maps of a batch with the images side by side: one pixel of sixteen images is one vector.

use crate::neural::feedforward::scalar::Scalar;

/// Number of images in a vector.
pub const LANES: usize = 16;

/// One number for each image of a block, aligned to a line of the cache.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct Lane<T>(pub [T; LANES]);

impl<T: Scalar> Lane<T> {
    /// The same number for all images.
    #[inline(always)]
    pub fn splat(value: T) -> Self {
        Self([value; LANES])
    }

    /// The sum over the images, in their order and in double precision.
    #[inline(always)]
    pub fn sum(&self) -> f64 {
        self.0.iter().map(|v| v.to_f64()).sum()
    }
}

/// Square maps with a border of one pixel, which is always 0: block by block of images, channel by channel, row
/// by row.
#[derive(Debug, Clone)]
pub struct Maps<T> {
    /// Channels.
    pub channels: usize,
    /// Pixels along one side, without the border.
    pub side: usize,
    /// All pixels.
    pub values: Vec<Lane<T>>,
}

impl<T: Scalar> Maps<T> {
    /// Maps of 0 for so many blocks of images.
    pub fn zeros(channels: usize, side: usize, blocks: usize) -> Self {
        let pixels = blocks * channels * (side + 2) * (side + 2);
        Self { channels, side, values: vec![Lane::splat(T::ZERO); pixels] }
    }

    /// Pixels from a row to the next.
    #[inline(always)]
    pub fn pitch(&self) -> usize {
        self.side + 2
    }

    /// Pixels from a channel to the next.
    #[inline(always)]
    pub fn plane(&self) -> usize {
        self.pitch() * self.pitch()
    }

    /// The first pixel of a row within the border.
    #[inline(always)]
    pub fn row(&self, block: usize, channel: usize, y: usize) -> usize {
        (block * self.channels + channel) * self.plane() + (y + 1) * self.pitch() + 1
    }

    /// The channels of one block, with their borders.
    #[inline(always)]
    pub fn block(&self, block: usize) -> &[Lane<T>] {
        let size = self.channels * self.plane();
        &self.values[block * size..(block + 1) * size]
    }

    /// The first blocks.
    pub fn first(&self, blocks: usize) -> &[Lane<T>] {
        &self.values[..blocks * self.channels * self.plane()]
    }

    /// The first blocks, to be changed.
    pub fn first_mut(&mut self, blocks: usize) -> &mut [Lane<T>] {
        let size = self.channels * self.plane();
        &mut self.values[..blocks * size]
    }
}

/// Number of vectors that hold so many images.
pub fn blocks(images: usize) -> usize {
    images.div_ceil(LANES)
}

/// 1 for the images of a block that exist, 0 for those that fill it up.
pub fn present<T: Scalar>(images: usize, block: usize) -> Lane<T> {
    let existing = images.saturating_sub(block * LANES);
    Lane(std::array::from_fn(|lane| if lane < existing { T::ONE } else { T::ZERO }))
}
