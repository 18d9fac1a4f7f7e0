//! The block of two convolutions and a shortcut, \[He2016\] fig. 2, over images that lie side by side.

use numerics::linalg::simd_dispatch::wide;

use super::{
    super::{
        masks::{Masks, VALUES},
        options::Shortcut,
    },
    activation::{self, Curve},
    convolution::Shape,
    maps::{LANES, Lane, Maps, blocks},
    registers::Wide,
    unit::{Listing, Mode, Unit},
};
use crate::neural::feedforward::scalar::Scalar;

/// Maps that a backward pass needs, shared by blocks of the same size.
#[derive(Debug, Clone)]
pub struct Room<T> {
    /// Derivatives by the outputs of a block and of the one below.
    pub deltas: [Maps<T>; 2],
    branch: Maps<T>,
    inner: Maps<T>,
}

impl<T: Scalar> Room<T> {
    /// For blocks with such outputs.
    pub fn new(channels: usize, side: usize, blocks: usize) -> Self {
        let maps = || Maps::zeros(channels, side, blocks);
        Self { deltas: [maps(), maps()], branch: maps(), inner: maps() }
    }
}

#[derive(Debug, Clone)]
enum Around<T> {
    Identity,
    /// Every pixel at this distance, and channels of zeros.
    Padding(usize),
    Projection(Box<Unit<T>>),
}

/// A block.
#[derive(Debug, Clone)]
pub struct Block<T> {
    first: Unit<T>,
    second: Unit<T>,
    around: Around<T>,
    third: Curve,
    /// The masks of the last training step, and what they leave, if there is dropout.
    dropped: Option<[Maps<T>; 2]>,
    /// The output.
    pub out: Maps<T>,
}

/// Dropout in one step of a training.
#[derive(Debug, Clone, Copy)]
pub struct Dropping<'a> {
    /// The masks.
    pub masks: &'a Masks,
    /// The step.
    pub step: u32,
    /// The block.
    pub block: usize,
}

wide! {
    /// Draws a mask for the outputs, and multiplies them.
    fn mask['a, T: Scalar]['a, T](
        out: &'a Maps<T>,
        dropping: Dropping<'a>,
        count: usize,
        mask: &'a mut Maps<T>,
        left: &'a mut Maps<T>,
    ) -> () {
        let Dropping { masks, step, block } = dropping;
        let (side, area) = (out.side, out.side * out.side);
        for b in 0..count {
            for group in 0..(out.channels * area).div_ceil(VALUES) {
                let factors = masks.factors::<LANES>(group, b * LANES, block, step);
                let values = group * VALUES..(out.channels * area).min((group + 1) * VALUES);
                for (value, factors) in values.zip(&factors) {
                    let at = out.row(b, value / area, value % area / side) + value % side;
                    let factors = Lane(factors.map(|factor| T::of(f64::from(factor))));
                    mask.values[at] = factors;
                    for l in 0..LANES {
                        left.values[at].0[l] = out.values[at].0[l] * factors.0[l];
                    }
                }
            }
        }
    }
}

wide! {
    /// Multiplies vector by vector.
    fn multiply['a, T: Scalar]['a, T](values: &'a mut [Lane<T>], by: &'a [Lane<T>]) -> () {
        for (value, by) in values.iter_mut().zip(by) {
            for (value, by) in value.0.iter_mut().zip(&by.0) {
                *value = *value * *by;
            }
        }
    }
}

wide! {
    /// out = factor · branch, plus every `stride`-th pixel of the shortcut in the channels that it has.
    fn join['a, T: Scalar]['a, T](
        branch: &'a Maps<T>,
        factor: T,
        around: &'a Maps<T>,
        stride: usize,
        count: usize,
        out: &'a mut Maps<T>,
    ) -> () {
        for b in 0..count {
            for c in 0..out.channels {
                for y in 0..out.side {
                    let row = out.row(b, c, y);
                    if c >= around.channels {
                        for x in row..row + out.side {
                            for l in 0..LANES {
                                out.values[x].0[l] = factor * branch.values[x].0[l];
                            }
                        }
                        continue;
                    }
                    let from = around.row(b, c, y * stride);
                    for x in 0..out.side {
                        let seen = &around.values[from + x * stride];
                        for l in 0..LANES {
                            out.values[row + x].0[l] =
                                factor.fused(branch.values[row + x].0[l], seen.0[l]);
                        }
                    }
                }
            }
        }
    }
}

wide! {
    /// branch = factor · delta.
    fn scaled['a, T: Scalar]['a, T](delta: &'a [Lane<T>], factor: T, branch: &'a mut [Lane<T>]) -> () {
        for (branch, delta) in branch.iter_mut().zip(delta) {
            for (branch, delta) in branch.0.iter_mut().zip(&delta.0) {
                *branch = factor * *delta;
            }
        }
    }
}

wide! {
    /// The sum of all products of two maps, in double precision.
    fn product['a, T: Scalar]['a, T](a: &'a Maps<T>, b: &'a Maps<T>, count: usize) -> f64 {
        let mut sum = 0.0;
        for block in 0..count {
            let mut held = Lane::splat(T::ZERO);
            // Borders are 0.
            for (a, b) in a.block(block).iter().zip(b.block(block)) {
                for l in 0..LANES {
                    held.0[l] = a.0[l].fused(b.0[l], held.0[l]);
                }
            }
            sum += held.sum();
        }
        sum
    }
}

wide! {
    /// below += delta, at the pixels and channels that a shortcut without weights reads.
    fn return_shortcut['a, T: Scalar]['a, T](
        delta: &'a Maps<T>,
        stride: usize,
        count: usize,
        below: &'a mut Maps<T>,
    ) -> () {
        for b in 0..count {
            for c in 0..below.channels {
                for y in 0..delta.side {
                    let (from, to) = (delta.row(b, c, y), below.row(b, c, y * stride));
                    for x in 0..delta.side {
                        for l in 0..LANES {
                            below.values[to + x * stride].0[l] += delta.values[from + x].0[l];
                        }
                    }
                }
            }
        }
    }
}

impl<T: Wide> Block<T> {
    /// A block between these numbers of channels, for inputs of a side.
    pub fn new(
        listing: &mut Listing<'_>,
        (from, to): (usize, usize),
        stride: usize,
        input: usize,
    ) -> Self {
        let options = listing.options;
        let curve = |on: bool| on.then_some(options.activation);
        let shape = |from, kernel, stride| Shape { from, to, kernel, stride };
        let first = Unit::new(listing, shape(from, 3, stride), input, curve(options.places.first));
        let side = first.out.side;
        let second = Unit::new(listing, shape(to, 3, 1), side, curve(options.places.second));
        let changes = from != to || stride != 1;
        let projected = match options.shortcut {
            Shortcut::Projections => true,
            Shortcut::Projection => changes,
            Shortcut::Identity => false,
        };
        let around = if projected {
            Around::Projection(Box::new(Unit::new(listing, shape(from, 1, stride), input, None)))
        } else if changes {
            Around::Padding(stride)
        } else {
            Around::Identity
        };
        let maps = || Maps::zeros(to, side, listing.blocks);
        let dropped = options.dropout.map(|_| [maps(), maps()]);
        Self { first, second, around, third: curve(options.places.third), dropped, out: maps() }
    }

    /// Computes the output for so many images; the branch counts by the weight of its link.
    pub fn forward(
        &mut self,
        parameters: &[T],
        link: T,
        input: &Maps<T>,
        images: usize,
        (mode, dropping): (Mode, Option<Dropping<'_>>),
    ) {
        let count = blocks(images);
        self.first.forward(parameters, input, images, mode);
        let inner = match (dropping, &mut self.dropped) {
            (Some(dropping), Some([masks, left])) => {
                mask(&self.first.out, dropping, count, masks, left);
                left
            }
            _ => &mut self.first.out,
        };
        self.second.forward(parameters, inner, images, mode);
        let (seen, stride) = match &mut self.around {
            Around::Identity => (input, 1),
            Around::Padding(stride) => (input, *stride),
            Around::Projection(unit) => {
                unit.forward(parameters, input, images, mode);
                (&unit.out, 1)
            }
        };
        join(&self.second.out, link, seen, stride, count, &mut self.out);
        if self.third.is_some() {
            activation::activate(&mut self.out, count, self.third);
        }
    }

    /// From the derivative by the output (which is overwritten) to that by the input, and those by the
    /// parameters; returns that by the link's weight, or 0 if it is not tuned. `room` is of the block's size without its deltas.
    #[expect(clippy::too_many_arguments, reason = "each is a thing of its own, named by its type")]
    pub fn backward(
        &mut self,
        parameters: &[T],
        (link, tuned): (T, bool),
        input: &Maps<T>,
        delta: &mut Maps<T>,
        (branch, inner): Within<'_, T>,
        below: &mut Maps<T>,
        images: usize,
        gradient: &mut [T],
    ) -> f64 {
        let count = blocks(images);
        if self.third.is_some() {
            activation::slope(delta, &self.out, count, self.third);
        }
        let by_link = if tuned { product(delta, &self.second.out, count) } else { 0.0 };
        scaled(delta.first(count), link, branch.first_mut(count));
        let given = match &self.dropped {
            Some([_, left]) => left,
            None => &self.first.out,
        };
        self.second.backward(parameters, given, branch, images, gradient);
        self.second.below(parameters, branch, images, false, inner);
        if let Some([masks, _]) = &self.dropped {
            multiply(inner.first_mut(count), masks.first(count));
        }
        self.first.backward(parameters, input, inner, images, gradient);
        self.first.below(parameters, inner, images, false, below);
        match &mut self.around {
            Around::Identity => return_shortcut(delta, 1, count, below),
            Around::Padding(stride) => return_shortcut(delta, *stride, count, below),
            Around::Projection(unit) => {
                unit.backward(parameters, input, delta, images, gradient);
                unit.below(parameters, delta, images, true, below);
            }
        }
        by_link
    }
}

/// The derivatives by the maps after the branch, and between its convolutions.
pub type Within<'a, T> = (&'a mut Maps<T>, &'a mut Maps<T>);

impl<T> Room<T> {
    /// The maps within a block.
    pub fn within(&mut self) -> (&mut [Maps<T>; 2], Within<'_, T>) {
        (&mut self.deltas, (&mut self.branch, &mut self.inner))
    }
}
