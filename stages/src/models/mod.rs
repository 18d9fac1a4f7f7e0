//! Learners and surrogate models. They know no tuner and no data file.

pub mod labelled;
pub mod logistic;
