//! Figure 4: f along λ, on one split.

use kit::{port::Out, ranges::Ranges};
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};

use super::exact::{FINE, Yardstick};
use crate::{
    problem::{Model, ProblemSpec},
    tables::landscape::LandscapeRow,
};

/// Figure 4.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, schemars::JsonSchema, Ranges)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LandscapeValues {
    /// Points along one hyper-parameter.
    #[range(at_least = 3)]
    pub points: usize,
    /// Points along each of two.
    #[range(at_least = 3)]
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
    /// The grid sizes.
    pub values: LandscapeValues,
    /// Memory, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl Landscape {
    /// f on the grid.
    pub const MAIN: Out<LandscapeRow> = Out::table("main");
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
            // From strong to weak regularisation: each solve starts near the solution of its neighbour.
            (0..points).rev().map(|i| -self.bound + step * i as f64).collect()
        };
        let grid: Vec<(f64, Option<f64>)> = if self.problem.model == Model::KernelRidge {
            let axis = axis(self.values.grid);
            axis.iter().flat_map(|&a| axis.iter().map(move |&b| (a, Some(b)))).collect()
        } else {
            axis(self.values.points).into_iter().map(|a| (a, None)).collect()
        };
        let row = |(lambda0, lambda1): (f64, Option<f64>)| {
            let lambda: Vec<f64> = std::iter::once(lambda0).chain(lambda1).collect();
            let (outer, validation) = yardstick.value(&lambda, FINE);
            LandscapeRow { problem: self.name.clone(), lambda0, lambda1, outer, validation }
        };
        let rows: Vec<_> = grid.into_iter().map(row).collect();
        Self::MAIN.write(cx, &rows)
    }
}
