//! Expands the config to the stages on texts.

use kit::claims::wiring::Source;
use pipeline::{error::Result, graph::Builder};

use super::{config::Text, trainings::Trainings};

/// The claims that rest on texts.
pub const CLAIMS: [&str; 8] = ["N3", "N4", "N5", "N6", "N7", "N9", "N10", "N11"];

/// Adds the stages; returns the tables that the verdicts rest on.
///
/// # Errors
/// If a name occurs twice.
pub fn expand(values: &Text, root_seed: u64, builder: &mut Builder) -> Result<Vec<Source>> {
    let mut trainings = Trainings::new(values, root_seed, builder);
    trainings.read("stn/text", &values.data_set, Some(&values.stand_in))?;
    let mut sources = Vec::from(trainings.output()?);
    sources.extend(trainings.table_2()?);
    sources.push(trainings.dropouts()?);
    sources.push(trainings.other()?);
    Ok(sources)
}

/// The claims whose evidence differs in size from the paper's.
#[must_use]
pub fn scaled_down(values: &Text, paper: &Text) -> Vec<&'static str> {
    if values.same_size(paper) { Vec::new() } else { CLAIMS.to_vec() }
}

#[cfg(test)]
#[path = "expand_tests.rs"]
mod tests;
