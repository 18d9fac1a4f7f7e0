//! Networks that tune themselves while they train, \[MacKay2019\], as data: their hyper-parameters, how these
//! change, how the weights are trained, and what is recorded. The crate `nets` trains them.

mod control;
mod hyper;
pub(crate) mod sgd;
mod trace;

pub use control::{BadControl, Control, Response, Scale, Schedule, Tuning};
pub use hyper::{BadHyper, Hyper, Range, sigmoid, softplus};
pub use sgd::{BadSgdConfig, Decay, SgdConfig};

pub use trace::{EpochRecord, StepRecord, Trace};
