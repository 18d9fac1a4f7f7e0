//! Batch norm with the activation after it, forward and backward, over maps of images that lie side by side.

use numerics::linalg::simd_dispatch::wide;
use pulp::{Arch, Simd, WithSimd};

use super::{
    activation::{Curve, activated, slope},
    maps::{LANES, Lane, Maps, present},
    registers::Wide,
};
use crate::neural::feedforward::scalar::Scalar;

/// Constant added to variances, as in PyTorch and Torch.
const EPSILON: f64 = 1e-5;

/// Number of columns of a map that are summed apart.
const COLUMNS: usize = 4;

/// What batch norm knows about each channel.
#[derive(Debug, Clone)]
pub struct Statistics<T> {
    /// Mean of the batch, then 1/√(variance + ε).
    pub batch: Vec<(T, T)>,
    /// Running mean and variance.
    pub running: Vec<(T, T)>,
    /// Derivative of the loss by scale and by offset, of the last backward pass.
    pub slopes: Vec<(T, T)>,
}

impl<T: Scalar> Statistics<T> {
    /// Before any batch.
    pub fn new(channels: usize) -> Self {
        Self {
            batch: vec![(T::ZERO, T::ONE); channels],
            running: vec![(T::ZERO, T::ONE); channels],
            slopes: vec![(T::ZERO, T::ZERO); channels],
        }
    }

    /// Uses the running statistics from here on.
    pub fn settle(&mut self) {
        for (batch, running) in self.batch.iter_mut().zip(&self.running) {
            *batch = (running.0, inverse(running.1));
        }
    }
}

fn inverse<T: Scalar>(variance: T) -> T {
    T::ONE / (variance + T::of(EPSILON)).root()
}

/// Sums of a channel over the batch, in single vectors, then in double precision: of `N` quantities at once, four
/// columns apart so that no sum waits for the one before.
#[inline(always)]
fn totals<R: Simd, T: Wide, const N: usize>(
    simd: R,
    maps: &Maps<T>,
    (channel, blocks): (usize, usize),
    add: impl Fn(usize, usize, usize, [T::Register<R>; N]) -> [T::Register<R>; N],
) -> [f64; N] {
    let mut sums = [0.0; N];
    for block in 0..blocks {
        let mut stored = [[Lane::splat(T::ZERO); N]; COLUMNS];
        for part in 0..T::registers::<R>() {
            let mut held = [[T::splat(simd, T::ZERO); N]; COLUMNS];
            for y in 0..maps.side {
                let row = maps.row(block, channel, y);
                let whole = maps.side / COLUMNS * COLUMNS;
                for x in (0..whole).step_by(COLUMNS) {
                    for (c, held) in held.iter_mut().enumerate() {
                        *held = add(block, row + x + c, part, *held);
                    }
                }
                for x in whole..maps.side {
                    held[0] = add(block, row + x, part, held[0]);
                }
            }
            for (stored, held) in stored.iter_mut().zip(&held) {
                for (stored, held) in stored.iter_mut().zip(held) {
                    T::set::<R>(stored, part, *held);
                }
            }
        }
        for stored in &stored {
            for (sum, stored) in sums.iter_mut().zip(stored) {
                *sum += stored.sum();
            }
        }
    }
    sums
}

/// Mean and sum of squared deviations of each channel.
struct Moments<'a, T> {
    raw: &'a Maps<T>,
    images: usize,
    found: &'a mut [(T, f64)],
}

impl<T: Wide> WithSimd for Moments<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<R: Simd>(self, simd: R) {
        let Self { raw, images, found } = self;
        let blocks = images.div_ceil(LANES);
        let count = (images * raw.side * raw.side) as f64;
        let masks: Vec<Lane<T>> = (0..blocks).map(|block| present(images, block)).collect();
        let [one, zero] = [T::ONE, T::ZERO].map(|value| T::splat(simd, value));
        for (channel, found) in found.iter_mut().enumerate() {
            let [sum] = totals(simd, raw, (channel, blocks), |block, at, part, [held]| {
                let mask = T::get::<R>(&masks[block], part);
                [T::multiply_add(simd, mask, T::get::<R>(&raw.values[at], part), held)]
            });
            let mean = T::of(sum / count);
            let centre = T::splat(simd, -mean);
            let [squares] = totals(simd, raw, (channel, blocks), |block, at, part, [held]| {
                let mask = T::get::<R>(&masks[block], part);
                let off = T::multiply_add(simd, one, T::get::<R>(&raw.values[at], part), centre);
                let off = T::multiply_add(simd, mask, off, zero);
                [T::multiply_add(simd, off, off, held)]
            });
            *found = (mean, squares);
        }
    }
}

/// Mean and variance of each channel over the batch, and the running ones moved by a share.
pub fn measure<T: Wide>(raw: &Maps<T>, images: usize, share: f64, statistics: &mut Statistics<T>) {
    let count = (images * raw.side * raw.side) as f64;
    let mut found = vec![(T::ZERO, 0.0); raw.channels];
    Arch::new().dispatch(Moments { raw, images, found: &mut found });
    let moved = |old: T, new: f64| T::of((1.0 - share) * old.to_f64() + share * new);
    for (channel, (mean, squares)) in found.into_iter().enumerate() {
        statistics.batch[channel] = (mean, inverse(T::of(squares / count)));
        let (old_mean, old_variance) = statistics.running[channel];
        statistics.running[channel] =
            (moved(old_mean, mean.to_f64()), moved(old_variance, squares / (count - 1.0)));
    }
}

/// For each channel the sum of derivatives, and of their products with the deviations from the mean.
struct Slopes<'a, T> {
    delta: &'a Maps<T>,
    raw: &'a Maps<T>,
    blocks: usize,
    means: &'a [(T, T)],
    found: &'a mut [[f64; 2]],
}

impl<T: Wide> WithSimd for Slopes<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<R: Simd>(self, simd: R) {
        let Self { delta, raw, blocks, means, found } = self;
        let one = T::splat(simd, T::ONE);
        for (channel, (found, (mean, _))) in found.iter_mut().zip(means).enumerate() {
            let centre = T::splat(simd, -*mean);
            *found = totals(simd, raw, (channel, blocks), |_, at, part, [plain, along]| {
                let d = T::get::<R>(&delta.values[at], part);
                let off = T::multiply_add(simd, one, T::get::<R>(&raw.values[at], part), centre);
                [T::multiply_add(simd, one, d, plain), T::multiply_add(simd, d, off, along)]
            });
        }
    }
}

wide! {
    /// Standardises each channel, then scale, offset and activation.
    pub fn normalise['a, T: Scalar]['a, T](
        raw: &'a Maps<T>,
        blocks: usize,
        statistics: &'a Statistics<T>,
        affine: Option<(&'a [T], &'a [T])>,
        curve: Curve,
        out: &'a mut Maps<T>,
    ) -> () {
        for channel in 0..raw.channels {
            let (mean, inverse) = statistics.batch[channel];
            let (scale, offset) = match affine {
                Some((scale, offset)) => (scale[channel], offset[channel]),
                None => (T::ONE, T::ZERO),
            };
            let factor = inverse * scale;
            for block in 0..blocks {
                for y in 0..raw.side {
                    let row = raw.row(block, channel, y);
                    let rows = raw.values[row..row + raw.side].iter();
                    for (v, o) in rows.zip(&mut out.values[row..row + raw.side]) {
                        let mut z = Lane::splat(T::ZERO);
                        for (z, v) in z.0.iter_mut().zip(&v.0) {
                            *z = (*v - mean).fused(factor, offset);
                        }
                        *o = activated(curve, z);
                    }
                }
            }
        }
    }
}

/// Turns derivatives by the outputs of activation and batch norm into those by its inputs. Derivatives of images
/// that do not exist are 0 before and after.
pub fn unnormalise<T: Wide>(
    delta: &mut Maps<T>,
    (raw, out): (&Maps<T>, &Maps<T>),
    images: usize,
    statistics: &mut Statistics<T>,
    scales: Option<&[T]>,
    curve: Curve,
) {
    let blocks = images.div_ceil(LANES);
    if curve.is_some() {
        slope(delta, out, blocks, curve);
    }
    let mut found = vec![[0.0; 2]; raw.channels];
    let means = &statistics.batch;
    Arch::new().dispatch(Slopes { delta, raw, blocks, means, found: &mut found });
    let count = (images * raw.side * raw.side) as f64;
    let mut lines = Vec::with_capacity(raw.channels);
    for (channel, [plain, along]) in found.into_iter().enumerate() {
        let (mean, inverse) = statistics.batch[channel];
        statistics.slopes[channel] = (T::of(along * inverse.to_f64()), T::of(plain));
        let scale = scales.map_or(T::ONE, |scales| scales[channel]);
        lines.push(Line {
            mean,
            factor: scale * inverse,
            shift: T::of(plain / count),
            tilt: T::of(along / count) * inverse * inverse,
        });
    }
    tilted(delta, raw, images, &lines);
}

/// What batch norm takes from the derivatives of a channel.
struct Line<T> {
    mean: T,
    factor: T,
    shift: T,
    tilt: T,
}

wide! {
    fn tilted['a, T: Scalar]['a, T](
        delta: &'a mut Maps<T>,
        raw: &'a Maps<T>,
        images: usize,
        lines: &'a [Line<T>],
    ) -> () {
        for (channel, Line { mean, factor, shift, tilt }) in lines.iter().enumerate() {
            for block in 0..images.div_ceil(LANES) {
                let mask = present::<T>(images, block);
                for y in 0..raw.side {
                    let row = raw.row(block, channel, y);
                    let raws = &raw.values[row..row + raw.side];
                    for (d, v) in delta.values[row..row + raw.side].iter_mut().zip(raws) {
                        for l in 0..LANES {
                            let rest = (*mean - v.0[l]).fused(*tilt, d.0[l] - *shift);
                            d.0[l] = mask.0[l] * (*factor * rest);
                        }
                    }
                }
            }
        }
    }
}

/// The sum of each channel.
struct ChannelSums<'a, T> {
    maps: &'a Maps<T>,
    blocks: usize,
    sums: &'a mut [T],
}

impl<T: Wide> WithSimd for ChannelSums<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<R: Simd>(self, simd: R) {
        let one = T::splat(simd, T::ONE);
        for (channel, sum) in self.sums.iter_mut().enumerate() {
            let values = &self.maps.values;
            let [found] = totals(simd, self.maps, (channel, self.blocks), |_, at, part, [held]| {
                [T::multiply_add(simd, one, T::get::<R>(&values[at], part), held)]
            });
            *sum = T::of(found);
        }
    }
}

/// The sum of each channel over all images and pixels.
pub fn channel_sums<T: Wide>(maps: &Maps<T>, blocks: usize, sums: &mut [T]) {
    Arch::new().dispatch(ChannelSums { maps, blocks, sums });
}
