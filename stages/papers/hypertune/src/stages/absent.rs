//! Takes the place of data that no registry has, and says how to get them.

use data::matrix;
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

/// Data that are not available here.
#[derive(Serialize, Deserialize)]
pub struct Absent {
    /// The data set.
    pub data: String,
    /// How to get it.
    pub how: String,
}

impl Stage for Absent {
    const KIND: &'static str = "hypertune/absent";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Output::table("main"), Output::table(matrix::TARGET), Output::table(matrix::NAMES)];

    fn run(&self, _: &mut Context) -> Result<(), Stop> {
        Err(Stop::Unavailable(format!("{}: {}", self.data, self.how)))
    }
}
