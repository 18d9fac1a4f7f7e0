//! The inputs in a case of Optuna's estimators: space, settings, observations and points.

use models::density::{
    mixture::recency_weights,
    product_parzen::{Bandwidth, KernelSettings, Parameter, ProductParzen, Range},
};

use super::{Comparison, Error, FLAT, Node, WORDS, number, numbers};

/// The inputs of a case.
pub(super) struct Inputs<'a> {
    pub(super) space: Vec<(&'a str, Parameter)>,
    settings: KernelSettings,
    /// Whether parameters were modelled jointly.
    multivariate: bool,
    pub(super) observations: Vec<Vec<f64>>,
    points: Vec<Vec<f64>>,
}

/// The keys of a case from which its inputs are read.
pub(super) const INPUTS: [&str; 4] = ["search_space", "settings", "observations", "points"];

impl<'a> Inputs<'a> {
    /// The inputs, or the place of something that is not understood.
    pub(super) fn read(
        case: &Node<'a>,
        file: &mut Comparison,
    ) -> Result<Result<Self, String>, Error> {
        let mut space = Vec::new();
        for node in case.need("search_space")?.items()? {
            match parameter(&node, file)? {
                Some(parameter) => space.push((node.need("name")?.text()?, parameter)),
                None => return Ok(Err(node.at)),
            }
        }
        let mut settings = KernelSettings::default();
        let mut multivariate = false;
        let flag = |node: &Node<'_>| {
            let truth = node.value.as_bool();
            truth.ok_or_else(|| Error::Shape { at: node.at.clone(), expected: "true or false" })
        };
        for (key, node) in case.need("settings")?.given()? {
            match key {
                "multivariate" => multivariate = flag(&node)?,
                "prior_weight" => settings.prior_weight = number(&node)?,
                "consider_magic_clip" => settings.magic_clip = flag(&node)?,
                "consider_endpoints" => settings.endpoints = flag(&node)?,
                "weights" if node.value.as_str() == Some("default") => {}
                "weights" => return Ok(Err(node.at)),
                // Another setting may not matter; if it does, the values differ.
                _ => file.ignored(&node),
            }
        }
        let rows = |key: &'static str| -> Result<Vec<Vec<f64>>, Error> {
            let node = case.need(key)?;
            let rows: Vec<Vec<f64>> =
                node.items()?.iter().map(numbers).collect::<Result<_, _>>()?;
            if rows.iter().all(|row| row.len() == space.len()) {
                return Ok(rows);
            }
            Err(Error::Shape { at: node.at, expected: "rows with a number per parameter" })
        };
        let (observations, points) = (rows("observations")?, rows("points")?);
        Ok(Ok(Self { space, settings, multivariate, observations, points }))
    }

    /// The estimator of some of the observations.
    pub(super) fn fit(&self, rows: &[usize], version: Version) -> ProductParzen {
        let parameters: Vec<Parameter> = self.space.iter().map(|(_, p)| *p).collect();
        let rows: Vec<&[f64]> = rows.iter().map(|&i| self.observations[i].as_slice()).collect();
        let bandwidth = match version {
            Version::Optuna4 if self.multivariate => Bandwidth::Scott,
            Version::Optuna4 | Version::Optuna5 => Bandwidth::Neighbours,
        };
        let settings = KernelSettings { bandwidth, ..self.settings };
        ProductParzen::fit(&parameters, &rows, &recency_weights(rows.len(), FLAT), settings)
    }

    pub(super) fn ln_densities(&self, estimator: &ProductParzen) -> Vec<f64> {
        self.points.iter().map(|x| estimator.ln_density(x)).collect()
    }
}

/// The version whose rules are used.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Version {
    /// 4.9.0.
    Optuna4,
    /// 5.0.0.
    Optuna5,
}

/// The versions that a key of `expected` names: one or both.
pub(super) fn versions(key: &str) -> Vec<Version> {
    let Some(named) = key.strip_prefix("optuna_") else { return Vec::new() };
    let version = |name| match name {
        "4.9.0" => Some(Version::Optuna4),
        "5.0.0" => Some(Version::Optuna5),
        _ => None,
    };
    named.split("_and_").map(version).collect::<Option<_>>().unwrap_or_default()
}

/// The values of a parameter; `None` if its type is not understood.
fn parameter(node: &Node<'_>, file: &mut Comparison) -> Result<Option<Parameter>, Error> {
    let kind = node.need("type")?.text()?;
    let known: &[&str] = match kind {
        "categorical" => &["name", "type", "n_choices"],
        "float" | "int" => &["name", "type", "low", "high", "log", "step"],
        _ => return Ok(None),
    };
    for (key, odd) in node.given()? {
        if !known.contains(&key) && !WORDS.contains(&key) {
            file.ignored(&odd);
        }
    }
    if kind == "categorical" {
        let choices = node.need("n_choices")?.whole()?;
        return Ok(Some(Parameter::Categorical { choices }));
    }
    let (low, high) = (node.need("low")?.number()?, node.need("high")?.number()?);
    let log = node.get("log").is_some_and(|log| log.value.as_bool() == Some(true));
    let step = node.get("step").map(|step| step.number()).transpose()?;
    // Whole numbers have a step of 1 by default.
    let step = if kind == "int" { step.or(Some(1.0)) } else { step };
    Ok(Some(Parameter::Numerical(Range { low, high, log, step })))
}
