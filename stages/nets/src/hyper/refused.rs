//! Settings of a training that tunes itself which cannot be, as errors of libtorch's trainings.

use models::self_tuning::{BadControl, BadDescent, BadHyper};

use crate::error::TorchError;

impl From<BadControl> for TorchError {
    fn from(error: BadControl) -> Self {
        Self::settings(error)
    }
}

impl From<BadDescent> for TorchError {
    fn from(error: BadDescent) -> Self {
        Self::settings(error)
    }
}

impl From<BadHyper> for TorchError {
    fn from(error: BadHyper) -> Self {
        Self::settings(error)
    }
}
