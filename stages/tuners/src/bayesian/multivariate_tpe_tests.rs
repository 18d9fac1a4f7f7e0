use super::*;
use numerics::space::{Bounds, Parameter as Named};
use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};
use rand_chacha::rand_core::SeedableRng as _;

fn line(constant_liar: bool) -> MultivariateTpe {
    let settings = MultivariateTpeSettings { constant_liar, ..Default::default() };
    MultivariateTpe::new(Bounds::cube(1, 1.0).unwrap(), settings).unwrap()
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let kernels = |prior_weight| KernelSettings { prior_weight, ..KernelSettings::default() };
    let fine = MultivariateTpeSettings::default();
    for (key, settings) in [
        ("startup", MultivariateTpeSettings { startup: 0, ..fine }),
        ("candidates", MultivariateTpeSettings { candidates: 0, ..fine }),
        ("good-at-most", MultivariateTpeSettings { good_at_most: 0, ..fine }),
        ("good-fraction", MultivariateTpeSettings { good_fraction: f64::NAN, ..fine }),
        ("prior-weight", MultivariateTpeSettings { kernels: kernels(f64::NAN), ..fine }),
        ("prior-weight", MultivariateTpeSettings { kernels: kernels(-1.0), ..fine }),
    ] {
        let error = MultivariateTpe::new(Bounds::cube(1, 1.0).unwrap(), settings).unwrap_err();
        assert!(error.to_string().starts_with(key), "{error}");
    }
}

/// Eight suggestions before any loss is told are further apart with the constant liar than without.
#[test]
fn pending_trials_lead_the_next_ones_away() {
    let spread = |constant_liar| {
        let runs = (0..20).map(|seed| {
            let (mut tuner, mut rng) = (line(constant_liar), ChaCha12Rng::seed_from_u64(seed));
            for _ in 0..30 {
                let suggestion = tuner.ask(&mut rng).unwrap();
                let value = (suggestion.config[0] - 0.3).powi(2);
                tuner.tell(Trial { suggestion, value });
            }
            let batch: Vec<f64> = (0..8).map(|_| tuner.ask(&mut rng).unwrap().config[0]).collect();
            let (pending, told) = (tuner.trials.len() - tuner.told(), tuner.told());
            assert_eq!((pending, told), (8, 30));
            let others = tuner.divide().1.len();
            assert_eq!(others, if constant_liar { 35 } else { 27 });
            let mean = batch.iter().sum::<f64>() / 8.0;
            batch.iter().map(|x| (x - mean).powi(2)).sum::<f64>()
        });
        runs.sum::<f64>()
    };
    let (lying, honest) = (spread(true), spread(false));
    assert!(lying > 1.5 * honest, "{lying} {honest}");
}

/// If parameters only matter jointly, the joint model detects it.
#[test]
fn the_joint_model_sees_what_parameters_do_together() {
    let valley = |config: &[f64]| {
        100.0 * (config[0] - config[1]).powi(2) + (config[0] + config[1] - 1.0).powi(2)
    };
    let best = |multivariate: bool| -> f64 {
        let run = |seed| {
            let settings = MultivariateTpeSettings { multivariate, ..Default::default() };
            let bounds = Bounds::cube(2, 1.0).unwrap();
            let mut tuner = MultivariateTpe::new(bounds, settings).unwrap();
            let mut rng = ChaCha12Rng::seed_from_u64(seed);
            let mut best = f64::INFINITY;
            for _ in 0..100 {
                let suggestion = tuner.ask(&mut rng).unwrap();
                let value = valley(&suggestion.config);
                best = best.min(value);
                tuner.tell(Trial { suggestion, value });
            }
            best.ln()
        };
        (0..15).map(run).sum::<f64>() / 15.0
    };
    let (joint, apart) = (best(true), best(false));
    assert!(joint < apart - 0.3, "{joint} {apart}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]
    /// Under every setting, on spaces with few and many values, with failures and several suggestions at
    /// once.
    #[test]
    fn suggestions_are_inside_the_space(
        seed in any::<u64>(),
        multivariate in any::<bool>(),
        constant_liar in any::<bool>(),
        magic_clip in any::<bool>(),
        endpoints in any::<bool>(),
        prior_weight in 0.0..2.0_f64,
        losses in proptest::collection::vec(proptest::option::of(0..4_u8), 24),
    ) {
        let named = |name: &str, domain| Named { name: name.to_owned(), domain };
        let space = Space::new(vec![
            named("a", Domain::Float { low: 1e-6, high: 1e3, log: true }),
            named("b", Domain::Int { low: -1, high: 1, log: false }),
            named("c", Domain::Categorical { choices: 1 }),
            named("d", Domain::Categorical { choices: 3 }),
            named("e", Domain::Float { low: 1e6, high: 1e6 + 1.0, log: false }),
        ]).unwrap();
        let defaults = KernelSettings::default();
        let kernels = KernelSettings { prior_weight, magic_clip, endpoints, ..defaults };
        let fine = MultivariateTpeSettings { startup: 3, ..Default::default() };
        let settings = MultivariateTpeSettings { multivariate, constant_liar, kernels, ..fine };
        let mut tuner = MultivariateTpe::new(space.clone(), settings).unwrap();
        let mut rng = ChaCha12Rng::seed_from_u64(seed);
        for pair in losses.chunks(3) {
            let asked: Vec<Suggestion> =
                pair.iter().map(|_| tuner.ask(&mut rng).unwrap()).collect();
            for (suggestion, loss) in asked.into_iter().zip(pair) {
                prop_assert!(space.contains(&suggestion.config), "{:?}", suggestion.config);
                let value = loss.map_or(f64::NAN, f64::from);
                tuner.tell(Trial { suggestion, value });
            }
        }
    }
}
