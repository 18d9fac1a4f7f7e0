use super::*;
use crate::multi_fidelity::{
    brackets::{Arithmetic, Budgets, Sizes},
    hyperband::Hyperband,
};
use numerics::space::{Domain, Parameter};
use rand_chacha::rand_core::SeedableRng as _;
use stats::{alternative::Alternative, rank_tests::mann_whitney::MannWhitney};

fn hyperband(brackets: Option<u64>) -> HyperbandSettings {
    let (arithmetic, sizes) = (Arithmetic::Exact, Sizes::Code);
    let budgets = Budgets { minimum: 1, maximum: 9, eta: 3, arithmetic, sizes };
    HyperbandSettings { budgets, brackets }
}

fn space() -> Space {
    let parameter = |name: &str, domain| Parameter { name: name.to_owned(), domain };
    Space::new(vec![
        parameter("x", Domain::Float { low: 0.0, high: 1.0, log: false }),
        parameter("kind", Domain::Categorical { choices: 3 }),
    ])
    .unwrap()
}

fn tuner(belief: &[f32]) -> PriorBand {
    let belief = Belief::try_from(belief.to_vec()).unwrap();
    let settings = PriorBandSettings { belief, ..PriorBandSettings::on(hyperband(None)) };
    PriorBand::new(space(), settings).unwrap()
}

/// Tells evaluations of configurations: divisor, configuration, loss.
fn tell(tuner: &mut PriorBand, evaluations: &[(u64, [f64; 2], f64)]) {
    for (i, &(divisor, config, value)) in evaluations.iter().enumerate() {
        let (id, fidelity) = (1000 + i as u64, Fidelity::Part { divisor });
        tuner.tell(Trial {
            suggestion: Suggestion { id, config: config.to_vec(), fidelity },
            value,
        });
    }
}

const FULL: [(u64, [f64; 2], f64); 6] = [
    (1, [0.5, 1.0], 0.5),
    (1, [0.6, 0.0], 0.2),
    (1, [0.8, 1.0], 0.1),
    (1, [0.3, 2.0], 0.3),
    (1, [0.1, 1.0], 0.4),
    (1, [0.7, 1.0], 0.6),
];

/// Spends what a first bracket costs, without a loss.
fn spend(tuner: &mut PriorBand) {
    tell(tuner, &[(1, [0.5, 0.5], f64::NAN); 3]);
}

#[test]
fn chance_counts_less_where_a_bracket_starts_on_more() {
    let tuner = tuner(&[0.2, 0.0]);
    for (divisor, chance) in [(9, 0.5), (3, 0.25), (1, 0.1)] {
        let expected = Sources { chance, prior: 1.0 - chance, incumbent: 0.0 };
        assert_eq!(tuner.sources(divisor), expected);
    }
}

/// By the densities of the truncated normal distributions, computed independently: of the best two full evaluations,
/// (0.8, 1) counts twice and (0.6, 0) once; the incumbent is (0.9, 1), the belief (¼, 0).
#[test]
fn prior_and_incumbent_share_by_how_likely_the_best_are_under_each() {
    for (belief, part) in [(vec![0.25, 0.0], 0.859_180_180_286), (vec![], 0.539_897_697_968_8)] {
        let mut tuner = tuner(&belief);
        tell(&mut tuner, &FULL);
        tell(&mut tuner, &[(3, [0.9, 1.0], 0.05)]);
        spend(&mut tuner);
        assert!((tuner.part_of_incumbent() - part).abs() < 1e-9, "{}", tuner.part_of_incumbent());
        let sources = tuner.sources(3);
        assert!((sources.incumbent - 0.75 * part).abs() < 1e-9);
        assert!((sources.chance + sources.prior + sources.incumbent - 1.0).abs() < 1e-15);
    }
}

#[test]
fn an_incumbent_needs_a_full_evaluation_the_cost_of_a_bracket_and_a_filled_rung() {
    let part = |evaluations: &[(u64, [f64; 2], f64)], spent: bool| {
        let mut tuner = tuner(&[0.2, 0.0]);
        tell(&mut tuner, evaluations);
        if spent {
            spend(&mut tuner);
        }
        tuner.part_of_incumbent()
    };
    assert!(part(&FULL[..3], true) > 0.0);
    // A first bracket costs 27 of the smallest budgets: two full evaluations have cost 18.
    assert_eq!(part(&FULL[..2], false), 0.0);
    assert_eq!(part(&FULL[..2], true), 0.0, "no rung has three");
    let lower = FULL.map(|(_, config, loss)| (3, config, loss));
    assert_eq!(part(&lower, true), 0.0, "no full evaluation");
}

/// The best full evaluations of two cycles of brackets, over seeds, where the loss is the distance from (0.83, 2).
fn bests(tuner: impl Fn() -> Box<dyn Tuner>) -> Vec<f64> {
    let run = |seed| {
        let (mut tuner, mut rng) = (tuner(), ChaCha12Rng::seed_from_u64(seed));
        let mut best = f64::INFINITY;
        while let Some(suggestion) = tuner.ask(&mut rng) {
            let config = &suggestion.config;
            let value = (config[0] - 0.83).abs() + f64::from(u8::from(config[1] != 2.0));
            if suggestion.fidelity == Fidelity::FULL {
                best = best.min(value);
            }
            tuner.tell(Trial { suggestion, value });
        }
        best
    };
    (0..40).map(run).collect()
}

#[test]
fn a_good_belief_helps_and_a_bad_one_is_overcome() {
    let limited = hyperband(Some(6));
    let with = |belief: Vec<f32>| {
        bests(|| {
            let belief = Belief::try_from(belief.clone()).unwrap();
            let settings = PriorBandSettings { belief, ..PriorBandSettings::on(limited) };
            Box::new(PriorBand::new(space(), settings).unwrap())
        })
    };
    let without = bests(|| Box::new(Hyperband::new(space(), limited).unwrap()));
    let better = |found: &[f64], p: f64| MannWhitney::new(found, &without).p(Alternative::Less) < p;
    assert!(better(&with(vec![0.8, 2.0]), 1e-3));
    let misled = with(vec![0.1, 0.0]);
    assert!(MannWhitney::new(&misled, &without).p(Alternative::Greater) > 0.01);
}

#[test]
fn settings_out_of_range_are_refused() {
    let usual = PriorBandSettings::on(hyperband(None));
    let belief = Belief::try_from(vec![0.5]).unwrap();
    for (key, settings) in [
        ("confidence", PriorBandSettings { confidence: 1.0, ..usual }),
        ("mutation-rate", PriorBandSettings { mutation_rate: 0.0, ..usual }),
        ("mutation-deviation", PriorBandSettings { mutation_deviation: f64::NAN, ..usual }),
        ("belief", PriorBandSettings { belief, ..usual }),
    ] {
        let error = PriorBand::new(space(), settings).unwrap_err().to_string();
        assert!(error.starts_with(key), "{error}");
    }
}
