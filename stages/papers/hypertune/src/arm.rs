//! The interface of a rival to the stage that runs it. Each rival is a stage kind of its own, so that an edit of
//! one tuner reruns only the stages that use it.

use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;
use serde::{Serialize, de::DeserializeOwned};

use crate::{method::Method, task::Run};

/// The budget of a run.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// HyperTune's work until it had converged.
    pub converged: f64,
    /// All of HyperTune's work.
    pub all: f64,
    /// Maximum number of evaluations.
    pub evaluations: usize,
}

/// A rival with its settings, under the name of its kind of stage.
pub trait Arm: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The method.
    const METHOD: Method;
    /// The kind of stage.
    const KIND: &'static str;
    /// The module that names the tuner: `module_path!()`.
    const MODULE: &'static str;

    /// Searches within the budget, and marks the entry that it reports.
    ///
    /// # Errors
    /// If a setting is out of range, or an evaluation fails.
    fn search(&self, run: &mut Run<'_>, budget: Budget, rng: &mut ChaCha12Rng) -> Result<(), Stop>;
}
