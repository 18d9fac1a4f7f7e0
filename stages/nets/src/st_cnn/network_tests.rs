use models::neural::{alexnet::AlexNet, regularisation::Regularisation};
use rand::RngExt as _;
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use tch::{Device, Kind, Tensor};

use super::network::{Drops, Network};
use crate::{
    example_masks::ExampleMasks,
    hyper::Builder,
    parameters::{Parameters, Placement},
};

const SMALL: AlexNet = AlexNet { side: 16, classes: 3, width_divisor: 64, dense_factor: false };

const PLACEMENT: Placement = Placement { device: Device::Cpu, kind: Kind::Double };

/// A network that responds to `hypers` hyper-parameters, and its weights; those of the response are
/// as large as the others.
fn network(architecture: &AlexNet, hypers: usize) -> (Network, Parameters) {
    let mut rng = ChaCha12Rng::seed_from_u64(4);
    let mut builder = Builder::new(hypers, &mut rng);
    let network = Network::new(architecture, &mut builder);
    let mut weights = Parameters::new(&builder.listing, PLACEMENT).unwrap();
    weights.flat += 0.3 * uniform(&weights.flat.size(), 5);
    (network, weights)
}

/// Numbers in [−1, 1).
fn uniform(shape: &[i64], seed: u64) -> Tensor {
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    let count = shape.iter().product::<i64>();
    let values: Vec<f64> = (0..count).map(|_| 2.0 * rng.random::<f64>() - 1.0).collect();
    Tensor::from_slice(&values).view(shape)
}

fn numbers(tensor: &Tensor) -> Vec<f64> {
    Vec::try_from(tensor.detach().reshape([-1])).unwrap()
}

/// An image or the output of a layer: channels of side × side values.
struct Planes {
    values: Vec<f64>,
    side: usize,
}

/// A 3×3 convolution with zero padding, and ReLU.
fn convolve(x: &Planes, weight: &[f64], bias: &[f64], stride: usize) -> Planes {
    let side = (x.side - 1) / stride + 1;
    let inputs = x.values.len() / (x.side * x.side);
    let at = |channel: usize, row: usize, column: usize| {
        let within = (1..=x.side).contains(&row) && (1..=x.side).contains(&column);
        let place = || (channel * x.side + row - 1) * x.side + column - 1;
        if within { x.values[place()] } else { 0.0 }
    };
    let mut values = Vec::new();
    for (output, bias) in bias.iter().enumerate() {
        for place in 0..side * side {
            let (row, column) = (place / side * stride, place % side * stride);
            let mut sum = *bias;
            for k in 0..inputs * 9 {
                let (channel, down, right) = (k / 9, k % 9 / 3, k % 3);
                sum += weight[output * inputs * 9 + k] * at(channel, row + down, column + right);
            }
            values.push(sum.max(0.0));
        }
    }
    Planes { values, side }
}

/// The largest of each square of 2×2.
fn pool(x: &Planes) -> Planes {
    let side = x.side / 2;
    let mut values = Vec::new();
    for plane in x.values.chunks_exact(x.side * x.side) {
        for place in 0..side * side {
            let first = place / side * 2 * x.side + place % side * 2;
            let square = [first, first + 1, first + x.side, first + x.side + 1];
            values.push(square.map(|i| plane[i]).into_iter().fold(f64::MIN, f64::max));
        }
    }
    Planes { values, side }
}

/// The logits of one image, from the weights and offsets of eight layers.
fn by_hand(image: &[f64], side: usize, layers: &[(Vec<f64>, Vec<f64>)]) -> Vec<f64> {
    let mut x = Planes { values: image.to_vec(), side };
    for (i, (weight, bias)) in layers[..5].iter().enumerate() {
        x = convolve(&x, weight, bias, if i == 0 { 2 } else { 1 });
        if [0, 1, 4].contains(&i) {
            x = pool(&x);
        }
    }
    let mut x = x.values;
    for (i, (weight, bias)) in layers[5..].iter().enumerate() {
        let rows = weight.chunks_exact(x.len()).zip(bias);
        let sums = rows.map(|(row, b)| row.iter().zip(&x).map(|(w, x)| w * x).sum::<f64>() + b);
        x = if i < 2 { sums.map(|sum| sum.max(0.0)).collect() } else { sums.collect() };
    }
    x
}

/// \[MacKay2019\] eq. (10): the weights and offsets of each layer at hyper-parameters `hypers`.
fn responded(
    architecture: &AlexNet,
    weights: &Parameters,
    hypers: &[f64],
) -> Vec<(Vec<f64>, Vec<f64>)> {
    let mut parts = weights.parts.iter().map(numbers);
    let mut next = || parts.next().unwrap();
    let layer = |i: usize| {
        let (weight, bias, map) = (next(), next(), next());
        let factor = if i < 5 || architecture.dense_factor { next()[0] } else { 1.0 };
        let outputs = bias.len() / 2;
        let scale = |row: usize| -> f64 {
            let row = &map[row * hypers.len()..(row + 1) * hypers.len()];
            row.iter().zip(hypers).map(|(v, hyper)| v * hyper).sum()
        };
        let mixed = |values: &[f64], first: usize| -> Vec<f64> {
            let (own, moved) = values.split_at(values.len() / 2);
            let each = own.len() / outputs;
            let both = own.iter().zip(moved).enumerate();
            both.map(|(k, (own, moved))| factor * own + scale(first + k / each) * moved).collect()
        };
        (mixed(&weight, 0), mixed(&bias, outputs))
    };
    (0..8).map(layer).collect()
}

#[test]
fn logits_are_what_loops_compute() {
    let architecture = AlexNet { width_divisor: 32, ..SMALL };
    let images = uniform(&[3, 3, 16, 16], 1);
    let (network, weights) = network(&architecture, 0);
    let logits = numbers(&network.forward(&weights.parts, &images, None, None).unwrap());
    let parts: Vec<Vec<f64>> = weights.parts.iter().map(numbers).collect();
    let layers: Vec<_> =
        parts.as_chunks().0.iter().map(|[w, b]: &[_; 2]| (w.clone(), b.clone())).collect();
    compare(&images, &logits, |_| layers.clone());
}

#[test]
fn each_image_meets_the_weights_of_its_own_hyper_parameters() {
    let images = uniform(&[3, 3, 16, 16], 1);
    let hypers = uniform(&[3, 4], 2) * 2.0;
    let rows = numbers(&hypers);
    // As in appendix G, and as in the public code.
    for architecture in [SMALL, AlexNet { dense_factor: true, ..SMALL }] {
        let (network, weights) = network(&architecture, 4);
        let by_hand = |own: &[f64]| responded(&architecture, &weights, own);
        let logits = network.forward(&weights.parts, &images, Some(&hypers), None).unwrap();
        compare(&images, &numbers(&logits), |i| by_hand(&rows[4 * i..4 * (i + 1)]));
        // One row for all images.
        let first = hypers.narrow(0, 0, 1);
        let logits = network.forward(&weights.parts, &images, Some(&first), None).unwrap();
        compare(&images, &numbers(&logits), |_| by_hand(&rows[..4]));
    }
}

/// Compares the logits of three images with those computed by hand, with the layers of each.
fn compare(images: &Tensor, logits: &[f64], layers: impl Fn(usize) -> Vec<(Vec<f64>, Vec<f64>)>) {
    let images = numbers(images);
    let images = images.chunks_exact(images.len() / 3);
    for (i, (image, found)) in images.zip(logits.chunks_exact(3)).enumerate() {
        let expected = by_hand(image, 16, &layers(i));
        let far = expected.iter().zip(found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(far < 1e-12, "{expected:?}, {found:?}");
        assert!(expected.iter().any(|logit| logit.abs() > 0.01), "{expected:?} tell nothing");
    }
}

#[test]
fn gradients_by_hyper_parameters_are_differences() {
    let images = uniform(&[3, 3, 16, 16], 1);
    let at = uniform(&[1, 4], 2);
    let direction = uniform(&[3, 3], 3);
    let (network, weights) = network(&SMALL, 4);
    let value = |at: &Tensor| {
        let logits = network.forward(&weights.parts, &images, Some(at), None).unwrap();
        (logits * &direction).sum(Kind::Double)
    };
    let tracked = at.copy().set_requires_grad(true);
    let gradient = Tensor::run_backward(&[value(&tracked)], &[&tracked], false, false);
    let gradient = numbers(&gradient[0]);
    let step = 1e-6;
    for (i, found) in gradient.iter().enumerate() {
        let moved = |by: f64| {
            let mut to = numbers(&at);
            to[i] += by;
            value(&Tensor::from_slice(&to).view([1, 4])).double_value(&[])
        };
        let expected = (moved(step) - moved(-step)) / (2.0 * step);
        assert!((found - expected).abs() < 1e-7 * (1.0 + expected.abs()), "{found}, {expected}");
    }
    assert!(gradient.iter().all(|g| g.abs() > 1e-4), "{gradient:?}");
}

#[test]
fn the_response_is_what_is_marked() {
    let images = uniform(&[2, 3, 16, 16], 1);
    let hypers = uniform(&[2, 4], 2);
    let (network, mut weights) = network(&SMALL, 4);
    let mut marks: Vec<Vec<f32>> = weights.parts.iter().map(|p| vec![0.0; p.numel()]).collect();
    network.mark(&mut marks);
    let marks = Tensor::from_slice(&marks.concat()).to_kind(Kind::Double);
    let logits = |weights: &Parameters, hypers: Option<&Tensor>| {
        numbers(&network.forward(&weights.parts, &images, hypers, None).unwrap())
    };
    let before = (logits(&weights, None), logits(&weights, Some(&hypers)));
    // If all marked values are 0, hyper-parameters have no effect.
    weights.flat *= 1.0 - &marks;
    let without = (logits(&weights, None), logits(&weights, Some(&hypers)));
    assert_eq!(without.0, before.0);
    assert_ne!(without.1, before.1);
    let far = without.1.iter().zip(&without.0).map(|(a, b)| (a - b).abs());
    assert!(far.fold(0.0, f64::max) < 1e-12);
}

#[test]
fn every_rate_drops_at_its_place() {
    let images = uniform(&[2, 3, 16, 16], 1);
    let (network, weights) = network(&SMALL, 0);
    let with = |regularisations: [Regularisation; 2]| {
        let mut masks = ExampleMasks::new(ChaCha12Rng::seed_from_u64(1));
        let drops = Drops { regularisations: &regularisations, masks: &mut masks };
        numbers(&network.forward(&weights.parts, &images, None, Some(drops)).unwrap())
    };
    let none = Regularisation::default();
    let plain = numbers(&network.forward(&weights.parts, &images, None, None).unwrap());
    assert_eq!(with([none; 2]), plain);
    let places = (0..5).map(|i| {
        let mut all = none;
        all.channels[i] = 1.0;
        all
    });
    let dense = (0..2).map(|i| {
        let mut all = none;
        all.dense[i] = 1.0;
        all
    });
    let mut seen: Vec<Vec<f64>> = Vec::new();
    for all in places.chain(dense) {
        // If everything is dropped, the output does not depend on the image.
        let both = with([all; 2]);
        assert_eq!(both[..3], both[3..], "{all:?}");
        // The other image is unchanged, except for the order of sums in a batch.
        let one = with([all, none]);
        assert_eq!(one[..3], both[..3]);
        let far = one[3..].iter().zip(&plain[3..]).map(|(a, b)| (a - b).abs());
        assert!(far.fold(0.0, f64::max) < 1e-12);
        seen.push(both);
    }
    // Dropping the channels of the last convolution and dropping its values is the same; otherwise positions
    // differ.
    let distinct: std::collections::BTreeSet<_> =
        seen.iter().map(|logits| logits.iter().map(|l| l.to_bits()).collect::<Vec<_>>()).collect();
    assert_eq!((distinct.len(), &seen[4]), (6, &seen[5]));
}
