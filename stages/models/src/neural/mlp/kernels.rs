//! Kernels of the wide perceptron: the forward and backward pass of a batch, with the update of the weights
//! in the same pass.
//!
//! All three matrix products are tiles of four rows against a panel of units. Every sum has a fixed
//! order with fused multiply-adds: registers of any width give the same bits.

use numerics::linalg::{elementary, simd_dispatch::wide};

use crate::{
    neural::feedforward::scalar::Scalar,
    svm::panels::{ROWS, tile},
};

/// Number of units in a panel.
pub(crate) const LANES: usize = 32;

/// Weights and offsets, each with its last step.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer<T> {
    inputs: usize,
    outputs: usize,
    /// Panel after panel of outputs, each with one row per input, padded to whole tiles with inputs and
    /// outputs of weight 0.
    weights: Vec<T>,
    offsets: Vec<T>,
    weight_steps: Vec<T>,
    offset_steps: Vec<T>,
}

impl<T: Scalar> Layer<T> {
    /// All weights, offsets and last steps 0.
    pub(crate) fn zeros(inputs: usize, outputs: usize) -> Self {
        let width = outputs.next_multiple_of(LANES);
        let weights = vec![T::ZERO; inputs.next_multiple_of(ROWS) * width];
        let offsets = vec![T::ZERO; width];
        let (weight_steps, offset_steps) = (weights.clone(), offsets.clone());
        Self { inputs, outputs, weights, offsets, weight_steps, offset_steps }
    }

    /// Units of the layer below.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Units.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Inputs, padded to whole tiles.
    fn depth(&self) -> usize {
        self.inputs.next_multiple_of(ROWS)
    }

    /// Outputs, padded to whole panels.
    pub(crate) fn width(&self) -> usize {
        self.offsets.len()
    }

    fn place(&self, input: usize, output: usize) -> usize {
        assert!(input < self.inputs && output < self.outputs, "a weight of the layer");
        (output / LANES * self.depth() + input) * LANES + output % LANES
    }

    /// The weight between two units.
    pub fn weight(&self, input: usize, output: usize) -> T {
        self.weights[self.place(input, output)]
    }

    /// Sets the weight between two units.
    pub fn set_weight(&mut self, input: usize, output: usize, value: T) {
        let at = self.place(input, output);
        self.weights[at] = value;
    }

    /// Offsets, one an output.
    pub fn offsets(&self) -> &[T] {
        &self.offsets[..self.outputs]
    }

    /// Offsets, to be changed.
    pub fn offsets_mut(&mut self) -> &mut [T] {
        &mut self.offsets[..self.outputs]
    }

    /// Whether every number is finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.weights.iter().chain(&self.offsets).all(|v| v.to_f64().is_finite())
    }
}

/// Values of the units of one level for a batch, packed for both products that they enter.
#[derive(Debug, Clone)]
struct Level<T> {
    /// Units and samples, filled up to whole tiles.
    size: (usize, usize),
    /// Four samples after four, unit by unit.
    by_samples: Vec<T>,
    /// Four units after four, sample by sample.
    by_units: Vec<T>,
}

impl<T: Scalar> Level<T> {
    fn new() -> Self {
        Self { size: (0, 0), by_samples: Vec::new(), by_units: Vec::new() }
    }

    /// Room for so many units and samples, all values 0.
    fn resize(&mut self, units: usize, samples: usize) {
        self.size = (units.next_multiple_of(ROWS), samples.next_multiple_of(ROWS));
        for values in [&mut self.by_samples, &mut self.by_units] {
            values.clear();
            values.resize(self.size.0 * self.size.1, T::ZERO);
        }
    }

    #[inline(always)]
    fn set(&mut self, sample: usize, unit: usize, value: T) {
        let (units, samples) = self.size;
        self.by_samples[(sample / ROWS * units + unit) * ROWS + sample % ROWS] = value;
        self.by_units[(unit / ROWS * samples + sample) * ROWS + unit % ROWS] = value;
    }

    /// The tiles of four samples.
    #[inline(always)]
    fn sample_tiles(&self) -> std::slice::ChunksExact<'_, T> {
        self.by_samples.chunks_exact(self.size.0 * ROWS)
    }

    /// The tiles of four units.
    #[inline(always)]
    fn unit_tiles(&self) -> std::slice::ChunksExact<'_, T> {
        self.by_units.chunks_exact(self.size.1 * ROWS)
    }
}

/// A batch on its way through the network. Panels of units hold one row per sample, filled up to whole
/// tiles.
#[derive(Debug, Clone)]
pub(crate) struct Batch<T> {
    samples: usize,
    input: Level<T>,
    hidden: Level<T>,
    /// The hidden units again, panel after panel.
    active: Vec<T>,
    /// Scores of the classes, then ∂loss/∂score.
    scores: Vec<T>,
    /// ∂loss/∂z of the hidden units.
    delta: Vec<T>,
    /// The second layer's weights, panels of hidden units with one row per class.
    turned: Vec<T>,
    /// By which each hidden unit counts, laid out as they are; empty where all count once.
    pub(crate) mask: Vec<T>,
    /// Class of each sample.
    pub(crate) labels: Vec<u32>,
}

impl<T: Scalar> Batch<T> {
    pub(crate) fn new() -> Self {
        Self {
            samples: 0,
            input: Level::new(),
            hidden: Level::new(),
            active: Vec::new(),
            scores: Vec::new(),
            delta: Vec::new(),
            turned: Vec::new(),
            mask: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// Samples, filled up to whole tiles.
    pub(crate) fn padded(&self) -> usize {
        self.samples.next_multiple_of(ROWS)
    }

    /// Takes the chosen rows of `x` (n×d).
    pub(crate) fn load(&mut self, x: &[T], d: usize, rows: &[u32]) {
        self.samples = rows.len();
        self.input.resize(d, rows.len());
        for (s, &row) in rows.iter().enumerate() {
            for (i, &v) in x[row as usize * d..][..d].iter().enumerate() {
                self.input.set(s, i, v);
            }
        }
    }

    /// The score of a class.
    pub(crate) fn score(&self, sample: usize, class: usize) -> T {
        self.scores[(class / LANES * self.padded() + sample) * LANES + class % LANES]
    }
}

/// out ← input · W + b, a panel at a time; `finish` is handed the first sample, the panel's number and
/// the values of four samples.
#[inline(always)]
fn affine<T: Scalar>(
    input: &Level<T>,
    layer: &Layer<T>,
    mut finish: impl FnMut(usize, usize, [[T; LANES]; ROWS]),
) {
    let panels = layer.weights.chunks_exact(layer.depth() * LANES);
    for (p, (panel, offsets)) in panels.zip(layer.offsets.as_chunks::<LANES>().0).enumerate() {
        for (g, rows) in input.sample_tiles().enumerate() {
            let mut values = tile::<T, ROWS, LANES>(panel, rows);
            for row in &mut values {
                for (v, b) in row.iter_mut().zip(offsets) {
                    *v += *b;
                }
            }
            finish(g * ROWS, p, values);
        }
    }
}

/// Runs the batch through both layers. Inlined into kernels that run wide.
#[inline(always)]
fn run<T: Scalar>(layers: &[Layer<T>; 2], batch: &mut Batch<T>) {
    let padded = batch.padded();
    let Batch { input, hidden, active, scores, mask, .. } = batch;
    hidden.resize(layers[0].outputs, padded);
    active.resize(layers[0].width() * padded, T::ZERO);
    scores.resize(layers[1].width() * padded, T::ZERO);
    affine(input, &layers[0], |first, p, values| {
        for (r, row) in values.into_iter().enumerate() {
            let at = (p * padded + first + r) * LANES;
            let out = &mut active[at..][..LANES];
            for (o, v) in out.iter_mut().zip(row) {
                // Not a maximum, which would swallow NaN.
                *o = if v < T::ZERO { T::ZERO } else { v };
            }
            if !mask.is_empty() {
                for (o, m) in out.iter_mut().zip(&mask[at..][..LANES]) {
                    *o = *o * *m;
                }
            }
            let units = LANES.min(layers[0].outputs - p * LANES);
            for (u, v) in out[..units].iter().enumerate() {
                hidden.set(first + r, p * LANES + u, *v);
            }
        }
    });
    affine(hidden, &layers[1], |first, p, values| {
        let at = (p * padded + first) * LANES;
        for (out, row) in scores[at..].chunks_exact_mut(LANES).zip(&values) {
            out.copy_from_slice(row);
        }
    });
}

/// Replaces the scores by ∂loss/∂score, the mean cross-entropy of the softmax being meant; 0 for
/// samples and classes that only fill up.
#[inline(always)]
fn softmax_delta<T: Scalar>(batch: &mut Batch<T>, classes: usize) {
    let (samples, padded) = (batch.samples, batch.padded());
    let place = |s: usize, c: usize| (c / LANES * padded + s) * LANES + c % LANES;
    let mut values = vec![0.0_f64; classes];
    let scores = &mut batch.scores;
    for s in 0..samples {
        let mut top = f64::NEG_INFINITY;
        for (c, v) in values.iter_mut().enumerate() {
            *v = scores[place(s, c)].to_f64();
            top = if *v > top { *v } else { top };
        }
        for v in &mut values {
            *v = elementary::exp(*v - top);
        }
        let share = 1.0 / values.iter().sum::<f64>();
        for (c, v) in values.iter().enumerate() {
            let own = if batch.labels[s] as usize == c { 1.0 } else { 0.0 };
            scores[place(s, c)] = T::of((v * share - own) / samples as f64);
        }
    }
    let width = scores.len() / padded;
    for s in 0..padded {
        for c in if s < samples { classes } else { 0 }..width {
            scores[place(s, c)] = T::ZERO;
        }
    }
}

/// Sets ∂loss/∂z of the hidden units from that of the scores.
#[inline(always)]
fn hidden_delta<T: Scalar>(above: &Layer<T>, batch: &mut Batch<T>) {
    let padded = batch.padded();
    let (units, classes) = (above.inputs, above.outputs);
    let width = units.next_multiple_of(LANES);
    batch.turned.clear();
    batch.turned.resize(width * classes, T::ZERO);
    for u in 0..units {
        for c in 0..classes {
            batch.turned[(u / LANES * classes + c) * LANES + u % LANES] = above.weight(u, c);
        }
    }
    batch.delta.resize(width * padded, T::ZERO);
    let mut rows = vec![T::ZERO; classes * ROWS];
    for first in (0..padded).step_by(ROWS) {
        for (c, row) in rows.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
            for (r, score) in row.iter_mut().enumerate() {
                *score = batch.score(first + r, c);
            }
        }
        for (p, panel) in batch.turned.chunks_exact(classes * LANES).enumerate() {
            let values = tile::<T, ROWS, LANES>(panel, &rows);
            let at = (p * padded + first) * LANES;
            for (r, row) in values.into_iter().enumerate() {
                let at = at + r * LANES;
                for (l, v) in row.into_iter().enumerate() {
                    let slope = if batch.mask.is_empty() { T::ONE } else { batch.mask[at + l] };
                    let open = batch.active[at + l] > T::ZERO;
                    batch.delta[at + l] = if open { v * slope } else { T::ZERO };
                }
            }
        }
    }
}

/// Moves weights and offsets: step ← momentum · step − rate · gradient.
#[inline(always)]
fn descend<T: Scalar>(
    layer: &mut Layer<T>,
    input: &Level<T>,
    delta: &[T],
    (rate, momentum): (T, T),
) {
    let (depth, padded) = (layer.depth(), input.size.1);
    let panels = layer.weights.chunks_exact_mut(depth * LANES);
    let steps = layer.weight_steps.chunks_exact_mut(depth * LANES);
    for ((weights, steps), delta) in panels.zip(steps).zip(delta.chunks_exact(padded * LANES)) {
        let weights = weights.chunks_exact_mut(ROWS * LANES);
        for ((w, v), rows) in
            weights.zip(steps.chunks_exact_mut(ROWS * LANES)).zip(input.unit_tiles())
        {
            let gradient = tile::<T, ROWS, LANES>(delta, rows);
            let rows = w.as_chunks_mut::<LANES>().0.iter_mut().zip(v.as_chunks_mut::<LANES>().0);
            for ((w, v), g) in rows.zip(&gradient) {
                for l in 0..LANES {
                    v[l] = momentum.fused(v[l], -rate * g[l]);
                    w[l] += v[l];
                }
            }
        }
    }
    let offsets = layer.offsets.as_chunks_mut::<LANES>().0.iter_mut();
    let steps = layer.offset_steps.as_chunks_mut::<LANES>().0;
    for ((b, v), delta) in offsets.zip(steps).zip(delta.chunks_exact(padded * LANES)) {
        let mut gradient = [T::ZERO; LANES];
        for row in delta.as_chunks::<LANES>().0 {
            for (g, d) in gradient.iter_mut().zip(row) {
                *g += *d;
            }
        }
        for l in 0..LANES {
            v[l] = momentum.fused(v[l], -rate * gradient[l]);
            b[l] += v[l];
        }
    }
}

wide! {
    /// Runs a loaded batch through the network.
    pub(crate) fn forward['a, T: Scalar]['a, T](
        layers: &'a [Layer<T>; 2],
        batch: &'a mut Batch<T>,
    ) -> () {
        run(layers, batch);
    }
}

wide! {
    /// One step of gradient descent with momentum on a loaded batch with labels.
    pub(crate) fn step['a, T: Scalar]['a, T](
        layers: &'a mut [Layer<T>; 2],
        batch: &'a mut Batch<T>,
        rate: T,
        momentum: T,
    ) -> () {
        run(layers, batch);
        softmax_delta(batch, layers[1].outputs);
        hidden_delta(&layers[1], batch);
        let [below, above] = layers;
        descend(above, &batch.hidden, &batch.scores, (rate, momentum));
        descend(below, &batch.input, &batch.delta, (rate, momentum));
    }
}
