//! From tables to verdicts: one function a claim, each with its criterion as pre-registered.

mod lower;

use std::collections::BTreeMap;

use pipeline::stage::{Context, Stop};
use rand_chacha::ChaCha12Rng;

use crate::{
    claims::{Finding, Verdict, judge_each},
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

/// Judges one claim.
///
/// # Errors
/// When no function here judges it.
pub fn judge(
    id: &str,
    runs: &Runs,
    rng: &mut ChaCha12Rng,
) -> Result<(Verdict, String, Vec<Finding>), Stop> {
    let findings = match id {
        "C1" => lower::lower(runs, ["tpe", "random"], rng),
        _ => return Err(Stop::Failed(format!("claim {id}: no function of verdicts judges it"))),
    };
    let (verdict, reason) = judge_each(&findings);
    Ok((verdict, reason, findings))
}
