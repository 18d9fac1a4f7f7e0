//! Activations and their slopes, over maps of images that lie side by side.

use numerics::linalg::{elementary, simd_dispatch::wide};

use super::{
    super::options::Activation,
    maps::{Lane, Maps},
};
use crate::neural::feedforward::scalar::Scalar;

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
pub fn activated<T: Scalar>(curve: Curve, mut z: Lane<T>) -> Lane<T> {
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
