//! The stage of recorded learning curves: they are fetched, checked, read, and stored for every reader, averaged over
//! splits and as single trainings.

use data::{DataSet, Places};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    data_sets::curve_table::{self, CurvePoint, CurveTraining},
    port::Out,
};

/// Loads one set of learning curves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoadCurves {
    data_set: String,
    /// The pinned hashes of its files: other content is another result.
    content: Vec<String>,
}

impl LoadCurves {
    /// The curves.
    pub const MAIN: Out<CurvePoint> = Out::table("main");
    /// The trainings behind them.
    pub const TRAININGS: Out<CurveTraining> = Out::table("trainings");

    /// For this data set.
    #[must_use]
    pub fn new(entry: &DataSet) -> Self {
        Self { data_set: entry.id.to_owned(), content: entry.pins() }
    }
}

impl Stage for LoadCurves {
    const KIND: &'static str = "data/curves";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output(), Self::TRAININGS.output()];

    fn needs(&self) -> Needs {
        Needs::worker(1500)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let places = Places::from_env(cx.downloads());
        let loaded = data::load_curves(&self.data_set, &places).map_err(|error| match error {
            data::Error::Unavailable(why) => Stop::Unavailable(why.to_string()),
            other => Stop::Failed(other.to_string()),
        })?;
        Self::MAIN.write(cx, &curve_table::points(&loaded))?;
        Self::TRAININGS.write(cx, &curve_table::trainings(&loaded))
    }
}
