use numerics::{linalg::vector::distance, solve::stop::TerminationReason};
use rand_chacha::rand_core::SeedableRng as _;

use super::*;
use crate::best_response::{Affine, Gate, Quadratic, Shrinkage};

fn relative(found: &[f64], exact: impl IntoIterator<Item = f64>) -> f64 {
    let exact: Vec<f64> = exact.into_iter().collect();
    distance(found, &exact) / norm(&exact)
}

#[test]
fn the_expectation_has_its_gradient() {
    let f = Shrinkage { singular: 1.5, target: 2.0, validated: 0.0 };
    let around = Neighbourhood::line(0.4, 0.8);
    let phi = [0.9, -0.7, 0.2];
    let mut gradient = [0.0; 3];
    expected(&f, &Gate, &around, &phi, &mut gradient);
    for i in 0..3 {
        let at = |step: f64| {
            let mut moved = phi;
            moved[i] += step;
            expected(&f, &Gate, &around, &moved, &mut [0.0; 3])
        };
        let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
        assert!((gradient[i] - numeric).abs() < 1e-8, "{i}: {} {numeric}", gradient[i]);
    }
}

/// Theorem 3 of \[MacKay2019\], for any neighbourhood and centre.
#[test]
fn an_affine_map_fitted_to_a_quadratic_has_the_jacobian_of_the_answer() {
    let mut rng = ChaCha12Rng::seed_from_u64(2);
    for (hypers, weights) in [(1, 1), (1, 4), (3, 2), (6, 10)] {
        let f = Quadratic::draw(hypers, weights, &mut rng).unwrap();
        let form = Affine { hypers, weights };
        let centre: Vec<f64> = (0..hypers).map(|i| 1.0 - i as f64).collect();
        for deviation in [0.1, 1.0, 5.0] {
            let around = Neighbourhood::cross(&centre, deviation);
            let (phi, report) = conjugate_fit(&f, &form, &around, 1e-14);
            assert_eq!(report.reason, TerminationReason::Converged);
            let error = relative(form.slope(&phi), f.jacobian());
            assert!(error < 1e-9, "{hypers} {weights} {deviation}: {error:e}");
            let mut w = vec![0.0; weights];
            form.response(&phi, &centre, &mut w);
            assert!(relative(&w, f.response(&centre)) < 1e-9);
        }
    }
}

#[test]
fn sampled_perturbations_find_the_same_jacobian() {
    let mut rng = ChaCha12Rng::seed_from_u64(3);
    let f = Quadratic::draw(2, 3, &mut rng).unwrap();
    let (form, centre) = (Affine { hypers: 2, weights: 3 }, [0.5, -0.5]);
    let error = |steps, rng: &mut ChaCha12Rng| {
        let how = Sampling { deviation: 1.0, batch: 2, steps, rate: 0.05 };
        let mut phi = vec![0.0; 9];
        sampled_fit(&f, &form, &centre, how, &mut phi, rng);
        relative(form.slope(&phi), f.jacobian())
    };
    assert_eq!(error(0, &mut rng), 1.0);
    let (early, late) = (error(50, &mut rng), error(5000, &mut rng));
    assert!(late < 1e-6 && early > 1e-3, "{early:e} {late:e}");
}

#[test]
fn descent_ends_where_nothing_is_lower() {
    let f = Shrinkage { singular: 2.0, target: 2.0, validated: 0.3 };
    let around = Neighbourhood::line(1.0, 0.3);
    let form = Affine { hypers: 1, weights: 1 };
    let (exact, _) = conjugate_fit(&f, &form, &around, 1e-14);
    let mut phi = vec![0.0; 2];
    let short = descend(&f, &form, &around, 3, &mut phi);
    assert_eq!(short.steps, 3);
    let long = descend(&f, &form, &around, 20_000, &mut phi);
    assert!(long.value < short.value);
    // Values distinguish points only to the square root of their precision.
    assert!(relative(&phi, exact) < 1e-6, "{phi:?}");
}

/// Figure 2 of \[MacKay2019\]: too small, right, too wide.
#[test]
fn a_slope_needs_a_neighbourhood_of_the_right_width() {
    let f = Shrinkage { singular: 2.0, target: 2.0, validated: 0.3 };
    let form = Affine { hypers: 1, weights: 1 };
    let slope = |deviation: f64| {
        let mut phi = vec![1.0, 0.0];
        descend(&f, &form, &Neighbourhood::line(1.0, deviation), 300, &mut phi);
        let mut w = [0.0];
        form.response(&phi, &[1.0], &mut w);
        (phi[0] / f.slope(1.0), w[0] / f.response(1.0))
    };
    let (small, right, wide) = (slope(1e-3), slope(0.3), slope(2.5));
    assert!(small.0 < 0.0 && (small.1 - 1.0).abs() < 1e-5, "value without slope: {small:?}");
    assert!((right.0 - 1.0).abs() < 0.1, "{right:?}");
    assert!((wide.0 - 1.0).abs() > 0.3, "{wide:?}");
    // The right form fits at every width.
    let mut phi = vec![1.0, -0.5, 0.0];
    descend(&f, &Gate, &Neighbourhood::line(1.0, 2.5), 20_000, &mut phi);
    assert!((Gate.slope(&phi, 1.0) / f.slope(1.0) - 1.0).abs() < 1e-2, "{phi:?}");
}
