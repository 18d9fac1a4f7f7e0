//! Smoothness and second derivatives of learners' losses \[Yedida2024\].

pub mod hessian;
pub mod smoothness;
pub mod smoothness_naive_bayes;
