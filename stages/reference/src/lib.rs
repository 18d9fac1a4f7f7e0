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
pub mod prepare;
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
    /// Parzen estimators: `parzen_estimators`, `splits`, `acquisitions`, hyperopt's.
    Tpe,
}

/// Whether a file with these top-level keys has a given format.
type Recognises = fn(&Map<String, Value>) -> bool;

impl Format {
    /// The format of a file with these top-level keys.
    pub fn of(top: &Map<String, Value>) -> Option<Self> {
        let hoag = |top: &Map<String, Value>| {
            ["logistic", "kernel_ridge", "multinomial", "paper_era_code_traces"]
                .iter()
                .any(|key| top.contains_key(*key))
        };
        let formats: [(Recognises, Self); 12] = [
            (hoag, Self::Hoag),
            (brackets::recognises, Self::Brackets),
            (bohb_kde::recognises, Self::BohbKde),
            (counting_ones::recognises, Self::CountingOnes),
            (gp_monotone::recognises, Self::GpMonotone),
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
/// If the file cannot be read, has no known format or is malformed, or data are not available. A section that
/// is not understood is a case of its own and does not stop the others.
pub fn check(file: &Path, data: &DataSource<'_>) -> Result<Vec<Case>, Error> {
    let path = || file.to_path_buf();
    let text =
        std::fs::read_to_string(file).map_err(|source| Error::Read { path: path(), source })?;
    let value: Value =
        serde_json::from_str(&text).map_err(|source| Error::Json { path: path(), source })?;
    let empty = Map::new();
    let top = value.as_object().unwrap_or(&empty);
    match Format::of(top) {
        Some(Format::Hoag) => hoag::check(top, data),
        Some(Format::Brackets) => brackets::check(top),
        Some(Format::BohbKde) => bohb_kde::check(top),
        Some(Format::CountingOnes) => counting_ones::check(top),
        Some(Format::GpMonotone) => gp_monotone::check(top),
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
                    results), monotone processes (cases with inputs and Xm), smoothie \
                    (preprocessing_first3, label_engineering, fuzzy_sampling), statistics \
                    (bh_vectors, cases), CMA-ES (strategy, cma, sep_cma), aggregates (scores, \
                    paired_intervals, runtime), coverage (simulations, resamples, cases), Parzen estimators \
                    (parzen_estimators, acquisitions)",
        }),
    }
}
