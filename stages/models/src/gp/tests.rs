//! Tests of the Gaussian process.

use super::*;
use rand_chacha::rand_core::SeedableRng as _;

fn points(n: usize, d: usize, rng: &mut ChaCha12Rng) -> Vec<Vec<f64>> {
    (0..n).map(|_| (0..d).map(|_| rng.random::<f64>()).collect()).collect()
}

#[test]
fn marginal_likelihood_gradient_matches_finite_differences() {
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    for kernel in [Kernel::Matern52, Kernel::SquaredExponential] {
        for ard in [false, true] {
            let settings = GpSettings {
                kernel,
                ard,
                fit_noise: true,
                fit_amplitude: true,
                ..GpSettings::default()
            };
            let layout = Layout { scales: if ard { 3 } else { 1 }, dimensions: 3, settings };
            let x = points(12, 3, &mut rng);
            let y: Array1<f64> = x.iter().map(|p| (3.0 * p[0]).sin() + p[1] - p[2]).collect();
            let mut theta = vec![-0.4; layout.scales];
            theta.extend([0.3, -3.0]);
            let (_, g, ..) = log_likelihood(&layout, &x, &y, &theta).unwrap();
            for i in 0..theta.len() {
                let at = |h: f64| {
                    let mut t = theta.clone();
                    t[i] += h;
                    log_likelihood(&layout, &x, &y, &t).unwrap().0
                };
                let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((g[i] - difference).abs() < 1e-6 * (1.0 + g[i].abs()), "{kernel:?} {i}");
            }
        }
    }
}

#[test]
fn interpolates_and_its_gradients_match_finite_differences() {
    let mut rng = ChaCha12Rng::seed_from_u64(2);
    let x = points(15, 2, &mut rng);
    let y: Vec<f64> = x.iter().map(|p| 5.0 + (4.0 * p[0]).sin() * p[1]).collect();
    let settings = GpSettings { ard: true, fit_amplitude: true, ..GpSettings::default() };
    let gp = Gp::fit(&x, &y, settings, &mut rng).unwrap();
    for (p, v) in x.iter().zip(&y) {
        let (mean, deviation) = gp.predict(p);
        assert!((mean - v).abs() < 1e-3 && deviation < 1e-2);
    }
    let at = [0.37, 0.61];
    let p = gp.predict_with_gradient(&at);
    assert!((p.mean - gp.predict(&at).0).abs() < 1e-12);
    assert!((p.deviation - gp.predict(&at).1).abs() < 1e-9);
    for i in 0..2 {
        let shift = |h: f64| {
            let mut x = at;
            x[i] += h;
            gp.predict(&x)
        };
        let (up, down) = (shift(1e-5), shift(-1e-5));
        assert!((p.mean_gradient[i] - (up.0 - down.0) / 2e-5).abs() < 1e-6);
        assert!((p.deviation_gradient[i] - (up.1 - down.1) / 2e-5).abs() < 1e-5);
    }
}

#[test]
fn unusable_data_are_refused() {
    let mut rng = ChaCha12Rng::seed_from_u64(3);
    let fit = |x: &[Vec<f64>], y: &[f64], s, rng: &mut ChaCha12Rng| Gp::fit(x, y, s, rng).is_err();
    let good = GpSettings::default();
    assert!(fit(&[], &[], good, &mut rng));
    assert!(fit(&[vec![0.1]], &[f64::NAN], good, &mut rng));
    assert!(fit(&[vec![0.1]], &[1.0, 2.0], good, &mut rng));
    assert!(fit(&[vec![0.1]], &[1.0], GpSettings { noise: f64::NAN, ..good }, &mut rng));
    assert!(Gp::fit(&[vec![0.1]], &[1.0], good, &mut rng).is_ok());
}
