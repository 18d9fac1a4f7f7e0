//! Checks the `multinomial` section: values and hypergradient with one regulariser per weight.

use models::bilevel::multinomial::Multinomial;
use numerics::{linalg::vector::norm, problem::Bilevel as _, solve::inner};

use super::sets::{Sets, VALUE, compare_all};
use crate::{Error, case::Case, node::Node, prepare::thirds};

/// The largest number of weights in a sentence.
const WEIGHTS: usize = 10_000_000;

/// λ of the section: numbers, or a sentence "all N zero" with N the number of weights.
fn lambda_of(section: &Node<'_>) -> Result<Vec<f64>, Error> {
    let node = section.need("lambda")?;
    if node.value.is_array() {
        return node.numbers();
    }
    let words: Vec<&str> = node.text()?.split_whitespace().collect();
    match words.as_slice() {
        ["all", n, value] => {
            let value = if *value == "zero" { Some(0.0) } else { value.parse().ok() };
            n.parse().ok().filter(|n| *n <= WEIGHTS).zip(value).map(|(n, v)| vec![v; n])
        }
        _ => None,
    }
    .ok_or(Error::Shape { at: node.at, expected: "numbers, or `all N zero` with N up to 10^7" })
}

/// Checks the section. The data set is its `data` or `dataset`, or the one of the protocol whose
/// classes times features are the number of weights.
///
/// # Errors
/// If the section is malformed or data are not available.
pub fn check(section: &Node<'_>, sets: &Sets<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    let lambda = lambda_of(section)?;
    let classes = |targets: &[f64]| targets.iter().copied().fold(0.0, f64::max) as usize + 1;
    let fits = |name: &&str| {
        sets.raw(name).is_ok_and(|raw| raw.features.ncols() * classes(&raw.targets) == lambda.len())
    };
    let named = section.get("dataset").or_else(|| section.get("data"));
    let name = match &named {
        Some(node) => node.text()?,
        None => sets.candidates().find(fits).ok_or_else(|| Error::Shape {
            at: section.at.clone(),
            expected: "a `dataset`, or a protocol with a data set of that many weights",
        })?,
    };
    let broken = |reason: String| Error::Data { name: name.to_owned(), reason };
    let raw = sets.raw(name)?;
    let data = sets.preparation(name).apply_multiclass(&raw).map_err(broken)?;
    let mut problem = Multinomial::new(thirds(&data), classes(&raw.targets))
        .map_err(|e| broken(e.to_string()))?;
    let at = inner::exact(&mut problem, &lambda, vec![0.0; lambda.len()]);
    let p = &at.hypergradient;
    for (key, value) in section.given()? {
        let computed = match key {
            "lambda" | "newton_its" | "inner_grad_maxabs" | "dataset" | "data" | "note" => continue,
            "h" => vec![at.inner],
            "outer_loss_f" => vec![at.outer],
            "validation_loss" => vec![problem.validation_loss(&at.x)],
            "norm_W" => vec![norm(&at.x)],
            "hypergrad_norm" => vec![norm(p)],
            "hypergrad_first5" => p.clone(),
            "fd_check" => {
                let entries = value.need("indices")?.numbers()?;
                let ours: Vec<f64> = entries
                    .iter()
                    .map(|&i| p.get(i as usize).copied().unwrap_or(f64::NAN))
                    .collect();
                let analytic = value.need("analytic")?;
                compare_all(&analytic, &ours, VALUE, cases);
                if let Some(sum) = value.get("sum_direction_fd") {
                    // The file's value is a finite difference with eight digits.
                    let ours = p.iter().sum();
                    cases.push(sum.relative(ours, 0.0, 1e-8));
                }
                continue;
            }
            _ => {
                cases.push(Case::ignored(value.at));
                continue;
            }
        };
        compare_all(&value, &computed, VALUE, cases);
    }
    Ok(())
}
