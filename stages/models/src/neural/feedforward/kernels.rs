//! Kernels of feed-forward networks: samples lie side by side in vector lanes, so that a layer of four units
//! is as efficient as one of four hundred.
//!
//! Every sum has a fixed order with explicit fused multiply-adds: registers of any width give the
//! same bits.

use std::{
    fmt::Debug,
    ops::{Add, AddAssign, Div, Mul, Neg, Sub},
};

use numerics::linalg::{elementary, simd_dispatch::wide};

use crate::neural::feedforward::{Head, Layer, Shape};

/// Number of samples handled together.
pub(crate) const LANES: usize = 32;
/// Padding of each row of samples: rows at a distance of a power of two would share the same few lines of the
/// first-level cache.
const PADDING: usize = 16;

/// Single or double precision.
pub trait Scalar:
    Copy
    + Debug
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + Send
    + Sync
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The nearest number.
    fn of(value: f64) -> Self;
    /// Itself, exactly.
    fn to_f64(self) -> f64;
    /// self · a + b, with a single rounding.
    #[must_use]
    fn fused(self, a: Self, b: Self) -> Self;
    /// √self.
    #[must_use]
    fn root(self) -> Self;
}

macro_rules! scalar {
    ($t:ty) => {
        impl Scalar for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            #[inline(always)]
            fn of(value: f64) -> Self {
                value as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn fused(self, a: Self, b: Self) -> Self {
                self.mul_add(a, b)
            }
            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }
        }
    };
}
scalar!(f32);
scalar!(f64);

/// The values of every unit for a batch of samples, forward and backward. Unit u of sample s is at `u *
/// stride + s`.
#[derive(Debug, Clone)]
pub(crate) struct Pass<T> {
    stride: usize,
    /// Activations of the input and of each layer.
    units: Vec<Vec<T>>,
    /// ∂loss/∂z of one layer and of the layer below.
    delta: [Vec<T>; 2],
    /// The lanes' sums of one unit's gradient.
    sums: Vec<T>,
}

impl<T: Scalar> Pass<T> {
    /// Space for at most `batch` samples.
    pub(crate) fn new(shape: &Shape, batch: usize) -> Self {
        let stride = batch.next_multiple_of(LANES) + PADDING;
        let level = |units: usize| vec![T::ZERO; units * stride];
        let above = shape.layers().iter().map(|layer| level(layer.outputs));
        let units = [level(shape.inputs())].into_iter().chain(above).collect();
        let sums = vec![T::ZERO; (shape.widest() + 1) * LANES];
        Self { stride, units, delta: [level(shape.widest()), level(shape.widest())], sums }
    }

    /// Sets the features of sample `s`.
    #[inline(always)]
    pub(crate) fn set_input(&mut self, s: usize, features: impl Iterator<Item = T>) {
        let (input, mut place) = (&mut self.units[0][..], s);
        for feature in features {
            input[place] = feature;
            place += self.stride;
        }
    }

    /// The activation of a unit; level 0 is the input.
    pub(crate) fn get(&self, level: usize, s: usize, unit: usize) -> T {
        self.units[level][unit * self.stride + s]
    }
}

/// `LANES` numbers from `at` on.
#[inline(always)]
fn lanes<T>(values: &[T], at: usize) -> &[T; LANES] {
    values[at..].first_chunk().expect("padded to whole lanes")
}

/// As [`lanes`], mutable.
#[inline(always)]
fn lanes_mut<T>(values: &mut [T], at: usize) -> &mut [T; LANES] {
    values[at..].first_chunk_mut().expect("padded to whole lanes")
}

/// Σ over the lanes, in a fixed tree.
#[inline(always)]
fn fold<T: Scalar>(mut sum: [T; LANES]) -> T {
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for l in 0..width {
            sum[l] += sum[l + width];
        }
    }
    sum[0]
}

/// Number of units whose sums are taken together: they share the loads of their inputs.
const TOGETHER: usize = 4;

/// out ← W input + b for `width` samples, negative values replaced by 0 if `relu`. NaN stays.
#[inline(always)]
fn affine<T: Scalar>(
    (layer, parameters): (Layer, &[T]),
    input: &[T],
    out: &mut [T],
    (stride, width): (usize, usize),
    relu: bool,
) {
    let blocked = layer.outputs - layer.outputs % TOGETHER;
    for at in (0..width).step_by(LANES) {
        for j in (0..blocked).step_by(TOGETHER) {
            units::<T, TOGETHER>((layer, parameters), (input, out), (stride, at, j), relu);
        }
        for j in blocked..layer.outputs {
            units::<T, 1>((layer, parameters), (input, out), (stride, at, j), relu);
        }
    }
}

/// [`affine`] for the units from `j` on and the samples from `at` on.
#[inline(always)]
fn units<T: Scalar, const UNITS: usize>(
    (layer, parameters): (Layer, &[T]),
    (input, out): (&[T], &mut [T]),
    (stride, at, j): (usize, usize, usize),
    relu: bool,
) {
    let mut sums = [[T::ZERO; LANES]; UNITS];
    for u in 0..UNITS {
        sums[u] = [parameters[layer.offsets + j + u]; LANES];
    }
    let rows = &parameters[layer.weights + j * layer.inputs..][..UNITS * layer.inputs];
    for i in 0..layer.inputs {
        let x = lanes(input, i * stride + at);
        for u in 0..UNITS {
            add_scaled(&mut sums[u], rows[u * layer.inputs + i], x);
        }
    }
    for (u, sum) in sums.into_iter().enumerate() {
        *lanes_mut(out, (j + u) * stride + at) = if relu { rectified(sum) } else { sum };
    }
}

/// Negative values replaced by 0. NaN stays.
#[inline(always)]
fn rectified<T: Scalar>(mut z: [T; LANES]) -> [T; LANES] {
    for v in &mut z {
        *v = if *v < T::ZERO { T::ZERO } else { *v };
    }
    z
}

/// Values whose unit is not active replaced by 0.
#[inline(always)]
fn masked<T: Scalar>(mut z: [T; LANES], active: &[T; LANES]) -> [T; LANES] {
    for l in 0..LANES {
        let v = z[l];
        z[l] = if active[l] > T::ZERO { v } else { T::ZERO };
    }
    z
}

/// sum ← factor · x + sum.
#[inline(always)]
fn add_scaled<T: Scalar>(sum: &mut [T; LANES], factor: T, x: &[T; LANES]) {
    for l in 0..LANES {
        sum[l] = factor.fused(x[l], sum[l]);
    }
}

/// Runs the first `count` samples through the network. Inlined into kernels that run wide.
#[inline(always)]
pub(crate) fn run<T: Scalar>(shape: &Shape, parameters: &[T], pass: &mut Pass<T>, count: usize) {
    let size = (pass.stride, count.next_multiple_of(LANES));
    let top = shape.layers().len() - 1;
    for (l, &layer) in shape.layers().iter().enumerate() {
        let (below, above) = pass.units.split_at_mut(l + 1);
        let relu = l < top || matches!(shape.head(), Head::Rectified(_));
        affine((layer, parameters), &below[l], &mut above[0], size, relu);
    }
    let out = &mut pass.units[top + 1];
    match shape.head() {
        Head::Rectified(_) => (),
        Head::Sigmoid => {
            for v in &mut out[..size.1] {
                // σ(z) = 1 − σ(−z), so that neither side loses digits.
                *v = T::of(elementary::logistic(-v.to_f64()).1);
            }
        }
        Head::Softmax(_) => softmax(out, size),
    }
}

/// Replaces z by the probabilities of the classes, each sample by itself.
#[inline(always)]
fn softmax<T: Scalar>(z: &mut [T], (stride, width): (usize, usize)) {
    for at in (0..width).step_by(LANES) {
        let (mut top, mut sum) = ([T::of(f64::NEG_INFINITY); LANES], [T::ZERO; LANES]);
        for class in z.chunks_exact(stride) {
            for (t, v) in top.iter_mut().zip(lanes(class, at)) {
                *t = if *v > *t { *v } else { *t };
            }
        }
        for class in z.chunks_exact_mut(stride) {
            let class = lanes_mut(class, at);
            for l in 0..LANES {
                class[l] = T::of(elementary::exp((class[l] - top[l]).to_f64()));
                sum[l] += class[l];
            }
        }
        for class in z.chunks_exact_mut(stride) {
            for (v, s) in lanes_mut(class, at).iter_mut().zip(&sum) {
                *v = *v / *s;
            }
        }
    }
}

wide! {
    /// Runs the first `count` samples of a pass through the network.
    pub(crate) fn forward['a, T: Scalar]['a, T](
        shape: &'a Shape,
        parameters: &'a [T],
        pass: &'a mut Pass<T>,
        count: usize,
    ) -> () {
        run(shape, parameters, pass, count);
    }
}

/// The targets of a batch.
pub(crate) enum Wanted<'a, T> {
    /// Class of each row of the data.
    Classes(&'a [u32]),
    /// Values, one row per row of the data (row-major).
    Values(&'a [T]),
}

/// Sets ∂loss/∂z of the head for the rows `batch`, where the loss is the mean over the batch.
#[inline(always)]
pub(crate) fn head_delta<T: Scalar>(
    head: Head,
    pass: &mut Pass<T>,
    wanted: &Wanted<'_, T>,
    batch: &[u32],
) {
    let (stride, width) = (pass.stride, batch.len().next_multiple_of(LANES));
    let out = &pass.units[pass.units.len() - 1];
    let share = T::ONE / T::of(batch.len() as f64);
    for unit in 0..head.units() {
        let p = &out[unit * stride..][..width];
        let d = &mut pass.delta[0][unit * stride..][..width];
        // Lanes beyond the batch hold rows of an earlier one and must not count.
        d[batch.len()..].fill(T::ZERO);
        let rows = d.iter_mut().zip(p).zip(batch);
        match wanted {
            Wanted::Classes(y) => {
                let class = if head == Head::Sigmoid { 1 } else { unit as u32 };
                for ((d, &p), &row) in rows {
                    let own = y[row as usize] == class;
                    *d = (p - if own { T::ONE } else { T::ZERO }) * share;
                }
            }
            Wanted::Values(t) => {
                let (n, share) = (head.units(), share / T::of(head.units() as f64));
                for ((d, &p), &row) in rows {
                    let slope = if p > T::ZERO { T::of(2.0) } else { T::ZERO };
                    *d = slope * (p - t[row as usize * n + unit]) * share;
                }
            }
        }
    }
}

/// The sum of the losses of the rows `batch`, whose outputs are in the pass. Probabilities are clipped to at
/// least 1e-7, as in Keras.
pub(crate) fn loss<T: Scalar>(
    head: Head,
    pass: &Pass<T>,
    wanted: &Wanted<'_, T>,
    batch: &[u32],
) -> f64 {
    let level = pass.units.len() - 1;
    let one = |(s, &row): (usize, &u32)| {
        let p = |unit| pass.get(level, s, unit).to_f64();
        let row = row as usize;
        match wanted {
            Wanted::Classes(y) => {
                let right = match (head, y[row]) {
                    (Head::Sigmoid, 1) => p(0),
                    (Head::Sigmoid, _) => 1.0 - p(0),
                    (_, class) => p(class as usize),
                };
                -right.clamp(1e-7, 1.0).ln()
            }
            Wanted::Values(t) => {
                let n = head.units();
                let square = |unit| (p(unit) - t[row * n + unit].to_f64()).powi(2);
                (0..n).map(square).sum::<f64>() / n as f64
            }
        }
    };
    batch.iter().enumerate().map(one).sum()
}

/// Computes the gradient of all parameters from the head's ∂loss/∂z.
#[inline(always)]
pub(crate) fn backward<T: Scalar>(
    shape: &Shape,
    parameters: &[T],
    pass: &mut Pass<T>,
    count: usize,
    gradient: &mut [T],
) {
    let (stride, width) = (pass.stride, count.next_multiple_of(LANES));
    let [mut above, mut below] = pass.delta.each_mut();
    for (l, &layer) in shape.layers().iter().enumerate().rev() {
        let input = &pass.units[l];
        for j in 0..layer.outputs {
            let delta = &above[j * stride..][..width];
            let sums = &mut pass.sums[..(layer.inputs + 1) * LANES];
            products(delta, input, stride, sums);
            let row = &mut gradient[layer.weights + j * layer.inputs..][..layer.inputs];
            for (i, g) in row.iter_mut().enumerate() {
                *g = fold(*lanes(sums, i * LANES));
            }
            gradient[layer.offsets + j] = fold(*lanes(sums, layer.inputs * LANES));
        }
        if l == 0 {
            break;
        }
        for at in (0..width).step_by(LANES) {
            let blocked = layer.inputs - layer.inputs % TOGETHER;
            for i in (0..blocked).step_by(TOGETHER) {
                deltas::<T, TOGETHER>((layer, parameters), (above, input, below), (stride, at, i));
            }
            for i in blocked..layer.inputs {
                deltas::<T, 1>((layer, parameters), (above, input, below), (stride, at, i));
            }
        }
        std::mem::swap(&mut above, &mut below);
    }
}

/// The lanes' sums of delta · input for each input, and of delta itself behind them. They go through memory:
/// added up in registers at once, they would be taken two lanes at a time.
#[inline(always)]
fn products<T: Scalar>(delta: &[T], input: &[T], stride: usize, sums: &mut [T]) {
    let inputs = sums.len() / LANES - 1;
    let blocked = inputs - inputs % TOGETHER;
    for i in (0..blocked).step_by(TOGETHER) {
        for (u, sum) in correlations::<T, TOGETHER>(delta, input, stride, i).into_iter().enumerate()
        {
            *lanes_mut(sums, (i + u) * LANES) = sum;
        }
    }
    for i in blocked..inputs {
        let [sum] = correlations(delta, input, stride, i);
        *lanes_mut(sums, i * LANES) = sum;
    }
    let mut own = [T::ZERO; LANES];
    for at in (0..delta.len()).step_by(LANES) {
        let d = lanes(delta, at);
        for l in 0..LANES {
            own[l] += d[l];
        }
    }
    *lanes_mut(sums, inputs * LANES) = own;
}

/// The lanes' sums of delta · input for the inputs from `i` on.
#[inline(always)]
fn correlations<T: Scalar, const INPUTS: usize>(
    delta: &[T],
    input: &[T],
    stride: usize,
    i: usize,
) -> [[T; LANES]; INPUTS] {
    let mut sums = [[T::ZERO; LANES]; INPUTS];
    for at in (0..delta.len()).step_by(LANES) {
        let d = lanes(delta, at);
        for (u, sum) in sums.iter_mut().enumerate() {
            let x = lanes(input, (i + u) * stride + at);
            for l in 0..LANES {
                sum[l] = d[l].fused(x[l], sum[l]);
            }
        }
    }
    sums
}

/// ∂loss/∂z of the units from `i` on of the layer below, for the samples from `at` on.
#[inline(always)]
fn deltas<T: Scalar, const UNITS: usize>(
    (layer, parameters): (Layer, &[T]),
    (above, input, below): (&[T], &[T], &mut [T]),
    (stride, at, i): (usize, usize, usize),
) {
    let mut sums = [[T::ZERO; LANES]; UNITS];
    for j in 0..layer.outputs {
        let d = lanes(above, j * stride + at);
        let weights = &parameters[layer.weights + j * layer.inputs + i..][..UNITS];
        for u in 0..UNITS {
            add_scaled(&mut sums[u], weights[u], d);
        }
    }
    for (u, sum) in sums.into_iter().enumerate() {
        let place = (i + u) * stride + at;
        *lanes_mut(below, place) = masked(sum, lanes(input, place));
    }
}
