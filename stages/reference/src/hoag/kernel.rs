//! Checks the `kernel_ridge` section: points and optimum.

use models::bilevel::kernel_ridge::{Distance, KernelRidge};
use numerics::{
    linalg::vector::norm,
    problem::Bilevel as _,
    solve::{inner, optimum, projected_bfgs},
    space::Bounds,
};

use super::sets::{OPTIMUM, Sets, VALUE, compare_all};
use crate::{
    Error,
    case::{Case, distance, keep},
    node::Node,
    prepare::Labels,
};

/// Checks every kernel of the section. The data set is the section's `data` or `dataset`, or the
/// one the protocol describes with standardised real targets.
///
/// # Errors
/// If the section is malformed or data are not available.
pub fn check(section: &Node<'_>, sets: &Sets<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    let named = section.get("dataset").or_else(|| section.get("data"));
    let regression = || sets.described().find(|n| sets.preparation(n).labels == Labels::Real);
    let name = match &named {
        Some(node) => node.text()?,
        None => regression().ok_or_else(|| Error::Shape {
            at: section.at.clone(),
            expected: "a `dataset`, or a protocol sentence with `y standardised`",
        })?,
    };
    let broken = |reason: String| Error::Data { name: name.to_owned(), reason };
    for (key, node) in section.given()? {
        let distance = match key {
            "rbf_squared_distance" => Distance::Squared,
            "exp_unsquared_distance" => Distance::Unsquared,
            "dataset" | "data" | "note" => continue,
            _ => {
                cases.push(Case::ignored(node.at));
                continue;
            }
        };
        let mut problem =
            KernelRidge::new(&sets.thirds(name)?, distance).map_err(|e| broken(e.to_string()))?;
        for (key, value) in node.given()? {
            match key {
                "points" => {
                    for point in value.listed(cases) {
                        keep(check_point(&point, &mut problem, cases), cases);
                    }
                }
                "optimum" => keep(star(&value, &mut problem, cases), cases),
                _ => cases.push(Case::ignored(value.at)),
            }
        }
    }
    Ok(())
}

fn check_point(
    point: &Node<'_>,
    problem: &mut KernelRidge,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let lambda = [point.need("lambda1")?.number()?, point.need("lambda2")?.number()?];
    let zeros = vec![0.0; problem.n_params()];
    let at = inner::exact(problem, &lambda, zeros);
    for (key, value) in point.given()? {
        match key {
            // The precision of the file's own values.
            "lambda1" | "lambda2" | "fd_minus_analytic" => (),
            "f" | "f_test" => compare_all(&value, &[at.outer], VALUE, cases),
            "f_validation" | "validation" => {
                let loss = problem.validation_loss(&at.x);
                compare_all(&value, &[loss], VALUE, cases);
            }
            "norm_x" => {
                compare_all(&value, &[norm(&at.x)], VALUE, cases);
            }
            "grad" => {
                compare_all(&value, &at.hypergradient, VALUE, cases);
            }
            _ => cases.push(Case::ignored(value.at)),
        }
    }
    Ok(())
}

fn star(node: &Node<'_>, problem: &mut KernelRidge, cases: &mut Vec<Case>) -> Result<(), Error> {
    let bounds = Bounds::cube(2, 12.0)
        .map_err(|_| Error::Shape { at: node.at.clone(), expected: "two hyper-parameters" })?;
    let best = optimum::minimum_in_box(problem, &bounds, &optimum::lattice(&bounds, 8, 6));
    for (key, value) in node.given()? {
        match key {
            "lambda_star" => {
                compare_all(&value, &best.x, OPTIMUM, cases);
            }
            "f_star" => {
                compare_all(&value, &[best.value], OPTIMUM, cases);
            }
            "grad" => {
                let pairs = best.gradient.iter().zip(value.listed(cases));
                cases.extend(pairs.map(|(c, e)| e.absolute(*c, OPTIMUM)));
            }
            "hessian_eigs" => {
                let zeros = vec![0.0; problem.n_params()];
                let h = projected_bfgs::hessian(&best.x, |l| {
                    inner::exact(problem, l, zeros.clone()).hypergradient
                });
                let (mean, half) = (0.5 * (h[(0, 0)] + h[(1, 1)]), 0.5 * (h[(0, 0)] - h[(1, 1)]));
                let root = half.hypot(h[(0, 1)]);
                // Second derivatives are computed from differences of gradients: they have six digits of the
                // largest.
                for (c, listed) in [mean - root, mean + root].iter().zip(value.listed(cases)) {
                    cases.push(listed.against(*c, |at, e| {
                        let error = distance(*c, e) / (mean + root).abs();
                        Case::with_error(at, *c, e, error, 1e-6)
                    }));
                }
            }
            "method" | "note" => (),
            _ => cases.push(Case::ignored(value.at)),
        }
    }
    Ok(())
}
