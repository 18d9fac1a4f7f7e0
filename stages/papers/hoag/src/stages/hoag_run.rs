//! One run of HOAG on one split.

use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::gradient::{hoag::Hoag, hoag_rules::HoagRules};

use crate::{problem::ProblemSpec, trace};

/// HOAG under one set of rules.
#[derive(Serialize, Deserialize)]
pub struct HoagRun {
    /// The problem.
    pub problem: ProblemSpec,
    /// The rules, in which paper and code differ.
    pub rules: HoagRules,
    /// Memory, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl Stage for HoagRun {
    const KIND: &'static str = "hoag/hoag";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = trace::OUTPUTS;

    fn needs(&self) -> Needs {
        Needs::worker(self.memory_mib)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let tuner = Hoag::new(self.rules).map_err(|e| Stop::Failed(e.to_string()))?;
        trace::gradient(cx, &self.problem, &tuner)
    }
}
