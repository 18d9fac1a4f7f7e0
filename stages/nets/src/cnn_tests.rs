use models::neural::cnn::{BadCnn, CnnArchitecture, CnnOptions};
use rand::RngExt as _;
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use tch::{Kind, Reduction, Tensor};

use super::{
    Device, Images, TorchError,
    cnn::{Cnn, Drops},
    cnn_train::{TrainedCnn, fit, step},
    dropout::Masks,
    optimiser::Updater,
    parameters::{Placement, gradients},
    toy_images::Toy,
};

const PLACEMENT: Placement = Placement { device: tch::Device::Cpu, kind: Kind::Double };

fn values(tensor: &Tensor) -> Vec<f64> {
    Vec::try_from(tensor.to_kind(Kind::Double).reshape([-1])).unwrap()
}

/// Sizes of a network and of its batch.
#[derive(Clone, Copy)]
struct Sizes {
    images: usize,
    channels: usize,
    size: usize,
    widths: [usize; 2],
    neurons: usize,
    classes: usize,
}

const SIZES: [Sizes; 3] = [
    Sizes { images: 3, channels: 2, size: 14, widths: [2, 3], neurons: 5, classes: 3 },
    Sizes { images: 2, channels: 1, size: 10, widths: [3, 2], neurons: 4, classes: 2 },
    // Odd sides: pooling ignores a row and a column.
    Sizes { images: 2, channels: 3, size: 13, widths: [1, 2], neurons: 1, classes: 4 },
];

/// The output in double precision by loops over pixels: parameters in the order of the network, masks in the
/// order in which they are drawn, each for the whole batch.
struct Reference<'a> {
    sizes: Sizes,
    parts: Vec<Vec<f64>>,
    masks: Option<&'a [Vec<f64>; 3]>,
}

impl Reference<'_> {
    fn convolved(&self, x: &[f64], side: usize, layer: usize, pad: usize) -> (Vec<f64>, usize) {
        let (weight, bias) = (&self.parts[2 * layer], &self.parts[2 * layer + 1]);
        let from = x.len() / (side * side);
        let out = side + 2 * pad - 2;
        let mut y = Vec::new();
        for to in 0..bias.len() {
            for (row, column) in (0..out).flat_map(|r| (0..out).map(move |c| (r, c))) {
                let mut sum = bias[to];
                for (channel, k) in (0..from).flat_map(|c| (0..9).map(move |k| (c, k))) {
                    let (r, c) = (row + k / 3, column + k % 3);
                    let inside = |at: usize| (pad..side + pad).contains(&at);
                    if inside(r) && inside(c) {
                        let at = (channel * side + r - pad) * side + c - pad;
                        sum += weight[(to * from + channel) * 9 + k] * x[at];
                    }
                }
                y.push(sum.max(0.0));
            }
        }
        (y, out)
    }

    fn pooled(x: &[f64], side: usize) -> (Vec<f64>, usize) {
        let (half, mut y) = (side / 2, Vec::new());
        for plane in x.chunks(side * side) {
            for (row, column) in (0..half).flat_map(|r| (0..half).map(move |c| (r, c))) {
                let at = 2 * row * side + 2 * column;
                let four = [at, at + 1, at + side, at + side + 1];
                y.push(four.map(|at| plane[at]).into_iter().fold(f64::MIN, f64::max));
            }
        }
        (y, half)
    }

    fn dense(&self, x: &[f64], layer: usize) -> Vec<f64> {
        let (weight, bias) = (&self.parts[2 * layer], &self.parts[2 * layer + 1]);
        let one =
            |(row, bias): (&[f64], &f64)| row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + bias;
        weight.chunks(x.len()).zip(bias).map(one).collect()
    }

    /// Applies the mask of a position to image `i`.
    fn masked(&self, x: &mut [f64], place: usize, i: usize) {
        if let Some(masks) = self.masks {
            let own = &masks[place][i * x.len()..][..x.len()];
            x.iter_mut().zip(own).for_each(|(x, mask)| *x *= mask);
        }
    }

    fn logits(&self, image: &[f64], i: usize) -> Vec<f64> {
        let (mut x, mut side) = (image.to_vec(), self.sizes.size);
        for group in 0..2 {
            (x, side) = self.convolved(&x, side, 2 * group, 1);
            (x, side) = self.convolved(&x, side, 2 * group + 1, 0);
            (x, side) = Self::pooled(&x, side);
            self.masked(&mut x, group, i);
        }
        let mut wide = self.dense(&x, 4);
        for v in &mut wide {
            *v = v.max(0.0);
        }
        self.masked(&mut wide, 2, i);
        self.dense(&wide, 5)
    }

    /// Mean cross entropy.
    fn loss(&self, images: &[f64], labels: &[i64]) -> f64 {
        let bytes = images.len() / labels.len();
        let one = |(i, (image, &label)): (usize, (&[f64], &i64))| {
            let logits = self.logits(image, i);
            logits.iter().map(|v| v.exp()).sum::<f64>().ln() - logits[label as usize]
        };
        let losses = images.chunks(bytes).zip(labels).enumerate().map(one);
        losses.sum::<f64>() / labels.len() as f64
    }
}

/// A network with biases that are not 0, a batch, and its labels.
fn instance(sizes: Sizes, seed: u64) -> (Cnn, Vec<f64>, Vec<i64>) {
    let Sizes { images, channels, size, widths, neurons, classes } = sizes;
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    let architecture = CnnArchitecture { widths, epochs: 1 };
    let shape = (channels, size);
    let mut network =
        Cnn::new(&architecture, shape, neurons, classes, PLACEMENT, &mut rng).unwrap();
    let count = network.weights.flat.numel();
    let mut uniform =
        |n: usize| -> Vec<f64> { (0..n).map(|_| rng.random_range(-1.0..1.0)).collect() };
    let moved = &network.weights.flat + 0.2 * Tensor::from_slice(&uniform(count));
    network.weights.flat.copy_(&moved);
    let pixels = uniform(images * channels * size * size);
    (network, pixels, (0..images).map(|i| (i % classes) as i64).collect())
}

fn reference<'a>(sizes: Sizes, network: &Cnn, masks: Option<&'a [Vec<f64>; 3]>) -> Reference<'a> {
    Reference { sizes, parts: network.weights.parts.iter().map(values).collect(), masks }
}

fn batch(sizes: Sizes, pixels: &[f64]) -> Tensor {
    let shape = [sizes.images, sizes.channels, sizes.size, sizes.size].map(|n| n as i64);
    Tensor::from_slice(pixels).view(shape)
}

fn drops(rate: f64) -> Drops {
    let masks = |seed| Some(Masks::new(rate, ChaCha12Rng::seed_from_u64(seed)));
    Drops { convolution: masks(1), wide: masks(2) }
}

/// The masks that [`drops`] draws for a batch: of both groups, of the wide layer.
fn drawn(sizes: Sizes, rate: f64) -> [Vec<f64>; 3] {
    let Sizes { images, size, widths, neurons, .. } = sizes;
    let Drops { convolution, wide } = drops(rate);
    let (mut convolution, mut wide) = (convolution.unwrap(), wide.unwrap());
    let first = (size - 2) / 2;
    let second = (first - 2) / 2;
    let mask = |masks: &mut Masks, of: usize| {
        values(
            &masks
                .draw(&Tensor::zeros([(images * of) as i64], (Kind::Double, PLACEMENT.device)))
                .unwrap(),
        )
    };
    [
        mask(&mut convolution, widths[0] * first * first),
        mask(&mut convolution, widths[1] * second * second),
        mask(&mut wide, neurons),
    ]
}

#[test]
fn outputs_are_those_of_loops_over_pixels() {
    for (seed, sizes) in SIZES.into_iter().enumerate() {
        let (network, pixels, _) = instance(sizes, seed as u64);
        let masks = drawn(sizes, 0.4);
        assert!(masks[0].contains(&0.0) && masks[0].iter().any(|v| *v > 1.0));
        for (mut drops, masks) in [(Drops::NONE, None), (drops(0.4), Some(&masks))] {
            let ours = values(&network.forward(&batch(sizes, &pixels), &mut drops).unwrap());
            let reference = reference(sizes, &network, masks);
            let images = pixels.chunks(pixels.len() / sizes.images).enumerate();
            let theirs: Vec<f64> =
                images.flat_map(|(i, image)| reference.logits(image, i)).collect();
            assert_eq!(ours.len(), theirs.len());
            for (ours, theirs) in ours.iter().zip(&theirs) {
                assert!((ours - theirs).abs() < 1e-12, "{ours} {theirs}");
            }
        }
    }
}

#[test]
fn gradients_are_differences_of_the_reference() {
    for (seed, sizes) in SIZES.into_iter().enumerate() {
        let (network, pixels, labels) = instance(sizes, 10 + seed as u64);
        let masks = drawn(sizes, 0.3);
        let logits = network.forward(&batch(sizes, &pixels), &mut drops(0.3)).unwrap();
        let y = Tensor::from_slice(&labels);
        let loss = logits.cross_entropy_loss::<&Tensor>(&y, None, Reduction::Mean, -100, 0.0);
        let ours = values(&gradients(&loss, &[&network.weights]).unwrap()[0]);
        let mut reference = reference(sizes, &network, Some(&masks));
        assert!((loss.double_value(&[]) - reference.loss(&pixels, &labels)).abs() < 1e-12);
        let places: Vec<(usize, usize)> = (reference.parts.iter().enumerate())
            .flat_map(|(part, values)| (0..values.len()).map(move |at| (part, at)))
            .collect();
        assert_eq!(places.len(), ours.len());
        let mut largest: f64 = 0.0;
        for ((part, at), ours) in places.into_iter().zip(ours) {
            let own = reference.parts[part][at];
            let mut moved = |by: f64| {
                reference.parts[part][at] = own + by;
                reference.loss(&pixels, &labels)
            };
            let h = 1e-6;
            let theirs = (moved(h) - moved(-h)) / (2.0 * h);
            reference.parts[part][at] = own;
            largest = largest.max(ours.abs());
            assert!((ours - theirs).abs() < 1e-8, "part {part}, value {at}: {ours} {theirs}");
        }
        assert!(largest > 1e-3, "{largest}");
    }
}

#[test]
fn steps_follow_the_gradients_with_momentum() {
    let sizes = SIZES[0];
    let (mut network, pixels, labels) = instance(sizes, 5);
    let (x, y) = (batch(sizes, &pixels), Tensor::from_slice(&labels));
    let (rate, momentum) = (0.3, 0.7);
    let mut updater = Updater::sgd(momentum, &network.weights.flat).unwrap();
    let mut by_hand = values(&network.weights.flat);
    let mut velocity = vec![0.0; by_hand.len()];
    for _ in 0..3 {
        let logits = network.forward(&x, &mut Drops { ..Drops::NONE }).unwrap();
        let loss = logits.cross_entropy_loss::<&Tensor>(&y, None, Reduction::Mean, -100, 0.0);
        let gradient = values(&gradients(&loss, &[&network.weights]).unwrap()[0]);
        for ((w, v), g) in by_hand.iter_mut().zip(&mut velocity).zip(gradient) {
            *v = momentum * *v + g;
            *w -= rate * *v;
        }
        let mut none = Drops { ..Drops::NONE };
        let before = step(&mut network, &mut updater, (&x, &y), &mut none, rate).unwrap();
        assert_eq!(before.double_value(&[]), loss.double_value(&[]));
        for (ours, by_hand) in values(&network.weights.flat).iter().zip(&by_hand) {
            assert!((ours - by_hand).abs() < 1e-14, "{ours} {by_hand}");
        }
    }
}

const TINY: CnnArchitecture = CnnArchitecture { widths: [3, 4], epochs: 3 };
const OPTIONS: CnnOptions = CnnOptions {
    batch: 16,
    convolution_dropout: 0.1,
    rate: 0.05,
    momentum: 0.9,
    neurons: 8,
    dropout: 0.2,
};

fn trained(architecture: &CnnArchitecture, options: &CnnOptions, seed: u64) -> TrainedCnn {
    let data = Toy::new(12, 90, 1);
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    fit(architecture, options, &data.images(), 3, Device::Cpu, &mut rng, &|| false).unwrap()
}

fn weights(trained: &TrainedCnn) -> Vec<f64> {
    values(&trained.network.weights.flat)
}

#[test]
fn the_same_seed_gives_the_same_network() {
    let first = trained(&TINY, &OPTIONS, 7);
    assert!(!first.diverged);
    let again = std::thread::spawn(|| weights(&trained(&TINY, &OPTIONS, 7))).join().unwrap();
    assert_eq!(weights(&first), again);
    assert_ne!(weights(&first), weights(&trained(&TINY, &OPTIONS, 8)));
}

#[test]
fn every_setting_changes_the_training() {
    let first = weights(&trained(&TINY, &OPTIONS, 7));
    for other in [
        CnnOptions { batch: 32, ..OPTIONS },
        CnnOptions { convolution_dropout: 0.0, ..OPTIONS },
        CnnOptions { rate: 0.06, ..OPTIONS },
        CnnOptions { momentum: 0.0, ..OPTIONS },
        CnnOptions { neurons: 9, ..OPTIONS },
        CnnOptions { dropout: 0.0, ..OPTIONS },
    ] {
        assert_ne!(weights(&trained(&TINY, &other, 7)), first, "{other:?}");
    }
    // Budgets count work: epochs times images times the work of one image.
    let visit = TINY.multiplications((2, 12), 8, 3);
    assert_eq!(trained(&TINY, &OPTIONS, 7).work, 3 * 90 * visit);
    let longer = CnnArchitecture { epochs: 4, ..TINY };
    assert_ne!(weights(&trained(&longer, &OPTIONS, 7)), first);
}

#[test]
fn a_separable_set_is_learned() {
    let network = trained(&CnnArchitecture { epochs: 15, ..TINY }, &OPTIONS, 1);
    let unseen = Toy::new(12, 90, 2);
    let error = network.error_rate(&unseen.images(), &|| false).unwrap();
    // Guessing has an error of two thirds.
    assert!(error < 0.1, "{error}");
    // Wrong labels are wrong: the error counts them.
    let mut labels = unseen.labels.clone();
    for label in &mut labels {
        *label = (*label + 1) % 3;
    }
    let wrong = Images { labels: &labels, ..unseen.images() };
    assert!(network.error_rate(&wrong, &|| false).unwrap() >= 1.0 - error);
}

#[test]
fn a_divergence_is_an_error_of_one() {
    let wild = CnnOptions { rate: 1e30, ..OPTIONS };
    let network = trained(&TINY, &wild, 1);
    // Training ended after the first epoch.
    let visit = TINY.multiplications((2, 12), wild.neurons, 3);
    assert!(network.diverged && network.work == 90 * visit, "{}", network.work);
    assert_eq!(network.error_rate(&Toy::new(12, 9, 2).images(), &|| false).unwrap(), 1.0);
}

/// The error for a network or its images.
fn cause(error: &TorchError) -> Option<&BadCnn> {
    let TorchError::Settings(error) = error else { return None };
    error.downcast_ref()
}

#[test]
fn what_does_not_fit_is_refused() {
    let data = Toy::new(12, 9, 1);
    let run = |options: &CnnOptions, images: &Images<'_>, classes, device, stop: bool| {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        fit(&TINY, options, images, classes, device, &mut rng, &|| stop).map(|_| ()).unwrap_err()
    };
    let fine = data.images();
    let bad = CnnOptions { rate: f64::NAN, ..OPTIONS };
    let refused = run(&bad, &fine, 3, Device::Cpu, false);
    assert!(matches!(cause(&refused), Some(BadCnn::Number { .. })), "{refused}");
    let refused = run(&OPTIONS, &fine, 2, Device::Cpu, false);
    assert_eq!(refused.to_string(), "image 2 has class 2: expected one of 2, counted from 0");
    let small = Images { pixels: &[0; 128], labels: &[0], size: 8, channels: 2 };
    let refused = run(&OPTIONS, &small, 3, Device::Cpu, false);
    assert!(matches!(cause(&refused), Some(BadCnn::Small(8))), "{refused}");
    let refused = run(&OPTIONS, &fine, 3, Device::Cuda(99), false);
    assert!(matches!(refused, TorchError::Device { .. }), "{refused}");
    assert!(matches!(run(&OPTIONS, &fine, 3, Device::Cpu, true), TorchError::Interrupted));
    let network = trained(&TINY, &OPTIONS, 1);
    let none = Images { pixels: &[], labels: &[], ..fine };
    assert!(network.error_rate(&none, &|| false).is_err());
    assert!(matches!(network.error_rate(&fine, &|| true), Err(TorchError::Interrupted)));
}
