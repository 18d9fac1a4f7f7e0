//! The interface of a tuner to the stage that runs it, where each tuner is a stage kind of its own: an edit of one
//! tuner then reruns only the stages that use it.

use numerics::space::Space;
use serde::{Serialize, de::DeserializeOwned};
use tuners::tuner::{Error, Tuner};

/// A tuner with its settings, under the name of a kind of stage.
pub trait Arm: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The kind of stage.
    const KIND: &'static str;
    /// The module that names the tuner: `module_path!()`.
    const MODULE: &'static str;

    /// The tuner on a space.
    ///
    /// # Errors
    /// If a setting is out of range, or the space is none for it.
    fn tuner(&self, space: Space) -> Result<Box<dyn Tuner>, Error>;
}
