//! Errors of trainings. A training that diverges is not an error but a result.

use std::error::Error;

use models::neural::residual::{BadImages, BadOption, BadRecipe, Device};
use tch::TchError;

/// Why a training could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum TorchError {
    /// The network or the length of its training.
    #[error(transparent)]
    Recipe(#[from] BadRecipe),
    /// A number among the options.
    #[error(transparent)]
    Options(#[from] BadOption),
    /// The images of one part.
    #[error("{part} images: {source}")]
    Images {
        /// `training` or `test`.
        part: &'static str,
        /// Their fault.
        source: BadImages,
    },
    /// Images of two shapes.
    #[error("training images of {train:?} and test images of {test:?} (channels, side)")]
    Shapes {
        /// Channels and side of the training images.
        train: (usize, usize),
        /// Channels and side of the test images.
        test: (usize, usize),
    },
    /// Images that are too small: the network halves their side twice.
    #[error("images of side {0}: expected at least 8")]
    Small(usize),
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
