//! One run of Bayesian optimisation (GP and expected improvement) on one split.

use numerics::space::Bounds;
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::bayesian::smbo::{Smbo, SmboSettings};

use crate::{problem::ProblemSpec, trace};

/// The method with its settings.
#[derive(Serialize, Deserialize)]
pub struct SmboRun {
    /// The problem.
    pub problem: ProblemSpec,
    /// Number of hyper-parameters.
    pub dimensions: usize,
    /// The box is [−bound, bound]ˢ.
    pub bound: f64,
    /// Relative tolerance of the inner solves.
    pub tolerance: f64,
    /// Number of evaluations, including the starts.
    pub evaluations: usize,
    /// The tuner.
    pub settings: SmboSettings,
    /// Memory, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl Stage for SmboRun {
    const KIND: &'static str = "hoag/smbo";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = trace::OUTPUTS;

    fn needs(&self) -> Needs {
        Needs::worker(self.memory_mib)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let bounds =
            Bounds::cube(self.dimensions, self.bound).map_err(|e| Stop::Failed(e.to_string()))?;
        let mut tuner =
            Smbo::new(bounds, self.settings).map_err(|e| Stop::Failed(e.to_string()))?;
        trace::black_box(cx, &self.problem, &mut tuner, self.evaluations, self.tolerance)
    }
}
