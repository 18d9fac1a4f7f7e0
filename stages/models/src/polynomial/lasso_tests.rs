use proptest::prelude::*;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;

use super::super::parity::{Basis, Signs};
use super::super::sparse_parity::{Polynomial, Term, recover};
use super::*;

struct Problem {
    samples: Vec<Vec<bool>>,
    design: Design,
    y: Vec<f64>,
    planted: Polynomial,
}

/// Samples of a random polynomial of distinct parities, with uniform noise.
fn problem(seed: u64, variables: usize, rows: usize, terms: usize, noise: f64) -> Problem {
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    let samples: Vec<Vec<bool>> =
        (0..rows).map(|_| (0..variables).map(|_| rng.random()).collect()).collect();
    let basis = Basis::new((0..variables).collect(), 3).unwrap();
    let mut columns = std::collections::BTreeSet::new();
    while columns.len() < terms {
        columns.insert(rng.random_range(1..basis.columns()));
    }
    let mut term = |c: usize| {
        let size = rng.random_range(1.0..3.0);
        let weight = if rng.random() { size } else { -size };
        Term { monomial: basis.monomial(c), weight }
    };
    let planted = Polynomial { terms: columns.into_iter().map(&mut term).collect() };
    let error = |rng: &mut ChaCha12Rng| noise * rng.random_range(-1.0..1.0);
    let y = samples.iter().map(|row| 4.0 + planted.value(row) + error(&mut rng)).collect();
    Problem { design: Design::new(Signs::new(variables, &samples), basis), samples, y, planted }
}

fn solver() -> Lasso {
    Lasso::new(1e-12, 100_000).unwrap()
}

/// Centred signs of a column, from the samples and not from the bits.
fn column(p: &Problem, c: usize) -> Vec<f64> {
    let monomial = p.design.basis().monomial(c);
    let term = Polynomial { terms: vec![Term { monomial, weight: 1.0 }] };
    centred(&p.samples.iter().map(|row| term.value(row)).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// |aᵀr| ≤ nα everywhere, and aᵀr = nα sign(w) where w is not 0, with the residual recomputed.
    #[test]
    fn solutions_meet_the_optimality_conditions(
        seed in 0_u64..1_000_000, rows in 5_usize..90, share in 0.02_f64..1.2, noise in 0.0_f64..2.0,
    ) {
        let p = problem(seed, 8, rows, 4, noise);
        let alpha = share * largest_alpha(&p.design, &p.y).unwrap();
        prop_assume!(alpha > 0.0);
        let fit = solver().fit(&p.design, &p.y, alpha).unwrap();
        prop_assert_eq!(fit.termination, TerminationReason::Converged);
        let mut r: Vec<f64> = p.y.iter().map(|y| y - fit.intercept).collect();
        for &(c, w) in &fit.coefficients {
            let monomial = p.design.basis().monomial(c);
            let part = Polynomial { terms: vec![Term { monomial, weight: w }] };
            r.iter_mut().zip(&p.samples).for_each(|(r, row)| *r -= part.value(row));
        }
        let n = rows as f64;
        prop_assert!(r.iter().sum::<f64>().abs() < 1e-9 * n);
        for c in 1..p.design.basis().columns() {
            let correlation = dot(&column(&p, c), &r) / n;
            prop_assert!((correlation - fit.correlations[c]).abs() < 1e-9);
            let w = fit.coefficients.iter().find(|(other, _)| *other == c);
            match w {
                Some((_, w)) => {
                    prop_assert!((correlation - alpha * w.signum()).abs() < 1e-5 * alpha);
                }
                None => prop_assert!(correlation.abs() < alpha * (1.0 + 1e-5)),
            }
        }
        if share >= 1.0 {
            prop_assert!(fit.coefficients.is_empty());
        }
    }
}

/// Coordinate descent alone needs more than a hundred thousand sweeps here.
#[test]
fn a_small_alpha_ends_in_few_sweeps() {
    for seed in 0..3 {
        let p = problem(seed, 20, 200, 5, 0.5);
        let alpha = 2e-4 * largest_alpha(&p.design, &p.y).unwrap();
        let fit = Lasso::new(1e-10, 4000).unwrap().fit(&p.design, &p.y, alpha).unwrap();
        assert_eq!(fit.termination, TerminationReason::Converged, "{} {}", fit.gap, fit.sweeps);
    }
}

#[test]
fn planted_parities_are_recovered() {
    for seed in 0..8 {
        let p = problem(seed, 20, 150, 5, 0.1);
        let found = recover(&p.design, &p.y, &solver(), 0.1, 5).unwrap();
        let monomials = |g: &Polynomial| {
            let mut all: Vec<_> = g.terms.iter().map(|t| t.monomial.clone()).collect();
            all.sort();
            all
        };
        assert_eq!(monomials(&found), monomials(&p.planted), "seed {seed}");
        for term in &found.terms {
            let own = p.planted.terms.iter().find(|t| t.monomial == term.monomial).unwrap();
            assert!(own.weight * term.weight > 0.0 && (own.weight - term.weight).abs() < 0.4);
        }
    }
}

#[test]
fn a_path_ends_where_a_cold_start_does() {
    let p = problem(40, 12, 60, 6, 0.5);
    let largest = largest_alpha(&p.design, &p.y).unwrap();
    let alphas = falling(largest, 0.05 * largest, 8);
    assert_eq!((alphas.len(), alphas[7]), (8, 0.05 * largest));
    assert!(alphas.windows(2).all(|w| w[1] < w[0]) && alphas[0] < largest);
    let path = solver().path(&p.design, &p.y, &alphas).unwrap();
    assert!(path.windows(2).all(|w| w[1].objective < w[0].objective));
    let cold = solver().fit(&p.design, &p.y, 0.05 * largest).unwrap();
    let warm = &path[7];
    assert!((cold.objective - warm.objective).abs() <= 1e-12 * p.y.len() as f64);
    let support = |f: &Fit| f.coefficients.iter().map(|(c, _)| *c).collect::<Vec<_>>();
    assert_eq!(support(&cold), support(warm));
    for ((_, a), (_, b)) in cold.coefficients.iter().zip(&warm.coefficients) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}

/// The gap bounds the distance to the minimum, also if the solver is stopped early.
#[test]
fn an_early_stop_is_said_and_bounded_by_its_gap() {
    let p = problem(41, 12, 60, 6, 0.5);
    let best = solver().fit(&p.design, &p.y, 0.05).unwrap();
    let early = Lasso::new(1e-12, 5).unwrap().fit(&p.design, &p.y, 0.05).unwrap();
    assert_eq!(early.termination, TerminationReason::MaxIterations);
    assert!(early.gap > best.gap && early.objective - best.objective <= early.gap);
    let loose = Lasso::new(1e-2, 1000).unwrap().fit(&p.design, &p.y, 0.05).unwrap();
    assert_eq!(loose.termination, TerminationReason::Converged);
    assert!(loose.objective - best.objective <= loose.gap);
    assert!(loose.sweeps <= best.sweeps);
}

#[test]
fn bad_settings_and_targets_are_refused() {
    let p = problem(42, 4, 10, 2, 0.0);
    for alpha in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(solver().fit(&p.design, &p.y, alpha).is_err());
    }
    assert!(Lasso::new(f64::NAN, 1).is_err() && Lasso::new(0.0, 1).is_err());
    let mut y = p.y.clone();
    y[3] = f64::NAN;
    assert!(solver().fit(&p.design, &y, 1.0).is_err());
    assert!(solver().fit(&p.design, &y[..3], 1.0).is_err());
    assert!(largest_alpha(&p.design, &[]).is_err());
}
