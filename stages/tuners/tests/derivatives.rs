//! Tests every derivative of every bilevel model against finite differences, on random instances.
#![cfg(feature = "gradient")]

use models::bilevel::kernel_ridge::{Distance, KernelRidge};
use models::bilevel::labelled::{Labelled, Thirds};
use models::bilevel::logistic::{Logistic, Penalty};
use models::bilevel::multinomial::Multinomial;
use ndarray::{Array2, ArrayView1};
use numerics::linalg::csr::Csr;
use numerics::linalg::design::Design;
use numerics::problem::{Bilevel, InnerForm};
use numerics::solve::inner;
use proptest::prelude::*;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;
use tuners::gradient::iterdiff::unrolled;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Signs,
    Classes,
    Reals,
}

fn parts(rows: usize, columns: usize, kind: Kind, sparse: bool, rng: &mut ChaCha12Rng) -> Thirds {
    let dense = Array2::from_shape_fn((rows, columns), |_| {
        let v: f64 = rng.random_range(-1.0..1.0);
        if sparse && v.abs() < 0.6 { 0.0 } else { v }
    });
    let targets = (0..rows)
        .map(|i| match kind {
            Kind::Signs => {
                if i % 3 < 1 || rng.random::<f64>() < 0.3 {
                    1.0
                } else {
                    -1.0
                }
            }
            Kind::Classes => f64::from(rng.random_range(0..3)),
            Kind::Reals => rng.random_range(-1.0..1.0),
        })
        .collect();
    let features = if sparse {
        let (mut starts, mut indices, mut values) = (vec![0], vec![], vec![]);
        for row in dense.rows() {
            for (j, v) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                indices.push(u32::try_from(j).unwrap());
                values.push(*v);
            }
            starts.push(indices.len());
        }
        Design::Sparse(Csr::new(columns, starts, indices, values).unwrap())
    } else {
        Design::dense(dense)
    };
    Thirds::by_part(&Labelled::new(features, targets).unwrap(), |i| i % 3)
}

fn models(seed: u64) -> Vec<(&'static str, Box<dyn Bilevel>)> {
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    let (rows, columns) = (rng.random_range(12..60), rng.random_range(1..20));
    let mut part = |kind, sparse| parts(rows, columns, kind, sparse, &mut rng);
    vec![
        ("logistic", Box::new(Logistic::new(part(Kind::Signs, false), Penalty::Half).unwrap())),
        (
            "sparse logistic",
            Box::new(Logistic::new(part(Kind::Signs, true), Penalty::Full).unwrap()),
        ),
        ("multinomial", Box::new(Multinomial::new(part(Kind::Classes, false), 3).unwrap())),
        ("sparse multinomial", Box::new(Multinomial::new(part(Kind::Classes, true), 3).unwrap())),
        ("rbf", Box::new(KernelRidge::new(&part(Kind::Reals, false), Distance::Squared).unwrap())),
        (
            "laplacian",
            Box::new(KernelRidge::new(&part(Kind::Reals, true), Distance::Unsquared).unwrap()),
        ),
    ]
}

fn close(name: &str, what: &str, analytic: f64, difference: f64, scale: f64) {
    assert!(
        (analytic - difference).abs() <= 1e-6 * scale.max(1.0),
        "{name}, {what}: {analytic} but finite differences give {difference}"
    );
}

/// A sixth-order central difference.
fn slope(h: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    let mut d = |k: f64| f(k * h) - f(-k * h);
    (45.0 * d(1.0) - 9.0 * d(2.0) + d(3.0)) / (60.0 * h)
}

fn shifted(x: &[f64], t: f64, d: &[f64]) -> Vec<f64> {
    x.iter().zip(d).map(|(v, s)| v + t * s).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(p, q)| p * q).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn derivatives_match_finite_differences(seed in 0_u64..1_000_000) {
        for (name, mut model) in models(seed) {
            let mut rng = ChaCha12Rng::seed_from_u64(seed ^ 1);
            let (n, s) = (model.n_params(), model.n_hyper());
            let mut draw = |n: usize| -> Vec<f64> { (0..n).map(|_| rng.random_range(-1.0..1.0)).collect() };
            let (x, d, q, lambda, e) = (draw(n), draw(n), draw(n), draw(s), draw(s));
            let mut g = vec![0.0; n];
            let mut out = vec![0.0; n];
            model.set_lambda(&lambda);

            let h = model.inner(&x, &mut g);
            let fd = slope(1e-3, |t| model.inner(&shifted(&x, t, &d), &mut out));
            close(name, "inner gradient", dot(&g, &d), fd, h.abs());

            let f = model.outer(&x, &mut g);
            let fd = slope(1e-3, |t| model.outer(&shifted(&x, t, &d), &mut out));
            close(name, "outer gradient", dot(&g, &d), fd, f.abs());

            model.linearise(&x);
            model.hessian_product(&d, &mut g);
            let fd = slope(1e-3, |t| {
                model.inner(&shifted(&x, t, &d), &mut out);
                dot(&out, &q)
            });
            close(name, "Hessian-vector product", dot(&g, &q), fd, fd.abs());
            if let Some(hessian) = model.hessian() {
                let product = hessian.dot(&ArrayView1::from(&d));
                close(name, "Hessian", dot(product.as_slice().unwrap(), &q), fd, fd.abs());
            }
            assert_eq!(model.hessian().is_some(), matches!(name, "rbf" | "laplacian"));

            let mut cross = vec![0.0; s];
            model.cross_product(&x, &q, &mut cross);
            let fd = slope(1e-3, |t| {
                model.set_lambda(&shifted(&lambda, t, &e));
                model.inner(&x, &mut out);
                dot(&out, &q)
            });
            close(name, "cross derivative", dot(&cross, &e), fd, fd.abs());

            model.set_lambda(&lambda);
            let mut own = vec![0.0; s];
            model.outer_hyper_gradient(&x, &mut own);
            let fd = slope(1e-3, |t| {
                model.set_lambda(&shifted(&lambda, t, &e));
                model.outer(&x, &mut out)
            });
            close(name, "outer hyper-gradient", dot(&own, &e), fd, f.abs());

            let zeros = vec![0.0; n];
            let exact = inner::exact(model.as_mut(), &lambda, zeros.clone());
            let fd = slope(1e-3, |t| {
                inner::exact(model.as_mut(), &shifted(&lambda, t, &e), zeros.clone()).outer
            });
            close(name, "hypergradient", dot(&exact.hypergradient, &e), fd, exact.outer.abs());

            let mu = model.strong_convexity();
            prop_assert!(mu > 0.0);
            model.set_lambda(&lambda);
            model.linearise(&x);
            model.hessian_product(&d, &mut g);
            let (curvature, length) = (dot(&d, &g), dot(&d, &d));
            prop_assert!(curvature >= model.strong_convexity() * length * (1.0 - 1e-9), "{}", name);
        }
    }
}

#[test]
fn the_unrolled_gradient_is_the_derivative_of_the_unrolled_loss() {
    // Few iterations: the path has not converged, and how every step depends on λ matters.
    for steps in [1, 2, 3, 8, 20] {
        for (name, mut model) in models(7) {
            let mut rng = ChaCha12Rng::seed_from_u64(9);
            let mut draw = || -> Vec<f64> {
                (0..model.n_hyper()).map(|_| rng.random_range(-1.0..1.0)).collect()
            };
            let (lambda, e) = (draw(), draw());
            let mut x = vec![0.0; model.n_params()];
            let at = unrolled(model.as_mut(), &lambda, steps, None, &mut x);
            // Of L-BFGS matrices and lengths are held.
            let path = matches!(model.inner_form(), InnerForm::Smooth).then_some(&at.path);
            let fd = slope(1e-4, |t| {
                unrolled(model.as_mut(), &shifted(&lambda, t, &e), steps, path, &mut x).value
            });
            let own = dot(&at.hypergradient, &e);
            close(name, &format!("gradient through {steps} iterations"), own, fd, at.value.abs());
        }
    }
}

#[test]
fn the_unrolled_gradient_of_a_converged_path_is_the_implicit_one() {
    for (name, mut model) in models(7).into_iter().take(4) {
        let lambda = vec![-2.0; model.n_hyper()];
        let mut x = vec![0.0; model.n_params()];
        let p = unrolled(model.as_mut(), &lambda, 300, None, &mut x).hypergradient;
        let exact = inner::exact(model.as_mut(), &lambda, vec![0.0; x.len()]);
        for (a, b) in p.iter().zip(&exact.hypergradient) {
            close(name, "unrolled gradient", *a, *b, 1.0);
        }
    }
}
