//! One grid search on one split.

use numerics::space::Bounds;
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::grid::Grid;

use crate::{problem::ProblemSpec, trace};

/// The method with its settings.
#[derive(Serialize, Deserialize)]
pub struct GridRun {
    /// The problem.
    pub problem: ProblemSpec,
    /// Number of hyper-parameters.
    pub dimensions: usize,
    /// The box is [−bound, bound]ˢ.
    pub bound: f64,
    /// Relative tolerance of the inner solves.
    pub tolerance: f64,
    /// Number of points in each dimension.
    pub points: usize,
    /// Memory, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl Stage for GridRun {
    const KIND: &'static str = "hoag/grid";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = trace::OUTPUTS;

    fn needs(&self) -> Needs {
        Needs::worker(self.memory_mib)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let bounds =
            Bounds::cube(self.dimensions, self.bound).map_err(|e| Stop::Failed(e.to_string()))?;
        let mut tuner = Grid::new(bounds, self.points).map_err(|e| Stop::Failed(e.to_string()))?;
        trace::black_box(cx, &self.problem, &mut tuner, usize::MAX, self.tolerance)
    }
}
