//! Joins many tables with the same columns into one, for figures across problems.

use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::port::{Any, Many, Out};

/// Concatenates its inputs, in the order of their roles. `MEASURED` says whether the rows are measurements.
#[derive(Serialize, Deserialize)]
pub struct Gather<const MEASURED: bool> {}

impl<const MEASURED: bool> Gather<MEASURED> {
    const TABLES: Many<Any> = Many::new("");
    /// The concatenated table.
    pub const MAIN: Out<Any> = Out::new("main", MEASURED);
}

impl<const MEASURED: bool> Stage for Gather<MEASURED> {
    const KIND: &'static str = if MEASURED { "gather/times" } else { "gather/tables" };
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output()];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let tables: Vec<_> = Self::TABLES.read(cx)?.into_iter().map(|(_, table)| table).collect();
        let Some(first) = tables.first() else {
            let why = "nothing that it shows could be computed here, for want of data or of a program\n\
                       remedy: `retune plan` names what is missing";
            return Err(Stop::Unavailable(why.to_owned()));
        };
        let all = arrow_select::concat::concat_batches(&first.schema(), &tables)
            .map_err(|e| Stop::Failed(e.to_string()))?;
        Self::MAIN.write(cx, all)
    }
}
