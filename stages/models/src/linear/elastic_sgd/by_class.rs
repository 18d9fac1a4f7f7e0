//! All binary problems together: classes side by side in vector lanes, and of each row only the features that are not
//! zero.

use numerics::linalg::{elementary::logistic, simd_dispatch::wide};

use super::{ElasticSgd, charge, rates::Rates};
use crate::linear::{Linear, sign};

/// Number of problems side by side.
const LANES: usize = 4;
type Lanes = [f64; LANES];

/// Partial sums of a score, so that each addition does not wait for the one before.
const PARTS: usize = 4;

/// The common factor of all weights below which they are multiplied by it.
const SMALLEST: f64 = 1e-9;

/// Rows without the features that are zero.
pub(super) struct SparseRows {
    /// The place of each row's first entry, and at the end the number of entries.
    starts: Vec<usize>,
    /// Feature and value.
    entries: Vec<(u32, f64)>,
}

impl SparseRows {
    /// From whole rows.
    pub(super) fn new<'a>(rows: impl Iterator<Item = &'a [f64]>) -> Self {
        let (mut starts, mut entries) = (vec![0], Vec::new());
        for row in rows {
            let values = row.iter().enumerate().filter(|(_, v)| **v != 0.0);
            entries.extend(values.map(|(j, v)| (j as u32, *v)));
            starts.push(entries.len());
        }
        Self { starts, entries }
    }

    /// Number of values that are not zero.
    pub(super) fn entries(&self) -> usize {
        self.entries.len()
    }

    #[inline(always)]
    fn row(&self, row: usize) -> &[(u32, f64)] {
        &self.entries[self.starts[row]..self.starts[row + 1]]
    }
}

/// The weights of one feature in the problems side by side: a line of the cache.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Weights {
    /// Over the common factor.
    values: Lanes,
    /// The L1 penalty that each has received so far.
    paid: Lanes,
}

/// All binary problems between epochs. Where classes do not fill the lanes, the last ones hold problems without a
/// row of their class.
pub(super) struct ByClass {
    /// Of each group of classes, the weights of all features.
    groups: Vec<Vec<Weights>>,
    /// The L1 penalty accumulated.
    owed: f64,
    offsets: Vec<f64>,
}

impl ByClass {
    /// All weights zero.
    pub(super) fn new(classes: usize, features: usize) -> Self {
        let groups = vec![vec![Weights::default(); features]; classes.div_ceil(LANES)];
        let offsets = vec![0.0; groups.len() * LANES];
        Self { groups, owed: 0.0, offsets }
    }

    /// Copies weights and offsets; at the end of an epoch.
    pub(super) fn write(&self, model: &mut Linear) {
        for (c, mut row) in model.weights.rows_mut().into_iter().enumerate() {
            for (out, weights) in row.iter_mut().zip(&self.groups[c / LANES]) {
                *out = weights.values[c % LANES];
            }
            model.offsets[c] = self.offsets[c];
        }
    }
}

/// The products of the weights with a row, both over the common factor. If they are `CHARGED`, the outstanding penalty is
/// taken from these weights first.
#[inline(always)]
fn products<const CHARGED: bool>(
    weights: &mut [Weights],
    row: &[(u32, f64)],
    owed: f64,
    factors: (f64, f64),
) -> Lanes {
    let mut sums = [[0.0; LANES]; PARTS];
    let (whole, rest) = row.as_chunks::<PARTS>();
    for entries in whole {
        for (sum, (j, x)) in sums.iter_mut().zip(entries) {
            product::<CHARGED>(sum, &mut weights[*j as usize], *x, owed, factors);
        }
    }
    for (j, x) in rest {
        product::<CHARGED>(&mut sums[0], &mut weights[*j as usize], *x, owed, factors);
    }
    let [a, b, c, d] = sums;
    let mut total = a;
    for l in 0..LANES {
        total[l] = (a[l] + b[l]) + (c[l] + d[l]);
    }
    total
}

/// Adds what one feature contributes to [`products`].
#[inline(always)]
fn product<const CHARGED: bool>(
    sum: &mut Lanes,
    weights: &mut Weights,
    x: f64,
    owed: f64,
    factors: (f64, f64),
) {
    if CHARGED {
        collect(weights, owed, factors);
    }
    add_scaled(sum, x, &weights.values);
}

/// sum ← x v + sum.
#[inline(always)]
fn add_scaled(sum: &mut Lanes, x: f64, v: &Lanes) {
    for l in 0..LANES {
        sum[l] = v[l].mul_add(x, sum[l]);
    }
}

/// Takes the outstanding penalty from the weights of a feature.
#[inline(always)]
fn collect(weights: &mut Weights, owed: f64, (scale, inverse): (f64, f64)) {
    for l in 0..LANES {
        let (left, paid) = charge(scale * weights.values[l], owed, weights.paid[l]);
        weights.values[l] = inverse * left;
        weights.paid[l] = paid;
    }
}

wide! {
    /// One epoch over the rows `order`, from update `start` on. A weight waits for its penalty until the next row whose
    /// feature is not zero, or the end of the epoch.
    pub(super) fn epoch['a]['a](
        settings: &'a ElasticSgd,
        samples: (&'a SparseRows, &'a [u32]),
        order: &'a [u32],
        start: u64,
        problems: &'a mut ByClass,
    ) -> () {
        let ElasticSgd { alpha, l1_ratio, .. } = *settings;
        let (rows, labels) = samples;
        let ByClass { groups, owed, offsets } = problems;
        let k = offsets.len();
        // The scores of a row, then its margins, then the steps that it asks for.
        let mut steps = vec![0.0; k];
        // The common factor of all weights.
        let mut scale = 1.0_f64;
        let rates = Rates::new(settings);
        for (t, &at) in (start..).zip(order) {
            let (row, label) = (rows.row(at as usize), labels[at as usize]);
            let (rate, keep) = rates.at(t);
            let factors = (scale, 1.0 / scale);
            for (weights, out) in groups.iter_mut().zip(steps.as_chunks_mut::<LANES>().0) {
                *out = if l1_ratio > 0.0 {
                    products::<true>(weights, row, *owed, factors)
                } else {
                    products::<false>(weights, row, *owed, factors)
                };
            }
            // Of all problems together: side by side in registers.
            for (c, (step, offset)) in steps.iter_mut().zip(&*offsets).enumerate() {
                *step = sign(label, c, k) * scale.mul_add(*step, *offset);
            }
            for step in &mut steps {
                *step = logistic(*step).1;
            }
            scale *= keep;
            if scale < SMALLEST {
                for weights in groups.iter_mut() {
                    rescale(weights, scale);
                }
                scale = 1.0;
            }
            let inverse = 1.0 / scale;
            for (c, (step, offset)) in steps.iter_mut().zip(&mut *offsets).enumerate() {
                let own = rate * sign(label, c, k) * *step;
                *offset += own;
                *step = own * inverse;
            }
            *owed += l1_ratio * rate * alpha;
            // A copy of the steps, which the weights might else overlap as far as the compiler knows.
            for (weights, &steps) in groups.iter_mut().zip(steps.as_chunks::<LANES>().0) {
                for (j, x) in row {
                    add_scaled(&mut weights[*j as usize].values, *x, &steps);
                }
            }
        }
        for weights in groups {
            rescale(weights, scale);
            for weights in weights {
                collect(weights, *owed, (1.0, 1.0));
            }
        }
    }
}

/// Multiplies the weights by their common factor.
#[inline(always)]
fn rescale(weights: &mut [Weights], scale: f64) {
    for weights in weights {
        for w in &mut weights.values {
            *w *= scale;
        }
    }
}
