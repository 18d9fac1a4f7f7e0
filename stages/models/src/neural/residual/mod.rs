//! The residual networks of \[Hazan2018\] section 5, as data: their 60 binary options, the meaning of these,
//! and for how long and on which images a network is trained. The crate `nets` trains them.

mod decode;
mod device;
mod images;
mod options;
mod recipe;
mod variables;

pub use decode::{decode, usual};
pub use device::{BadDevice, Device};
pub use images::{BadImages, Images};
pub use options::{
    Activation, BadOption, BatchNorm, Drops, Initialisation, Link, LinkStart, Momentum, Optimiser,
    Places, ResidualOptions, Shortcut, TuneFrom,
};
pub use recipe::{Architecture, BadRecipe, EpochRow, Recipe, SCHEDULE_EPOCHS, Training};
pub use variables::{COUNT, DUMMIES, Effect, VARIABLES, Variable};
