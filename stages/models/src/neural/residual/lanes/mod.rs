//! Small residual networks on the CPU, without a library: sixteen images of a batch lie side by side in vector
//! registers, so that a convolution of four channels is as efficient as one of four hundred, no maps are
//! allocated in a step, and a training gives the same bits on every processor.

mod activation;
mod block;
mod convolution;
mod maps;
mod network;
mod norm;
mod registers;
mod train;
mod unit;
mod update;

pub use train::train;

#[cfg(test)]
mod convolution_tests;
#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod train_tests;
