//! The compared tuners, each as a stage kind of its own.

pub mod bohb;
pub mod dehb;
pub mod ghost;
pub mod hebo_like;
pub mod random;
pub mod smac_like;
pub mod smoothie;
pub mod svm;
