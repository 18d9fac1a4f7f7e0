//! The interface of a tuner to the stage that runs it. Each tuner is a stage kind of its own, so that an edit
//! of one tuner reruns only the stages that use it.

use numerics::space::Space;
use tuners::tuner::{Error, Tuner};

use crate::protocol::Peers;

/// A tuner under the name of its kind of stage.
pub trait Arm: Send + Sync + 'static {
    /// The kind of stage.
    const KIND: &'static str;
    /// The module that names the tuner: `module_path!()`.
    const MODULE: &'static str;

    /// The tuner, with a budget of `budget` full trainings and `probes` probes; `None` for a baseline without
    /// tuning.
    ///
    /// # Errors
    /// If a setting is out of range.
    fn tuner(space: Space, spend: Spend, peers: Peers) -> Result<Option<Box<dyn Tuner>>, Error>;
}

/// The budget of a tuner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spend {
    /// Number of probes.
    pub probes: u32,
    /// Number of full trainings.
    pub budget: u32,
}
