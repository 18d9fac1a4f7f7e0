//! The config, typed and checked.

use std::collections::BTreeMap;

use kit::claims::again::Again;
use numerics::space::Bounds;
use pipeline::{config::Config, error::Result};
use serde::Deserialize;
use tuners::{bayesian::component_tpe::ComponentTpe, method::Method};

use super::{function::Function, grid::Grid, verdicts::methods_of};

/// `configs/tpe.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TpeConfig {
    /// Root of all randomness.
    pub root_seed: u64,
    /// Verdicts that are reached again under other root seeds.
    #[serde(default)]
    pub again: Again,
    /// Evaluations of a run.
    pub evaluations: u32,
    /// Numbers of dimensions of the functions.
    pub dimensions: Vec<usize>,
    /// The functions.
    pub functions: Vec<Function>,
    /// Data sets that are tabular benchmarks.
    pub tables: Vec<String>,
    /// The first study: all components, with one rule for widths.
    pub components: StudyConfig,
    /// The second study: widths.
    pub widths: StudyConfig,
    /// Methods that are compared with each other, by name.
    pub methods: BTreeMap<String, MethodConfig>,
    /// The time that methods take.
    pub runtime: RuntimeConfig,
}

/// A study of a grid of settings.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StudyConfig {
    /// Seeds of each setting on each target.
    pub seeds: u32,
    /// How many settings are drawn from the grid, once for all targets; all if there are not more.
    pub settings: usize,
    /// The settings.
    pub grid: Grid,
}

/// A method that is compared with others.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MethodConfig {
    /// The method.
    pub tuner: Method,
    /// The number of seeds, from 0.
    pub seeds: u32,
}

/// The time that methods take on the sphere function.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RuntimeConfig {
    /// Evaluations of a run.
    pub evaluations: u32,
    /// Number of runs.
    pub seeds: u32,
    /// Other methods, by name: the recommended TPE and random search always run.
    pub rivals: BTreeMap<String, Method>,
}

impl TpeConfig {
    /// Reads and checks the config. Settings of tuners are checked by these.
    ///
    /// # Errors
    /// Names file, line, key and what would be accepted.
    pub fn read(config: &Config) -> Result<Self> {
        let values: Self = config.get()?;
        let seeds =
            values.methods.iter().map(|(name, one)| (format!("methods.{name}.seeds"), one.seeds));
        let counts = [
            ("evaluations".to_owned(), values.evaluations),
            ("components.seeds".to_owned(), values.components.seeds),
            ("widths.seeds".to_owned(), values.widths.seeds),
            ("runtime.evaluations".to_owned(), values.runtime.evaluations),
            ("runtime.seeds".to_owned(), values.runtime.seeds),
        ];
        if let Some((key, _)) = counts.into_iter().chain(seeds).find(|(_, count)| *count == 0) {
            return Err(config.invalid(&key, "expected at least 1"));
        }
        if values.dimensions.contains(&0) {
            return Err(config.invalid("dimensions", "expected numbers of at least 1"));
        }
        let benchmark = |id: &&String| {
            let entry = data::find(id);
            entry.is_some_and(|entry| matches!(entry.loader, data::Loader::Benchmark(_)))
        };
        if let Some(id) = values.tables.iter().find(|id| !benchmark(id)) {
            let what = format!("`{id}` is no tabular benchmark; `retune data list` shows them");
            return Err(config.invalid("tables", &what));
        }
        let bounds = Bounds::cube(1, 1.0).expect("an interval");
        for (name, study) in [("components", &values.components), ("widths", &values.widths)] {
            // Targets without categories take the first width of categories, too.
            let none = study.grid.category_width.is_empty() || study.grid.size(false) == 0;
            if study.settings == 0 || none {
                return Err(config.invalid(name, "expected at least one setting"));
            }
            for settings in study.grid.settings(true, usize::MAX) {
                ComponentTpe::new(bounds.clone(), settings)
                    .map_err(|e| config.invalid(&format!("{name}.grid"), &e.to_string()))?;
            }
        }
        let methods =
            values.methods.iter().map(|(name, one)| (format!("methods.{name}"), one.tuner));
        let rivals = values.runtime.rivals.iter();
        let rivals = rivals.map(|(name, method)| (format!("runtime.rivals.{name}"), *method));
        for (key, method) in methods.chain(rivals) {
            method
                .tuner(bounds.clone().into())
                .map_err(|e| config.invalid(&key, &e.to_string()))?;
        }
        let other = |id: &&String| methods_of(id).is_empty();
        if let Some(id) = values.again.claims.iter().find(other) {
            let what = format!("{id} compares no methods, and nothing else is run again");
            return Err(config.invalid("again.claims", &what));
        }
        if !values.methods.contains_key("recommended") {
            return Err(config.invalid("methods", "expected one called `recommended`"));
        }
        Ok(values)
    }
}
