//! Learners and surrogate models. They know no tuner and no data file.

pub mod acquisition;
pub mod feedforward;
pub mod feedforward_kernels;
pub mod feedforward_train;
pub mod forest;
pub mod gaussian_nb;
pub mod gp;
pub mod gp_kernel;
pub mod hessian;
pub mod kde;
pub mod kernel_ridge;
pub mod labelled;
pub mod logistic;
pub mod multinomial;
pub mod parzen;
pub mod penalised;
pub mod power_transform;
pub mod samples;
pub mod smoothness;
pub mod smoothness_nb;
pub mod svm;
pub mod svm_kernel;
pub mod svm_smo;
pub mod truncated;
