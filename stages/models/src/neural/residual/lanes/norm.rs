//! Batch norm with the activation after it, forward and backward, over maps of images that lie side by side.

use numerics::linalg::{elementary, simd_dispatch::wide};

use super::{
    super::options::Activation,
    maps::{LANES, Lane, Maps, present},
};
use crate::neural::feedforward::kernels::Scalar;

/// Constant added to variances, as in PyTorch and Torch.
const EPSILON: f64 = 1e-5;

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

/// An activation, if any.
pub type Curve = Option<Activation>;

/// eˣ of a number that may be large.
#[inline(always)]
fn exp(x: f64) -> f64 {
    // Not `min`, which would swallow NaN.
    elementary::exp(if x > 700.0 { 700.0 } else { x })
}

/// Applies an activation to a vector.
#[inline(always)]
fn activated<T: Scalar>(curve: Curve, mut z: Lane<T>) -> Lane<T> {
    match curve {
        None => {}
        Some(Activation::Relu) => {
            for v in &mut z.0 {
                // Not a maximum, which would swallow NaN.
                *v = if *v < T::ZERO { T::ZERO } else { *v };
            }
        }
        Some(Activation::Sigmoid) => {
            for v in &mut z.0 {
                *v = T::of(1.0 / (1.0 + exp(-v.to_f64())));
            }
        }
        Some(Activation::Tanh) => {
            for v in &mut z.0 {
                *v = T::of(1.0 - 2.0 / (exp(2.0 * v.to_f64()) + 1.0));
            }
        }
    }
    z
}

/// The slope of an activation at its output, times `d`.
#[inline(always)]
fn sloped<T: Scalar>(curve: Curve, mut d: Lane<T>, out: &Lane<T>) -> Lane<T> {
    match curve {
        None => {}
        Some(Activation::Relu) => {
            for (d, y) in d.0.iter_mut().zip(&out.0) {
                *d = if *y > T::ZERO { *d } else { T::ZERO };
            }
        }
        Some(Activation::Sigmoid) => {
            for (d, y) in d.0.iter_mut().zip(&out.0) {
                *d = *d * (*y * (T::ONE - *y));
            }
        }
        Some(Activation::Tanh) => {
            for (d, y) in d.0.iter_mut().zip(&out.0) {
                *d = *d * (T::ONE - *y * *y);
            }
        }
    }
    d
}

/// The sum of f over the pixels of a channel, by image.
#[inline(always)]
fn total<T: Scalar>(
    maps: &Maps<T>,
    (channel, blocks): (usize, usize),
    mut add: impl FnMut(usize, usize, &mut Lane<T>),
) -> f64 {
    let mut sum = 0.0;
    for block in 0..blocks {
        let mut held = Lane::splat(T::ZERO);
        for y in 0..maps.side {
            let row = maps.row(block, channel, y);
            for at in row..row + maps.side {
                add(block, at, &mut held);
            }
        }
        sum += held.sum();
    }
    sum
}

wide! {
    /// Mean and variance of each channel over the batch, and the running ones moved by a share.
    pub fn measure['a, T: Scalar]['a, T](
        raw: &'a Maps<T>,
        images: usize,
        share: f64,
        statistics: &'a mut Statistics<T>,
    ) -> () {
        let blocks = images.div_ceil(LANES);
        let count = (images * raw.side * raw.side) as f64;
        for channel in 0..raw.channels {
            let sum = total(raw, (channel, blocks), |block, at, held| {
                let mask = present::<T>(images, block);
                for l in 0..LANES {
                    held.0[l] = mask.0[l].fused(raw.values[at].0[l], held.0[l]);
                }
            });
            let mean = T::of(sum / count);
            let squares = total(raw, (channel, blocks), |block, at, held| {
                let mask = present::<T>(images, block);
                for l in 0..LANES {
                    let off = mask.0[l] * (raw.values[at].0[l] - mean);
                    held.0[l] = off.fused(off, held.0[l]);
                }
            });
            statistics.batch[channel] = (mean, inverse(T::of(squares / count)));
            let (old_mean, old_variance) = statistics.running[channel];
            let moved = |old: T, new: f64| T::of((1.0 - share) * old.to_f64() + share * new);
            statistics.running[channel] =
                (moved(old_mean, mean.to_f64()), moved(old_variance, squares / (count - 1.0)));
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

wide! {
    /// Applies an activation in place.
    pub fn activate['a, T: Scalar]['a, T](maps: &'a mut Maps<T>, blocks: usize, curve: Curve) -> () {
        for channel in 0..maps.channels {
            for block in 0..blocks {
                for y in 0..maps.side {
                    let row = maps.row(block, channel, y);
                    for v in &mut maps.values[row..row + maps.side] {
                        *v = activated(curve, *v);
                    }
                }
            }
        }
    }
}

wide! {
    /// Multiplies derivatives by the slopes of the activation, which its outputs give.
    pub fn slope['a, T: Scalar]['a, T](
        delta: &'a mut Maps<T>,
        out: &'a Maps<T>,
        blocks: usize,
        curve: Curve,
    ) -> () {
        for channel in 0..out.channels {
            for block in 0..blocks {
                for y in 0..out.side {
                    let row = out.row(block, channel, y);
                    let outs = &out.values[row..row + out.side];
                    for (d, y) in delta.values[row..row + out.side].iter_mut().zip(outs) {
                        *d = sloped(curve, *d, y);
                    }
                }
            }
        }
    }
}

wide! {
    /// Turns derivatives by the outputs of activation and batch norm into those by its inputs. Derivatives of
    /// images that do not exist are 0 before and after.
    pub fn unnormalise['a, T: Scalar]['a, T](
        delta: &'a mut Maps<T>,
        raw: &'a Maps<T>,
        out: &'a Maps<T>,
        images: usize,
        statistics: &'a mut Statistics<T>,
        scales: Option<&'a [T]>,
        curve: Curve,
    ) -> () {
        let blocks = images.div_ceil(LANES);
        let count = (images * raw.side * raw.side) as f64;
        for channel in 0..raw.channels {
            let (mean, inverse) = statistics.batch[channel];
            let (mut plain, mut weighted) = (0.0, 0.0);
            for block in 0..blocks {
                let (mut held, mut along) = (Lane::splat(T::ZERO), Lane::splat(T::ZERO));
                for y in 0..raw.side {
                    let row = raw.row(block, channel, y);
                    let (raws, outs) =
                        (&raw.values[row..row + raw.side], &out.values[row..row + raw.side]);
                    let deltas = delta.values[row..row + raw.side].iter_mut();
                    for ((d, v), o) in deltas.zip(raws).zip(outs) {
                        *d = sloped(curve, *d, o);
                        for l in 0..LANES {
                            held.0[l] += d.0[l];
                            along.0[l] = d.0[l].fused(v.0[l] - mean, along.0[l]);
                        }
                    }
                }
                plain += held.sum();
                weighted += along.sum();
            }
            statistics.slopes[channel] = (T::of(weighted * inverse.to_f64()), T::of(plain));
            let scale = scales.map_or(T::ONE, |scales| scales[channel]);
            let factor = scale * inverse;
            let shift = T::of(plain / count);
            let tilt = T::of(weighted / count) * inverse * inverse;
            for block in 0..blocks {
                let mask = present::<T>(images, block);
                for y in 0..raw.side {
                    let row = raw.row(block, channel, y);
                    let raws = &raw.values[row..row + raw.side];
                    for (d, v) in delta.values[row..row + raw.side].iter_mut().zip(raws) {
                        for l in 0..LANES {
                            let rest = (mean - v.0[l]).fused(tilt, d.0[l] - shift);
                            d.0[l] = mask.0[l] * (factor * rest);
                        }
                    }
                }
            }
        }
    }
}

wide! {
    /// The sum of each channel over all images and pixels.
    pub fn channel_sums['a, T: Scalar]['a, T](maps: &'a Maps<T>, blocks: usize, sums: &'a mut [T]) -> () {
        for (channel, sum) in sums.iter_mut().enumerate() {
            *sum = T::of(total(maps, (channel, blocks), |_, at, held| {
                for (held, v) in held.0.iter_mut().zip(&maps.values[at].0) {
                    *held += *v;
                }
            }));
        }
    }
}
