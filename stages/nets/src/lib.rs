//! Networks trained with libtorch: the only crate that names `tch`. Its random numbers are all drawn from
//! ChaCha and copied into tensors; libtorch's own generators are never used. On the CPU it uses one thread,
//! so that a training gives the same bytes wherever the same libtorch runs.

mod batches;
mod block;
mod block_masks;
mod cnn;
pub mod cnn_train;
pub mod device;
mod dropout;
mod error;
mod example_masks;
mod held;
pub mod hyper;
mod learner;
pub mod link;
mod network;
mod optimiser;
mod parameters;
mod philox;
mod resident;
pub mod st_cnn;
pub mod text;
mod train;

pub use device::available;
pub use error::TorchError;
pub use example_masks::ExampleMasks;
pub use models::neural::residual::{
    Architecture, Device, EpochRow, Images, Precision, Recipe, ResidualOptions, Training,
};
pub use train::train;

#[cfg(test)]
mod cnn_tests;
#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod toy_images;
#[cfg(test)]
mod train_tests;
