//! Figure 4: f along λ, on one split.

use kit::table::Columns;
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};

use super::exact::{FINE, Yardstick};
use crate::problem::{Model, ProblemSpec};

/// Figure 4.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LandscapeValues {
    /// Points along one hyper-parameter.
    pub points: usize,
    /// Points along each of two.
    pub grid: usize,
}

/// Evaluates f on a grid over D.
#[derive(Serialize, Deserialize)]
pub struct Landscape {
    /// Its name in tables.
    pub name: String,
    /// The problem.
    pub problem: ProblemSpec,
    /// D = [−bound, bound]ˢ.
    pub bound: f64,
    /// Grid sizes.
    pub values: LandscapeValues,
    /// Memory, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl Stage for Landscape {
    const KIND: &'static str = "hoag/landscape";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(self.memory_mib)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut yardstick = Yardstick::new(self.problem.build(cx)?);
        let axis = |points: usize| -> Vec<f64> {
            let step = 2.0 * self.bound / (points - 1) as f64;
            // From strong to weak regularisation: each solve starts near its neighbour's.
            (0..points).rev().map(|i| -self.bound + step * i as f64).collect()
        };
        let grid: Vec<(f64, Option<f64>)> = if self.problem.model == Model::KernelRidge {
            let axis = axis(self.values.grid);
            axis.iter().flat_map(|&a| axis.iter().map(move |&b| (a, Some(b)))).collect()
        } else {
            axis(self.values.points).into_iter().map(|a| (a, None)).collect()
        };
        let values: Vec<_> = grid
            .iter()
            .map(|&(a, b)| yardstick.value(&std::iter::once(a).chain(b).collect::<Vec<_>>(), FINE))
            .collect();
        let table = Columns::new()
            .text("problem", "bilevel problem", values.iter().map(|_| &self.name))
            .real("lambda0", "first hyper-parameter", grid.iter().map(|at| at.0))
            .maybe("lambda1", "second hyper-parameter", grid.iter().map(|at| at.1))
            .real("outer", "f there (sum over the test part)", values.iter().map(|v| v.0))
            .real("validation", "validation loss there (sum)", values.iter().map(|v| v.1))
            .batch()?;
        Ok(cx.write("main", &table)?)
    }
}
