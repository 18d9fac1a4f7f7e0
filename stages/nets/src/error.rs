//! Errors of trainings. A training that diverges is not an error but a result.

use std::error::Error;

use models::neural::residual::{Device, Unfit};
use tch::TchError;

/// Why a training could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum TorchError {
    /// Arguments of a residual network's training.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// A GPU that does not exist.
    #[error(
        "device `{device}`: there are {devices} GPUs; choose `cpu`, or use a libtorch for CUDA"
    )]
    Device {
        /// The requested device.
        device: Device,
        /// How many GPUs libtorch can use.
        devices: usize,
    },
    /// Settings or data of one kind of network. Each kind defines its errors in its own module, so that a
    /// change of one does not change the others.
    #[error(transparent)]
    Settings(Box<dyn Error + Send + Sync>),
    /// A checkpoint of another training.
    #[error("the checkpoint has no valid `{0}`; delete it to train from the start")]
    Checkpoint(String),
    /// A checkpoint that could not be written or read.
    #[error("checkpoint: {0}")]
    Keep(String),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// libtorch failed.
    #[error("libtorch: {0}")]
    Library(#[from] TchError),
}

impl TorchError {
    /// Invalid settings or data.
    pub fn settings(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Settings(Box::new(error))
    }
}
