//! Checks Optuna's estimators, separately and against each other.

use models::density::product_parzen::{Kernels, Parameter, ProductParzen, Range};
use tuners::bayesian::tpe_split::Outcome;

use super::{
    Case, Comparison, Error, Node, Understood, WORDS, deviation,
    inputs::{INPUTS, Inputs, Version, versions},
    numbers,
    splits::{Division, sign},
};

/// Compares weights and kernels; returns whether the key was understood.
fn check_estimator(
    inputs: &Inputs<'_>,
    estimator: &ProductParzen,
    key: &str,
    value: &Node<'_>,
    file: &mut Comparison,
) -> Result<bool, Error> {
    match key {
        "weights" => file.kernels(value, estimator.weights(), 0.0),
        "kernels" => {
            for (name, node) in value.given()? {
                match inputs.space.iter().position(|(own, _)| *own == name) {
                    Some(j) => {
                        kernels(&inputs.space[j].1, &estimator.kernels()[j], &node, file)?;
                    }
                    None => file.ignored(&node),
                }
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Compares the kernels of one parameter.
fn kernels(
    parameter: &Parameter,
    computed: &Kernels,
    node: &Node<'_>,
    file: &mut Comparison,
) -> Result<(), Error> {
    // A mean near 0 can be the difference of bounds that cancel: it is as precise as these.
    let floor = match parameter {
        Parameter::Categorical { .. } => 0.0,
        Parameter::Numerical(Range { low, high, log, .. }) => {
            let ends = if *log { (low.ln(), high.ln()) } else { (*low, *high) };
            0.01 * ends.0.abs().max(ends.1.abs())
        }
    };
    for (key, value) in node.given()? {
        match (key, computed) {
            ("mus", Kernels::Numerical(own)) => file.kernels(&value, own.means(), floor),
            ("sigmas", Kernels::Numerical(own)) => file.kernels(&value, &own.deviations(), 0.0),
            ("category_weights", Kernels::Categorical(own)) => {
                let rows = value.items()?;
                file.length(&value, own.probabilities().len(), rows.len());
                for (row, own) in rows.iter().zip(own.probabilities()) {
                    file.kernels(row, own, 0.0);
                }
            }
            _ => file.ignored(&value),
        }
    }
    Ok(())
}

/// Checks the members of a case: what is expected of each version, and that nothing is unknown.
fn for_versions(
    case: &Node<'_>,
    others: &[&str],
    file: &mut Comparison,
    check: &dyn Fn(Version, &Node<'_>, &mut Comparison) -> Result<(), Error>,
) -> Result<(), Error> {
    for (key, value) in case.given()? {
        if key == "expected" {
            for (name, expected) in value.given()? {
                let versions = versions(name);
                if versions.is_empty() {
                    file.cases.push(Case::not_understood(&*expected.at));
                }
                for &version in &versions {
                    let checked = check(version, &expected, file);
                    file.keep(checked);
                }
            }
        } else if !INPUTS.contains(&key) && !others.contains(&key) && !WORDS.contains(&key) {
            file.ignored(&value);
        }
    }
    Ok(())
}

/// Checks one estimator.
pub(super) fn estimator(case: &Node<'_>, file: &mut Comparison) -> Result<Understood, Error> {
    let inputs = match Inputs::read(case, file)? {
        Ok(inputs) => inputs,
        Err(at) => return Ok(Understood::Not(at)),
    };
    let all: Vec<usize> = (0..inputs.observations.len()).collect();
    for_versions(case, &[], file, &|version, expected, file| {
        let estimator = inputs.fit(&all, version);
        let computed = inputs.ln_densities(&estimator);
        for (key, value) in expected.given()? {
            match key {
                "log_pdf" => file.ln_densities(&value, &computed, deviation(expected)?),
                "log_pdf_60_digits" => file.ln_densities(&value, &computed, 0.0),
                "log_pdf_package_default_sort" => file.beside(&value, &computed),
                _ if WORDS.contains(&key) => {}
                _ if check_estimator(&inputs, &estimator, key, &value, file)? => {}
                _ => file.ignored(&value),
            }
        }
        Ok(())
    })?;
    Ok(Understood::Yes)
}

/// Checks the two estimators of a split, and the point with the largest ratio of the two.
pub(super) fn acquisition(case: &Node<'_>, file: &mut Comparison) -> Result<Understood, Error> {
    let inputs = match Inputs::read(case, file)? {
        Ok(inputs) => inputs,
        Err(at) => return Ok(Understood::Not(at)),
    };
    let Some(sign) = sign(&case.need("direction")?)? else {
        return Ok(Understood::Not(format!("{}/direction", case.at)));
    };
    let values = numbers(&case.need("values")?)?;
    if values.len() != inputs.observations.len() {
        return Err(Error::Shape { at: case.at.clone(), expected: "a value per observation" });
    }
    let outcomes: Vec<Outcome> = values.iter().map(|v| Outcome::Complete(sign * v)).collect();
    let division = Division::of(&outcomes);
    for_versions(case, &["direction", "values"], file, &|version, expected, file| {
        let below = inputs.fit(&division.below, version);
        let above = inputs.fit(&division.above, version);
        let (l, g) = (inputs.ln_densities(&below), inputs.ln_densities(&above));
        let ratio: Vec<f64> = l.iter().zip(&g).map(|(l, g)| l - g).collect();
        let slack = deviation(expected)?;
        for (key, value) in expected.given()? {
            let estimator = match key {
                "below_estimator" => &below,
                "above_estimator" => &above,
                _ => {
                    match key {
                        "log_l" => file.ln_densities(&value, &l, slack),
                        "log_g" => file.ln_densities(&value, &g, slack),
                        "log_l_60_digits" => file.ln_densities(&value, &l, 0.0),
                        "log_g_60_digits" => file.ln_densities(&value, &g, 0.0),
                        "log_l_minus_log_g" => {
                            file.ln_densities(&value, &ratio, 2.0 * slack);
                        }
                        "best_point_index" => file.count(&value, first_largest(&ratio)),
                        _ if WORDS.contains(&key) => {}
                        _ if division.check(key, &value, file) => {}
                        _ => file.ignored(&value),
                    }
                    continue;
                }
            };
            for (key, value) in value.given()? {
                if !check_estimator(&inputs, estimator, key, &value, file)? {
                    file.ignored(&value);
                }
            }
        }
        Ok(())
    })?;
    Ok(Understood::Yes)
}

/// The first NaN, or else the first of the largest values, as `numpy.argmax`.
fn first_largest(values: &[f64]) -> usize {
    let nan = values.iter().position(|v| v.is_nan());
    nan.unwrap_or_else(|| {
        (1..values.len()).fold(0, |best, i| if values[i] > values[best] { i } else { best })
    })
}
