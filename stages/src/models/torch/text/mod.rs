//! Language models trained with libtorch.

mod network;
mod stream;
mod training;

pub use training::TextTraining;

#[cfg(test)]
mod tests;
