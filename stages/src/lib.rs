//! Problems, tuners, learners, statistics and the papers built from them.

pub mod linalg;
pub mod models;
pub mod problem;
pub mod reference;
pub mod solve;
pub mod tuner;
pub mod tuners;
