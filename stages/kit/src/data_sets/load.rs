//! The stage of a data set: it is fetched, checked, read, and stored as tables that every paper shares. Two
//! papers that use the same data set compute this stage once.

use data::{DataSet, Places, matrix};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::port::{Any, Out};

/// Loads one data set.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoadData {
    data_set: String,
    /// The pinned hashes of its files: other content is another result.
    content: Vec<String>,
}

impl LoadData {
    /// The values.
    pub const VALUES: Out<Any> = Out::table("main");
    /// The target to be predicted.
    pub const TARGET: Out<Any> = Out::table(matrix::TARGET);
    /// The names of features and classes.
    pub const NAMES: Out<Any> = Out::table(matrix::NAMES);

    /// For this data set.
    #[must_use]
    pub fn new(entry: &DataSet) -> Self {
        Self { data_set: entry.id.to_owned(), content: entry.pins() }
    }
}

impl Stage for LoadData {
    const KIND: &'static str = "data/load";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Self::VALUES.output(), Self::TARGET.output(), Self::NAMES.output()];

    fn needs(&self) -> Needs {
        Needs::worker(1500)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let places = Places::from_env(cx.downloads());
        let loaded = data::load(&self.data_set, &places).map_err(|error| match error {
            data::Error::Unavailable(why) => Stop::Unavailable(why.to_string()),
            other => Stop::Failed(other.to_string()),
        })?;
        let tables = matrix::encode(&loaded).map_err(|e| Stop::Failed(e.to_string()))?;
        for (name, batches) in tables {
            let output = match name.as_str() {
                matrix::TARGET => Self::TARGET,
                matrix::NAMES => Self::NAMES,
                _ => Self::VALUES,
            };
            for batch in batches {
                output.write(cx, batch)?;
            }
        }
        Ok(())
    }
}
