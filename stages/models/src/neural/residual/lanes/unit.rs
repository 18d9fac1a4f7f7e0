//! A convolution with the batch norm and the activation after it.

use rand_chacha::ChaCha12Rng;

use super::{
    super::{initialise, options::ResidualOptions},
    activation::{self, Curve},
    convolution::{self, Plan, Shape, backward_plans, forward_plan},
    maps::{Lane, Maps},
    norm::{self, Statistics},
    registers::Wide,
};

/// How a network is run.
#[derive(Debug, Clone, Copy)]
pub enum Mode {
    /// For training: batch norm uses the statistics of the batch, and moves its running statistics by a share.
    Training(f64),
    /// For evaluation: batch norm uses its running statistics.
    Testing,
}

/// Where parameters of a network that is being built begin, and their initial values.
#[derive(Debug)]
pub struct Listing<'a> {
    /// The options of the network.
    pub options: &'a ResidualOptions,
    /// Values so far.
    pub values: Vec<f64>,
    /// Sizes of the parameters so far.
    #[cfg(test)]
    pub sizes: Vec<usize>,
    /// Draws initial values.
    pub rng: &'a mut ChaCha12Rng,
    /// Number of blocks of images for which there is room.
    pub blocks: usize,
}

impl<'a> Listing<'a> {
    /// No parameters yet.
    pub fn new(options: &'a ResidualOptions, rng: &'a mut ChaCha12Rng, blocks: usize) -> Self {
        let values = Vec::new();
        Self {
            options,
            values,
            #[cfg(test)]
            sizes: Vec::new(),
            rng,
            blocks,
        }
    }

    /// Adds a parameter; returns where it begins.
    pub fn add(&mut self, values: impl IntoIterator<Item = f64>) -> usize {
        let start = self.values.len();
        self.values.extend(values);
        #[cfg(test)]
        self.sizes.push(self.values.len() - start);
        start
    }
}

/// A convolution, its norm and its activation.
#[derive(Debug, Clone)]
pub struct Unit<T> {
    shape: Shape,
    curve: Curve,
    weights: usize,
    offsets: Option<usize>,
    affine: Option<(usize, usize)>,
    statistics: Option<Statistics<T>>,
    forward: Plan<T>,
    backward: Vec<Plan<T>>,
    /// What the norm is given.
    raw: Maps<T>,
    /// What the activation returns.
    pub out: Maps<T>,
    sums: Vec<Lane<T>>,
}

impl<T: Wide> Unit<T> {
    /// For inputs of a side.
    pub fn new(listing: &mut Listing<'_>, shape: Shape, input: usize, curve: Curve) -> Self {
        let (area, options) = (shape.kernel * shape.kernel, listing.options);
        let (inputs, outputs) = (shape.from * area, shape.to * area);
        let how = options.initialisation;
        let drawn = initialise::weights(how, shape.to * inputs, inputs, outputs, listing.rng);
        let weights = listing.add(drawn);
        let mut constant = |value: f64| listing.add(vec![value; shape.to]);
        let offsets = options.convolution_bias.then(|| constant(0.0));
        let tuned = options.batch_norm.filter(|norm| norm.tuned);
        let affine = tuned.map(|_| (constant(1.0), constant(0.0)));
        let side = shape.side(input);
        let raw = if options.batch_norm.is_some() { listing.blocks } else { 0 };
        Self {
            shape,
            curve,
            weights,
            offsets,
            affine,
            statistics: options.batch_norm.map(|_| Statistics::new(shape.to)),
            forward: forward_plan(&shape, input),
            backward: backward_plans(&shape, input),
            raw: Maps::zeros(shape.to, side, raw),
            out: Maps::zeros(shape.to, side, listing.blocks),
            sums: Vec::new(),
        }
    }

    fn part<'p>(&self, parameters: &'p [T], at: usize) -> &'p [T] {
        &parameters[at..at + self.shape.to]
    }

    fn own<'p>(&self, parameters: &'p [T]) -> &'p [T] {
        &parameters[self.weights..self.weights + self.shape.weights()]
    }

    /// Computes the output for so many images.
    pub fn forward(&mut self, parameters: &[T], input: &Maps<T>, images: usize, mode: Mode) {
        let blocks = super::maps::blocks(images);
        self.forward.pack(&self.shape, self.own(parameters), false);
        let offsets = self.offsets.map(|at| self.part(parameters, at));
        let affine = self
            .affine
            .map(|(scale, offset)| (self.part(parameters, scale), self.part(parameters, offset)));
        let Some(statistics) = &mut self.statistics else {
            convolution::convolve(&self.forward, input, offsets, false, &mut self.out, blocks);
            if self.curve.is_some() {
                activation::activate(&mut self.out, blocks, self.curve);
            }
            return;
        };
        convolution::convolve(&self.forward, input, offsets, false, &mut self.raw, blocks);
        match mode {
            Mode::Training(share) => norm::measure(&self.raw, images, share, statistics),
            Mode::Testing => statistics.settle(),
        }
        norm::normalise(&self.raw, blocks, statistics, affine, self.curve, &mut self.out);
    }

    /// Turns the derivative by the output into that by what the convolution returns, and writes those by the
    /// parameters.
    pub fn backward(
        &mut self,
        parameters: &[T],
        input: &Maps<T>,
        delta: &mut Maps<T>,
        images: usize,
        gradient: &mut [T],
    ) {
        let blocks = super::maps::blocks(images);
        let scales = self.affine.map(|(scale, _)| self.part(parameters, scale));
        if let Some(statistics) = &mut self.statistics {
            let maps = (&self.raw, &self.out);
            norm::unnormalise(delta, maps, images, statistics, scales, self.curve);
            if let Some((scale, offset)) = self.affine {
                for (c, (by_scale, by_offset)) in statistics.slopes.iter().enumerate() {
                    gradient[scale + c] = *by_scale;
                    gradient[offset + c] = *by_offset;
                }
            }
        } else if self.curve.is_some() {
            activation::slope(delta, &self.out, blocks, self.curve);
        }
        if let Some(offsets) = self.offsets {
            norm::channel_sums(delta, blocks, &mut gradient[offsets..offsets + self.shape.to]);
        }
        let own = &mut gradient[self.weights..self.weights + self.shape.weights()];
        convolution::weight_gradient(&self.shape, input, delta, blocks, &mut self.sums, own);
    }

    /// The derivative by the input from that by what the convolution returns; added to what is there if asked.
    pub fn below(
        &mut self,
        parameters: &[T],
        delta: &Maps<T>,
        images: usize,
        add: bool,
        below: &mut Maps<T>,
    ) {
        let blocks = super::maps::blocks(images);
        let (own, shape) = (self.own(parameters), self.shape);
        for plan in &mut self.backward {
            plan.pack(&shape, own, true);
            convolution::convolve(plan, delta, None, add, below, blocks);
        }
    }
}
