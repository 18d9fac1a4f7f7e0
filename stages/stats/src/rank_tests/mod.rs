//! Rank tests and their exact distributions.

pub mod bayesian_signed_rank;
pub mod friedman;
pub mod kruskal;
pub mod mann_whitney;
pub mod nemenyi;
pub mod ranks;
pub mod studentised_range;
pub mod u_distribution;
pub mod wilcoxon;
