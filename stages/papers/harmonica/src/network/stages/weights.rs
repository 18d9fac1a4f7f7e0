//! Compares Table 3 with ours, feature by feature: the number of replicates in which a stage found it, and
//! its weight.

use std::collections::BTreeSet;

use kit::{
    cell::FiniteOrNull,
    port::{In, Out},
    row::Row,
};
use models::neural::residual::VARIABLES;
use pipeline::stage::{Context, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::{
    bootstrap::{Estimate, interval},
    moments::mean,
};

use crate::{network::table_3::TABLE_3, tables::features::Feature};

/// Compares the paper's features with those that were found.
#[derive(Serialize, Deserialize)]
pub struct Weights {}

/// A feature of the paper with ours.
#[derive(Row)]
pub struct Weight {
    /// stage of Harmonica, from 1
    stage: u32,
    /// numbers of Table 2
    variables: &'static str,
    /// names of Table 2
    feature: String,
    /// the paper's weight
    paper: f64,
    /// our mean weight where it was found
    #[row(with = FiniteOrNull)]
    ours: f64,
    /// lower end of its 95% interval
    #[row(with = FiniteOrNull)]
    low: f64,
    /// upper end of its 95% interval
    #[row(with = FiniteOrNull)]
    high: f64,
    /// replicates that found it
    found: usize,
    /// of so many
    replicates: usize,
}

impl Weights {
    /// The features found in all replicates.
    pub const FEATURES: In<Feature> = In::new("features");
    /// The paper's features.
    pub const MAIN: Out<Weight> = Out::table("main");
}

impl Stage for Weights {
    const KIND: &'static str = "harmonica/weights";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let features = Self::FEATURES.read(cx)?;
        let replicates = features.iter().map(|row| row.replicate).collect::<BTreeSet<_>>().len();
        let mut rng = cx.rng("intervals")?;
        let rows = TABLE_3.map(|(stage, variables, paper)| {
            let own = features.iter().filter(|f| f.stage == stage && f.variables == variables);
            let own: Vec<f64> = own.map(|f| f.weight).collect();
            let Estimate { value, low, high, n } = interval(&own, &mut rng, mean);
            let feature = names(variables);
            let (ours, found) = (value, n);
            Weight { stage, variables, feature, paper, ours, low, high, found, replicates }
        });
        Self::MAIN.write(cx, &rows)
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
