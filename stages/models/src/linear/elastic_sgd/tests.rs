//! Tests of the elastic net.

use ndarray::Array2;

use super::*;
use crate::linear::sign;
use numerics::linalg::elementary::logistic;

fn samples(n: usize, classes: u32) -> Samples {
    let x = Array2::from_shape_fn((n, 5), |(i, j)| ((i * 7 + j * 13) as f64 * 0.31).sin());
    let class = |row: ndarray::ArrayView1<'_, f64>| {
        (u32::from(row[0] > 0.0) + u32::from(row[1] > 0.3)).min(classes - 1)
    };
    let y = x.rows().into_iter().map(class).collect();
    Samples::new(x, y, classes as usize).unwrap()
}

/// The mean objective of one score.
fn objective(settings: &ElasticSgd, samples: &Samples, model: &Linear, k: usize) -> f64 {
    let w = model.weights.row(k);
    let rows = samples.x.rows().into_iter().zip(&samples.y);
    let losses = rows.map(|(row, &label)| {
        let sign = sign(label, k, model.offsets.len());
        logistic(sign * (w.dot(&row) + model.offsets[k])).0
    });
    let ridge = 0.5 * (1.0 - settings.l1_ratio) * w.dot(&w);
    let sparse = settings.l1_ratio * w.mapv(f64::abs).sum();
    losses.sum::<f64>() / samples.n_rows() as f64 + settings.alpha * (ridge + sparse)
}

#[test]
fn many_epochs_come_near_the_minimum() {
    for (classes, alpha, l1_ratio) in [(2, 0.1, 0.0), (3, 0.03, 0.5), (3, 0.1, 1.0)] {
        let samples = samples(300, classes);
        let rows: Vec<usize> = (0..300).collect();
        let settings = ElasticSgd::new(alpha, l1_ratio, 300, None).unwrap();
        let mut rng = ChaCha12Rng::seed_from_u64(5);
        let fit = settings.fit(&samples, &rows, Some(&mut rng));
        assert!(fit.finite && fit.updates == (300 * 300 * fit.model.offsets.len()) as u64);
        for k in 0..fit.model.offsets.len() {
            let here = objective(&settings, &samples, &fit.model, k);
            // No step along a coordinate, up or down, lowers the objective by much.
            for j in 0..5 {
                for step in [-0.02, 0.02] {
                    let mut near = fit.model.clone();
                    near.weights[[k, j]] += step;
                    let there = objective(&settings, &samples, &near, k);
                    assert!(there > here - 2e-4, "{classes} {k} {j}: {there} {here}");
                }
            }
        }
    }
}

#[test]
fn shuffles_repeat_and_rows_that_are_not_chosen_do_not_count() {
    let mut samples = samples(80, 3);
    let rows: Vec<usize> = (10..60).collect();
    let settings = ElasticSgd::new(1e-3, 0.3, 4, None).unwrap();
    let run = |samples: &Samples, seed| {
        settings.fit(samples, &rows, Some(&mut ChaCha12Rng::seed_from_u64(seed)))
    };
    let fit = run(&samples, 1);
    assert_ne!(fit, run(&samples, 2));
    samples.x.row_mut(70).fill(1e6);
    assert_eq!(fit, run(&samples, 1));
}

#[test]
fn a_strong_l1_penalty_leaves_no_weight() {
    let samples = samples(80, 2);
    let rows: Vec<usize> = (0..80).collect();
    let fit = ElasticSgd::new(2.0, 1.0, 20, None).unwrap().fit(&samples, &rows, None);
    assert!(fit.model.weights.iter().all(|&w| w == 0.0));
}

/// With one penalty alone, the two kernels are the same method.
#[test]
fn classes_side_by_side_are_each_class_by_itself() {
    for (classes, l1_ratio) in [(3, 0.0), (9, 1.0), (17, 1.0), (12, 0.0)] {
        let x = Array2::from_shape_fn((120, 21), |(i, j)| {
            let there = (i * 5 + j) % 3 == 0;
            if there { ((i * 7 + j * 13) as f64 * 0.31).sin() } else { 0.0 }
        });
        let y = (0..120).map(|i| (i * i % classes) as u32).collect();
        let samples = Samples::new(x, y, classes).unwrap();
        let rows: Vec<usize> = (5..115).rev().collect();
        let fit = |charge| {
            let settings = ElasticSgd::new(0.003, l1_ratio, 3, None).unwrap().charged(charge);
            settings.fit(&samples, &rows, Some(&mut ChaCha12Rng::seed_from_u64(1)))
        };
        let (one, each) = (fit(Charge::WhenUsed), fit(Charge::EachUpdate));
        assert_ne!(one, each, "sums in another order");
        assert_eq!((&one.epochs, one.updates), (&each.epochs, each.updates));
        let numbers = |fit: &ElasticFit| -> Vec<f64> {
            fit.model.weights.iter().chain(&fit.model.offsets).copied().collect()
        };
        let (one, each) = (numbers(&one), numbers(&each));
        assert!(one.iter().any(|w| w.abs() > 0.1));
        for (at, (a, b)) in one.iter().zip(&each).enumerate() {
            assert!((a - b).abs() < 1e-11, "{classes} {l1_ratio}, {at}: {a} {b}");
        }
    }
}

/// Written out: with both penalties a weight is shrunk in each update and charged before it is used.
#[test]
fn a_weight_is_charged_before_it_is_used() {
    let x = Array2::from_shape_fn((40, 4), |(i, j)| {
        if (i + j) % 3 == 0 { ((i * 7 + j * 13) as f64 * 0.31).sin() } else { 0.0 }
    });
    let y: Vec<u32> = (0..40).map(|i| i % 3).collect();
    let samples = Samples::new(x.clone(), y.clone(), 3).unwrap();
    let rows: Vec<usize> = (0..40).collect();
    let (alpha, l1_ratio) = (0.01, 0.3);
    let settings = ElasticSgd::new(alpha, l1_ratio, 2, None).unwrap();
    let fit = settings.charged(Charge::WhenUsed).fit(&samples, &rows, None);
    for class in 0..3 {
        let (mut w, mut paid, mut offset, mut owed) = ([0.0; 4], [0.0; 4], 0.0, 0.0);
        for t in 0..80 {
            let (row, own) = (x.row(t % 40), y[t % 40] == class);
            let used = (0..4).filter(|&j| row[j] != 0.0);
            used.for_each(|j| (w[j], paid[j]) = charge(w[j], owed, paid[j]));
            let sign = if own { 1.0 } else { -1.0 };
            let margin = sign * ((0..4).map(|j| w[j] * row[j]).sum::<f64>() + offset);
            let rate = 1.0 / (alpha * (alpha.powf(-0.75) + t as f64));
            let step = rate * sign / (1.0 + f64::exp(margin));
            let keep = 1.0 - (1.0 - l1_ratio) * rate * alpha;
            (0..4).for_each(|j| w[j] = keep * w[j] + step * row[j]);
            offset += step;
            owed += l1_ratio * rate * alpha;
            if t % 40 == 39 {
                (0..4).for_each(|j| (w[j], paid[j]) = charge(w[j], owed, paid[j]));
            }
        }
        for (ours, theirs) in fit.model.weights.row(class as usize).iter().zip(w) {
            assert!((ours - theirs).abs() < 1e-13, "{class}: {ours} {theirs}");
        }
        assert!((fit.model.offsets[class as usize] - offset).abs() < 1e-13);
    }
}

/// \[Tsuruoka2009\]: max(0, w − (u + q)) of a positive weight, min(0, w + (u − q)) of a negative one.
#[test]
fn the_penalty_is_clipped_as_published() {
    let mut rng = ChaCha12Rng::seed_from_u64(7);
    let mut uniform = |low: f64, high: f64| low + (high - low) * rng.random::<f64>();
    let (mut clipped, mut kept) = (0, 0);
    for _ in 0..2000 {
        let owed = uniform(0.0, 2.0);
        let (weight, paid) = (uniform(-2.0, 2.0), uniform(-owed, owed));
        let expected = if weight > 0.0 {
            (weight - (owed + paid)).max(0.0)
        } else {
            (weight + (owed - paid)).min(0.0)
        };
        let after = paid + (expected - weight);
        assert_eq!(charge(weight, owed, paid), (expected, after), "{weight} {owed} {paid}");
        if expected == 0.0 { clipped += 1 } else { kept += 1 }
    }
    assert!(clipped > 500 && kept > 500, "{clipped} {kept}");
}

#[test]
fn settings_out_of_range_are_refused() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(ElasticSgd::new(bad, 0.5, 1, None).is_err());
    }
    for bad in [-0.1, 1.1, f64::NAN] {
        assert!(ElasticSgd::new(1.0, bad, 1, None).is_err());
    }
}
