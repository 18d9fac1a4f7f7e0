//! Layers of a residual network and its block of two convolutions. They hold the indices of their parameters,
//! which are stored in the network.

use models::neural::residual::{Activation, BatchNorm, ResidualOptions, Shortcut, initialise};
use rand_chacha::ChaCha12Rng;
use tch::{TchError, Tensor};

use super::parameters::{Listing, Placement};

/// Constant added to variances, as in PyTorch and Torch.
const EPSILON: f64 = 1e-5;

/// How a network is run.
#[derive(Debug, Clone, Copy)]
pub enum Mode<'a> {
    /// For training: batch norm uses the statistics of the batch and updates its running statistics.
    Training {
        /// The rate of this update, in (0, 1\].
        share: f64,
        /// Dropout: for each block what its branch is multiplied by.
        masks: Option<&'a [Tensor]>,
    },
    /// For evaluation: batch norm uses its running statistics, and nothing is dropped.
    Testing,
}

/// Lists the parameters of a network that is being built.
#[derive(Debug)]
pub struct Builder<'a> {
    /// The options of the network.
    pub options: &'a ResidualOptions,
    /// The parameters so far.
    pub listing: Listing,
    /// The device and precision of the network.
    pub placement: Placement,
    /// Draws initial values.
    pub rng: &'a mut ChaCha12Rng,
}

/// A convolution (side 3 or 1, with padding that keeps the size), with batch norm if there is any. It multiplies in
/// the precision of its input, whatever that of its weights is.
#[derive(Debug)]
pub struct Convolution {
    weight: usize,
    bias: Option<usize>,
    norm: Option<Norm>,
    stride: i64,
    padding: i64,
}

#[derive(Debug)]
struct Norm {
    /// Scale and offset, if they are trained.
    affine: Option<(usize, usize)>,
    mean: Tensor,
    variance: Tensor,
}

impl Convolution {
    /// A convolution between these numbers of channels.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn new(
        builder: &mut Builder<'_>,
        from: usize,
        to: usize,
        side: usize,
        stride: usize,
    ) -> Result<Self, TchError> {
        let (area, options) = (side * side, builder.options);
        let (inputs, outputs) = (from * area, to * area);
        let how = options.initialisation;
        let values = initialise::weights(how, to * inputs, inputs, outputs, builder.rng);
        let listing = &mut builder.listing;
        let weight = listing.add(&[to, from, side, side].map(|n| n as i64), &values);
        let bias = options.convolution_bias.then(|| listing.add(&[to as i64], &vec![0.0; to]));
        let norm = match options.batch_norm {
            Some(norm) => Some(Norm::new(norm, builder, to)?),
            None => None,
        };
        Ok(Self { weight, bias, norm, stride: stride as i64, padding: (side / 2) as i64 })
    }

    /// The output in separate memory.
    ///
    /// # Errors
    /// If shapes do not fit.
    pub fn forward(
        &self,
        parts: &[Tensor],
        x: &Tensor,
        mode: Mode<'_>,
    ) -> Result<Tensor, TchError> {
        let kind = x.f_kind()?;
        let bias = self.bias.map(|i| parts[i].f_to_kind(kind)).transpose()?;
        let weight = parts[self.weight].f_to_kind(kind)?;
        let (stride, padding) = ([self.stride; 2], [self.padding; 2]);
        let y = x.f_conv2d(&weight, bias.as_ref(), stride, padding, [1, 1], 1)?;
        match &self.norm {
            Some(norm) => norm.forward(parts, &y, mode),
            None => Ok(y),
        }
    }
}

impl Norm {
    fn new(norm: BatchNorm, builder: &mut Builder<'_>, n: usize) -> Result<Self, TchError> {
        let listing = &mut builder.listing;
        let mut add = |value: f64| listing.add(&[n as i64], &vec![value; n]);
        let affine = norm.tuned.then(|| (add(1.0), add(0.0)));
        let options = (builder.placement.kind, builder.placement.device);
        Ok(Self {
            affine,
            mean: Tensor::f_zeros([n as i64], options)?,
            variance: Tensor::f_ones([n as i64], options)?,
        })
    }

    fn forward(&self, parts: &[Tensor], x: &Tensor, mode: Mode<'_>) -> Result<Tensor, TchError> {
        let (training, share) = match mode {
            Mode::Training { share, .. } => (true, share),
            Mode::Testing => (false, 0.0),
        };
        let (scale, offset) = match self.affine {
            Some((scale, offset)) => (Some(&parts[scale]), Some(&parts[offset])),
            None => (None, None),
        };
        let (mean, variance) = (Some(&self.mean), Some(&self.variance));
        x.f_batch_norm(scale, offset, mean, variance, training, share, EPSILON, true)
    }
}

/// Applies an activation in place.
///
/// # Errors
/// If libtorch fails.
pub fn activate(activation: Activation, mut x: Tensor) -> Result<Tensor, TchError> {
    match activation {
        Activation::Relu => x.f_relu_(),
        Activation::Sigmoid => x.f_sigmoid_(),
        Activation::Tanh => x.f_tanh_(),
    }
}

/// Two 3×3 convolutions and a shortcut around them, \[He2016\] fig. 2.
#[derive(Debug)]
pub struct Block {
    first: Convolution,
    second: Convolution,
    around: Around,
}

#[derive(Debug)]
enum Around {
    Identity,
    /// Every `stride`-th pixel, and this many channels of zeros.
    Padding(i64, i64),
    Projection(Convolution),
}

impl Block {
    /// A block between these numbers of channels.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn new(
        builder: &mut Builder<'_>,
        from: usize,
        to: usize,
        stride: usize,
    ) -> Result<Self, TchError> {
        let first = Convolution::new(builder, from, to, 3, stride)?;
        let second = Convolution::new(builder, to, to, 3, 1)?;
        let changes = from != to || stride != 1;
        let around = match builder.options.shortcut {
            Shortcut::Projection | Shortcut::Projections if changes => {
                Around::Projection(Convolution::new(builder, from, to, 1, stride)?)
            }
            Shortcut::Projections => Around::Projection(Convolution::new(builder, from, to, 1, 1)?),
            Shortcut::Identity if changes => Around::Padding(stride as i64, (to - from) as i64),
            Shortcut::Identity | Shortcut::Projection => Around::Identity,
        };
        Ok(Self { first, second, around })
    }

    /// The output of block `number`: the shortcut plus the branch, which is multiplied by the weight of the link
    /// if there is one.
    ///
    /// # Errors
    /// If shapes do not fit.
    pub fn forward(
        &self,
        options: &ResidualOptions,
        parts: &[Tensor],
        (number, link): (usize, Option<&Tensor>),
        x: &Tensor,
        mode: Mode<'_>,
    ) -> Result<Tensor, TchError> {
        let (places, activation) = (options.places, options.activation);
        let mut branch = self.first.forward(parts, x, mode)?;
        if places.first {
            branch = activate(activation, branch)?;
        }
        if let Mode::Training { masks: Some(masks), .. } = mode {
            branch = branch.f_mul(&masks[number])?;
        }
        branch = self.second.forward(parts, &branch, mode)?;
        if places.second {
            branch = activate(activation, branch)?;
        }
        let around = self.around(parts, x, mode)?;
        let sum = match link {
            Some(link) => around.f_addcmul(&branch, link)?,
            // The derivative of an activation is computed from its output, which must not be overwritten.
            None if places.second => branch.f_add(&around)?,
            None => branch.f_add_(&around)?,
        };
        if places.third { activate(activation, sum) } else { Ok(sum) }
    }

    fn around(&self, parts: &[Tensor], x: &Tensor, mode: Mode<'_>) -> Result<Tensor, TchError> {
        match &self.around {
            Around::Identity => Ok(x.shallow_clone()),
            Around::Padding(stride, channels) => {
                let seen = x.f_slice(2, None, None, *stride)?.f_slice(3, None, None, *stride)?;
                seen.f_constant_pad_nd([0, 0, 0, 0, 0, *channels])
            }
            Around::Projection(convolution) => convolution.forward(parts, x, mode),
        }
    }
}
