//! Networks that tune themselves while they train, \[MacKay2019\], as data: their hyper-parameters, how
//! these move, for how long weights are trained, and what is recorded. Knows no tensor;
//! the crate `nets` trains.

mod control;
mod descent;
mod hyper;
mod trace;

pub use control::{BadControl, Control, Course, Response, Scale, Tuning};
pub use descent::{BadDescent, Decay, Descent};
pub use hyper::{BadHyper, Hyper, Range, sigmoid, softplus};

pub use trace::{EpochRecord, StepRecord, Trace};
