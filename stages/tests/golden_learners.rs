//! Compares learners with scikit-learn and PyTorch: `tests/golden/learners.json` (its descriptions say how
//! the values were computed).

mod common;
#[path = "common/golden.rs"]
mod values;

use models::gaussian_nb::{GaussianNb, VAR_SMOOTHING};
use models::linear::penalised::{PenalisedLogistic, Penalty};
use models::neural::feedforward::train::{Adam, Optimiser, Rows, Training};
use models::neural::feedforward::{Head, Network, Shape};
use models::preprocess::scaler::Scaler;
use models::samples::Samples;
use models::svm::smo::Smo;
use models::svm::{Gamma, Svm, SvmSettings};
use ndarray::{Array2, Axis};
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;
use serde_json::Value;
use values::{golden, items, real, reals};

/// All rows of a data set, with standardised columns.
fn standardised(case: &Value) -> Samples {
    let raw = common::registered(case["data"].as_str().unwrap()).unwrap();
    let y: Vec<u32> = raw.targets.iter().map(|&t| t as u32).collect();
    let classes = y.iter().max().unwrap() + 1;
    let x = Scaler::Standardise.fit(raw.features.view()).apply(raw.features.view());
    Samples::new(x, y, classes as usize).unwrap()
}

fn close(ours: f64, theirs: f64, tolerance: f64, what: &str) {
    let error = (ours - theirs).abs() / theirs.abs().max(1.0);
    assert!(error <= tolerance, "{what}: {ours} against {theirs}");
}

#[test]
fn penalised_logistic_regression_is_scikit_learns() {
    for case in items(&golden("learners"), "logistic") {
        let samples = standardised(case);
        let l1_ratio = real(case, "l1_ratio");
        let penalty = Penalty::new(real(case, "c"), l1_ratio).unwrap();
        let fit = PenalisedLogistic::fit(&samples, penalty);
        assert!(fit.residual <= 1e-9, "{case}: {}", fit.residual);
        close(fit.objective, real(case, "objective"), 1e-8, &format!("{case}"));
        // Without an L2 share the minimum is flat, and the other program's iteration ends early there.
        let tolerance = if l1_ratio == 0.0 { 1e-6 } else { 1e-3 };
        let first = fit.coefficients.row(0);
        for (ours, theirs) in first.iter().zip(reals(&case["first_coefficients"])) {
            close(*ours, theirs, tolerance, &format!("{case}"));
        }
    }
}

#[test]
fn support_vector_machines_are_scikit_learns() {
    for case in items(&golden("learners"), "svc") {
        let samples = standardised(case);
        let gamma = case["gamma"].as_f64().map_or(Gamma::Scale, Gamma::Value);
        // Kernel values in single precision: a few 1e-6 of the objective at C = 100.
        for (tolerance, objective, decision) in [(1e-3, 1e-4, 1e-2), (1e-6, 1e-5, 1e-4)] {
            let smo = Smo { tolerance, ..Smo::default() };
            let settings = SvmSettings::new(real(case, "c"), gamma, smo).unwrap();
            let svm = Svm::fit(&samples, &settings);
            close(svm.gamma, real(case, "gamma_used"), 1e-12, "gamma");
            assert!(svm.pairs.iter().all(|pair| pair.converged));
            let dual: f64 = svm.pairs.iter().map(|pair| pair.objective).sum();
            close(dual, real(case, "dual_objective"), objective, &format!("{case}"));
            let first = samples.select(&[0, 1, 2]);
            let decisions = svm.decisions(first.x.view());
            for (ours, theirs) in decisions.rows().into_iter().zip(items(case, "decisions")) {
                for (o, t) in ours.iter().zip(reals(theirs)) {
                    close(*o, t, decision, &format!("{case}"));
                }
            }
            let wrong = wrong(&svm.classify(samples.x.view()), &samples.y);
            assert!(wrong.abs_diff(real(case, "wrong") as usize) <= 1, "{wrong} wrong: {case}");
        }
    }
}

fn wrong(said: &[u32], truth: &[u32]) -> usize {
    said.iter().zip(truth).filter(|(a, b)| a != b).count()
}

#[test]
fn gaussian_naive_bayes_is_scikit_learns() {
    for case in items(&golden("learners"), "gaussian_nb") {
        let samples = standardised(case);
        let nb = GaussianNb::fit(&samples, VAR_SMOOTHING);
        let first = nb.joint_log_likelihood(samples.select(&[0, 1, 2]).x.view());
        for (ours, theirs) in first.rows().into_iter().zip(items(case, "joint_log_likelihood")) {
            for (o, t) in ours.iter().zip(reals(theirs)) {
                close(*o, t, 1e-9, &format!("{case}"));
            }
        }
        assert_eq!(wrong(&nb.classify(samples.x.view()), &samples.y) as f64, real(case, "wrong"));
    }
}

/// Rows x\[i\]\[j\] = sin(0.31 (7i + 13j)).
fn waves() -> Array2<f64> {
    Array2::from_shape_fn((200, 6), |(i, j)| ((i * 7 + j * 13) as f64 * 0.31).sin())
}

#[test]
fn networks_are_pytorchs() {
    for case in items(&golden("learners"), "networks") {
        let units = real(case, "units") as usize;
        let head = match case["head"].as_str().unwrap() {
            "sigmoid" => Head::Sigmoid,
            "softmax" => Head::Softmax(units),
            _ => Head::Rectified(units),
        };
        let hidden: Vec<usize> = reals(&case["hidden"]).iter().map(|&n| n as usize).collect();
        let shape = Shape::new(6, &hidden, head);
        let mut parameters = Vec::new();
        for (l, layer) in shape.layers().iter().enumerate() {
            for j in 0..layer.outputs {
                parameters.extend((0..layer.inputs).map(|i| {
                    (1.0 + l as f64 + 2.0 * i as f64 + 5.0 * j as f64).sin()
                        / (layer.inputs as f64).sqrt()
                }));
            }
            parameters.extend(vec![0.05 * (l as f64 + 1.0); layer.outputs]);
        }
        let network = Network::with_parameters(shape, parameters);
        let (x, y): (_, Vec<u32>) = (waves(), (0..200).map(|i| i % units.max(2) as u32).collect());
        let rows = match head {
            Head::Rectified(_) => Rows::reconstructed(x.mapv(f64::abs).view()),
            _ => Rows::classified(x.view(), &y),
        };
        let mut gradient = vec![f64::NAN; network.parameters().len()];
        let loss = network.loss_gradient(&rows, &mut gradient);
        close(loss, real(case, "loss"), 1e-13, "loss");
        for (ours, theirs) in gradient.iter().zip(reals(&case["gradient"])) {
            assert!((ours - theirs).abs() < 1e-13, "{head:?}: {ours} against {theirs}");
        }
        let input = if matches!(head, Head::Rectified(_)) { x.mapv(f64::abs) } else { x };
        let first = input.select(Axis(0), &[0, 1, 2]);
        let outputs = network.outputs(first.view());
        for (ours, theirs) in outputs.rows().into_iter().zip(items(case, "outputs_first3")) {
            for (o, t) in ours.iter().zip(reals(theirs)) {
                assert!((o - t).abs() < 1e-13);
            }
        }
        for (optimiser, key) in [
            (Optimiser::Sgd { rate: 0.01 }, "after_sgd"),
            (Optimiser::Adam(Adam::keras(0.001)), "after_adam"),
        ] {
            let training = Training { epochs: 3, batch: 200, optimiser, ..Training::sgd(3) };
            let mut trained = network.clone();
            trained.train(&rows, &training, &mut ChaCha12Rng::seed_from_u64(1));
            let expected = reals(&case[key]);
            assert_eq!(expected.len(), trained.parameters().len());
            for (ours, theirs) in trained.parameters().iter().zip(expected) {
                // Adam divides by gradients: those of 1e-9 have a relative rounding error of 1e-7.
                assert!((ours - theirs).abs() < 1e-9, "{head:?} {key}: {ours} against {theirs}");
            }
        }
    }
}
