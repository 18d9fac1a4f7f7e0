//! What a tuner is to the stage that runs it. Each is a kind of stage of its own, so that an edit of one tuner
//! reruns what uses it and nothing else.

use numerics::space::Space;
use tuners::tuner::{Error, Tuner};

use crate::protocol::Peers;

/// A tuner under the name of its kind of stage.
pub trait Arm: Send + Sync + 'static {
    /// The kind of stage.
    const KIND: &'static str;
    /// The module that names the tuner: `module_path!()`.
    const MODULE: &'static str;

    /// The tuner, which may spend `budget` full trainings and `probes` probes; none for a baseline that tunes
    /// nothing.
    ///
    /// # Errors
    /// If a setting is out of range.
    fn tuner(space: Space, spend: Spend, peers: Peers) -> Result<Option<Box<dyn Tuner>>, Error>;
}

/// What a tuner may spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spend {
    /// Probes.
    pub probes: u32,
    /// Full trainings.
    pub budget: u32,
}
