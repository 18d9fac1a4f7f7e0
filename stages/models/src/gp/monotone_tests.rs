use rand::RngExt as _;
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};

use super::*;
use crate::gp::{kernel::Kernel, monotone::fit::MonotoneSettings};

/// Points, targets and signs of a function that rises with input 0 and falls with input 1.
fn instance(
    n: usize,
    m: usize,
    inputs: usize,
    rng: &mut ChaCha12Rng,
) -> (Vec<Vec<f64>>, Vec<f64>, Vec<SignSite>) {
    let mut point = || -> Vec<f64> { (0..inputs).map(|_| rng.random::<f64>()).collect() };
    let points: Vec<Vec<f64>> = (0..n).map(|_| point()).collect();
    let value = |x: &Vec<f64>| (2.0 * x[0]).sin() - x[1] * x[1] + 0.3 * (9.0 * x[0]).cos();
    let targets = points.iter().map(value).collect();
    let site = |i: usize, x| SignSite { x, dimension: i % 2, rising: i.is_multiple_of(2) };
    let sites = (0..m).map(|i| site(i, point())).collect();
    (points, targets, sites)
}

fn hyper(inputs: usize) -> Hyper {
    let length_scales = (0..inputs).map(|j| 0.3 + 0.2 * j as f64).collect();
    let kernel = ArdKernel { form: Kernel::SquaredExponential, amplitude: 1.3, length_scales };
    Hyper { kernel, noise: 1e-2, step: 1e-6 }
}

fn made(data: &(Vec<Vec<f64>>, Vec<f64>, Vec<SignSite>), hyper: Hyper) -> MonotoneGp {
    MonotoneGp::new(&data.0, &data.1, &data.2, hyper, None).unwrap()
}

/// The prediction equals that of one joint Gaussian of targets and site means, solved naively.
#[test]
fn the_posterior_is_that_of_the_joint_gaussian() {
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    for m in [0, 1, 7] {
        let gp = made(&instance(9, m, 2, &mut rng), hyper(2));
        let n = 9;
        let s = gp.signs();
        let joint = Array2::from_shape_fn((n + m, n + m), |(i, j)| {
            let k = gp.hyper.kernel.covariance(&gp.elements[i], &gp.elements[j]);
            let own = s.filter(|_| i >= n).map_or(gp.hyper.noise, |s| 1.0 / s.tau[i - n]);
            if i == j { k + own } else { k }
        });
        let factor = Cholesky::new(&joint).unwrap();
        for _ in 0..5 {
            let x = vec![rng.random::<f64>(), rng.random::<f64>()];
            let at = Element { x: x.clone(), derivative: None };
            let k: Array1<f64> =
                gp.elements.iter().map(|e| gp.hyper.kernel.covariance(&at, e)).collect();
            let variance = gp.hyper.kernel.amplitude - k.dot(&factor.solve(k.view()));
            let (_, deviation) = gp.predict(&x);
            assert!((deviation * deviation - variance).abs() < 1e-10);
        }
    }
}

#[test]
fn the_order_of_observations_and_signs_does_not_matter() {
    let mut rng = ChaCha12Rng::seed_from_u64(2);
    let data = instance(12, 8, 3, &mut rng);
    let mut turned = data.clone();
    turned.0.rotate_left(5);
    turned.1.rotate_left(5);
    turned.2.reverse();
    let (a, b) = (made(&data, hyper(3)), made(&turned, hyper(3)));
    assert!((a.ln_evidence() - b.ln_evidence()).abs() < 1e-9);
    for _ in 0..10 {
        let x: Vec<f64> = (0..3).map(|_| rng.random()).collect();
        let (p, q) = (a.predict(&x), b.predict(&x));
        assert!((p.0 - q.0).abs() < 1e-9 && (p.1 - q.1).abs() < 1e-9);
    }
}

/// Targets that decrease, with signs that say they increase: as the targets get noisier the mean increases at
/// every site, and each derivative's posterior lies on its side of zero by its own standard deviation.
#[test]
fn the_signs_win_over_vague_targets() {
    let mut rng = ChaCha12Rng::seed_from_u64(3);
    for _ in 0..10 {
        let (points, targets, sites) = instance(8, 6, 2, &mut rng);
        let against: Vec<f64> = points.iter().map(|p| p[1] - p[0]).collect();
        for (y, noise) in [(&targets, 1e-2), (&against, 1e4)] {
            let gp =
                MonotoneGp::new(&points, y, &sites, Hyper { noise, ..hyper(2) }, None).unwrap();
            let signs = gp.signs().unwrap();
            for (i, site) in sites.iter().enumerate() {
                let sign = if site.rising { 1.0 } else { -1.0 };
                let slope = gp.predict_with_gradient(&site.x).mean_gradient[site.dimension];
                assert!((slope - signs.mean[i]).abs() < 1e-7 * (1.0 + slope.abs()));
                // The mean of a truncated Gaussian exceeds its standard deviation.
                assert!(sign * slope > 0.9 * signs.variance[i].sqrt(), "{i}: {slope}");
            }
        }
    }
}

/// A likelihood of width v → ∞ only contributes a factor of ½ per sign.
#[test]
fn signs_of_no_weight_leave_the_plain_process() {
    let mut rng = ChaCha12Rng::seed_from_u64(4);
    let data = instance(10, 5, 2, &mut rng);
    let vague = made(&data, Hyper { step: 1e9, ..hyper(2) });
    let plain = MonotoneGp::new(&data.0, &data.1, &[], hyper(2), None).unwrap();
    assert!((vague.ln_evidence() - plain.ln_evidence() - 5.0 * 0.5_f64.ln()).abs() < 1e-7);
    let (p, q) = (vague.predict(&[0.4, 0.7]), plain.predict(&[0.4, 0.7]));
    assert!((p.0 - q.0).abs() < 1e-7 && (p.1 - q.1).abs() < 1e-7);
}

#[test]
fn improvement_and_its_gradient_match_finite_differences() {
    let mut rng = ChaCha12Rng::seed_from_u64(5);
    for m in [0, 6] {
        let gp = made(&instance(10, m, 3, &mut rng), hyper(3));
        for _ in 0..5 {
            let x: Vec<f64> = (0..3).map(|_| rng.random()).collect();
            let ready = gp.predictor();
            let (_, gradient) = ready.log_improvement_with_gradient(&x, 0.5);
            let p = gp.predict_with_gradient(&x);
            for j in 0..3 {
                let shift = |h: f64| {
                    let mut z = x.clone();
                    z[j] += h;
                    (ready.log_improvement(&z, 0.5), gp.predict(&z))
                };
                let (up, down) = (shift(1e-5), shift(-1e-5));
                let close = |ours: f64, up: f64, down: f64| {
                    let difference = (up - down) / 2e-5;
                    assert!((ours - difference).abs() < 1e-6, "{m} {j}: {ours} {difference}");
                };
                close(gradient[j], up.0, down.0);
                close(p.mean_gradient[j], up.1.0, down.1.0);
                close(p.deviation_gradient[j], up.1.1, down.1.1);
            }
        }
    }
}

/// Improvement above: μ − f⁺ times Φ(z) plus σφ(z).
#[test]
fn improvement_is_above_the_best() {
    let mut rng = ChaCha12Rng::seed_from_u64(6);
    let gp = made(&instance(6, 3, 2, &mut rng), hyper(2));
    let x = [0.2, 0.9];
    let (mean, deviation) = gp.predict(&x);
    let z = (mean - 0.1) / deviation;
    let pdf = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
    let expected = (mean - 0.1) * crate::gp::monotone::site::normal_cdf(z) + deviation * pdf;
    assert!((gp.predictor().log_improvement(&x, 0.1) - expected.ln()).abs() < 1e-10);
}

#[test]
fn the_gradient_of_the_evidence_matches_finite_differences() {
    let mut rng = ChaCha12Rng::seed_from_u64(7);
    let forms = [Kernel::SquaredExponential, Kernel::Matern52];
    for (m, form) in [0, 9].into_iter().flat_map(|m| forms.map(|form| (m, form))) {
        let data = instance(12, m, 2, &mut rng);
        let start = || Hyper { kernel: ArdKernel { form, ..hyper(2).kernel }, ..hyper(2) };
        let gradient = made(&data, start()).evidence_gradient();
        for (j, slope) in gradient.iter().enumerate() {
            let at = |h: f64| {
                let mut t = start();
                match j {
                    0 | 1 => t.kernel.length_scales[j] *= h.exp(),
                    2 => t.kernel.amplitude *= h.exp(),
                    _ => t.noise *= h.exp(),
                }
                made(&data, t).ln_evidence()
            };
            let difference = (at(1e-4) - at(-1e-4)) / 2e-4;
            let close = (slope - difference).abs() < 1e-5 * (1.0 + slope.abs());
            assert!(close, "{form:?} {m} {j}: {slope} {difference}");
        }
    }
}

/// The one matrix gives the same values, standard deviations and gradients as the two factors.
#[test]
fn a_process_made_ready_predicts_the_same() {
    let mut rng = ChaCha12Rng::seed_from_u64(10);
    for m in [0, 1, 8] {
        for form in [Kernel::SquaredExponential, Kernel::Matern52] {
            let kernel = ArdKernel { form, ..hyper(3).kernel };
            let gp = made(&instance(14, m, 3, &mut rng), Hyper { kernel, ..hyper(3) });
            let ready = gp.predictor();
            for _ in 0..10 {
                let x: Vec<f64> = (0..3).map(|_| rng.random()).collect();
                let (p, q) = (gp.predict_with_gradient(&x), ready.predict_with_gradient(&x));
                let quick = ready.predict(&x);
                assert!((q.mean - quick.0).abs() < 1e-12 * (1.0 + q.mean.abs()));
                assert!((q.deviation - quick.1).abs() < 1e-9);
                let pairs = p
                    .mean_gradient
                    .iter()
                    .chain(&p.deviation_gradient)
                    .zip(q.mean_gradient.iter().chain(&q.deviation_gradient));
                let own = [(&p.mean, &q.mean), (&p.deviation, &q.deviation)];
                for (a, b) in pairs.chain(own) {
                    assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{m} {form:?}: {a} {b}");
                }
            }
        }
    }
}

#[test]
fn a_fit_raises_the_evidence() {
    let mut rng = ChaCha12Rng::seed_from_u64(8);
    let (points, targets, sites) = instance(20, 10, 2, &mut rng);
    for kernel in [Kernel::SquaredExponential, Kernel::Matern52] {
        let settings =
            MonotoneSettings { kernel, fit_amplitude: true, ..MonotoneSettings::default() };
        let (gp, near) =
            MonotoneGp::fit(&points, &targets, &sites, settings, None, &mut rng).unwrap();
        for factor in [0.9, 1.1] {
            let mut other = gp.hyper().clone();
            other.kernel.length_scales[0] *= factor;
            let other = MonotoneGp::new(&points, &targets, &sites, other, None).unwrap();
            assert!(other.ln_evidence() < gp.ln_evidence(), "{kernel:?}");
        }
        // A fit that starts where another ended does not get worse.
        let near = Some(near);
        let (again, _) =
            MonotoneGp::fit(&points, &targets, &sites, settings, near, &mut rng).unwrap();
        assert!(again.ln_evidence() >= gp.ln_evidence() - 1e-9, "{kernel:?}");
    }
}

#[test]
fn unusable_data_are_refused() {
    let x = vec![vec![0.1, 0.2]];
    let new = |x: &[Vec<f64>], y: &[f64], s: &[SignSite], h: Hyper| {
        MonotoneGp::new(x, y, s, h, None).is_err()
    };
    let site = SignSite { x: vec![0.5, 0.5], dimension: 1, rising: true };
    assert!(!new(&x, &[1.0], std::slice::from_ref(&site), hyper(2)));
    assert!(new(&[], &[], &[], hyper(2)));
    assert!(new(&x, &[f64::NAN], &[], hyper(2)));
    assert!(new(&x, &[1.0], &[SignSite { dimension: 2, ..site.clone() }], hyper(2)));
    assert!(new(&x, &[1.0], &[SignSite { x: vec![f64::NAN, 0.0], ..site }], hyper(2)));
    assert!(new(&x, &[1.0], &[], Hyper { noise: f64::NAN, ..hyper(2) }));
    assert!(new(&x, &[1.0], &[], Hyper { step: f64::NAN, ..hyper(2) }));
    let settings = MonotoneSettings { noise: f64::NAN, ..MonotoneSettings::default() };
    let mut rng = ChaCha12Rng::seed_from_u64(9);
    assert!(MonotoneGp::fit(&x, &[1.0], &[], settings, None, &mut rng).is_err());
    assert!(MonotoneGp::fit(&[], &[], &[], MonotoneSettings::default(), None, &mut rng).is_err());
}
