//! From tables to findings: one function per claim, each with its criterion as pre-registered.

mod lower;

use std::collections::BTreeMap;

use pipeline::stage::{Context, Stop};
use rand_chacha::ChaCha12Rng;

use crate::{
    claims::{finding::Finding, rule::Rule, unjudged},
    table::Rows,
};

/// The lowest loss of each run, in the order of repeats: (problem, method) → losses.
#[derive(Default)]
pub struct Runs(BTreeMap<(String, String), Vec<f64>>);

impl Runs {
    /// Reads the searches; what could not be had is simply not there.
    ///
    /// # Errors
    /// When the table is corrupt or lacks a column.
    pub fn read(cx: &Context) -> Result<Self, Stop> {
        if !cx.roles().any(|role| role == "searches") {
            return Ok(Self::default());
        }
        let table = cx.input("searches")?;
        let rows = Rows(&table);
        let (problem, method) = (rows.text("problem")?, rows.text("method")?);
        let (repeat, best) = (rows.index("repeat")?, rows.real("best")?);
        // Rows of a run are in the order of evaluations: the last one stays.
        let mut last = BTreeMap::new();
        for i in 0..rows.len() {
            last.insert((problem[i].clone(), method[i].clone(), repeat[i]), best[i]);
        }
        let mut runs = Self::default();
        for ((problem, method, _), best) in last {
            runs.0.entry((problem, method)).or_default().push(best);
        }
        Ok(runs)
    }
}

/// What is found about one claim, and how that makes one answer.
///
/// # Errors
/// When no function here judges it.
pub fn find(
    id: &str,
    runs: &Runs,
    rng: &mut ChaCha12Rng,
) -> Result<(Rule, Vec<Finding>), Stop> {
    Ok(match id {
        "C1" => (Rule::Each, lower::lower(runs, ["tpe", "random"], rng)),
        _ => return Err(unjudged(id)),
    })
}
