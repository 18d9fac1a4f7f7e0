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
    #[error("libtorch: {}", said(.0))]
    Library(#[from] TchError),
}

/// What libtorch says, without the trace of C++ functions below it, and what helps.
fn said(error: &TchError) -> String {
    let all = error.to_string();
    let mut said = all.lines().next().unwrap_or_default().to_owned();
    if said.contains("CUDA out of memory") {
        said.push_str("; let fewer stages share the GPU (--gpu-share)");
    }
    said
}

impl TorchError {
    /// Invalid settings or data.
    pub fn settings(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Settings(Box::new(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_of_libtorch_is_one_sentence_with_what_helps() {
        let said = |text: &str| TorchError::from(TchError::Torch(text.to_owned())).to_string();
        let out = said("CUDA out of memory. Tried to allocate 128.00 MiB.\nframe #0: c10::Error");
        let helps = "let fewer stages share the GPU (--gpu-share)";
        assert_eq!(
            out,
            format!(
                "libtorch: Internal torch error: CUDA out of memory. Tried to allocate 128.00 MiB.; {helps}"
            )
        );
        assert_eq!(
            said("shapes differ\nframe #0"),
            "libtorch: Internal torch error: shapes differ"
        );
    }
}
