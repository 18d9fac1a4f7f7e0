//! Tests of TPE by components: which trials are good, and that each component matters.

use numerics::space::{Bounds, Domain};
use rand_chacha::rand_core::SeedableRng as _;

use super::*;
use crate::minimise::minimise;

fn told(losses: &[f64], settings: ComponentTpeSettings) -> ComponentTpe {
    let mut tuner = ComponentTpe::new(Bounds::cube(1, 1.0).unwrap(), settings).unwrap();
    for (id, &value) in (0..).zip(losses) {
        let config = vec![(id as f64).mul_add(0.01, -0.9)];
        let suggestion = Suggestion { id, config, fidelity: Fidelity::FULL };
        tuner.tell(Trial { suggestion, value });
    }
    tuner
}

#[test]
fn of_equal_losses_the_earlier_is_good() {
    let linear = Splitting::Linear { beta: 0.3 };
    let settings = ComponentTpeSettings { splitting: linear, ..ComponentTpeSettings::default() };
    let losses = [3.0, 1.0, f64::NAN, 1.0, -0.0, 0.0, 1.0, 9.0, 9.0, 9.0];
    let tuner = told(&losses, settings);
    let [good, others] = tuner.divide();
    assert_eq!(good.losses, [1.0, 0.0, 0.0]);
    assert_eq!(good.rows[0], [-0.89]);
    assert_eq!(others.losses, [3.0, f64::INFINITY, 1.0, 1.0, 9.0, 9.0, 9.0]);
}

#[test]
fn the_cap_counts() {
    let sqrt = Splitting::Sqrt { beta: 1.0 };
    assert_eq!([1, 2, 100, 900].map(|n| sqrt.good(n, 25)), [1, 2, 10, 25]);
    assert_eq!(Splitting::Sqrt { beta: 9.0 }.good(4, 25), 4);
}

/// The sums of the losses of ten searches on a valley that no parameter sees by itself.
fn valley(settings: ComponentTpeSettings) -> f64 {
    let loss = |x: &[f64]| (x[0] - x[1]).abs() + 0.1 * (x[0] + x[1] - 1.0).abs();
    let one = |seed: u64| {
        let mut tuner = ComponentTpe::new(Bounds::cube(2, 1.0).unwrap(), settings).unwrap();
        let mut rng = ChaCha12Rng::seed_from_u64(seed);
        let found = minimise(&mut tuner, 80, &mut rng, |s| loss(&s.config));
        found.best().unwrap().value
    };
    (0..10).map(one).sum()
}

#[test]
fn joint_models_follow_a_valley() {
    let joint = ComponentTpeSettings::default();
    let alone = ComponentTpeSettings { multivariate: false, ..joint };
    let (joint, alone) = (valley(joint), valley(alone));
    assert!(joint < 0.75 * alone, "{joint} {alone}");
}

#[test]
fn every_option_changes_the_search() {
    let usual = ComponentTpeSettings::default();
    let with = |kernels: ComponentSettings| ComponentTpeSettings { kernels, ..usual };
    let kernels = usual.kernels;
    let categorical = |settings| {
        let domains =
            [Domain::Float { low: 0.0, high: 1.0, log: false }, Domain::Categorical { choices: 5 }];
        let named = |(i, domain)| numerics::space::Parameter { name: format!("{i}"), domain };
        let space = Space::new(domains.into_iter().enumerate().map(named).collect()).unwrap();
        let mut tuner = ComponentTpe::new(space, settings).unwrap();
        let mut rng = ChaCha12Rng::seed_from_u64(7);
        minimise(&mut tuner, 120, &mut rng, |s| s.config[0] * s.config[0] + s.config[1]).trials
    };
    let plain = categorical(usual);
    for settings in [
        ComponentTpeSettings { multivariate: false, ..usual },
        ComponentTpeSettings { independent_draws: false, ..usual },
        ComponentTpeSettings { splitting: Splitting::Sqrt { beta: 0.5 }, ..usual },
        ComponentTpeSettings { weighting: Weighting::Uniform, ..usual },
        ComponentTpeSettings { weighting: Weighting::OldDecay, ..usual },
        ComponentTpeSettings { weighting: Weighting::OldDrop, ..usual },
        ComponentTpeSettings { candidates: 23, ..usual },
        with(ComponentSettings { prior: false, ..kernels }),
        with(ComponentSettings { heuristic: Heuristic::Scott, ..kernels }),
        with(ComponentSettings { heuristic: Heuristic::Optuna, ..kernels }),
        with(ComponentSettings { minimum_width: 0.1, ..kernels }),
        with(ComponentSettings { exponent: Some(0.5), ..kernels }),
        with(ComponentSettings { category_width: Some(0.5), ..kernels }),
    ] {
        assert_ne!(categorical(settings), plain, "{settings:?}");
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    let usual = ComponentTpeSettings::default();
    let with = |kernels: ComponentSettings| ComponentTpeSettings { kernels, ..usual };
    let kernels = usual.kernels;
    for (settings, key) in [
        (ComponentTpeSettings { startup: 0, ..usual }, "startup"),
        (ComponentTpeSettings { splitting: Splitting::Linear { beta: 1.5 }, ..usual }, "beta"),
        (ComponentTpeSettings { splitting: Splitting::Sqrt { beta: f64::NAN }, ..usual }, "beta"),
        (with(ComponentSettings { minimum_width: f64::NAN, ..kernels }), "minimum-width"),
        (with(ComponentSettings { exponent: Some(0.0), ..kernels }), "exponent"),
        (with(ComponentSettings { category_width: Some(1.0), ..kernels }), "category-width"),
    ] {
        let error = ComponentTpe::new(Bounds::cube(1, 1.0).unwrap(), settings).unwrap_err();
        assert!(error.to_string().contains(key), "{error}");
    }
}
