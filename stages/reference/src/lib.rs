//! Checks the project's numbers against files of independently computed reference values. The formats of such
//! files are defined here; cases and names of data sets come from the file.

pub mod aggregates;
pub mod bohb_kde;
pub mod brackets;
pub mod case;
pub mod cmaes;
pub mod counting_ones;
pub mod coverage;
pub mod gp_monotone;
pub mod harmonica;
pub mod harmonica_protocol;
pub mod hoag;
pub mod node;
pub mod prepare;
pub mod sensitivity_logs;
pub mod smoothie;
pub mod statistics;
pub mod tpe;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use case::Case;
use prepare::RefData;

/// Why a reference file could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file is not JSON.
    #[error("{path}: not JSON: {source}")]
    Json {
        /// The file.
        path: PathBuf,
        /// The place and the reason.
        source: serde_json::Error,
    },
    /// The top-level keys belong to no known format.
    #[error("{path}: no known reference format has the top-level keys {keys:?}; known: {known}")]
    Format {
        /// The file.
        path: PathBuf,
        /// Its top-level keys.
        keys: Vec<String>,
        /// Formats that can be checked.
        known: &'static str,
    },
    /// A value is missing or of another kind than the format requires.
    #[error("{at}: expected {expected}")]
    Shape {
        /// Keys down to the value.
        at: String,
        /// The expected value.
        expected: &'static str,
    },
    /// A data set named by the file is not available.
    #[error("data set `{name}`: {reason}")]
    Data {
        /// Name in the file.
        name: String,
        /// The reason, with the remedy.
        reason: String,
    },
}

/// The formats that can be checked, recognised by top-level keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Bilevel reference values: `logistic`, `kernel_ridge`, `multinomial`, traces.
    Hoag,
    /// Budgets and brackets: `settings`, `hyperband_paper`.
    Brackets,
    /// Densities of BOHB: `cases` of rows, `degenerate`.
    BohbKde,
    /// Recorded regrets: `results` of optimisers, `protocol` with a `function`.
    CountingOnes,
    /// Monotone Gaussian processes: `cases` by name, with derivative sites `Xm`.
    GpMonotone,
    /// Tests of samples and adjusted p values: `cases` of groups, `bh_vectors`.
    Statistics,
    /// Learners on prepared data: smoothness, pre-processing and metrics.
    Smoothie,
    /// CMA-ES: `strategy`, `cma`, `sep_cma`.
    CmaEs,
    /// Comparisons of methods: `scores`, `paired_intervals`, `bayesian_signed_rank`, `runtime`, `tost`.
    Aggregates,
    /// Coverage of intervals: `simulations`, `resamples`, `cases`.
    Coverage,
    /// Sparse recovery: `runs` of a Lasso on parities with the features `selected`.
    Harmonica,
    /// Summaries of published sensitivity logs: `datasets` with the best of a few configurations.
    SensitivityLogs,
    /// Parzen estimators: `parzen_estimators`, `splits`, `acquisitions`, hyperopt's.
    Tpe,
}

/// Whether a file with these top-level keys has a given format.
type Recognises = fn(&Map<String, Value>) -> bool;

impl Format {
    /// The format of a file with these top-level keys.
    pub fn of(top: &Map<String, Value>) -> Option<Self> {
        let hoag = |top: &Map<String, Value>| {
            [
                "input_checks",
                "logistic",
                "kernel_ridge",
                "multinomial",
                "original_code_traces",
                "paper_era_code_traces",
            ]
            .iter()
            .any(|key| top.contains_key(*key))
        };
        let formats: [(Recognises, Self); 13] = [
            (hoag, Self::Hoag),
            (brackets::recognises, Self::Brackets),
            (bohb_kde::recognises, Self::BohbKde),
            (counting_ones::recognises, Self::CountingOnes),
            (gp_monotone::recognises, Self::GpMonotone),
            (sensitivity_logs::recognises, Self::SensitivityLogs),
            (smoothie::recognises, Self::Smoothie),
            (statistics::recognises, Self::Statistics),
            (harmonica::recognises, Self::Harmonica),
            (cmaes::recognises, Self::CmaEs),
            (aggregates::recognises, Self::Aggregates),
            (coverage::recognises, Self::Coverage),
            (tpe::recognises, Self::Tpe),
        ];
        formats.into_iter().find(|(recognises, _)| recognises(top)).map(|(_, format)| format)
    }
}

/// Returns the raw rows of a data set by its name in the file; an error is a remedy to show.
pub type DataSource<'a> = dyn Fn(&str) -> Result<RefData, String> + 'a;

/// Computes every case of a reference file with this project's code.
///
/// # Errors
/// If the file cannot be read or has no known format. A case that cannot be read, is not understood or needs
/// data that are not available is named with the reason, and does not stop the others.
pub fn check(file: &Path, data: &DataSource<'_>) -> Result<Vec<Case>, Error> {
    let path = || file.to_path_buf();
    let text =
        std::fs::read_to_string(file).map_err(|source| Error::Read { path: path(), source })?;
    let value: Value = serde_json::from_str(&text)
        .or_else(|source| serde_json::from_str(&quoted(&text)).map_err(|_| source))
        .map_err(|source| Error::Json { path: path(), source })?;
    let empty = Map::new();
    let top = value.as_object().unwrap_or(&empty);
    match Format::of(top) {
        Some(Format::Hoag) => hoag::check(top, data),
        Some(Format::Brackets) => brackets::check(top),
        Some(Format::BohbKde) => bohb_kde::check(top),
        Some(Format::CountingOnes) => counting_ones::check(top),
        Some(Format::GpMonotone) => gp_monotone::check(top),
        Some(Format::SensitivityLogs) => Ok(sensitivity_logs::check(top)),
        Some(Format::Smoothie) => smoothie::check(top, data),
        Some(Format::Statistics) => statistics::check(top),
        Some(Format::Harmonica) => harmonica::check(top),
        Some(Format::CmaEs) => cmaes::check(top),
        Some(Format::Aggregates) => aggregates::check(top),
        Some(Format::Coverage) => coverage::check(top),
        Some(Format::Tpe) => tpe::check(top),
        None => Err(Error::Format {
            path: path(),
            keys: top.keys().cloned().collect(),
            known: "hoag (logistic, kernel_ridge, multinomial), brackets (settings, \
                    hyperband_paper), densities (cases, degenerate), counting ones (protocol, \
                    results), monotone processes (cases with inputs), smoothie (datasets, \
                    preprocessing_first3, label_engineering, fuzzy_sampling, metrics), statistics \
                    (bh_vectors, cases with groups), CMA-ES (strategy, cma, sep_cma), aggregates \
                    (scores, paired_intervals, runtime, tost, wilcoxon, holm), coverage (resamples, \
                    cases with a distribution), Parzen estimators (parzen_estimators, splits, \
                    acquisitions); a part of a file is enough",
        }),
    }
}

/// The text with quotes around `NaN` and `Infinity`, which Python's writer uses and JSON does not have.
fn quoted(text: &str) -> String {
    let (mut out, mut rest, mut within) = (String::with_capacity(text.len()), text, false);
    while let Some(first) = rest.chars().next() {
        let word = ["NaN", "-Infinity", "Infinity"].into_iter().find(|word| rest.starts_with(word));
        let length = match (word.filter(|_| !within), first) {
            (Some(word), _) => {
                out.extend(["\"", word, "\""]);
                rest = &rest[word.len()..];
                continue;
            }
            // What follows a backslash is part of the text, a quote too.
            (None, '\\') => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            _ => first.len_utf8(),
        };
        within ^= first == '"';
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn numbers_that_json_lacks_become_texts() {
        let text = r#"{"NaN \" NaN": [NaN, -Infinity, Infinity, 1]}"#;
        assert_eq!(quoted(text), r#"{"NaN \" NaN": ["NaN", "-Infinity", "Infinity", 1]}"#);
    }
}
