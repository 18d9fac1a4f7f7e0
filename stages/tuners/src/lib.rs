//! Hyper-parameter optimisers, one per file, behind the interfaces of [`tuner`].
//!
//! `gradient` (a feature) follows hypergradients, [`bayesian`] models losses, [`multi_fidelity`] spends growing
//! budgets; [`method`] has the black-box tuners by name, and [`minimise`](minimise::minimise) runs one on a
//! user-defined loss.

pub mod bayesian;
pub mod cma_es;
pub mod differential_evolution;
pub mod dodge;
pub mod evolution;
#[cfg(feature = "gradient")]
pub mod gradient;
pub mod grid;
pub mod harmonica;
pub mod method;
pub mod minimise;
pub mod multi_fidelity;
pub mod population_based;
pub mod random;
pub mod rounds;
pub mod smoothie;
pub mod sobol;
pub mod study;
pub mod tuner;

pub use numerics::space;
