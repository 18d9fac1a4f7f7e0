//! Trains a residual network: epochs of shuffled minibatches, drops of the learning rate, and the test error
//! after each epoch.

use rand::seq::SliceRandom as _;
use rand_chacha::{
    ChaCha12Rng,
    rand_core::{Rng as _, SeedableRng as _},
};

use super::{
    super::{
        images::Images,
        masks::Masks,
        options::ResidualOptions,
        recipe::{Architecture, EpochRow, Recipe, Training},
        unfit::{Unfit, check},
        views::{Scale, View},
    },
    maps::LANES,
    network::{Network, Seen},
    registers::Wide,
    unit::Mode,
    update::Updater,
};

/// Number of images classified at a time.
const TEST_BATCH: usize = 64;

/// Minimum rate at which batch norm's running statistics are updated, as in Torch.
const NORM_SHARE: f64 = 0.1;

/// Trains a network on `train` and evaluates it on `test` after each epoch. Returns nothing if `interrupted`,
/// which is called before each step, says so.
///
/// Initial weights, order, views and dropout each have a random stream of their own, drawn from `rng`, so
/// that options share the random numbers that they do not affect, and the first epochs do not depend on how
/// many follow.
///
/// # Errors
/// If the arguments do not fit each other.
pub fn train(
    options: &ResidualOptions,
    architecture: &Architecture,
    recipe: &Recipe,
    (train, test): (&Images<'_>, &Images<'_>),
    rng: &mut ChaCha12Rng,
    interrupted: &dyn Fn() -> bool,
) -> Result<Option<Training>, Unfit> {
    check(options, architecture, recipe, train, test)?;
    let [mut start, mut order, mut views, mut dropout] =
        std::array::from_fn(|_| ChaCha12Rng::from_rng(rng));
    let scale = Scale::of(train);
    let key = [dropout.next_u32(), dropout.next_u32()];
    let masks = options.dropout.map(|rate| Masks::new(rate, key));
    let batch = options.batch_size.min(train.len()).max(TEST_BATCH);
    let shape = (train.channels, train.size);
    let network = Network::<f32>::new(options, architecture, shape, batch, &mut start);
    let mut learner = Learner::new(options, network);

    let mut rows: Vec<usize> = (0..train.len()).collect();
    let every: Vec<usize> = (0..test.len()).collect();
    let mut labels = Vec::new();
    let mut curve = Vec::with_capacity(recipe.epochs);
    for epoch in 0..recipe.epochs {
        rows.shuffle(&mut order);
        learner.rate = options.rate(epoch, recipe.horizon);
        if options.tunes_links(epoch, recipe.horizon) {
            learner.tune_links();
        }
        let mut total = 0.0;
        for rows in rows.chunks(options.batch_size) {
            if interrupted() {
                return Ok(None);
            }
            let views = recipe.augment.then_some(&mut views);
            load(&mut learner.network, train, &scale, rows, views, &mut labels);
            total += learner.step(&labels, masks.as_ref()).loss * rows.len() as f64;
        }
        let (loss, mut wrong, mut finite) = (total / rows.len() as f64, 0, true);
        for rows in every.chunks(TEST_BATCH) {
            if interrupted() {
                return Ok(None);
            }
            load(&mut learner.network, test, &scale, rows, None, &mut labels);
            learner.network.forward(rows.len(), Mode::Testing, None);
            let seen = learner.network.loss(&labels);
            wrong += seen.wrong;
            finite &= seen.finite;
        }
        if !(loss.is_finite() && finite) {
            return Ok(Some(Training { curve, diverged: true }));
        }
        curve.push(EpochRow { loss, test_error: wrong as f64 / test.len() as f64 });
    }
    Ok(Some(Training { curve, diverged: false }))
}

/// Makes the images `rows` the network's input, each in its own view if a generator is given.
fn load(
    network: &mut Network<f32>,
    images: &Images<'_>,
    scale: &Scale,
    rows: &[usize],
    mut views: Option<&mut ChaCha12Rng>,
    labels: &mut Vec<u8>,
) {
    let (size, bytes) = (images.size, images.bytes());
    labels.clear();
    for (i, &row) in rows.iter().enumerate() {
        labels.push(images.labels[row]);
        let view = views.as_deref_mut().map(|rng| View::draw((size / 8) as i32, rng));
        let planes = images.pixels[row * bytes..(row + 1) * bytes].chunks_exact(size * size);
        for (channel, (plane, table)) in planes.zip(&scale.0).enumerate() {
            let (pitch, at) = (network.input.pitch(), network.input.row(i / LANES, channel, 0));
            let mut set = |pixel: usize, value: f32| {
                let place = at + pixel / size * pitch + pixel % size;
                network.input.values[place].0[i % LANES] = value;
            };
            match view {
                None => plane.iter().enumerate().for_each(|(p, &v)| set(p, table[usize::from(v)])),
                Some(view) => {
                    view.of(plane, size, table).enumerate().for_each(|(p, v)| set(p, v));
                }
            }
        }
    }
}

/// A network and the update rules of its parameters.
#[derive(Debug, Clone)]
pub struct Learner<T> {
    /// The network.
    pub network: Network<T>,
    /// The learning rate.
    pub rate: f64,
    weights: Updater<T>,
    links: Option<Updater<T>>,
    options: ResidualOptions,
    steps: u32,
}

impl<T: Wide> Learner<T> {
    /// Before any step.
    pub fn new(options: &ResidualOptions, network: Network<T>) -> Self {
        let count = network.weights.len();
        let weights = Updater::new(options.optimiser, options.weight_decay, count);
        let (rate, options) = (options.learning_rate, *options);
        Self { network, rate, weights, links: None, options, steps: 0 }
    }

    /// From now on the links' weights are trained.
    pub fn tune_links(&mut self) {
        if let (None, Some(links)) = (&self.links, &self.network.links) {
            let ResidualOptions { optimiser, weight_decay, .. } = self.options;
            self.links = Some(Updater::new(optimiser, weight_decay, links.len()));
        }
    }

    /// One step on the first images of the network's input; returns what was seen before it.
    ///
    /// DIFFERS: batch norm's statistics start as the mean over the batches seen so far, and move by
    /// Torch's tenth from the tenth batch on. From its start at mean 0 and variance 1, ten batches
    /// would leave a third of that start in them, which the paper's hundreds do not.
    pub fn step(&mut self, labels: &[u8], masks: Option<&Masks>) -> Seen {
        let masks = masks.map(|masks| (masks, self.steps));
        self.steps += 1;
        let share = (1.0 / f64::from(self.steps)).max(NORM_SHARE);
        let network = &mut self.network;
        network.forward(labels.len(), Mode::Training(share), masks);
        let seen = network.loss(labels);
        network.backward(labels.len(), self.links.is_some());
        self.weights.step(&mut network.weights, &network.by_weights, self.rate);
        if let (Some(updater), Some(links)) = (&mut self.links, &mut network.links) {
            updater.step(links, &network.by_links, self.rate);
        }
        seen
    }
}
