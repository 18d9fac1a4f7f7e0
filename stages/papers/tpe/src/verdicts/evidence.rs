//! The tables that verdicts rest on.

use std::collections::BTreeMap;

use kit::port::In;
use pipeline::stage::{Context, Stop};
use stats::moments::mean;

use crate::{
    grid::Grid,
    study::Study,
    tables::{ablated::Ablated, run::Run, spent::Spent},
};

/// The first study.
pub const COMPONENTS: In<Ablated> = In::new("components");
/// The first study with minima elsewhere.
pub const SHIFTED: In<Ablated> = In::new("shifted");
/// The second study.
pub const WIDTHS: In<Ablated> = In::new("widths");
/// The methods.
pub const RUNS: In<Run> = In::new("runs");
/// Their times.
pub const TIMES: In<Spent> = In::new("times");

/// The lowest losses of a method on a target, by seed.
pub type Finals = BTreeMap<u32, f64>;

/// The available tables.
#[derive(Clone, Default)]
pub struct Evidence {
    /// See [`COMPONENTS`].
    pub components: Study,
    /// See [`SHIFTED`].
    pub shifted: Study,
    /// See [`WIDTHS`].
    pub widths: Study,
    /// See [`RUNS`]: method → (group, target) → losses.
    pub finals: BTreeMap<String, BTreeMap<(String, String), Finals>>,
    /// See [`TIMES`].
    pub times: Vec<Spent>,
}

impl Evidence {
    /// Reads the tables that are there.
    ///
    /// # Errors
    /// If a table is corrupt or lacks a column.
    pub fn read(
        cx: &Context,
        components: &(Grid, usize),
        widths: &(Grid, usize),
    ) -> Result<Self, Stop> {
        let study = |input: &In<Ablated>, (grid, draw): &(Grid, usize)| {
            Ok::<_, Stop>(Study::new(grid, *draw, &input.read_if_there(cx)?.unwrap_or_default()))
        };
        let mut finals: BTreeMap<String, BTreeMap<(String, String), Finals>> = BTreeMap::new();
        // Rows of a run are in the order of evaluations: the last one stays.
        for run in RUNS.read_if_there(cx)?.unwrap_or_default() {
            let own = finals.entry(run.method).or_default();
            own.entry((run.group, run.target)).or_default().insert(run.seed, run.best);
        }
        Ok(Self {
            components: study(&COMPONENTS, components)?,
            shifted: study(&SHIFTED, components)?,
            widths: study(&WIDTHS, widths)?,
            finals,
            times: TIMES.read_if_there(cx)?.unwrap_or_default(),
        })
    }

    /// The mean over seeds `first` to `first + seeds − 1` of a method on each target of these groups; a target on
    /// which one of them is missing is left out.
    #[must_use]
    pub fn means(
        &self,
        method: &str,
        groups: &[&str],
        (first, seeds): (u32, u32),
    ) -> BTreeMap<String, f64> {
        let own = self.finals.get(method).into_iter().flatten();
        let own = own.filter(|((group, _), _)| groups.contains(&group.as_str()));
        let one = |((_, target), finals): (&(String, String), &Finals)| {
            let losses: Option<Vec<f64>> =
                (first..first + seeds).map(|seed| finals.get(&seed).copied()).collect();
            Some((target.clone(), mean(&losses?)))
        };
        own.filter_map(one).collect()
    }
}
