//! Neural networks: those trained here (`feedforward`, `mlp`, `residual`), and as data those that
//! libtorch trains.

pub mod alexnet;
pub mod augment;
pub mod cnn;
pub mod feedforward;
pub mod language;
pub mod lstm_cell;
pub mod mlp;
pub mod philox;
pub mod regularisation;
pub mod residual;
pub mod self_tuning;
pub mod self_tuning_cnn;
pub mod self_tuning_lstm;
