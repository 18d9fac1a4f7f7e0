//! Densities of configurations, as TPE and BOHB compare them.

pub mod kde;
pub mod parzen;
pub mod truncated_normal;
