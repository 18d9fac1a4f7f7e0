//! Data sets as stages: fetched, checked, read, and stored as tables that every paper shares.
//! Two papers that use the same data set compute this stage once.

use data::{DataSet, Places, matrix};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

/// Loads one data set.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoadData {
    data_set: String,
    /// The pinned hashes of its files: other content is another result.
    content: Vec<String>,
}

impl LoadData {
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
        &[Output::table("main"), Output::table(matrix::TARGET), Output::table(matrix::NAMES)];

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
                matrix::MATRIX | matrix::ENTRIES => "main",
                other => other,
            };
            for batch in batches {
                cx.write(output, &batch)?;
            }
        }
        Ok(())
    }
}
