//! What libtorch can do on NVIDIA's GPUs and its bindings leave out.

pub mod cudnn;
pub mod graph;
