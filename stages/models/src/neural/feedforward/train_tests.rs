use ndarray::Array2;
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};

use super::*;
use crate::neural::feedforward::{Head, Network, Shape};

fn features(n: usize, d: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, d), |(i, j)| ((i * 7 + j * 13) as f64 * 0.31).sin())
}

fn heads() -> [(Head, Vec<usize>); 5] {
    [
        (Head::Sigmoid, vec![4, 3]),
        (Head::Softmax(3), vec![5]),
        (Head::Softmax(2), vec![]),
        (Head::Rectified(6), vec![10, 7, 5, 7, 10]),
        (Head::Sigmoid, vec![2; 8]),
    ]
}

/// Row counts around a multiple of the number of lanes.
fn rows<T: Scalar>(n: usize, head: Head) -> Rows<T> {
    let x = features(n, 6);
    let classes = head.units().max(2) as u32;
    match head {
        Head::Rectified(_) => Rows::reconstructed(x.mapv(f64::abs).view()),
        _ => Rows::classified(x.view(), &(0..n as u32).map(|i| i % classes).collect::<Vec<_>>()),
    }
}

/// A network in which most units are active.
fn network(head: Head, hidden: &[usize], seed: u64) -> Network<f64> {
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    let shape = Shape::new(6, hidden, head);
    let mut network = Network::glorot(shape.clone(), &mut rng);
    for layer in shape.layers() {
        network.parameters_mut()[layer.offsets..layer.offsets + layer.outputs].fill(0.21);
    }
    network
}

#[test]
fn gradients_agree_with_finite_differences() {
    for (head, hidden) in heads() {
        for (seed, n) in [(1, 1), (2, 31), (3, 32), (4, 75)] {
            let rows = rows(n, head);
            let mut net = network(head, &hidden, seed);
            let mut gradient = vec![f64::NAN; net.parameters().len()];
            net.loss_gradient(&rows, &mut gradient);
            let mut ignored = gradient.clone();
            for (i, g) in gradient.iter().enumerate() {
                let h = 1e-6;
                let at = net.parameters()[i];
                net.parameters_mut()[i] = at + h;
                let above = net.loss_gradient(&rows, &mut ignored);
                net.parameters_mut()[i] = at - h;
                let below = net.loss_gradient(&rows, &mut ignored);
                net.parameters_mut()[i] = at;
                let numeric = (above - below) / (2.0 * h);
                assert!((g - numeric).abs() < 2e-8, "{head:?}, {n} rows: {i} {g} {numeric}");
            }
            assert!(gradient.iter().any(|g| g.abs() > 1e-3), "nothing was compared");
        }
    }
}

#[test]
fn single_precision_follows_double_precision() {
    for (head, hidden) in heads() {
        let double = network(head, &hidden, 7);
        let narrow = |v: &f64| *v as f32;
        let parameters = double.parameters().iter().map(narrow).collect();
        let mut single = Network::with_parameters(double.shape().clone(), parameters);
        let parameters = single.parameters().iter().map(|&v| f64::from(v)).collect();
        let mut double = Network::with_parameters(double.shape().clone(), parameters);
        let training = Training { batch: 33, ..Training::sgd(3) };
        let mut rng = ChaCha12Rng::seed_from_u64(5);
        single.train(&rows(100, head), &training, &mut rng.clone());
        double.train(&rows(100, head), &training, &mut rng);
        for (s, d) in single.parameters().iter().zip(double.parameters()) {
            assert!((f64::from(*s) - d).abs() < 1e-5, "{head:?}: {s} {d}");
        }
    }
}

#[test]
fn an_epoch_is_plain_descent_on_consecutive_batches() {
    // One batch of all rows: the order does not matter.
    let rows = rows(40, Head::Sigmoid);
    let mut trained = network(Head::Sigmoid, &[4, 3], 9);
    let mut plain = trained.clone();
    let training = Training { batch: 64, ..Training::sgd(2) };
    trained.train(&rows, &training, &mut ChaCha12Rng::seed_from_u64(5));
    let mut gradient = vec![0.0; plain.parameters().len()];
    for _ in 0..2 {
        plain.loss_gradient(&rows, &mut gradient);
        for (w, g) in plain.parameters_mut().iter_mut().zip(&gradient) {
            *w -= 0.01 * g;
        }
    }
    for (t, p) in trained.parameters().iter().zip(plain.parameters()) {
        assert!((t - p).abs() < 1e-14);
    }
}

#[test]
fn a_separable_problem_is_learned_and_runs_repeat_to_the_bit() {
    let x = features(500, 6);
    let y: Vec<u32> = x.rows().into_iter().map(|r| u32::from(r[0] + r[2] > 0.0)).collect();
    let data = Rows::<f32>::classified(x.view(), &y);
    let run = |seed| {
        let mut rng = ChaCha12Rng::seed_from_u64(seed);
        let mut net = Network::glorot(Shape::classifier(6, 2, 6, 2), &mut rng);
        net.train(&data, &Training { batch: 16, ..Training::sgd(100) }, &mut rng);
        net
    };
    let net = run(1);
    let wrong = net.classify(x.view()).iter().zip(&y).filter(|(a, b)| a != b).count();
    assert!(wrong < 25, "{wrong} of 500");
    assert_eq!(net, run(1));
    assert_ne!(net, run(2));
}

#[test]
fn early_stopping_waits_as_long_as_it_is_told() {
    let rows = rows(64, Head::Softmax(3));
    let mut net = network(Head::Softmax(3), &[5], 1);
    let stop = Some(EarlyStop { patience: 3, min_delta: 1e9 });
    let training = Training { epochs: 50, stop, ..Training::sgd(50) };
    // Only the first epoch counts as an improvement.
    let trained = net.train(&rows, &training, &mut ChaCha12Rng::seed_from_u64(5));
    assert_eq!(trained.epochs, 4);
    let before = net.clone();
    let mut gradient = vec![0.0; net.parameters().len()];
    let training = Training { epochs: 1, batch: 64, ..training };
    let loss = before.loss_gradient(&rows, &mut gradient);
    let trained = net.train(&rows, &training, &mut ChaCha12Rng::seed_from_u64(5));
    assert!((trained.loss.unwrap() - loss).abs() < 1e-12);
}

#[test]
fn nan_spreads_and_is_not_hidden() {
    let mut x = features(4, 6);
    x[[2, 3]] = f64::NAN;
    let out = network(Head::Sigmoid, &[4], 1).outputs(x.view());
    assert!(out[[2, 0]].is_nan() && out[[1, 0]].is_finite());
}

/// Three steps on all rows by the textbook formulas, independent of the training code.
#[test]
fn adams_settings_and_the_penalty_are_those_of_the_textbook() {
    let mut rng = ChaCha12Rng::seed_from_u64(8);
    let x = Array2::from_shape_fn((12, 3), |(i, j)| ((7 * i + 13 * j) as f64 * 0.31).sin());
    let y: Vec<u32> = (0..12).map(|i| i % 3).collect();
    let rows = Rows::<f64>::classified(x.view(), &y);
    let start = Network::<f64>::glorot(Shape::classifier(3, 1, 4, 3), &mut rng);
    let (rate, beta1, beta2, epsilon, alpha) = (0.05, 0.6, 0.8, 1e-3, 3.0);
    let mut trained = start.clone();
    let optimiser = Optimiser::Adam(Adam { rate, beta1, beta2, epsilon });
    let training = Training { epochs: 3, batch: 12, optimiser, penalty: alpha, stop: None };
    trained.train(&rows, &training, &mut rng);

    let mut at = start.parameters().to_vec();
    let (mut first, mut second) = (vec![0.0; at.len()], vec![0.0; at.len()]);
    for step in 1..=3 {
        let mut gradient = vec![0.0; at.len()];
        let here = Network::with_parameters(start.shape().clone(), at.clone());
        here.loss_gradient(&rows, &mut gradient);
        for layer in start.shape().layers() {
            for i in layer.weights..layer.offsets {
                gradient[i] += alpha / 12.0 * at[i];
            }
        }
        for i in 0..at.len() {
            first[i] = beta1 * first[i] + (1.0 - beta1) * gradient[i];
            second[i] = beta2 * second[i] + (1.0 - beta2) * gradient[i] * gradient[i];
            let [c1, c2] = [beta1, beta2].map(|b: f64| 1.0 - b.powi(step));
            at[i] -= rate * c2.sqrt() / c1 * first[i] / (second[i].sqrt() + epsilon);
        }
    }
    for (ours, textbook) in trained.parameters().iter().zip(&at) {
        assert!((ours - textbook).abs() < 1e-12, "{ours} {textbook}");
    }
}
