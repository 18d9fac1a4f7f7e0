//! Density estimates of configurations, as TPE and BOHB compare them.

pub mod adaptive_parzen;
pub mod component_parzen;
pub mod kde;
pub mod mixture;
pub mod normal_mass;
pub mod parzen;
pub mod product_parzen;
pub mod truncated_normal;
