//! Kernels of feed-forward networks: samples lie side by side in vector lanes, so that a layer of four units
//! is as efficient as one of four hundred.
//!
//! Every sum has a fixed order with explicit fused multiply-adds: registers of any width give the
//! same bits.

use numerics::linalg::{elementary, simd_dispatch::wide};

use super::{
    Head, Shape,
    layer_sums::{LANES, PARTS, affine, deltas, fold, lanes, lanes_mut, products},
    scalar::Scalar,
};

/// Padding of each row of samples: rows at a distance of a power of two would share the same few lines of the
/// first-level cache.
const PADDING: usize = 16;

/// Number of rows that are read together.
const TOGETHER: usize = 4;

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
        let sums = vec![T::ZERO; (shape.widest() + 1) * PARTS];
        Self { stride, units, delta: [level(shape.widest()), level(shape.widest())], sums }
    }

    /// Sets the features of the first samples to rows of `x`, which has `columns` columns. Four rows are read together, so
    /// that what is written of a unit lies side by side: with a row at a time, this took a quarter of a training.
    #[inline(always)]
    pub(crate) fn set_inputs(&mut self, x: &[T], columns: usize, rows: &[u32]) {
        let row = |row: u32| &x[row as usize * columns..][..columns];
        let (fours, rest) = rows.as_chunks::<TOGETHER>();
        for (group, [a, b, c, d]) in fours.iter().enumerate() {
            let s = group * TOGETHER;
            let features = row(*a).iter().zip(row(*b)).zip(row(*c)).zip(row(*d));
            for (unit, (((a, b), c), d)) in
                self.units[0].chunks_exact_mut(self.stride).zip(features)
            {
                unit[s..s + TOGETHER].copy_from_slice(&[*a, *b, *c, *d]);
            }
        }
        for (s, at) in (fours.len() * TOGETHER..).zip(rest) {
            self.set_input(s, row(*at));
        }
    }

    /// Sets the features of sample `s`.
    #[inline(always)]
    pub(crate) fn set_input(&mut self, s: usize, features: &[T]) {
        for (unit, feature) in self.units[0].chunks_exact_mut(self.stride).zip(features) {
            unit[s] = *feature;
        }
    }

    /// The activation of a unit; level 0 is the input.
    pub(crate) fn get(&self, level: usize, s: usize, unit: usize) -> T {
        self.units[level][unit * self.stride + s]
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
#[derive(Clone, Copy)]
pub(crate) enum Wanted<'a> {
    /// Class of each row of the data.
    Classes(&'a [u32]),
    /// The samples' own features.
    Input,
}

/// Sets ∂loss/∂z of the head for the rows `batch`, where the loss is the mean over the batch.
#[inline(always)]
pub(crate) fn head_delta<T: Scalar>(
    head: Head,
    pass: &mut Pass<T>,
    wanted: Wanted<'_>,
    batch: &[u32],
) {
    let (stride, width) = (pass.stride, batch.len().next_multiple_of(LANES));
    let (input, out) = (&pass.units[0], &pass.units[pass.units.len() - 1]);
    let share = T::ONE / T::of(batch.len() as f64);
    for unit in 0..head.units() {
        let p = &out[unit * stride..][..width];
        let d = &mut pass.delta[0][unit * stride..][..width];
        // Lanes beyond the batch hold rows of an earlier one and must not count.
        let (d, beyond) = d.split_at_mut(batch.len());
        beyond.fill(T::ZERO);
        match wanted {
            Wanted::Classes(y) => {
                let class = if head == Head::Sigmoid { 1 } else { unit as u32 };
                for ((d, &p), &row) in d.iter_mut().zip(p).zip(batch) {
                    let own = y[row as usize] == class;
                    *d = (p - if own { T::ONE } else { T::ZERO }) * share;
                }
            }
            Wanted::Input => {
                let share = share / T::of(head.units() as f64);
                for ((d, &p), &x) in d.iter_mut().zip(p).zip(&input[unit * stride..]) {
                    let slope = if p > T::ZERO { T::of(2.0) } else { T::ZERO };
                    *d = slope * (p - x) * share;
                }
            }
        }
    }
}

/// The sum of the losses of the rows `batch`, whose outputs are in the pass. Probabilities are clipped to at
/// least 1e-7, as in Keras.
#[inline(always)]
pub(crate) fn loss<T: Scalar>(
    head: Head,
    pass: &Pass<T>,
    wanted: Wanted<'_>,
    batch: &[u32],
) -> f64 {
    let level = pass.units.len() - 1;
    match wanted {
        Wanted::Classes(y) => {
            let one = |(s, &row): (usize, &u32)| {
                let p = |unit| pass.get(level, s, unit).to_f64();
                let right = match (head, y[row as usize]) {
                    (Head::Sigmoid, 1) => p(0),
                    (Head::Sigmoid, _) => 1.0 - p(0),
                    (_, class) => p(class as usize),
                };
                -right.clamp(1e-7, 1.0).ln()
            };
            batch.iter().enumerate().map(one).sum()
        }
        Wanted::Input => {
            let (units, mut total) = (head.units() as f64, 0.0);
            for at in (0..batch.len()).step_by(LANES) {
                let sums = squared_errors(&pass.units[0], &pass.units[level], (pass.stride, at));
                for sum in &sums[..LANES.min(batch.len() - at)] {
                    total += sum / units;
                }
            }
            total
        }
    }
}

/// Σ over the units of (output − input)², in their order, for the samples from `at` on.
#[inline(always)]
fn squared_errors<T: Scalar>(
    input: &[T],
    output: &[T],
    (stride, at): (usize, usize),
) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    for (x, p) in input.chunks_exact(stride).zip(output.chunks_exact(stride)) {
        let (x, p) = (lanes(x, at), lanes(p, at));
        for l in 0..LANES {
            let error = p[l].to_f64() - x[l].to_f64();
            sums[l] += error * error;
        }
    }
    sums
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
            let sums = &mut pass.sums[..(layer.inputs + 1) * PARTS];
            products(delta, input, stride, sums);
            let (inputs, own) = sums.split_at(layer.inputs * PARTS);
            fold(inputs, &mut gradient[layer.weights + j * layer.inputs..][..layer.inputs]);
            fold(own, &mut gradient[layer.offsets + j..][..1]);
        }
        if l == 0 {
            break;
        }
        deltas((layer, parameters), (above, input), below, (stride, width));
        std::mem::swap(&mut above, &mut below);
    }
}
