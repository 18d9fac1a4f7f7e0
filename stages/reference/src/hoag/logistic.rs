//! Checks the `logistic` section: points, optimum, grid and traces of ℓ2 logistic regression.

use models::bilevel::logistic::{Logistic, Penalty};
use numerics::{
    linalg::vector::norm,
    problem::Bilevel as _,
    solve::{inner, optimum, projected_bfgs},
};

use super::{
    sets::{OPTIMUM, Sets, VALUE, compare_all},
    traces,
};
use crate::{
    Error,
    case::{Case, keep},
    node::Node,
};

/// Half width of the interval in which λ* is searched, as in the file's grids.
const RADIUS: f64 = 12.0;

/// Checks every data set of the section.
///
/// # Errors
/// If the section is malformed or data are not available.
pub fn check(section: &Node<'_>, sets: &Sets<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    for (name, node) in section.given()? {
        keep(data_set(name, &node, sets, cases), cases);
    }
    Ok(())
}

/// Checks what the section has for one data set.
fn data_set(
    name: &str,
    node: &Node<'_>,
    sets: &Sets<'_>,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let problem = |penalty| {
        Logistic::new(sets.thirds(name)?, penalty)
            .map_err(|e| Error::Data { name: name.to_owned(), reason: e.to_string() })
    };
    for (key, value) in node.given()? {
        match key {
            "half" => keep(convention(&value, problem(Penalty::Half)?, cases), cases),
            "full" => keep(convention(&value, problem(Penalty::Full)?, cases), cases),
            "C_data_sum_of_row_norms_of_test" => {
                let computed = problem(Penalty::Half)?.outer_lipschitz();
                cases.push(value.relative(computed, 0.0, VALUE));
            }
            "traces_half_convention" => {
                keep(traces::rules(&value, problem(Penalty::Half)?, cases), cases);
            }
            "traces_full_convention" => {
                keep(traces::rules(&value, problem(Penalty::Full)?, cases), cases);
            }
            _ => cases.push(Case::ignored(value.at)),
        }
    }
    Ok(())
}

/// Checks the values of one convention for the penalty.
fn convention(node: &Node<'_>, mut problem: Logistic, cases: &mut Vec<Case>) -> Result<(), Error> {
    let star_keys =
        ["lambda_star", "f_star", "grad_at_star", "curvature_at_star", "validation_at_star"];
    let mut starred = false;
    let mut values = Vec::new();
    for (key, value) in node.given()? {
        match key {
            "points" => {
                for point in value.items()? {
                    keep(check_point(&point, &mut problem, cases), cases);
                }
            }
            "grid97" => match grid(&value, &mut problem, cases) {
                Ok(found) => values = found,
                Err(error) => keep(Err(error), cases),
            },
            // Keys are in alphabetical order, so that the grid itself, if listed, came before.
            "n_local_minima_on_grid97" => {
                if values.is_empty() {
                    let lambdas: Vec<f64> = (0..97).map(|i| 0.25 * f64::from(i) - RADIUS).collect();
                    values = optimum::scan(&mut problem, &lambdas);
                }
                let count = optimum::count_local_minima(&values) as f64;
                cases.push(value.absolute(count, 0.0));
            }
            _ if star_keys.contains(&key) => {
                if !starred {
                    star(node, &mut problem, cases);
                }
                starred = true;
            }
            _ => cases.push(Case::ignored(value.at)),
        }
    }
    Ok(())
}

fn check_point(
    point: &Node<'_>,
    problem: &mut Logistic,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let lambda = point.need("lam")?.number()?;
    let zeros = vec![0.0; problem.n_params()];
    let at = inner::exact(problem, &[lambda], zeros);
    let validation = problem.validation_loss(&at.x);
    for (key, value) in point.given()? {
        let computed = match key {
            "lam" => continue,
            "norm_x" => norm(&at.x),
            "h" => at.inner,
            "g_outer" => at.outer,
            "g_validation" => validation,
            "hypergrad" => at.hypergradient[0],
            "x_first3" => {
                compare_all(&value, &at.x, VALUE, cases);
                continue;
            }
            // The precision of the file's own values.
            "fd_minus_analytic" | "inner_grad_maxabs" => continue,
            _ => {
                cases.push(Case::ignored(value.at));
                continue;
            }
        };
        cases.push(value.relative(computed, 1e-12, VALUE));
    }
    Ok(())
}

fn grid(node: &Node<'_>, problem: &mut Logistic, cases: &mut Vec<Case>) -> Result<Vec<f64>, Error> {
    let lambdas = node.need("lam")?.numbers()?;
    let expected = node.need("f")?;
    let computed = optimum::scan(problem, &lambdas);
    compare_all(&expected, &computed, OPTIMUM, cases);
    Ok(computed)
}

fn star(node: &Node<'_>, problem: &mut Logistic, cases: &mut Vec<Case>) {
    let best = optimum::minimum_1d(problem, -RADIUS, RADIUS);
    let zeros = vec![0.0; problem.n_params()];
    let at = inner::exact(problem, &best.x, zeros);
    let values = [
        ("lambda_star", best.x[0], OPTIMUM),
        ("f_star", best.value, OPTIMUM),
        ("validation_at_star", problem.validation_loss(&at.x), OPTIMUM),
    ];
    for (key, computed, tolerance) in values {
        if let Some(v) = node.get(key) {
            cases.push(v.relative(computed, 1e-2, tolerance));
        }
    }
    if let Some(v) = node.get("grad_at_star") {
        cases.push(v.absolute(best.gradient[0], OPTIMUM));
    }
    if let Some(v) = node.get("curvature_at_star") {
        let zeros = vec![0.0; problem.n_params()];
        let curvature = projected_bfgs::hessian(&best.x, |l| {
            inner::exact(problem, l, zeros.clone()).hypergradient
        });
        // Second derivatives come from differences of gradients: seven digits.
        cases.push(v.relative(curvature[(0, 0)], 1e-6, 1e-7));
    }
}
