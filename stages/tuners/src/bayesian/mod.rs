//! Optimisers that model losses: with Gaussian processes, random forests or densities.

pub mod component_tpe;
pub mod directed;
pub mod fabolas;
pub mod fabolas_model;
pub mod fabolas_settings;
mod failed;
mod fitted;
pub mod gp_ei;
pub(crate) mod gp_ei_search;
pub mod hebo_like;
pub mod hypertune;
pub mod multivariate_tpe;
pub mod smac_like;
pub mod smbo;
pub mod tpe;
pub mod tpe_split;
mod tpe_trials;
pub mod trust_region;
pub mod turbo;
