//! The methods that HyperTune is compared with, one per file.

pub mod ei;
pub mod fabolas;
pub mod hyperband;
