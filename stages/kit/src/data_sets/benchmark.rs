//! The stage of a tabular benchmark: it is fetched, checked, read, and stored for every reader.

use data::{DataSet, Places};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    data_sets::benchmark_table::{self, Choice, Recorded},
    port::Out,
};

/// Loads one benchmark.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoadBenchmark {
    data_set: String,
    /// The pinned hashes of its files: other content is another result.
    content: Vec<String>,
}

impl LoadBenchmark {
    /// The recorded trainings.
    pub const MAIN: Out<Recorded> = Out::table("main");
    /// The search space.
    pub const SPACE: Out<Choice> = Out::table("space");

    /// For this data set.
    #[must_use]
    pub fn new(entry: &DataSet) -> Self {
        Self { data_set: entry.id.to_owned(), content: entry.pins() }
    }
}

impl Stage for LoadBenchmark {
    const KIND: &'static str = "data/benchmark";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output(), Self::SPACE.output()];

    fn needs(&self) -> Needs {
        Needs::worker(500)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let places = Places::from_env(cx.downloads());
        let loaded =
            data::load_benchmark(&self.data_set, &places).map_err(|error| match error {
                data::Error::Unavailable(why) => Stop::Unavailable(why.to_string()),
                other => Stop::Failed(other.to_string()),
            })?;
        Self::MAIN.write(cx, &benchmark_table::recorded(&loaded))?;
        Self::SPACE.write(cx, &benchmark_table::choices(&loaded))
    }
}
