//! The interface of a tuner of parts to the stage that runs it. Each tuner is a stage kind of its own, so that an edit of
//! one reruns only what it chose.

use numerics::space::Space;
use tuners::{
    multi_fidelity::brackets::Budgets,
    tuner::{Error, Tuner},
};

/// A tuner under the name of its kind of stage.
pub trait Arm: Send + Sync + 'static {
    /// Its name in configs and tables.
    const NAME: &'static str;
    /// The kind of stage.
    const KIND: &'static str;
    /// The module that names the tuner: `module_path!()`.
    const MODULE: &'static str;

    /// The tuner with its published settings, on parts of these sizes. A tuner that trains on all of the data only
    /// ignores them.
    ///
    /// # Errors
    /// If a setting is out of range, or the space is none for it.
    fn tuner(space: Space, budgets: Budgets) -> Result<Box<dyn Tuner>, Error>;
}
