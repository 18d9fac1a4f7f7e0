//! Newton's method by conjugate gradients on logistic regression, against the solver that factors the Hessian (whose
//! values `retune reference` compares with independent ones).

use models::bilevel::labelled::{Labelled, Thirds};
use models::bilevel::logistic::{Logistic, Penalty};
use ndarray::Array2;
use numerics::linalg::design::Design;
use numerics::linalg::vector::norm;
use numerics::problem::{Bilevel, Counted};
use numerics::solve::stop::TerminationReason;
use numerics::solve::{inner, newton_cg};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;

const LIMIT: usize = 10_000;

fn problem(seed: u64, columns: usize) -> Logistic {
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    let rows = Array2::from_shape_fn((90, columns), |(_, j)| {
        rng.random_range(-1.0..1.0) / (1.0 + j as f64).sqrt()
    });
    let targets = (0..90).map(|_| if rng.random::<f64>() < 0.4 { 1.0 } else { -1.0 }).collect();
    let all = Labelled::new(Design::dense(rows), targets).unwrap();
    Logistic::new(Thirds::by_part(&all, |i| i % 3), Penalty::Full).unwrap()
}

/// The gradient norm at the origin.
fn scale(problem: &mut dyn Bilevel) -> f64 {
    let n = problem.n_params();
    let mut gradient = vec![0.0; n];
    problem.inner(&vec![0.0; n], &mut gradient);
    norm(&gradient)
}

#[test]
fn it_ends_where_factoring_ends() {
    // More parameters than rows and fewer, strong and weak penalties: at e^-12 the classes of the first are separable.
    for (seed, columns) in [(1, 60), (2, 8)] {
        for lambda in [-12.0, -4.0, 0.0, 6.0] {
            let mut at = problem(seed, columns);
            let exact = inner::exact(&mut at, &[lambda], vec![0.0; columns]);
            at.set_lambda(&[lambda]);
            let scale = scale(&mut at);
            let mut x = vec![0.0; columns];
            let report = newton_cg::minimise(&mut at, &mut x, (1e-11 * scale, scale), LIMIT);
            assert_eq!(report.reason, TerminationReason::Converged, "λ = {lambda}");
            assert!(report.gradient_norm <= 1e-11 * scale);
            // ‖x − X(λ)‖ ≤ ‖∇₁h‖ / μ.
            let bound = 2e-11 * scale / at.strong_convexity() + 1e-10 * norm(&exact.x);
            let apart: Vec<f64> = x.iter().zip(&exact.x).map(|(p, q)| p - q).collect();
            assert!(norm(&apart) <= bound, "λ = {lambda}: {} above {bound}", norm(&apart));
            let outer = at.outer(&x, &mut vec![0.0; columns]);
            assert!((outer - exact.outer).abs() <= 1e-6 * exact.outer, "λ = {lambda}");
        }
    }
}

#[test]
fn from_a_neighbours_solution_few_steps_are_enough() {
    let mut at = problem(3, 60);
    at.set_lambda(&[-3.0]);
    let scale = scale(&mut at);
    let limits = (1e-9 * scale, scale);
    let mut x = vec![0.0; 60];
    newton_cg::minimise(&mut at, &mut x, limits, LIMIT);
    at.set_lambda(&[-3.001]);
    let mut counted = Counted::new(&mut at);
    newton_cg::minimise(&mut counted, &mut x, limits, LIMIT);
    // One evaluation at the start and one after each step.
    assert!(counted.counts().inner <= 4, "{:?}", counted.counts());
    assert!(counted.counts().hessian_products <= 100, "{:?}", counted.counts());
}

#[test]
fn a_limit_and_a_bad_start_are_told() {
    let mut at = problem(4, 60);
    at.set_lambda(&[-8.0]);
    let scale = scale(&mut at);
    let mut x = vec![0.0; 60];
    let short = newton_cg::minimise(&mut at, &mut x, (1e-11 * scale, scale), 5);
    assert_eq!(short.reason, TerminationReason::MaxIterations);
    assert!(short.gradient_norm < scale, "no better than the start");
    let mut nowhere = vec![f64::NAN; 60];
    let broken = newton_cg::minimise(&mut at, &mut nowhere, (1e-11 * scale, scale), LIMIT);
    assert_eq!(broken.reason, TerminationReason::Breakdown);
    // From far away, where the curvature vanishes, whole steps overshoot.
    let mut far: Vec<f64> = (0..60).map(|j| 40.0 * f64::from(j).sin()).collect();
    let back = newton_cg::minimise(&mut at, &mut far, (1e-9 * scale, scale), LIMIT);
    assert_eq!(back.reason, TerminationReason::Converged);
}
