//! Checks hyperopt's estimator.

use models::density::adaptive_parzen::{AdaptiveParzen, Prior};

use super::{Comparison, Error, Node, Understood, WORDS, deviation, number, numbers};

const INPUTS: [&str; 8] =
    ["mus", "prior_weight", "prior_mu", "prior_sigma", "LF", "points", "low", "high"];

/// Checks one estimator.
pub(super) fn check(case: &Node<'_>, file: &mut Comparison) -> Result<Understood, Error> {
    let inputs = case.need("inputs")?;
    // Another input may not matter; if it does, the values differ.
    for (_, odd) in inputs.given()?.iter().filter(|(key, _)| !INPUTS.contains(key)) {
        file.ignored(odd);
    }
    let of = |key: &'static str| inputs.need(key).and_then(|node| number(&node));
    let points = numbers(&inputs.need("points")?)?;
    let (weight, mean, deviation) = (of("prior_weight")?, of("prior_mu")?, of("prior_sigma")?);
    // A missing value means no forgetting.
    let remembered = inputs.get("LF").map_or(Ok(0), |node| node.whole())?;
    let prior = Prior { weight, mean, deviation, remembered };
    let mixture = AdaptiveParzen::fit(&numbers(&inputs.need("mus")?)?, prior);
    let bounds = match (inputs.get("low"), inputs.get("high")) {
        (Some(low), Some(high)) => Some((number(&low)?, number(&high)?)),
        _ => None,
    };
    for (key, value) in case.given()? {
        match key {
            "inputs" => {}
            "expected" => compare(&value, &mixture, &points, bounds, file)?,
            _ if WORDS.contains(&key) => {}
            _ => file.ignored(&value),
        }
    }
    Ok(Understood::Yes)
}

fn compare(
    expected: &Node<'_>,
    mixture: &AdaptiveParzen,
    points: &[f64],
    bounds: Option<(f64, f64)>,
    file: &mut Comparison,
) -> Result<(), Error> {
    let unbounded: Vec<f64> = points.iter().map(|&x| mixture.ln_density(x)).collect();
    let within = |(low, high): (f64, f64)| -> Vec<f64> {
        points.iter().map(|&x| mixture.ln_density_within(x, low, high)).collect()
    };
    let bounded = bounds.map(within);
    for (key, value) in expected.given()? {
        match (key, &bounded) {
            ("weights", _) => file.kernels(&value, &mixture.weights, 0.0),
            ("mus", _) => file.kernels(&value, &mixture.means, 0.0),
            ("sigmas", _) => file.kernels(&value, &mixture.deviations, 0.0),
            ("prior_position", _) => file.count(&value, mixture.prior),
            ("log_pdf_unbounded", _) => file.ln_densities(&value, &unbounded, 0.0),
            ("log_pdf_bounded", Some(bounded)) => file.ln_densities(&value, bounded, 0.0),
            ("package_log_pdf_bounded", Some(bounded)) => {
                file.ln_densities(&value, bounded, deviation(expected)?);
            }
            _ if WORDS.contains(&key) => {}
            _ => file.ignored(&value),
        }
    }
    Ok(())
}
