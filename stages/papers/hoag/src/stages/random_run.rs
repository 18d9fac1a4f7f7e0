//! One random search on one split.

use numerics::space::Bounds;
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::random::Random;

use crate::{problem::ProblemSpec, trace};

/// The method with its settings.
#[derive(Serialize, Deserialize)]
pub struct RandomRun {
    /// The problem.
    pub problem: ProblemSpec,
    /// Number of hyper-parameters.
    pub dimensions: usize,
    /// The box is [−bound, bound]ˢ.
    pub bound: f64,
    /// Relative tolerance of the inner solves.
    pub tolerance: f64,
    /// Number of evaluations.
    pub evaluations: usize,
    /// Memory, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl Stage for RandomRun {
    const KIND: &'static str = "hoag/random";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = trace::OUTPUTS;

    fn needs(&self) -> Needs {
        Needs::worker(self.memory_mib)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let bounds =
            Bounds::cube(self.dimensions, self.bound).map_err(|e| Stop::Failed(e.to_string()))?;
        let mut tuner = Random::new(bounds);
        trace::black_box(cx, &self.problem, &mut tuner, self.evaluations, self.tolerance)
    }
}
