//! One run of Iterdiff \[Domke2012\] on one split.

use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::gradient::iterdiff::{Iterdiff, IterdiffSettings};

use crate::{problem::ProblemSpec, trace};

/// Iterdiff with its settings.
#[derive(Serialize, Deserialize)]
pub struct IterdiffRun {
    /// The problem.
    pub problem: ProblemSpec,
    /// Unrolled steps, outer iterations, step rule.
    pub settings: IterdiffSettings,
    /// Memory, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl Stage for IterdiffRun {
    const KIND: &'static str = "hoag/iterdiff";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = trace::OUTPUTS;

    fn needs(&self) -> Needs {
        Needs::worker(self.memory_mib)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let tuner = Iterdiff::new(self.settings).map_err(|e| Stop::Failed(e.to_string()))?;
        trace::gradient(cx, &self.problem, &tuner)
    }
}
