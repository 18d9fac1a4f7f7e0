//! From the config to the stages on texts.

use kit::claims::criteria::Source;
use pipeline::{error::Result, graph::Builder};

use super::{config::Text, trainings::Trainings};

/// The claims that rest on texts.
pub const CLAIMS: [&str; 8] = ["N3", "N4", "N5", "N6", "N7", "N9", "N10", "N11"];

/// The tables that verdicts rest on, with their outputs.
const EVIDENCE: [(&str, &str); 9] = [
    ("table-1", "main"),
    ("starts", "steps"),
    ("race", "main"),
    ("race", "curves"),
    ("dropouts", "epochs"),
    ("schedules", "main"),
    ("scales", "main"),
    ("other", "main"),
    ("starts", "epochs"),
];

/// Adds the stages.
///
/// # Errors
/// When a name comes twice.
pub fn expand(values: &Text, root_seed: u64, builder: &mut Builder) -> Result<()> {
    let mut trainings = Trainings::new(values, root_seed, builder);
    trainings.read("stn/text", &values.data_set, Some(&values.stand_in))?;
    trainings.output()?;
    trainings.table_2()?;
    trainings.dropouts()?;
    trainings.other()
}

/// What the verdicts rest on.
#[must_use]
pub fn sources() -> Vec<Source> {
    let source = |(what, output)| {
        let stage = format!("stn/text/figures/{what}");
        Source::named(format!("text {what} {output}"), stage, output)
    };
    EVIDENCE.map(source).into()
}

/// The claims whose evidence has another size than the paper's.
#[must_use]
pub fn scaled_down(values: &Text, paper: &Text) -> Vec<&'static str> {
    if values.same_size(paper) { Vec::new() } else { CLAIMS.to_vec() }
}

#[cfg(test)]
#[path = "expand_tests.rs"]
mod tests;
