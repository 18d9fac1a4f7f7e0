//! Compares classifiers for larger data with scikit-learn and numpy: `tests/golden/classifiers.json` (its
//! description says how the values were computed).

mod common;
#[path = "common/golden.rs"]
mod values;

use models::linear::elastic_sgd::{ElasticSgd, Plateau};
use models::neural::mlp::{Mlp, MlpSettings};
use models::preprocess::scaler::Scaler;
use models::samples::Samples;
use models::svm::linear::LinearSvm;
use models::svm::smo::Smo;
use models::svm::{Gamma, Svm, SvmSettings};
use ndarray::{Array2, Axis};
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;
use serde_json::Value;
use values::{golden, items, real, reals};

/// The first rows of a data set, with standardised columns.
fn standardised(case: &Value) -> Samples {
    let raw = common::registered(case["data"].as_str().unwrap()).unwrap();
    let n = real(case, "rows") as usize;
    let first: Vec<usize> = (0..n).collect();
    let x = raw.features.select(Axis(0), &first);
    let mut y: Vec<u32> = raw.targets[..n].iter().map(|&t| t as u32).collect();
    let mut classes = y.iter().max().unwrap() + 1;
    if case["halves"] == Value::Bool(true) {
        for label in &mut y {
            *label = u32::from(2 * *label >= classes);
        }
        classes = 2;
    }
    let x = Scaler::Standardise.fit(x.view()).apply(x.view());
    Samples::new(x, y, classes as usize).unwrap()
}

fn close(ours: f64, theirs: f64, tolerance: f64, what: &str) {
    let error = (ours - theirs).abs() / theirs.abs().max(1.0);
    assert!(error <= tolerance, "{what}: {ours} against {theirs}");
}

#[test]
fn kernel_machines_are_scikit_learns() {
    for case in items(&golden("classifiers"), "svc") {
        let samples = standardised(case);
        let name = format!("{} {} {}", case["data"], case["c"], case["halves"]);
        let gamma = Gamma::Value(real(case, "gamma"));
        // The smaller cache holds a fiftieth of the rows of the largest pair.
        for cache in [200 << 20, 4 << 20] {
            let smo = Smo { cache, ..Smo::default() };
            let settings = SvmSettings::new(real(case, "c"), gamma, smo).unwrap();
            let svm = Svm::fit(&samples, &settings);
            assert!(svm.pairs.iter().all(|pair| pair.converged), "{name}");
            let dual: f64 = svm.pairs.iter().map(|pair| pair.objective).sum();
            // Both end within 1e-3 of optimality; the objective is then much more precise.
            close(dual, real(case, "dual_objective"), 1e-4, &name);
            let support = real(case, "support");
            close(svm.vectors.nrows() as f64, support, 0.01, &format!("{name}: support"));
            let first = samples.select(&[0, 1, 2]);
            let decisions = svm.decisions(first.x.view());
            for (ours, theirs) in decisions.rows().into_iter().zip(items(case, "decisions")) {
                for (o, t) in ours.iter().zip(reals(theirs)) {
                    close(*o, t, 2e-2, &format!("{name}: decision"));
                }
            }
            let said = svm.classify(samples.x.view());
            let wrong = said.iter().zip(&samples.y).filter(|(a, b)| a != b).count();
            assert!(wrong.abs_diff(real(case, "wrong") as usize) <= 3, "{name}: {wrong} wrong");
        }
    }
}

#[test]
fn elastic_nets_are_scikit_learns() {
    let (golden, tolerance) = (golden("classifiers"), 1e-10);
    // Where the first, large steps amplify 1e-14 tenfold, double precision does not determine the result to
    // the tolerance: a different order of summation would fail there.
    let determined = |case: &&Value| real(case, "sensitivity") <= 1e-13;
    let cases: Vec<_> = items(&golden, "sgd").iter().filter(determined).collect();
    assert!(cases.len() >= 12, "only {} cases are left", cases.len());
    for case in cases {
        let samples = standardised(case);
        let rows: Vec<usize> = (0..samples.n_rows()).collect();
        let plateau = case["tol"].as_f64().map(|tolerance| Plateau { tolerance, patience: 5 });
        let epochs = real(case, "max_iter") as usize;
        let settings =
            ElasticSgd::new(real(case, "alpha"), real(case, "l1_ratio"), epochs, plateau).unwrap();
        let fit = settings.fit(&samples, &rows, None);
        let name = format!("{} {} {}", case["data"], case["alpha"], case["l1_ratio"]);
        assert_eq!(fit.epochs.iter().max(), Some(&(real(case, "n_iter") as usize)), "{name}");
        for (ours, theirs) in fit.model.weights.row(0).iter().zip(reals(&case["coefficients"])) {
            close(*ours, theirs, tolerance, &name);
        }
        for (ours, theirs) in fit.model.offsets.iter().zip(reals(&case["intercepts"])) {
            close(*ours, theirs, tolerance, &name);
        }
    }
}

#[test]
fn linear_machines_are_scikit_learns() {
    for case in items(&golden("classifiers"), "linear_svc") {
        let samples = standardised(case);
        let x: Vec<f32> = samples.x.iter().map(|&v| v as f32).collect();
        let svm = LinearSvm::new(real(case, "c"), 1e-7, 100_000).unwrap();
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let fit = svm.fit(&x, &samples.y, samples.classes, &mut rng);
        assert!(fit.converged);
        for (ours, theirs) in fit.objectives.iter().zip(reals(&case["objectives"])) {
            close(*ours, theirs, 1e-5, &case["data"].to_string());
        }
    }
}

#[test]
fn perceptrons_are_numpys() {
    for case in items(&golden("classifiers"), "mlp") {
        let size = |key| real(case, key) as usize;
        let (n, d, k) = (size("rows"), size("features"), size("classes"));
        let (rate, momentum) = (real(case, "rate"), real(case, "momentum"));
        let settings = MlpSettings::new(size("neurons"), 0.0, n, rate, momentum).unwrap();
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let mut net = Mlp::<f64>::new(d, k, settings, &mut rng);
        for (l, layer) in net.layers_mut().iter_mut().enumerate() {
            for i in 0..layer.inputs() {
                for o in 0..layer.outputs() {
                    let phase = 1.0 + l as f64 + 2.0 * i as f64 + 5.0 * o as f64;
                    layer.set_weight(i, o, phase.sin() / (layer.inputs() as f64).sqrt());
                }
            }
            layer.offsets_mut().fill(0.05 * (l as f64 + 1.0));
        }
        let x = Array2::from_shape_fn((n, d), |(i, j)| (0.31 * (7 * i + 13 * j) as f64).sin());
        let x: Vec<f64> = x.into_iter().collect();
        let y: Vec<u32> = (0..n).map(|i| (i % k) as u32).collect();
        // One batch holds all rows, so that an epoch is a step.
        net.train(&x, &y, size("steps"), &mut rng);
        for (l, layer) in net.layers().iter().enumerate() {
            let theirs = reals(&case["weights"][l]);
            for i in 0..layer.inputs() {
                for o in 0..layer.outputs() {
                    close(layer.weight(i, o), theirs[i * layer.outputs() + o], 1e-12, "weight");
                }
            }
            for (ours, theirs) in layer.offsets().iter().zip(reals(&case["offsets"][l])) {
                close(*ours, theirs, 1e-12, "offset");
            }
        }
        let scores = net.scores(&x[..3 * d]);
        for (ours, theirs) in scores.iter().zip(reals(&case["scores"])) {
            close(*ours, theirs, 1e-12, "score");
        }
    }
}
