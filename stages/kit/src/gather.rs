//! One table from many of the same columns: what a figure shows across problems.

use arrow_array::RecordBatch;
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

/// Puts its inputs below each other, in the order of their roles. `MEASURED` says whether the rows
/// are measurements.
#[derive(Serialize, Deserialize)]
pub struct Gather<const MEASURED: bool> {}

impl<const MEASURED: bool> Stage for Gather<MEASURED> {
    const KIND: &'static str = if MEASURED { "gather/times" } else { "gather/tables" };
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        if MEASURED { &[Output::measured("main")] } else { &[Output::table("main")] };

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let roles: Vec<String> = cx.roles().map(str::to_owned).collect();
        let tables =
            roles.iter().map(|role| cx.input(role)).collect::<Result<Vec<RecordBatch>, _>>()?;
        let Some(first) = tables.first() else {
            return Err(Stop::Unavailable("none of the data sets it shows can be had".to_owned()));
        };
        let all = arrow_select::concat::concat_batches(&first.schema(), &tables)
            .map_err(|e| Stop::Failed(e.to_string()))?;
        Ok(cx.write("main", &all)?)
    }
}
