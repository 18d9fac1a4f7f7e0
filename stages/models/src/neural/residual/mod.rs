//! The residual networks of \[Hazan2018\] section 5: their 60 binary options, the meaning of these, for how long
//! and on which images a network is trained, and their training on the CPU (`lanes`). The crate `nets` trains
//! them on GPUs.

mod decode;
mod device;
mod images;
pub mod initialise;
pub mod lanes;
pub mod masks;
mod options;
mod precision;
mod recipe;
mod unfit;
mod variables;
mod views;

pub use decode::{decode, usual};
pub use device::{BadDevice, Device};
pub use images::{BadImages, Images};
pub use options::{
    Activation, BadOption, BatchNorm, Drops, Initialisation, Link, LinkStart, Momentum, Optimiser,
    Places, ResidualOptions, Shortcut, TuneFrom,
};
pub use precision::Precision;
pub use recipe::{Architecture, BadRecipe, EpochRow, Recipe, SCHEDULE_EPOCHS, Training};
pub use unfit::{Unfit, check};
pub use variables::{COUNT, DUMMIES, Effect, VARIABLES, Variable};
pub use views::{Scale, View};
