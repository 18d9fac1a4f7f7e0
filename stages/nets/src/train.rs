//! Trains a residual network: epochs of shuffled minibatches, drops of the learning rate, and the test error
//! after each epoch.

use models::neural::residual::{
    Architecture, Device, EpochRow, Images, Precision, Recipe, ResidualOptions, Scale, Training,
    check, masks::Masks,
};
use rand::seq::SliceRandom as _;
use rand_chacha::{
    ChaCha12Rng,
    rand_core::{Rng as _, SeedableRng as _},
};
use tch::{Kind, Reduction, TchError, Tensor};

use super::{
    block::Mode,
    block_masks::BlockMasks,
    device,
    error::TorchError,
    network::Network,
    optimiser::Updater,
    parameters::{Placement, gradients},
    resident::{Order, Resident},
};

/// Number of images classified at a time.
const TEST_BATCH: usize = 1000;

/// Minimum rate at which batch norm's running statistics are updated, as in Torch.
const NORM_SHARE: f64 = 0.1;

/// Trains a network on `train` and evaluates it on `test` after each epoch.
///
/// Initial weights, order, views and dropout each have a random stream of their own, drawn from `rng`, so
/// that options share the random numbers that they do not affect, and the first epochs do not depend on how
/// many follow.
///
/// What an epoch visits is copied to the device before it, and what it gave is copied back after it: between the
/// two, steps are queued there one after another.
///
/// # Errors
/// If the arguments do not fit each other, the device does not exist, libtorch fails, or `interrupted`, which
/// is called before each step, says so.
#[expect(clippy::too_many_arguments, reason = "each is a thing of its own, named by its type")]
pub fn train(
    options: &ResidualOptions,
    architecture: &Architecture,
    recipe: &Recipe,
    train: &Images<'_>,
    test: &Images<'_>,
    (device, precision): (Device, Precision),
    rng: &mut ChaCha12Rng,
    interrupted: &dyn Fn() -> bool,
) -> Result<Training, TorchError> {
    check(options, architecture, recipe, train, test)?;
    let placement = Placement { device: device::resolve(device)?, kind: Kind::Float };
    device::keep_memory()?;
    let [mut start, mut order, mut views, mut dropout] =
        std::array::from_fn(|_| ChaCha12Rng::from_rng(rng));

    let scale = Scale::of(train);
    let learned = Resident::new(train, &scale, placement.device)?;
    let held_out = Resident::new(test, &scale, placement.device)?;
    let in_order = held_out.order(&(0..test.len()).collect::<Vec<_>>(), None)?;
    let kind = kind(precision);
    let key = [dropout.next_u32(), dropout.next_u32()];
    let mut masks = options.dropout.map(|rate| BlockMasks::new(Masks::new(rate, key)));
    let network = Network::new(options, architecture, train.channels, placement, &mut start)?;
    let mut learner = Learner::new(options, network)?;

    let mut rows: Vec<usize> = (0..train.len()).collect();
    let mut curve = Vec::with_capacity(recipe.epochs);
    for epoch in 0..recipe.epochs {
        rows.shuffle(&mut order);
        learner.rate = options.rate(epoch, recipe.horizon);
        if options.tunes_links(epoch, recipe.horizon) {
            learner.tune_links()?;
        }
        let mut total = Tensor::f_zeros([], (Kind::Double, placement.device))?;
        let order = learned.order(&rows, recipe.augment.then_some(&mut views))?;
        for part in parts(rows.len(), options.batch_size) {
            if interrupted() {
                return Err(TorchError::Interrupted);
            }
            let (x, y) = learned.batch(&order, part, kind)?;
            let loss = learner.step(&x, &y, masks.as_mut())?;
            _ = total.f_add_(&loss.f_mul_scalar(part.1 as f64)?)?;
        }
        let loss = total.f_double_value(&[])? / rows.len() as f64;
        let test_error = if loss.is_finite() {
            error(&learner.network, (&held_out, &in_order), test.len(), kind, interrupted)?
        } else {
            None
        };
        match test_error {
            Some(test_error) => curve.push(EpochRow { loss, test_error }),
            None => return Ok(Training { curve, diverged: true }),
        }
    }
    Ok(Training { curve, diverged: false })
}

/// A network and the update rules of its parameters.
#[derive(Debug)]
pub(super) struct Learner {
    pub network: Network,
    pub rate: f64,
    weights: Updater,
    links: Option<Updater>,
    options: ResidualOptions,
    steps: u32,
}

impl Learner {
    pub fn new(options: &ResidualOptions, network: Network) -> Result<Self, TchError> {
        let flat = &network.weights.flat;
        let weights = Updater::new(options.optimiser, options.weight_decay, flat)?;
        let (rate, options) = (options.learning_rate, *options);
        Ok(Self { network, rate, weights, links: None, options, steps: 0 })
    }

    /// From now on the links' weights are trained.
    pub fn tune_links(&mut self) -> Result<(), TchError> {
        if let (None, Some(links)) = (&self.links, &mut self.network.links) {
            links.track(true)?;
            let ResidualOptions { optimiser, weight_decay, .. } = self.options;
            self.links = Some(Updater::new(optimiser, weight_decay, &links.flat)?);
        }
        Ok(())
    }

    /// One step; returns the mean loss before it (a scalar, detached from the graph).
    ///
    /// DIFFERS: batch norm's statistics start as the mean over the batches seen so far, and move by
    /// Torch's tenth from the tenth batch on. From its start at mean 0 and variance 1, ten batches
    /// would leave a third of that start in them, which the paper's hundreds do not.
    pub fn step(
        &mut self,
        x: &Tensor,
        y: &Tensor,
        mut masks: Option<&mut BlockMasks>,
    ) -> Result<Tensor, TchError> {
        if let Some(masks) = &mut masks {
            masks.begin(self.steps);
        }
        self.steps += 1;
        let share = (1.0 / f64::from(self.steps)).max(NORM_SHARE);
        let logits = self.network.forward(x, &mut Mode::Training { share, masks })?;
        let loss = logits.f_cross_entropy_loss(y, None::<&Tensor>, Reduction::Mean, -100, 0.0)?;
        let Network { weights, links, .. } = &mut self.network;
        if let (Some(updater), Some(links)) = (&mut self.links, links) {
            let [of_weights, of_links]: [Tensor; 2] =
                gradients(&loss, &[weights, links])?.try_into().expect("one for each");
            self.weights.step(&mut weights.flat, of_weights, self.rate)?;
            updater.step(&mut links.flat, of_links, self.rate)?;
        } else {
            let [of_weights]: [Tensor; 1] =
                gradients(&loss, &[weights])?.try_into().expect("one for each");
            self.weights.step(&mut weights.flat, of_weights, self.rate)?;
        }
        loss.f_detach()
    }
}

/// The precision of maps.
fn kind(precision: Precision) -> Kind {
    match precision {
        Precision::Float32 => Kind::Float,
        Precision::Bfloat16 => Kind::BFloat16,
    }
}

/// The parts of `count` things, `size` or, the last, fewer at a time: where each begins, and how many it has.
fn parts(count: usize, size: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).step_by(size).map(move |first| (first, size.min(count - first)))
}

/// The share of images that are misclassified; `None` if an output is not finite.
fn error(
    network: &Network,
    (images, order): (&Resident, &Order),
    count: usize,
    kind: Kind,
    interrupted: &dyn Fn() -> bool,
) -> Result<Option<f64>, TorchError> {
    let _guard = tch::no_grad_guard();
    let device = network.weights.flat.device();
    let mut wrong = Tensor::f_zeros([], (Kind::Int64, device))?;
    let mut sum = Tensor::f_zeros([], (Kind::Double, device))?;
    for part in parts(count, TEST_BATCH) {
        if interrupted() {
            return Err(TorchError::Interrupted);
        }
        let (x, y) = images.batch(order, part, kind)?;
        let logits = network.forward(&x, &mut Mode::Testing)?;
        _ = sum.f_add_(&logits.f_sum(Kind::Double)?)?;
        let said = logits.f_argmax(1, false)?;
        _ = wrong.f_add_(&said.f_ne_tensor(&y)?.f_sum(Kind::Int64)?)?;
    }
    let sum = sum.f_double_value(&[])?;
    Ok(sum.is_finite().then_some(wrong.f_int64_value(&[])? as f64 / count as f64))
}
