//! The interface of a tuner to the stage that runs it. Each tuner is a stage kind of its own, so that an edit of one
//! tuner reruns only its own cells.

use numerics::space::Space;
use tuners::tuner::{Error, Tuner};

/// A tuner under the name of its kind of stage.
pub trait Arm: Send + Sync + 'static {
    /// Its name in configs and tables.
    const NAME: &'static str;
    /// The kind of stage.
    const KIND: &'static str;
    /// The module that names the tuner: `module_path!()`.
    const MODULE: &'static str;

    /// The tuner with its published settings.
    ///
    /// # Errors
    /// If a setting is out of range, or the space is none for it.
    fn tuner(space: Space) -> Result<Box<dyn Tuner>, Error>;
}
