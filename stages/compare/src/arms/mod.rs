//! The compared tuners, each as a stage kind of its own.

pub mod bohb_model;
pub mod cma_es;
pub mod differential_evolution;
pub mod gp_ei;
pub mod hebo_like;
pub mod multivariate_tpe;
pub mod random;
pub mod smac_like;
pub mod smbo;
pub mod sobol;
pub mod tpe;
pub mod turbo;
