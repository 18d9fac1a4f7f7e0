//! Tests against densities computed from the definitions by another program, and that densities sum to one and
//! draws follow them.

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_assert, prop_oneof, proptest};
use rand_chacha::rand_core::SeedableRng as _;

use super::*;
use crate::density::product_parzen::{KernelSettings, ProductParzen, Range};

fn numerical(low: f64, high: f64, log: bool, step: Option<f64>) -> Parameter {
    Parameter::Numerical(Range { low, high, log, step })
}

fn settings(heuristic: Heuristic, minimum_width: f64, exponent: Option<f64>) -> ComponentSettings {
    ComponentSettings { prior: true, heuristic, minimum_width, exponent, category_width: None }
}

/// A number, a whole number and a category, with four observations.
fn mixed() -> ([Parameter; 3], [[f64; 3]; 4], Weights) {
    let parameters = [
        numerical(-5.0, 5.0, false, None),
        numerical(0.0, 9.0, false, Some(1.0)),
        Parameter::Categorical { choices: 3 },
    ];
    let rows = [[-4.0, 2.0, 0.0], [0.5, 2.0, 2.0], [1.25, 7.0, 2.0], [3.0, 9.0, 1.0]];
    (parameters, rows, Weights { points: vec![0.3, 0.1, 0.2, 0.15], prior: 0.25 })
}

/// ln of densities in shares of the range, by sums and products of normal distribution functions in Python.
const POINTS: [[f64; 3]; 4] = [[-4.2, 2.0, 0.0], [1.0, 7.0, 2.0], [4.9, 0.0, 1.0], [0.0, 5.0, 0.0]];
const HYPEROPT: [f64; 4] =
    [-2.381658499849445, -2.4329550213088953, -4.828121168068361, -3.274448150005347];
const OPTUNA: [f64; 4] =
    [-1.4287710315837434, -2.0706322282307013, -4.918827046997175, -4.182824882930856];
const SCOTT: [f64; 4] =
    [-1.1515117497390728, -1.598813170617145, -4.9264382096101, -4.370412097520585];

#[test]
fn densities_are_those_of_the_definitions() {
    let (parameters, rows, weights) = mixed();
    let rows: Vec<&[f64]> = rows.iter().map(<[f64; 3]>::as_slice).collect();
    for (heuristic, minimum, exponent, category_width, expected) in [
        (Heuristic::Hyperopt, 0.03, Some(2.0), None, HYPEROPT),
        // Wider than the least width, so that the rule itself decides.
        (Heuristic::Optuna, 0.01, Some(2.0), Some(0.2), OPTUNA),
        (Heuristic::Scott, 0.01, None, Some(0.1), SCOTT),
    ] {
        let settings =
            ComponentSettings { category_width, ..settings(heuristic, minimum, exponent) };
        let density = ComponentParzen::fit(&parameters, &rows, &weights, true, &settings);
        let found = density.ln_densities(&POINTS.map(|point| point.to_vec()));
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < 1e-12, "{heuristic:?}: {found:?}");
        }
    }
}

#[test]
fn categories_are_optunas_by_default() {
    let parameters = [Parameter::Categorical { choices: 4 }];
    let rows = [[0.0], [3.0], [3.0], [1.0], [3.0], [0.0]];
    let theirs = ProductParzen::fit(&parameters, &rows, &[1.0; 6], KernelSettings::default());
    let weights = Weighting::Uniform.of(&[0.0; 6], None, true);
    let rows: Vec<&[f64]> = rows.iter().map(<[f64; 1]>::as_slice).collect();
    let settings = settings(Heuristic::Scott, 0.01, None);
    let ours = ComponentParzen::fit(&parameters, &rows, &weights, false, &settings);
    for choice in 0..4 {
        let (a, b) = (
            ours.ln_marginals(0, &[f64::from(choice)])[0],
            theirs.ln_density(&[f64::from(choice)]),
        );
        assert!((a - b).abs() < 1e-14, "{choice}: {a} {b}");
    }
}

fn all() -> [Parameter; 6] {
    [
        numerical(-5.0, 10.0, false, None),
        numerical(1e-4, 1.0, true, None),
        numerical(1.0, 9.0, false, Some(1.0)),
        numerical(0.1, 1.3, false, Some(0.2)),
        numerical(1.0, 200.0, false, Some(1.0)),
        Parameter::Categorical { choices: 4 },
    ]
}

/// All values of a parameter, or this many of an interval, with the share of the range that each stands for.
fn values(parameter: Parameter) -> (Vec<f64>, f64) {
    match parameter {
        Parameter::Categorical { choices } => ((0..choices).map(|c| c as f64).collect(), 1.0),
        Parameter::Numerical(Range { low, high, step: Some(step), .. }) => {
            let count = ((high - low) / step).round() as usize;
            ((0..=count).map(|i| low + i as f64 * step).collect(), 1.0)
        }
        Parameter::Numerical(Range { low, high, log, step: None }) => {
            let (from, to) = if log { (low.ln(), high.ln()) } else { (low, high) };
            let n = 4000;
            let at = |i: i32| from + (f64::from(i) + 0.5) * (to - from) / f64::from(n);
            ((0..n).map(|i| if log { at(i).exp() } else { at(i) }).collect(), 1.0 / f64::from(n))
        }
    }
}

fn heuristic() -> impl Strategy<Value = Heuristic> {
    prop_oneof![Just(Heuristic::Hyperopt), Just(Heuristic::Optuna), Just(Heuristic::Scott)]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]
    #[test]
    fn densities_sum_to_one(
        units in proptest::collection::vec(0.0..1.0_f64, 0..40),
        prior in any::<bool>(),
        heuristic in heuristic(),
        exponent in proptest::option::of(0.25..4.0_f64),
    ) {
        let settings = ComponentSettings { prior, ..settings(heuristic, 0.03, exponent) };
        for parameter in all() {
            let (values, share) = values(parameter);
            let rows: Vec<[f64; 1]> =
                units.iter().map(|u| [values[(u * values.len() as f64) as usize]]).collect();
            let rows: Vec<&[f64]> = rows.iter().map(<[f64; 1]>::as_slice).collect();
            let weights = Weighting::OldDecay.of(&units, None, prior);
            let density = ComponentParzen::fit(&[parameter], &rows, &weights, true, &settings);
            let points: Vec<Vec<f64>> = values.iter().map(|&x| vec![x]).collect();
            let sum = |all: Vec<f64>| all.iter().map(|ln| ln.exp() * share).sum::<f64>();
            let joint = sum(density.ln_densities(&points));
            prop_assert!((joint - 1.0).abs() < 1e-5, "{parameter:?}: {joint}");
            let alone = sum(density.ln_marginals(0, &values));
            prop_assert!((alone - joint).abs() < 1e-9, "{parameter:?}: {alone}");
        }
    }

    /// Widths keep to their bounds, and draws to the values of their parameters.
    #[test]
    fn draws_are_values_of_their_parameters(seed in any::<u64>(), n in 0..30_usize, independent in any::<bool>()) {
        let mut rng = ChaCha12Rng::seed_from_u64(seed);
        let settings = settings(Heuristic::Hyperopt, 0.01, Some(2.0));
        let none = Weighting::Uniform.of(&[], None, true);
        let start = ComponentParzen::fit(&all(), &[], &none, true, &settings);
        let rows: Vec<Vec<f64>> = (0..n).map(|_| start.draw(independent, &mut rng)).collect();
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let weights = Weighting::Uniform.of(&vec![0.0; n], None, true);
        let density = ComponentParzen::fit(&all(), &rows, &weights, true, &settings);
        for column in &density.columns {
            let own = &column.widths()[..n.min(column.widths().len())];
            prop_assert!(own.iter().all(|w| (0.01..=0.5).contains(w)), "{own:?}");
        }
        let point = density.draw(independent, &mut rng);
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
        prop_assert!(density.ln_densities(std::slice::from_ref(&point))[0].is_finite());
    }
}

#[test]
fn draws_follow_the_mixture() {
    let parameters = [numerical(0.0, 1.0, false, None), Parameter::Categorical { choices: 3 }];
    let rows: [&[f64]; 2] = [&[0.1, 0.0], &[0.9, 2.0]];
    let weights = Weights { points: vec![0.6, 0.4], prior: 0.0 };
    let settings = ComponentSettings { prior: false, ..settings(Heuristic::Optuna, 0.05, None) };
    let density = ComponentParzen::fit(&parameters, &rows, &weights, true, &settings);
    let (n, half) = (20_000, 0.5);
    // Mass of x < ½ with each category: by the midpoint rule.
    let mass = |c: f64| {
        let points: Vec<Vec<f64>> =
            (0..2000).map(|i| vec![(f64::from(i) + 0.5) * half / 2000.0, c]).collect();
        density.ln_densities(&points).iter().map(|ln| ln.exp() * half / 2000.0).sum::<f64>()
    };
    for independent in [false, true] {
        let mut rng = ChaCha12Rng::seed_from_u64(4);
        let mut below = [0.0; 3];
        let mut seen = [0.0; 3];
        for _ in 0..n {
            let draw = density.draw(independent, &mut rng);
            seen[draw[1] as usize] += 1.0;
            below[draw[1] as usize] += f64::from(draw[0] < half);
        }
        for c in 0..3 {
            let alone = density.ln_marginals(1, &[c as f64])[0].exp();
            let left: f64 = (0..3).map(|c| mass(f64::from(c))).sum();
            let expected = if independent { alone * left } else { mass(c as f64) };
            for (count, p) in [(seen[c], alone), (below[c], expected)] {
                // Five standard deviations of the count.
                let slack = 5.0 * (f64::from(n) * p * (1.0 - p)).sqrt();
                assert!((count - f64::from(n) * p).abs() < slack, "{independent} {c}: {count} {p}");
            }
        }
    }
}

#[test]
fn what_cannot_be_has_no_density() {
    let (parameters, rows, weights) = mixed();
    let rows: Vec<&[f64]> = rows.iter().map(<[f64; 3]>::as_slice).collect();
    let settings = settings(Heuristic::Scott, 0.01, None);
    let density = ComponentParzen::fit(&parameters, &rows, &weights, true, &settings);
    let at = |point: [f64; 3]| density.ln_densities(&[point.to_vec()])[0];
    for point in [[-5.1, 2.0, 0.0], [0.0, 10.0, 0.0], [0.0, 2.0, 3.0], [0.0, -1.0, 0.0]] {
        assert_eq!(at(point), f64::NEG_INFINITY, "{point:?}");
    }
    assert!(at([f64::NAN, 2.0, 0.0]).is_nan() && at([0.0, 2.0, f64::NAN]).is_nan());
}
