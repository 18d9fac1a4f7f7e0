//! A residual network of \[He2016\] section 4.2 with the options of \[Hazan2018\] Table 2, over images that lie
//! side by side: its layers, its parameters, and a step's gradient.

use numerics::linalg::{elementary, simd_dispatch::wide};
use rand_chacha::ChaCha12Rng;

use super::{
    super::{initialise, masks::Masks, options::ResidualOptions, recipe::Architecture},
    block::{Block, Dropping, Room},
    convolution::Shape,
    maps::{LANES, Lane, Maps, blocks},
    registers::Wide,
    unit::{Listing, Mode, Unit},
};
use crate::neural::feedforward::scalar::Scalar;

/// The last layer: the mean over a map's pixels, then a linear layer.
#[derive(Debug, Clone)]
struct Head<T> {
    classes: usize,
    weights: usize,
    offsets: usize,
    /// Means, one vector per block of images and channel.
    pooled: Vec<Lane<T>>,
    /// Logits, one vector per block of images and class; after a step, the derivatives by them.
    logits: Vec<Lane<T>>,
}

/// A network.
#[derive(Debug, Clone)]
pub struct Network<T> {
    stem: Unit<T>,
    blocks: Vec<Block<T>>,
    rooms: [Room<T>; 3],
    head: Head<T>,
    /// What it looks at.
    pub input: Maps<T>,
    /// All parameters that are trained from the start.
    pub weights: Vec<T>,
    /// Sizes of the parameters, in the order in which they lie in `weights`.
    #[cfg(test)]
    pub sizes: Vec<usize>,
    /// The weights of the residual links, if they are not all fixed at 1.
    pub links: Option<Vec<T>>,
    /// Derivatives of the last step by the weights.
    pub by_weights: Vec<T>,
    /// Derivatives of the last step by the links' weights, if they are tuned.
    pub by_links: Vec<T>,
}

/// The loss of a batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// Mean cross entropy.
    pub loss: f64,
    /// Number of images that are classified wrongly.
    pub wrong: usize,
    /// Whether all logits are finite numbers.
    pub finite: bool,
}

impl<T: Wide> Network<T> {
    /// An untrained network for at most `batch` images of a side at a time.
    pub fn new(
        options: &ResidualOptions,
        architecture: &Architecture,
        (channels, side): (usize, usize),
        batch: usize,
        rng: &mut ChaCha12Rng,
    ) -> Self {
        let count = blocks(batch);
        let mut listing = Listing::new(options, rng, count);
        let mut from = architecture.widths[0];
        let shape = Shape { from: channels, to: from, kernel: 3, stride: 1 };
        let stem = Unit::new(&mut listing, shape, side, Some(options.activation));
        let (mut layers, mut at) = (Vec::new(), side);
        let rooms = [0, 1, 2].map(|group| {
            let to = architecture.widths[group];
            for i in 0..architecture.blocks() {
                let stride = if group > 0 && i == 0 { 2 } else { 1 };
                let block = Block::new(&mut listing, (from, to), stride, at);
                (from, at) = (to, block.out.side);
                layers.push(block);
            }
            Room::new(to, at, count)
        });
        let classes = architecture.classes;
        let how = options.initialisation;
        let drawn = initialise::weights(how, classes * from, from, classes, listing.rng);
        let weights = listing.add(drawn);
        let offsets = listing.add(vec![0.0; classes]);
        let links = options
            .weighs_links()
            .then(|| initialise::links(options.link.start, layers.len(), listing.rng));
        let room = |n: usize| vec![Lane::splat(T::ZERO); count * n];
        let head = Head { classes, weights, offsets, pooled: room(from), logits: room(classes) };
        let cast = |values: &Vec<f64>| values.iter().map(|v| T::of(*v)).collect::<Vec<T>>();
        Self {
            stem,
            rooms,
            head,
            input: Maps::zeros(channels, side, count),
            weights: cast(&listing.values),
            by_weights: vec![T::ZERO; listing.values.len()],
            by_links: vec![T::ZERO; layers.len()],
            links: links.as_ref().map(cast),
            #[cfg(test)]
            sizes: listing.sizes,
            blocks: layers,
        }
    }

    fn link(&self, block: usize) -> T {
        self.links.as_ref().map_or(T::ONE, |links| links[block])
    }

    /// Computes the logits of the first images of the input.
    pub fn forward(&mut self, images: usize, mode: Mode, masks: Option<(&Masks, u32)>) {
        self.stem.forward(&self.weights, &self.input, images, mode);
        for i in 0..self.blocks.len() {
            let link = self.link(i);
            let (below, rest) = self.blocks.split_at_mut(i);
            let input = below.last().map_or(&self.stem.out, |block| &block.out);
            let dropping = masks.map(|(masks, step)| Dropping { masks, step, block: i });
            rest[0].forward(&self.weights, link, input, images, (mode, dropping));
        }
        let last = self.blocks.last().map_or(&self.stem.out, |block| &block.out);
        classify(&mut self.head, &self.weights, last, blocks(images));
    }

    /// The loss of the logits; they become its derivatives.
    pub fn loss(&mut self, labels: &[u8]) -> Seen {
        self.head.loss(labels)
    }

    /// The logits of an image after a forward pass.
    #[cfg(test)]
    pub fn logits(&self, image: usize) -> Vec<f64> {
        let Head { classes, logits, .. } = &self.head;
        let block = image / LANES * classes;
        (0..*classes).map(|class| logits[block + class].0[image % LANES].to_f64()).collect()
    }

    /// From the derivatives by the logits to those by the weights, and by the links' weights if they are tuned.
    pub fn backward(&mut self, images: usize, tuned: bool) {
        let Self { stem, blocks: layers, rooms, head, input, weights, by_weights, .. } = self;
        let (each, count) = (layers.len() / 3, blocks(images));
        let last = layers.last().map_or(&stem.out, |block| &block.out);
        return_head(head, weights, last, count, &mut rooms[2].deltas[0], by_weights);
        // Which of a room's deltas is the derivative by the output of the block.
        let mut turn = 0;
        for i in (0..layers.len()).rev() {
            let link = (self.links.as_ref().map_or(T::ONE, |links| links[i]), tuned);
            let (lower, rest) = layers.split_at_mut(i);
            let given = lower.last().map_or(&stem.out, |block| &block.out);
            let (group, leaves) = (i / each, i > 0 && i % each == 0);
            let (before, own) = rooms.split_at_mut(group);
            let ([even, odd], room) = own[0].within();
            let (delta, other) = if turn == 0 { (even, odd) } else { (odd, even) };
            let below = match before.last_mut() {
                Some(room) if leaves => &mut room.deltas[0],
                _ => other,
            };
            let block = &mut rest[0];
            let by_link =
                block.backward(weights, link, given, delta, room, below, images, by_weights);
            self.by_links[i] = T::of(by_link);
            turn = if leaves { 0 } else { 1 - turn };
        }
        stem.backward(weights, input, &mut rooms[0].deltas[turn], images, by_weights);
    }
}

wide! {
    /// The means of the last maps, and the logits.
    fn classify['a, T: Scalar]['a, T](
        head: &'a mut Head<T>,
        parameters: &'a [T],
        below: &'a Maps<T>,
        count: usize,
    ) -> () {
        let (classes, channels) = (head.classes, below.channels);
        let area = T::of((below.side * below.side) as f64);
        for block in 0..count {
            for c in 0..channels {
                let mut sum = Lane::splat(T::ZERO);
                for y in 0..below.side {
                    let row = below.row(block, c, y);
                    for v in &below.values[row..row + below.side] {
                        (0..LANES).for_each(|l| sum.0[l] += v.0[l]);
                    }
                }
                head.pooled[block * channels + c] = Lane(sum.0.map(|sum| sum / area));
            }
            let pooled = &head.pooled[block * channels..(block + 1) * channels];
            for class in 0..classes {
                let weights = &parameters[head.weights + class * channels..][..channels];
                let mut sum = Lane::splat(parameters[head.offsets + class]);
                for (weight, v) in weights.iter().zip(pooled) {
                    (0..LANES).for_each(|l| sum.0[l] = weight.fused(v.0[l], sum.0[l]));
                }
                head.logits[block * classes + class] = sum;
            }
        }
    }
}

wide! {
    /// From the derivatives by the logits to those by the last maps and by the layer's parameters.
    fn return_head['a, T: Scalar]['a, T](
        head: &'a Head<T>,
        parameters: &'a [T],
        below: &'a Maps<T>,
        count: usize,
        delta: &'a mut Maps<T>,
        gradient: &'a mut [T],
    ) -> () {
        let (classes, channels) = (head.classes, below.channels);
        let area = T::of((below.side * below.side) as f64);
        for class in 0..classes {
            let logits = || (0..count).map(|block| &head.logits[block * classes + class]);
            gradient[head.offsets + class] = T::of(logits().map(Lane::sum).sum());
            for c in 0..channels {
                let mut sum = Lane::splat(T::ZERO);
                for (block, d) in logits().enumerate() {
                    let pooled = &head.pooled[block * channels + c];
                    (0..LANES).for_each(|l| sum.0[l] = d.0[l].fused(pooled.0[l], sum.0[l]));
                }
                gradient[head.weights + class * channels + c] = T::of(sum.sum());
            }
        }
        for block in 0..count {
            for c in 0..channels {
                let mut sum = Lane::splat(T::ZERO);
                for class in 0..classes {
                    let weight = parameters[head.weights + class * channels + c];
                    let d = &head.logits[block * classes + class];
                    (0..LANES).for_each(|l| sum.0[l] = weight.fused(d.0[l], sum.0[l]));
                }
                let each = Lane(sum.0.map(|sum| sum / area));
                for y in 0..delta.side {
                    let row = delta.row(block, c, y);
                    delta.values[row..row + below.side].fill(each);
                }
            }
        }
    }
}

impl<T: Scalar> Head<T> {
    fn loss(&mut self, labels: &[u8]) -> Seen {
        let n = labels.len();
        let mut seen = Seen { loss: 0.0, wrong: 0, finite: true };
        let mut values = vec![0.0_f64; self.classes];
        for image in 0..blocks(n) * LANES {
            let logits = &mut self.logits[image / LANES * self.classes..][..self.classes];
            let Some(&label) = labels.get(image) else {
                for logit in logits {
                    logit.0[image % LANES] = T::ZERO;
                }
                continue;
            };
            let mut top = 0;
            for (class, (value, logit)) in values.iter_mut().zip(logits.iter()).enumerate() {
                *value = logit.0[image % LANES].to_f64();
                seen.finite &= value.is_finite();
                top = if *value > logits[top].0[image % LANES].to_f64() { class } else { top };
            }
            let label = usize::from(label);
            seen.wrong += usize::from(top != label);
            let (most, own) = (values[top], values[label]);
            for value in &mut values {
                *value = elementary::exp(*value - most);
            }
            let sum: f64 = values.iter().sum();
            seen.loss += most - own + sum.ln();
            for (class, (value, logit)) in values.iter().zip(logits).enumerate() {
                let target = if class == label { 1.0 } else { 0.0 };
                logit.0[image % LANES] = T::of((value / sum - target) / n as f64);
            }
        }
        seen.loss /= n as f64;
        seen
    }
}
