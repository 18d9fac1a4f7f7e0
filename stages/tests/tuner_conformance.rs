//! One suite over all tuners: whatever is added to the lists below must pass it.

use std::ops::ControlFlow;

use ndarray::Array2;
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;
use stages::linalg::design::Design;
use stages::models::labelled::{Labelled, Thirds};
use stages::models::logistic::{Logistic, Penalty};
use stages::solve::optimum;
use stages::tuner::{BilevelTuner, Bounds, OuterStep, Trial, Tuner};
use stages::tuners::grid::Grid;
use stages::tuners::hoag::Hoag;
use stages::tuners::hoag_rules::{HoagRules, PRESETS, Sequence};
use stages::tuners::iterdiff::{Iterdiff, IterdiffSettings};
use stages::tuners::random::Random;
use stages::tuners::smbo::{Smbo, SmboSettings};

fn black_box(bounds: &Bounds) -> Vec<(&'static str, Box<dyn Tuner>)> {
    let few = SmboSettings { candidates: 200, maximisations: 2, ..SmboSettings::default() };
    vec![
        ("grid", Box::new(Grid::new(bounds.clone(), 4).unwrap())),
        ("random", Box::new(Random::new(bounds.clone()))),
        ("smbo", Box::new(Smbo::new(bounds.clone(), few).unwrap())),
    ]
}

fn bowl(x: &[f64]) -> f64 {
    (x[0] - 0.7).powi(2) + 2.0 * (x[1] + 1.1).powi(2)
}

/// The values asked for, with the losses told.
fn drive(
    tuner: &mut dyn Tuner,
    seed: u64,
    budget: usize,
    loss: impl Fn(&[f64]) -> f64,
) -> Vec<(Vec<f64>, f64)> {
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    let mut seen = Vec::new();
    for _ in 0..budget {
        let Some(suggestion) = tuner.ask(&mut rng) else { break };
        let value = loss(&suggestion.config);
        seen.push((suggestion.config.clone(), value));
        tuner.tell(Trial { suggestion, value });
    }
    seen
}

fn bounds() -> Bounds {
    Bounds::new(vec![-3.0, -2.0], vec![2.0, 4.0]).unwrap()
}

#[test]
fn black_box_tuners_stay_in_bounds_and_finish_the_budget() {
    for (name, mut tuner) in black_box(&bounds()) {
        let seen = drive(tuner.as_mut(), 1, 16, bowl);
        assert_eq!(seen.len(), 16, "{name}");
        assert!(seen.iter().all(|(x, _)| bounds().contains(x)), "{name}");
    }
}

#[test]
fn black_box_tuners_are_deterministic_given_the_seed() {
    for ((name, mut a), (_, mut b)) in black_box(&bounds()).into_iter().zip(black_box(&bounds())) {
        assert_eq!(drive(a.as_mut(), 5, 12, bowl), drive(b.as_mut(), 5, 12, bowl), "{name}");
    }
}

#[test]
fn black_box_tuners_improve_on_their_first_point() {
    for (name, mut tuner) in black_box(&bounds()) {
        let seen = drive(tuner.as_mut(), 2, 16, bowl);
        let best = seen.iter().map(|(_, v)| *v).fold(f64::INFINITY, f64::min);
        assert!(best < 0.5 * seen[0].1, "{name}: {best} from {}", seen[0].1);
    }
}

#[test]
fn smbo_beats_random_on_a_bowl() {
    let mut tuners = black_box(&bounds());
    let best =
        |seen: Vec<(Vec<f64>, f64)>| seen.iter().map(|(_, v)| *v).fold(f64::INFINITY, f64::min);
    let smbo = best(drive(tuners[2].1.as_mut(), 3, 20, bowl));
    let random = best(drive(tuners[1].1.as_mut(), 3, 20, bowl));
    assert!(smbo < 1e-2 && smbo < random, "smbo {smbo}, random {random}");
}

#[test]
fn black_box_tuners_survive_failed_evaluations() {
    for (name, mut tuner) in black_box(&bounds()) {
        let seen = drive(tuner.as_mut(), 4, 12, |x| if x[0] > 0.0 { f64::NAN } else { bowl(x) });
        assert_eq!(seen.len(), 12, "{name}");
        for (name, mut tuner) in black_box(&bounds()) {
            assert_eq!(drive(tuner.as_mut(), 4, 8, |_| f64::NAN).len(), 8, "{name}, all failed");
        }
    }
}

#[test]
fn the_order_of_telling_does_not_matter() {
    for ((name, mut a), (_, mut b)) in black_box(&bounds()).into_iter().zip(black_box(&bounds())) {
        let mut next = Vec::new();
        for (tuner, reversed) in [(&mut a, false), (&mut b, true)] {
            let mut rng = ChaCha12Rng::seed_from_u64(6);
            let mut trials: Vec<Trial> = (0..4)
                .map(|_| {
                    let suggestion = tuner.ask(&mut rng).unwrap();
                    let value = bowl(&suggestion.config);
                    Trial { suggestion, value }
                })
                .collect();
            if reversed {
                trials.reverse();
            }
            trials.into_iter().for_each(|t| tuner.tell(t));
            next.push(tuner.ask(&mut rng).unwrap());
        }
        assert_eq!(next[0], next[1], "{name}");
    }
}

#[test]
fn the_grid_is_a_full_factorial_and_then_ends() {
    let mut grid = Grid::new(Bounds::cube(2, 12.0).unwrap(), 3).unwrap();
    let seen = drive(&mut grid, 0, 100, bowl);
    assert_eq!(seen.len(), 9);
    assert_eq!(seen[0].0, [-12.0, -12.0]);
    assert_eq!(seen[1].0, [-12.0, 0.0]);
    assert_eq!(seen[8].0, [12.0, 12.0]);
    assert!(Grid::new(Bounds::cube(1, 1.0).unwrap(), 1).is_err());
    assert!(Bounds::cube(1, f64::NAN).is_err());
}

fn problem() -> Logistic {
    let mut rng = ChaCha12Rng::seed_from_u64(9);
    let w: Vec<f64> = (0..12).map(|_| rng.random_range(-1.0..1.0)).collect();
    let a = Array2::from_shape_fn((300, 12), |_| rng.random_range(-1.0..1.0));
    let b: Vec<f64> = a
        .rows()
        .into_iter()
        .map(|r| r.iter().zip(&w).map(|(p, q)| p * q).sum::<f64>() + rng.random_range(-1.0..1.0))
        .map(f64::signum)
        .collect();
    let data = Labelled::new(Design::dense(a), b).unwrap();
    Logistic::new(Thirds::by_part(&data, |i| i % 3), Penalty::Half).unwrap()
}

fn bilevel() -> Vec<(String, Box<dyn BilevelTuner>)> {
    let mut tuners: Vec<(String, Box<dyn BilevelTuner>)> = Vec::new();
    for name in PRESETS {
        for sequence in
            [Sequence::Exponential, Sequence::Quadratic, Sequence::Cubic, Sequence::Exact]
        {
            let mut rules = HoagRules::preset(name).unwrap();
            rules.tolerances.sequence = sequence;
            tuners.push((format!("{name} {sequence:?}"), Box::new(Hoag::new(rules).unwrap())));
        }
    }
    let step = HoagRules::preset("paper-half-L").unwrap().step;
    let settings = IterdiffSettings { unrolled: 100, outer_iterations: 50, step };
    tuners.push(("iterdiff".to_owned(), Box::new(Iterdiff::new(settings).unwrap())));
    tuners
}

fn steps(tuner: &dyn BilevelTuner, seed: u64, stop_at: usize) -> Vec<OuterStep> {
    let mut seen = Vec::new();
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    tuner
        .run(&mut problem(), &mut rng, &mut |step, _| {
            seen.push(step.clone());
            if step.k == stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    seen
}

#[test]
fn bilevel_tuners_approach_the_optimum_within_their_budget() {
    let best = optimum::minimum_1d(&mut problem(), -12.0, 12.0);
    for (name, tuner) in bilevel() {
        let seen = steps(tuner.as_ref(), 1, usize::MAX);
        assert_eq!(seen.len(), 50, "{name}");
        assert!(seen.iter().zip(1..).all(|(s, k)| s.k == k), "{name}");
        let gap = |s: &OuterStep| (s.lambda[0] - best.x[0]).abs();
        let nearest = seen.iter().map(gap).fold(f64::INFINITY, f64::min);
        // The printed inequality stalls (DIFFERS in the rules): it only has to improve.
        let goal = if name.starts_with("paper ") { 0.9 * gap(&seen[0]) } else { 0.05 };
        assert!(nearest < goal, "{name}: |λ − λ*| = {nearest}");
        let counts = |s: &OuterStep| (s.inner_evaluations, s.hessian_products, s.inner_iterations);
        assert!(seen.windows(2).all(|w| counts(&w[0]) <= counts(&w[1])), "{name}");
    }
}

#[test]
fn bilevel_tuners_are_deterministic_and_stop_when_told() {
    for (name, tuner) in bilevel() {
        let (a, b) = (steps(tuner.as_ref(), 3, 5), steps(tuner.as_ref(), 3, 5));
        assert_eq!(a.len(), 5, "{name}");
        assert_eq!(a, b, "{name}");
    }
}

#[test]
fn rules_out_of_range_are_refused_by_name() {
    let mut rules = HoagRules::preset("paper").unwrap();
    rules.tolerances.first = f64::NAN;
    assert!(Hoag::new(rules).unwrap_err().to_string().contains("tolerances.first"));
    let mut rules = HoagRules::preset("code-2016").unwrap();
    rules.step.bound = 0.0;
    assert!(Hoag::new(rules).unwrap_err().to_string().contains("step.bound"));
    assert!(HoagRules::preset("nothing").is_none());
}
