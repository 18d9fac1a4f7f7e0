//! Statistics that claims are judged by. Knows no paper, except the module that audits one.
//!
//! What is undefined (no values, a NaN among them, all values equal) is NaN, never a panic: a p
//! that is NaN rejects nothing.

pub mod adjust;
pub mod alternative;
pub mod anytime;
pub mod better;
pub mod bootstrap;
pub mod correlation;
pub mod distribution;
pub mod effect;
pub mod equivalence;
pub mod flawed;
pub mod friedman;
pub mod improvement;
pub mod isotonic;
pub mod kruskal;
pub mod logistic_trend;
pub mod mann_whitney;
pub mod metrics;
pub mod moments;
pub mod nemenyi;
pub mod order;
pub mod proportion;
pub mod ranks;
pub mod regression;
pub mod standing;
pub mod studentised_range;
pub mod u_distribution;
pub mod wilcoxon;
