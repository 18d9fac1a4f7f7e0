//! Learners and surrogate models. They know no tuner and no data file.

pub mod acquisition;
pub mod gp;
pub mod gp_kernel;
pub mod kde;
pub mod kernel_ridge;
pub mod labelled;
pub mod logistic;
pub mod multinomial;
pub mod parzen;
pub mod power_transform;
pub mod truncated;
