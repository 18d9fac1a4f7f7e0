//! Converts invalid settings of self-tuning trainings to errors of trainings.

use models::neural::self_tuning::{BadControl, BadHyper, BadSgdConfig};

use crate::error::TorchError;

impl From<BadControl> for TorchError {
    fn from(error: BadControl) -> Self {
        Self::settings(error)
    }
}

impl From<BadSgdConfig> for TorchError {
    fn from(error: BadSgdConfig) -> Self {
        Self::settings(error)
    }
}

impl From<BadHyper> for TorchError {
    fn from(error: BadHyper) -> Self {
        Self::settings(error)
    }
}
