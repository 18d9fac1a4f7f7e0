//! Optimisers that follow a hypergradient.

pub mod adaptive_step;
pub mod hoag;
pub mod hoag_rules;
pub mod iterdiff;
pub mod unrolled;
mod unrolled_cg;
mod unrolled_lbfgs;
