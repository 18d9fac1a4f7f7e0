//! Table 3 beside ours, feature by feature: in how many replicates a stage found it, and its weight there.

use std::collections::BTreeSet;

use kit::table::{Columns, Rows};
use models::neural::residual::VARIABLES;
use pipeline::stage::{Context, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::{bootstrap::interval, moments::mean};

use crate::network::table_3::TABLE_3;

/// Puts the paper's features beside those that were found.
#[derive(Serialize, Deserialize)]
pub struct Weights {}

impl Stage for Weights {
    const KIND: &'static str = "harmonica/weights";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let table = cx.input("features")?;
        let rows = Rows(&table);
        let (replicate, stage) = (rows.index("replicate")?, rows.index("stage")?);
        let (variables, weight) = (rows.text("variables")?, rows.real("weight")?);
        let replicates = replicate.iter().collect::<BTreeSet<_>>().len();
        let mut rng = cx.rng("intervals")?;
        let ours = TABLE_3.map(|(at, name, _)| {
            let own = (0..rows.len()).filter(|&i| stage[i] == at && variables[i] == name);
            interval(&own.map(|i| weight[i]).collect::<Vec<_>>(), &mut rng, mean)
        });
        let some = |value: f64| value.is_finite().then_some(value);
        let table = Columns::new()
            .index("stage", "stage of Harmonica, from 1", TABLE_3.map(|row| row.0))
            .text("variables", "numbers of Table 2", TABLE_3.map(|row| row.1))
            .text("feature", "names of Table 2", TABLE_3.map(|row| names(row.1)))
            .real("paper", "the paper's weight", TABLE_3.map(|row| row.2))
            .maybe("ours", "our mean weight where it was found", ours.map(|e| some(e.value)))
            .maybe("low", "lower end of its 95% interval", ours.map(|e| some(e.low)))
            .maybe("high", "upper end of its 95% interval", ours.map(|e| some(e.high)))
            .index("found", "replicates that found it", ours.map(|e| e.n as u32))
            .index("replicates", "of so many", ours.map(|_| replicates as u32))
            .batch()?;
        Ok(cx.write("main", &table)?)
    }
}

/// The names of variables, from their numbers.
fn names(numbers: &str) -> String {
    let name = |number: &str| {
        let wanted: usize = number.parse().unwrap_or(0);
        let found = VARIABLES.iter().find(|variable| variable.number == wanted);
        found.map_or_else(|| number.to_owned(), |variable| variable.name.to_owned())
    };
    numbers.split('*').map(name).collect::<Vec<_>>().join(" × ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_have_the_names_of_table_2() {
        assert_eq!(names("99"), "99");
        assert!(names("24").to_lowercase().contains("batch norm"), "{}", names("24"));
        assert_eq!(names("04*05").split(" × ").count(), 2);
    }
}
