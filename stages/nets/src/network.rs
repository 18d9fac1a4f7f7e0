//! A residual network of \[He2016\] section 4.2 with the options of \[Hazan2018\] Table 2: its layers and its
//! parameters.

use models::neural::residual::{Architecture, ResidualOptions, initialise};
use rand_chacha::ChaCha12Rng;
use tch::{TchError, Tensor};

use super::{
    block::{Block, Builder, Convolution, Mode, activate},
    parameters::{Listing, Parameters, Placement},
};

/// A network.
#[derive(Debug)]
pub struct Network {
    options: ResidualOptions,
    stem: Convolution,
    blocks: Vec<Block>,
    /// Indices of weight and bias of the last layer.
    head: (usize, usize),
    /// All parameters that are trained from the start.
    pub weights: Parameters,
    /// The weights of the residual links, if they are not all fixed at 1. Whether they are trained changes
    /// during a training.
    pub links: Option<Parameters>,
}

impl Network {
    /// An untrained network for images with this many channels.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn new(
        options: &ResidualOptions,
        architecture: &Architecture,
        channels: usize,
        placement: Placement,
        rng: &mut ChaCha12Rng,
    ) -> Result<Self, TchError> {
        let mut builder = Builder { options, listing: Listing::default(), placement, rng };
        let mut from = architecture.widths[0];
        let stem = Convolution::new(&mut builder, channels, from, 3, 1)?;
        let mut blocks = Vec::with_capacity(3 * architecture.blocks());
        for (group, &to) in architecture.widths.iter().enumerate() {
            for i in 0..architecture.blocks() {
                let stride = if group > 0 && i == 0 { 2 } else { 1 };
                blocks.push(Block::new(&mut builder, from, to, stride)?);
                from = to;
            }
        }
        let classes = architecture.classes;
        let how = options.initialisation;
        let values = initialise::weights(how, classes * from, from, classes, builder.rng);
        let weight = builder.listing.add(&[classes as i64, from as i64], &values);
        let bias = builder.listing.add(&[classes as i64], &vec![0.0; classes]);
        let weights = Parameters::new(&builder.listing, placement)?;
        let links = if options.weighs_links() {
            Some(links(options, blocks.len(), placement, builder.rng)?)
        } else {
            None
        };
        Ok(Self { options: *options, stem, blocks, head: (weight, bias), weights, links })
    }

    /// The logits (n×classes) of images (n×C×S×S), which may have a lower precision than the parameters: then
    /// convolutions and maps have it too, and the last layer has that of the parameters.
    ///
    /// # Errors
    /// If shapes do not fit.
    pub fn forward(&self, images: &Tensor, mode: Mode<'_>) -> Result<Tensor, TchError> {
        let parts = &self.weights.parts;
        let mut x = activate(self.options.activation, self.stem.forward(parts, images, mode)?)?;
        for (i, block) in self.blocks.iter().enumerate() {
            let link = self.links.as_ref().map(|links| &links.parts[i]);
            x = block.forward(&self.options, parts, (i, link), &x, mode)?;
        }
        let pooled = x.f_mean_dim(&[2_i64, 3][..], false, parts[self.head.0].f_kind()?)?;
        pooled.f_linear(&parts[self.head.0], Some(&parts[self.head.1]))
    }
}

/// For each block of a network on images of this side: channels, height and width of its branch, where it is
/// dropped out.
pub fn branches(architecture: &Architecture, side: usize) -> Vec<[i64; 3]> {
    let mut shapes = Vec::with_capacity(3 * architecture.blocks());
    let mut side = side;
    for (group, &channels) in architecture.widths.iter().enumerate() {
        if group > 0 {
            side = side.div_ceil(2);
        }
        let shape = [channels, side, side].map(|n| n as i64);
        shapes.extend(std::iter::repeat_n(shape, architecture.blocks()));
    }
    shapes
}

/// One weight for each of `count` blocks, not tracked yet.
fn links(
    options: &ResidualOptions,
    count: usize,
    placement: Placement,
    rng: &mut ChaCha12Rng,
) -> Result<Parameters, TchError> {
    let mut listing = Listing::default();
    for value in initialise::links(options.link.start, count, rng) {
        listing.add(&[], &[value]);
    }
    let mut links = Parameters::new(&listing, placement)?;
    links.track(false)?;
    Ok(links)
}
