//! Networks whose weights respond to hyper-parameters, \[MacKay2019\], and the training that tunes both. A
//! network without hyper-parameters is a plain one: the same layers without a response.

mod builder;
mod checkpoint;
mod convolution;
mod drawn;
mod embedding;
mod kept;
mod linear;
mod lstm;
mod memory;
mod moved;
mod refused;
mod scan;
pub(crate) mod schedule;
mod tunable;
mod tune;
mod weights;

pub use builder::Builder;
pub use checkpoint::{Checkpoint, Keep, Nowhere};
pub use convolution::{HyperConvolution, Shape};
pub use drawn::Drawn;
pub use embedding::HyperEmbedding;
pub use kept::Folder;
pub use linear::HyperLinear;
pub use lstm::HyperLstm;
pub use memory::Memory;
pub use scan::Scan;
pub use tunable::{Evaluation, Forward, Held, Tunable, cross_entropy};
pub use tune::{Recipe, tune};

#[cfg(test)]
mod layer_tests;
#[cfg(test)]
mod scan_tests;
#[cfg(test)]
mod tune_tests;
