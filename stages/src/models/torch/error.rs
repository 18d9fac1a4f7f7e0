//! Why a training could not be made. A training that diverges is none of these: it is a result.

use tch::TchError;

use crate::models::augment::NotColour;
use crate::models::cnn::BadCnn;
use crate::models::language::BadLanguage;
use crate::models::regularisation::BadRoles;
use crate::models::residual::{BadImages, BadOption, BadRecipe, Device};
use crate::models::self_tuning::{BadControl, BadDescent, BadHyper};
use crate::models::st_cnn::BadStCnn;
use crate::models::st_lstm::BadStLstm;

/// Why a training could not be made.
#[derive(Debug, thiserror::Error)]
pub enum TorchError {
    /// The network or the length of its training.
    #[error(transparent)]
    Recipe(#[from] BadRecipe),
    /// A number among the options.
    #[error(transparent)]
    Options(#[from] BadOption),
    /// A convolutional network, or what it would be trained on.
    #[error(transparent)]
    Cnn(#[from] BadCnn),
    /// The images of one part.
    #[error("{part} images: {source}")]
    Images {
        /// `training` or `test`.
        part: &'static str,
        /// What is wrong with them.
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
    /// Images that vanish: the network halves their side twice.
    #[error("images of side {0}: expected at least 8")]
    Small(usize),
    /// A GPU that is not there.
    #[error(
        "device `{device}`: there are {devices} GPUs; choose `cpu`, or use a libtorch for CUDA"
    )]
    Device {
        /// The device asked for.
        device: Device,
        /// How many GPUs libtorch can use.
        devices: usize,
    },
    /// A hyper-parameter that is tuned during training.
    #[error(transparent)]
    Hyper(#[from] BadHyper),
    /// What moves hyper-parameters.
    #[error(transparent)]
    Control(#[from] BadControl),
    /// The settings of a language model.
    #[error(transparent)]
    StLstm(#[from] BadStLstm),
    /// A language model or its text.
    #[error(transparent)]
    Language(#[from] BadLanguage),
    /// How weights are trained.
    #[error(transparent)]
    Descent(#[from] BadDescent),
    /// A checkpoint of something else.
    #[error("the checkpoint has no valid `{0}`; delete it to train from the start")]
    Checkpoint(String),
    /// A checkpoint that could not be kept or read.
    #[error("checkpoint: {0}")]
    Keep(String),
    /// A self-tuning network on images.
    #[error(transparent)]
    StCnn(#[from] BadStCnn),
    /// The names of hyper-parameters.
    #[error(transparent)]
    Roles(#[from] BadRoles),
    /// Images without three colours.
    #[error(transparent)]
    Colours(#[from] NotColour),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// libtorch refused.
    #[error("libtorch: {0}")]
    Library(#[from] TchError),
}
