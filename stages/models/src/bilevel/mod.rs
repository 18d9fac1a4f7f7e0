//! Bilevel problems of models: an inner loss, an outer loss and their derivatives, \[Pedregosa2016\].

pub mod kernel_ridge;
pub mod labelled;
pub mod logistic;
pub mod multinomial;
