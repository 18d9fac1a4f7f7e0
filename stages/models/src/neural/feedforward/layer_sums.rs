//! The sums of one layer, for samples side by side in vector lanes: four sums at a time stay in registers and share the
//! loads of what they read. Inlined into kernels that run wide.

use super::{Layer, scalar::Scalar};

/// Number of samples handled together.
pub(super) const LANES: usize = 32;
/// `LANES` numbers from `at` on.
#[inline(always)]
pub(super) fn lanes<T>(values: &[T], at: usize) -> &[T; LANES] {
    values[at..].first_chunk().expect("padded to whole lanes")
}

/// As [`lanes`], mutable.
#[inline(always)]
pub(super) fn lanes_mut<T>(values: &mut [T], at: usize) -> &mut [T; LANES] {
    values[at..].first_chunk_mut().expect("padded to whole lanes")
}

/// Number of partial sums that are left of a sum over the lanes, before they are added up.
pub(super) const PARTS: usize = 8;

/// The upper levels of the fixed tree in which lanes are added: the upper half onto the lower one.
#[inline(always)]
fn halved<T: Scalar>(mut sum: [T; LANES]) -> [T; PARTS] {
    let mut width = LANES;
    while width > PARTS {
        width /= 2;
        for l in 0..width {
            sum[l] += sum[l + width];
        }
    }
    let mut parts = [T::ZERO; PARTS];
    parts.copy_from_slice(&sum[..PARTS]);
    parts
}

/// The lower levels of the tree, for several sums side by side.
#[inline(always)]
pub(super) fn fold<T: Scalar>(parts: &[T], out: &mut [T]) {
    let (eight, rest) = parts.as_chunks::<{ PARTS * PARTS }>();
    let (blocks, tail) = out.as_chunks_mut::<PARTS>();
    for (parts, out) in eight.iter().zip(blocks) {
        // Loops and not `array::from_fn`, whose closures would not be compiled for wide registers.
        let mut at = [[T::ZERO; PARTS]; PARTS];
        for (u, sum) in parts.as_chunks::<PARTS>().0.iter().enumerate() {
            for l in 0..PARTS {
                at[l][u] = sum[l];
            }
        }
        let mut width = PARTS;
        while width > 1 {
            width /= 2;
            let (lower, upper) = at[..2 * width].split_at_mut(width);
            for (sums, others) in lower.iter_mut().zip(upper) {
                for u in 0..PARTS {
                    sums[u] += others[u];
                }
            }
        }
        *out = at[0];
    }
    for (parts, out) in rest.as_chunks::<PARTS>().0.iter().zip(tail) {
        let [a, b, c, d, e, f, g, h] = *parts;
        *out = ((a + e) + (c + g)) + ((b + f) + (d + h));
    }
}

/// Number of units whose sums are taken together: they share the loads of their inputs.
const TOGETHER: usize = 4;

/// out ← W input + b for `width` samples, negative values replaced by 0 if `relu`. NaN stays.
#[inline(always)]
pub(super) fn affine<T: Scalar>(
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

/// The parts of the sums of delta · input for each input, and of delta itself behind them. They go through memory:
/// added up in registers at once, they would be taken two lanes at a time.
#[inline(always)]
pub(super) fn products<T: Scalar>(delta: &[T], input: &[T], stride: usize, sums: &mut [T]) {
    let inputs = sums.len() / PARTS - 1;
    let blocked = inputs - inputs % TOGETHER;
    for i in (0..blocked).step_by(TOGETHER) {
        for (u, sum) in correlations::<T, TOGETHER>(delta, input, stride, i).into_iter().enumerate()
        {
            *parts_mut(sums, i + u) = halved(sum);
        }
    }
    for i in blocked..inputs {
        let [sum] = correlations(delta, input, stride, i);
        *parts_mut(sums, i) = halved(sum);
    }
    let mut own = [T::ZERO; LANES];
    for at in (0..delta.len()).step_by(LANES) {
        let d = lanes(delta, at);
        for l in 0..LANES {
            own[l] += d[l];
        }
    }
    *parts_mut(sums, inputs) = halved(own);
}

/// The parts of sum `i`.
#[inline(always)]
fn parts_mut<T>(sums: &mut [T], i: usize) -> &mut [T; PARTS] {
    sums[i * PARTS..].first_chunk_mut().expect("all parts of a sum")
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

/// below ← ∂loss/∂z of the layer below for `width` samples: Wᵀ above where its activations `input` are above 0.
#[inline(always)]
pub(super) fn deltas<T: Scalar>(
    (layer, parameters): (Layer, &[T]),
    (above, input): (&[T], &[T]),
    below: &mut [T],
    (stride, width): (usize, usize),
) {
    let blocked = layer.inputs - layer.inputs % TOGETHER;
    for at in (0..width).step_by(LANES) {
        for i in (0..blocked).step_by(TOGETHER) {
            transposed::<T, TOGETHER>((layer, parameters), (above, input, below), (stride, at, i));
        }
        for i in blocked..layer.inputs {
            transposed::<T, 1>((layer, parameters), (above, input, below), (stride, at, i));
        }
    }
}

/// [`deltas`] for the units from `i` on and the samples from `at` on.
#[inline(always)]
fn transposed<T: Scalar, const UNITS: usize>(
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
