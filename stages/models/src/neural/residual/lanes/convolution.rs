//! Convolutions over maps of images that lie side by side: each weight meets sixteen images at once, four
//! channels and four pixels are summed in registers, and nothing is copied before or after.
//!
//! A sum runs over input channels and then over the kernel's pixels with fused multiply-adds, whatever the
//! registers are: the bits do not depend on the processor.

use pulp::{Arch, Simd, WithSimd};

use super::{
    maps::{Lane, Maps},
    registers::Wide,
};
use crate::neural::feedforward::scalar::Scalar;

/// Number of output channels that are summed together.
const GROUP: usize = 4;

/// A convolution of side 3 or 1 with padding that keeps the size at stride 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Channels of the input.
    pub from: usize,
    /// Channels of the output.
    pub to: usize,
    /// Side of the kernel.
    pub kernel: usize,
    /// Input pixels per output pixel.
    pub stride: usize,
}

impl Shape {
    /// Number of weights: to × from × kernel × kernel.
    pub fn weights(&self) -> usize {
        self.to * self.from * self.kernel * self.kernel
    }

    /// Side of the output.
    pub fn side(&self, input: usize) -> usize {
        (input - 1) / self.stride + 1
    }

    /// Distance of the kernel's first pixel from the border's: 0 for a side of 3, 1 for a side of 1.
    fn inset(&self) -> usize {
        usize::from(self.kernel == 1)
    }
}

/// A sum over taps for a grid of output pixels.
#[derive(Debug, Clone)]
struct Sweep {
    /// Of each tap: its place in the kernel, and how far it lies below and right of a pixel of the input.
    taps: Vec<(usize, usize, usize)>,
    /// Input pixels from one output pixel to the next.
    step: usize,
    /// The first output pixel, the pixels to the next, and the number of rows and columns.
    first: (usize, usize),
    stride: usize,
    count: (usize, usize),
}

/// Weights in the order in which a sweep reads them: group by group of output channels, input channel by input
/// channel, tap by tap.
#[derive(Debug, Clone)]
pub struct Plan<T> {
    sweep: Sweep,
    packed: Vec<T>,
}

/// The sweep that computes outputs from inputs.
pub fn forward_plan<T: Scalar>(shape: &Shape, input: usize) -> Plan<T> {
    let (k, at) = (shape.kernel, shape.inset());
    let taps = (0..k * k).map(|tap| (tap, at + tap / k, at + tap % k)).collect();
    let side = shape.side(input);
    let sweep = Sweep { taps, step: shape.stride, first: (0, 0), stride: 1, count: (side, side) };
    Plan { sweep, packed: Vec::new() }
}

/// The sweeps that compute the derivative by inputs from that by outputs: one for each way in which an input
/// pixel can lie to the stride.
pub fn backward_plans<T: Scalar>(shape: &Shape, input: usize) -> Vec<Plan<T>> {
    let (k, s, pad) = (shape.kernel, shape.stride, shape.kernel / 2);
    let ways = (0..s).flat_map(|y| (0..s).map(move |x| (y, x)));
    let sweeps = ways.map(|(y, x)| {
        // Output pixel o reads input pixel o·s + tap − pad; the border adds one to both.
        let through = |at: usize, tap: usize| {
            (at + pad + s * k).checked_sub(tap).filter(|n| n % s == 0).map(|n| n / s + 1 - k)
        };
        let taps =
            (0..k * k).filter_map(|tap| Some((tap, through(y, tap / k)?, through(x, tap % k)?)));
        let count = |at: usize| (input - at).div_ceil(s);
        let count = (count(y), count(x));
        Sweep { taps: taps.collect(), step: 1, first: (y, x), stride: s, count }
    });
    let used = sweeps.filter(|sweep| !sweep.taps.is_empty());
    used.map(|sweep| Plan { sweep, packed: Vec::new() }).collect()
}

impl<T: Scalar> Plan<T> {
    /// Takes the weights (to × from × kernel × kernel), of which a backward sweep reads columns.
    pub fn pack(&mut self, shape: &Shape, weights: &[T], backward: bool) {
        let area = shape.kernel * shape.kernel;
        let (outputs, inputs) =
            if backward { (shape.from, shape.to) } else { (shape.to, shape.from) };
        self.packed.clear();
        for group in (0..outputs).step_by(GROUP) {
            for i in 0..inputs {
                for (tap, _, _) in &self.sweep.taps {
                    for o in group..group + GROUP {
                        let (to, from) = if backward { (i, o) } else { (o, i) };
                        let at = (to * shape.from + from) * area + tap;
                        self.packed.push(if o < outputs { weights[at] } else { T::ZERO });
                    }
                }
            }
        }
    }
}

/// Where results go, and what they start from.
#[derive(Clone, Copy)]
struct Target {
    /// First pixel of the group's first channel.
    at: usize,
    plane: usize,
    stride: usize,
    channels: usize,
    add: bool,
}

/// Weights of a group with the offsets of their taps.
type Taps<'a, T> = (&'a [[T; GROUP]], &'a [usize]);

/// Sums of one group of channels at `P` pixels that are `S` input pixels apart, for part `part` of the images.
#[inline(always)]
fn tile<R: Simd, T: Wide, const P: usize, const S: usize>(
    (simd, part): (R, usize),
    (weights, offsets): Taps<'_, T>,
    (input, plane, at): (&[Lane<T>], usize, usize),
    start: &[T; GROUP],
    target: Target,
    out: &mut [Lane<T>],
) {
    let place = |o: usize, p: usize| target.at + o * target.plane + p * target.stride;
    let mut sums = start.map(|value| [T::splat(simd, value); P]);
    if target.add {
        for (o, sums) in sums.iter_mut().enumerate() {
            if o < target.channels {
                for (p, sum) in sums.iter_mut().enumerate() {
                    *sum = T::get::<R>(&out[place(o, p)], part);
                }
            }
        }
    }
    for (weights, input) in weights.chunks_exact(offsets.len()).zip(input.chunks_exact(plane)) {
        for (weights, offset) in weights.iter().zip(offsets) {
            let pixels = &input[at + offset..][..=(P - 1) * S];
            let weights = weights.map(|weight| T::splat(simd, weight));
            for p in 0..P {
                let pixel = T::get::<R>(&pixels[p * S], part);
                for o in 0..GROUP {
                    sums[o][p] = T::multiply_add(simd, weights[o], pixel, sums[o][p]);
                }
            }
        }
    }
    for (o, sums) in sums.iter().enumerate() {
        if o < target.channels {
            for (p, sum) in sums.iter().enumerate() {
                T::set::<R>(&mut out[place(o, p)], part, *sum);
            }
        }
    }
}

/// The arguments of [`convolve`].
struct Sweeping<'a, T> {
    plan: &'a Plan<T>,
    input: &'a Maps<T>,
    offsets: Option<&'a [T]>,
    add: bool,
    out: &'a mut Maps<T>,
    blocks: usize,
}

impl<T: Wide> Sweeping<'_, T> {
    #[inline(always)]
    fn sweep<R: Simd, const S: usize>(self, simd: R) {
        let Self { plan, input, offsets, add, out, blocks } = self;
        let Sweep { taps, first, stride, count, .. } = &plan.sweep;
        let (pitch, plane) = (input.pitch(), input.plane());
        let places: Vec<usize> = taps.iter().map(|(_, down, right)| down * pitch + right).collect();
        let weights = plan.packed.as_chunks::<GROUP>().0;
        let groups = weights.chunks_exact(input.channels * places.len()).enumerate();
        for (block, part) in (0..blocks).flat_map(|b| (0..T::registers::<R>()).map(move |p| (b, p)))
        {
            let maps = input.block(block);
            for (g, weights) in groups.clone() {
                let channels = GROUP.min(out.channels - g * GROUP);
                let mut start = [T::ZERO; GROUP];
                if let Some(offsets) = offsets {
                    start[..channels].copy_from_slice(&offsets[g * GROUP..][..channels]);
                }
                for y in 0..count.0 {
                    let row = out.row(block, g * GROUP, first.0 + y * stride) + first.1;
                    let mut x = 0;
                    while x < count.1 {
                        let target = Target {
                            at: row + x * stride,
                            plane: out.plane(),
                            stride: *stride,
                            channels,
                            add,
                        };
                        let (how, taps) = ((simd, part), (weights, &places[..]));
                        let from = (maps, plane, y * S * pitch + x * S);
                        let out = &mut out.values;
                        match count.1 - x {
                            1 => tile::<R, T, 1, S>(how, taps, from, &start, target, out),
                            2 | 3 => tile::<R, T, 2, S>(how, taps, from, &start, target, out),
                            _ => tile::<R, T, 4, S>(how, taps, from, &start, target, out),
                        }
                        x += [0, 1, 2, 2].get(count.1 - x).copied().unwrap_or(4);
                    }
                }
            }
        }
    }
}

impl<T: Wide> WithSimd for Sweeping<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<R: Simd>(self, simd: R) {
        if self.plan.sweep.step == 1 {
            self.sweep::<R, 1>(simd);
        } else {
            self.sweep::<R, 2>(simd);
        }
    }
}

/// Carries out a plan on the first blocks: `out` becomes the sums, with an offset for each channel if any are
/// given, or is increased by them.
pub fn convolve<T: Wide>(
    plan: &Plan<T>,
    input: &Maps<T>,
    offsets: Option<&[T]>,
    add: bool,
    out: &mut Maps<T>,
    blocks: usize,
) {
    Arch::new().dispatch(Sweeping { plan, input, offsets, add, out, blocks });
}

/// The arguments of [`weight_gradient`] that its kernel takes.
struct Correlating<'a, T> {
    shape: &'a Shape,
    input: &'a Maps<T>,
    delta: &'a Maps<T>,
    blocks: usize,
    sums: &'a mut [Lane<T>],
}

impl<T: Wide> Correlating<'_, T> {
    #[inline(always)]
    fn correlate<R: Simd, const K: usize>(self, simd: R) {
        let Self { shape, input, delta, blocks, sums } = self;
        let (rows, stride, side) = (shape.from * K, shape.stride, delta.side);
        let (plane, pitch, inset) = (input.plane(), input.pitch(), shape.inset());
        for (block, part) in (0..blocks).flat_map(|b| (0..T::registers::<R>()).map(move |p| (b, p)))
        {
            let maps = input.block(block);
            for group in (0..shape.to).step_by(GROUP) {
                // What fills up the last group computes its last channel again.
                let own: [usize; GROUP] = std::array::from_fn(|o| (group + o).min(shape.to - 1));
                let at = own.map(|o| delta.row(block, o, 0));
                for row in 0..rows {
                    let from = row / K * plane + (row % K + inset) * pitch + inset;
                    let place = own.map(|o| (o * rows + row) * K);
                    let mut held: [[T::Register<R>; K]; GROUP] = std::array::from_fn(|o| {
                        std::array::from_fn(|k| T::get::<R>(&sums[place[o] + k], part))
                    });
                    for y in 0..side {
                        let deltas = at.map(|at| &delta.values[at + y * delta.pitch()..][..side]);
                        let pixels = &maps[from + y * stride * pitch..][..(side - 1) * stride + K];
                        for x in 0..side {
                            let d = deltas.map(|row| T::get::<R>(&row[x], part));
                            for k in 0..K {
                                let pixel = T::get::<R>(&pixels[x * stride + k], part);
                                for o in 0..GROUP {
                                    held[o][k] = T::multiply_add(simd, d[o], pixel, held[o][k]);
                                }
                            }
                        }
                    }
                    for (place, held) in place.iter().zip(&held) {
                        for (k, held) in held.iter().enumerate() {
                            T::set::<R>(&mut sums[place + k], part, *held);
                        }
                    }
                }
            }
        }
    }
}

impl<T: Wide> WithSimd for Correlating<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<R: Simd>(self, simd: R) {
        if self.shape.kernel == 1 {
            self.correlate::<R, 1>(simd);
        } else {
            self.correlate::<R, 3>(simd);
        }
    }
}

/// Writes the derivative of the loss by the weights, from the input and the derivative by the output, which is 0
/// for images that do not exist. `sums` is room for one vector per weight.
pub fn weight_gradient<T: Wide>(
    shape: &Shape,
    input: &Maps<T>,
    delta: &Maps<T>,
    blocks: usize,
    sums: &mut Vec<Lane<T>>,
    gradient: &mut [T],
) {
    sums.clear();
    sums.resize(shape.weights(), Lane::splat(T::ZERO));
    Arch::new().dispatch(Correlating { shape, input, delta, blocks, sums });
    for (gradient, sum) in gradient.iter_mut().zip(sums.iter()) {
        *gradient = T::of(sum.sum());
    }
}
