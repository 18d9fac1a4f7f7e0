//! Trains a convolutional network by stochastic gradient descent with momentum over epochs of shuffled
//! minibatches, and evaluates it.

use models::neural::{
    cnn::{BadCnn, CnnArchitecture, CnnOptions},
    residual::{Device, Images, Scale},
};
use rand::seq::SliceRandom as _;
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use tch::{Kind, Reduction, TchError, Tensor};

use super::{
    batches::Batches,
    cnn::{Cnn, Drops},
    device,
    dropout::Masks,
    error::TorchError,
    optimiser::Updater,
    parameters::{Placement, gradients},
};

/// Number of images classified at a time.
const TEST_BATCH: usize = 500;
/// Number of labels that a byte can hold. A label that the network does not have is never predicted and so
/// counts as an error.
const LABELS: usize = 256;

/// A network after its training.
#[derive(Debug)]
pub struct TrainedCnn {
    pub(super) network: Cnn,
    scale: Scale,
    placement: Placement,
    /// Multiplications of the training, as [`CnnArchitecture::multiplications`] counts them; fewer if it
    /// diverged.
    pub work: u64,
    /// Whether the loss ceased to be a finite number, which ended the training.
    pub diverged: bool,
}

/// Trains a network on all of `images`, on one thread. Initial weights, order and dropout each have a random
/// stream of their own, drawn from `rng`.
///
/// # Errors
/// If the arguments do not fit each other, the device does not exist, libtorch fails, or `interrupted`, which
/// is called before each step, says so.
pub fn fit(
    architecture: &CnnArchitecture,
    options: &CnnOptions,
    images: &Images<'_>,
    classes: usize,
    device: Device,
    rng: &mut ChaCha12Rng,
    interrupted: &dyn Fn() -> bool,
) -> Result<TrainedCnn, TorchError> {
    options.check()?;
    architecture.check(images, classes)?;
    let placement = Placement { device: device::resolve(device)?, kind: Kind::Float };
    device::keep_memory()?;
    let [mut start, mut order, convolution, wide] =
        std::array::from_fn(|_| ChaCha12Rng::from_rng(rng));
    let masks = |rate: f64, rng| (rate > 0.0).then(|| Masks::new(rate, rng));
    let mut drops = Drops {
        convolution: masks(options.convolution_dropout, convolution),
        wide: masks(options.dropout, wide),
    };
    let scale = Scale::of(images);
    let mut batches = Batches::new(*images, scale.clone(), placement.device);
    let shape = (images.channels, images.size);
    let mut network =
        Cnn::new(architecture, shape, options.neurons, classes, placement, &mut start)?;
    let mut updater = Updater::sgd(options.momentum, &network.weights.flat)?;

    let mut rows: Vec<usize> = (0..images.len()).collect();
    let visit = architecture.multiplications(shape, options.neurons, classes);
    let (mut work, mut diverged) = (0, false);
    for _ in 0..architecture.epochs {
        rows.shuffle(&mut order);
        let mut total = Tensor::f_zeros([], (Kind::Double, placement.device))?;
        for rows in rows.chunks(options.batch) {
            if interrupted() {
                return Err(TorchError::Interrupted);
            }
            let (x, y) = batches.take(rows)?;
            let loss = step(&mut network, &mut updater, (&x, &y), &mut drops, options.rate)?;
            _ = total.f_add_(&loss)?;
        }
        work += images.len() as u64 * visit;
        if !total.f_double_value(&[])?.is_finite() {
            diverged = true;
            break;
        }
    }
    Ok(TrainedCnn { network, scale, placement, work, diverged })
}

/// One step; returns the mean loss before it (a scalar, detached from the graph).
pub(super) fn step(
    network: &mut Cnn,
    updater: &mut Updater,
    (x, y): (&Tensor, &Tensor),
    drops: &mut Drops,
    rate: f64,
) -> Result<Tensor, TchError> {
    let logits = network.forward(x, drops)?;
    let loss = logits.f_cross_entropy_loss(y, None::<&Tensor>, Reduction::Mean, -100, 0.0)?;
    let weights = &mut network.weights;
    let [gradient]: [Tensor; 1] =
        gradients(&loss, &[weights])?.try_into().expect("one for the one");
    updater.step(&mut weights.flat, gradient, rate)?;
    loss.f_detach()
}

impl TrainedCnn {
    /// The share of `images` that are misclassified; 1 for a training that diverged, or if an output is not
    /// finite.
    ///
    /// # Errors
    /// If the images are inconsistent or differ in shape from the training images, libtorch fails, or
    /// `interrupted` says so.
    pub fn error_rate(
        &self,
        images: &Images<'_>,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<f64, TorchError> {
        images.check(LABELS).map_err(BadCnn::from)?;
        if self.diverged {
            return Ok(1.0);
        }
        let _guard = tch::no_grad_guard();
        let mut batches = Batches::new(*images, self.scale.clone(), self.placement.device);
        let rows: Vec<usize> = (0..images.len()).collect();
        let (mut wrong, mut sum) = (0, 0.0);
        for rows in rows.chunks(TEST_BATCH) {
            if interrupted() {
                return Err(TorchError::Interrupted);
            }
            let (x, y) = batches.take(rows)?;
            let logits = self.network.forward(&x, &mut Drops { ..Drops::NONE })?;
            sum += logits.f_sum(Kind::Double)?.f_double_value(&[])?;
            let said = logits.f_argmax(1, false)?;
            wrong += said.f_ne_tensor(&y)?.f_sum(Kind::Int64)?.f_int64_value(&[])?;
        }
        Ok(if f64::is_finite(sum) { wrong as f64 / rows.len() as f64 } else { 1.0 })
    }
}

impl From<BadCnn> for TorchError {
    fn from(error: BadCnn) -> Self {
        Self::settings(error)
    }
}
