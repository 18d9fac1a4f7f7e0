//! The tuners that are compared, each as a kind of stage of its own.

pub mod bohb;
pub mod dehb;
pub mod ghost;
pub mod hebo_like;
pub mod random;
pub mod smac_like;
pub mod smoothie;
pub mod svm;
