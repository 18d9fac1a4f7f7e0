//! Trains a residual network: epochs of shuffled minibatches, drops of the learning rate, and the test error
//! after each epoch.

use cuda::graph::OwnStream;
use models::neural::residual::{
    Architecture, Device, EpochRow, Images, Precision, Recipe, ResidualOptions, Scale, Training,
    check, masks::Masks,
};
use rand::seq::SliceRandom as _;
use rand_chacha::{
    ChaCha12Rng,
    rand_core::{Rng as _, SeedableRng as _},
};
use tch::{Kind, Tensor};

use super::{
    block::Mode,
    block_masks::BlockMasks,
    device,
    error::TorchError,
    held::{Captured, Held},
    learner::Learner,
    network::{Network, branches},
    parameters::Placement,
    resident::{Order, Resident},
};

/// Number of images classified at a time.
const TEST_BATCH: usize = 1000;

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
    let _stream = match placement.device {
        tch::Device::Cuda(number) => Some(OwnStream::enter(number)?),
        _ => None,
    };
    let [mut start, mut order, mut views, mut dropout] =
        std::array::from_fn(|_| ChaCha12Rng::from_rng(rng));

    let scale = Scale::of(train);
    let learned = Resident::new(train, &scale, placement.device)?;
    let held_out = Resident::new(test, &scale, placement.device)?;
    let in_order = held_out.order(&(0..test.len()).collect::<Vec<_>>(), None)?;
    let kind = kind(precision);
    let key = [dropout.next_u32(), dropout.next_u32()];
    let shapes = || branches(architecture, train.size);
    let masks = options.dropout.map(|rate| BlockMasks::new(Masks::new(rate, key), shapes()));
    let network = Network::new(options, architecture, train.channels, placement, &mut start)?;
    let learner = Learner::new(options, network)?;
    let mut steps = Steps { learner, images: &learned, masks, kind, captured: None };

    let mut rows: Vec<usize> = (0..train.len()).collect();
    let mut curve = Vec::with_capacity(recipe.epochs);
    for epoch in 0..recipe.epochs {
        rows.shuffle(&mut order);
        steps.learner.rate = options.rate(epoch, recipe.horizon);
        if options.tunes_links(epoch, recipe.horizon) && steps.learner.tune_links()? {
            steps.captured = None;
        }
        let mut total = Tensor::f_zeros([], (Kind::Double, placement.device))?;
        let order = learned.order(&rows, recipe.augment.then_some(&mut views))?;
        for part in parts(rows.len(), options.batch_size) {
            if interrupted() {
                return Err(TorchError::Interrupted);
            }
            let loss = steps.step(&order, part, part.1 == options.batch_size)?;
            _ = total.f_add_(&loss.f_mul_scalar(part.1 as f64)?)?;
        }
        let loss = total.f_double_value(&[])? / rows.len() as f64;
        let test_error = if loss.is_finite() {
            let network = &steps.learner.network;
            error(network, (&held_out, &in_order), test.len(), kind, interrupted)?
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

/// The steps of a training. On a GPU the gradients of whole batches are captured once and replayed, as soon as nothing
/// but their inputs changes from one step to the next: they are some hundred short operations, which take longer to be
/// started one by one than to be carried out.
#[derive(Debug)]
struct Steps<'a> {
    learner: Learner,
    images: &'a Resident,
    masks: Option<BlockMasks>,
    kind: Kind,
    captured: Option<Captured>,
}

impl Steps<'_> {
    /// Queues a step on some visits; returns the mean loss before it.
    fn step(
        &mut self,
        order: &Order,
        part: (usize, usize),
        whole: bool,
    ) -> Result<Tensor, TorchError> {
        let Self { learner, images, masks, kind, captured } = self;
        let device = learner.network.weights.flat.device();
        let order = order.part(part.0, part.1)?;
        let step = learner.next();
        let draw = |masks: &mut BlockMasks| masks.draw(step.number, part.1 as i64, (*kind, device));
        let masks = masks.as_mut().map(draw).transpose()?;
        let masks = masks.as_deref();
        let gradients = if device.is_cuda() && whole && step.settled() {
            let captured = if let Some(captured) = captured {
                captured
            } else {
                let held = Held::like(&order, masks)?;
                captured.insert(Captured::new(held, learner, step, images, *kind)?)
            };
            captured.held.take(&order, masks)?;
            captured.replay()?
        } else {
            let (x, y) = images.batch(&order, *kind)?;
            learner.gradients((&x, &y), masks, step)?
        };
        let loss = gradients.loss.shallow_clone();
        learner.update(gradients)?;
        Ok(loss)
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
        let (x, y) = images.batch(&order.part(part.0, part.1)?, kind)?;
        let logits = network.forward(&x, Mode::Testing)?;
        _ = sum.f_add_(&logits.f_sum(Kind::Double)?)?;
        let said = logits.f_argmax(1, false)?;
        _ = wrong.f_add_(&said.f_ne_tensor(&y)?.f_sum(Kind::Int64)?)?;
    }
    let sum = sum.f_double_value(&[])?;
    Ok(sum.is_finite().then_some(wrong.f_int64_value(&[])? as f64 / count as f64))
}
