//! Tests that densities sum to one and draws follow them, for every kind of parameter.

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_assert, prop_oneof, proptest};
use rand_chacha::rand_core::SeedableRng as _;

use super::*;

fn numerical(low: f64, high: f64, log: bool, step: Option<f64>) -> Parameter {
    Parameter::Numerical(Range { low, high, log, step })
}

fn bandwidth() -> impl Strategy<Value = Bandwidth> {
    prop_oneof![Just(Bandwidth::Neighbours), Just(Bandwidth::Scott)]
}

/// All values of a parameter, or this many of an interval, with the distance between them in the kernels'
/// space.
fn values(parameter: Parameter) -> (Vec<f64>, f64) {
    match parameter {
        Parameter::Categorical { choices } => ((0..choices).map(|c| c as f64).collect(), 1.0),
        Parameter::Numerical(Range { low, high, step: Some(step), .. }) => {
            let count = ((high - low) / step).round() as usize;
            ((0..=count).map(|i| low + i as f64 * step).collect(), 1.0)
        }
        Parameter::Numerical(Range { low, high, log, step: None }) => {
            let (from, to) = if log { (low.ln(), high.ln()) } else { (low, high) };
            let (n, width) = (2000, (to - from) / 2000.0);
            let at = |i: i32| from + (f64::from(i) + 0.5) * width;
            ((0..n).map(|i| if log { at(i).exp() } else { at(i) }).collect(), width)
        }
    }
}

fn all() -> [Parameter; 6] {
    [
        numerical(-5.0, 10.0, false, None),
        numerical(1e-4, 1.0, true, None),
        numerical(1.0, 9.0, false, Some(1.0)),
        numerical(0.1, 1.3, false, Some(0.2)),
        numerical(1.0, 30.0, true, Some(1.0)),
        Parameter::Categorical { choices: 4 },
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]
    /// For every kind of parameter, under every setting that leaves kernels wide enough to be summed.
    #[test]
    fn densities_sum_to_one(
        units in proptest::collection::vec(0.0..1.0_f64, 0..9),
        prior_weight in 0.1..3.0_f64,
        endpoints in any::<bool>(),
        bandwidth in bandwidth(),
    ) {
        let settings = KernelSettings { prior_weight, endpoints, bandwidth, magic_clip: true };
        for parameter in all() {
            let (values, width) = values(parameter);
            let pick = |u: &f64| [values[(u * values.len() as f64) as usize]];
            let rows: Vec<[f64; 1]> = units.iter().map(pick).collect();
            let weights = vec![1.0; rows.len()];
            let density = ProductParzen::fit(&[parameter], &rows, &weights, settings);
            let sum: f64 = values.iter().map(|&x| density.ln_density(&[x]).exp() * width).sum();
            prop_assert!((sum - 1.0).abs() < 1e-5, "{parameter:?} {rows:?}: {sum}");
        }
    }

    /// Draws are values of their parameters, and their density is the sum of products.
    #[test]
    fn draws_are_likely(seed in any::<u64>(), n in 0..6_usize) {
        let mut rng = ChaCha12Rng::seed_from_u64(seed);
        let settings = KernelSettings::default();
        let prior = ProductParzen::fit(&all(), &[[0.0; 6]; 0], &[], settings);
        let rows: Vec<Vec<f64>> = (0..n).map(|_| prior.draw(&mut rng)).collect();
        let joint = ProductParzen::fit(&all(), &rows, &vec![1.0; n], settings);
        let point = joint.draw(&mut rng);
        for (parameter, &x) in all().into_iter().zip(&point) {
            let inside = match parameter {
                Parameter::Categorical { choices } => x < choices as f64 && x.fract() == 0.0,
                Parameter::Numerical(range) => range.low <= x && x <= range.high
                    && range.step.is_none_or(|step| {
                        let steps = (x - range.low) / step;
                        (steps - steps.round()).abs() < 1e-9
                    }),
            };
            prop_assert!(inside, "{parameter:?}: {x}");
        }
        let single = |k: usize| joint.kernels().iter().zip(&point).map(|(kernels, &x)| match kernels {
            Kernels::Numerical(kernels) => kernels.ln_density(k, x).exp(),
            Kernels::Categorical(kernels) => kernels.ln_density(k, x).exp(),
        }).product::<f64>();
        let sum: f64 = (0..=n).map(|k| joint.weights()[k] * single(k)).sum();
        let ln = joint.ln_density(&point);
        prop_assert!((ln - sum.ln()).abs() < 1e-10, "{ln} {}", sum.ln());
    }
}

#[test]
fn draws_follow_the_mixture() {
    let parameters = [numerical(1.0, 9.0, false, Some(1.0)), Parameter::Categorical { choices: 3 }];
    let rows = [[2.0, 0.0], [3.0, 0.0], [8.0, 2.0]];
    let density = ProductParzen::fit(&parameters, &rows, &[1.0; 3], KernelSettings::default());
    let (mut rng, n) = (ChaCha12Rng::seed_from_u64(1), 40_000);
    let mut seen = [[0_u32; 3]; 9];
    for _ in 0..n {
        let draw = density.draw(&mut rng);
        seen[draw[0] as usize - 1][draw[1] as usize] += 1;
    }
    for (k, row) in seen.iter().enumerate() {
        for (c, &count) in row.iter().enumerate() {
            let p = density.ln_density(&[k as f64 + 1.0, c as f64]).exp();
            // Five standard deviations of the count.
            let slack = 5.0 * (f64::from(n) * p * (1.0 - p)).sqrt();
            assert!((f64::from(count) - f64::from(n) * p).abs() < slack, "{k} {c}: {count}");
        }
    }
}

#[test]
fn what_cannot_be_has_no_density() {
    let parameters = [numerical(0.0, 1.0, false, None), Parameter::Categorical { choices: 2 }];
    let density = ProductParzen::fit(&parameters, &[[0.3, 1.0]], &[1.0], KernelSettings::default());
    for point in [[-0.1, 0.0], [1.1, 1.0], [0.5, 2.0], [f64::INFINITY, 0.0]] {
        assert_eq!(density.ln_density(&point), f64::NEG_INFINITY);
    }
    assert!(density.ln_density(&[f64::NAN, 0.0]).is_nan());
    assert!(density.ln_density(&[0.5, f64::NAN]).is_nan());
}
