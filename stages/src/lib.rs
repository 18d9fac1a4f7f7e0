//! Problems, tuners, learners, statistics and the papers built from them.

pub mod data;
