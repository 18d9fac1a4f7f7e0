//! One optimiser a file. They know problems and solvers, never a paper or the engine.

pub mod adaptive_step;
pub mod bohb;
pub mod brackets;
pub mod dehb;
pub mod differential_evolution;
pub mod dodge;
pub mod evolution;
pub mod gp_ei;
mod gp_ei_search;
pub mod grid;
pub mod harmonica;
pub mod hebo;
pub mod hoag;
pub mod hoag_rules;
pub mod hyperband;
pub mod iterdiff;
pub mod method;
pub mod random;
pub mod schedule;
pub mod smac;
pub mod smbo;
pub mod smoothie;
pub mod successive_halving;
pub mod tpe;
