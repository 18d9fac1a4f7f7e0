//! Best responses: how the weights that minimise a training loss f(λ, w) depend on the hyper-parameters λ,
//! exactly where that is known, and as a small parametric map `ŵ_φ(λ)` fitted around one λ \[MacKay2019\]
//! secs. 2 and 3. All computations are in double precision and without tensors.
//!
//! Shapes: λ has length n, w has length m.

mod fit;
mod forms;
mod gated;
mod neighbourhood;
mod quadratic;
mod shrinkage;

pub use fit::{Descent, Sampling, conjugate_fit, descend, expected, sampled_fit};
pub use forms::{Affine, Form, Gate};
pub use gated::{GatedNetwork, NotOfFullRank, ridge};
pub use neighbourhood::Neighbourhood;
pub use quadratic::Quadratic;
pub use shrinkage::Shrinkage;

/// A training loss f(λ, w).
pub trait Lower {
    /// The number of hyper-parameters n.
    fn hypers(&self) -> usize;
    /// The number of weights m.
    fn weights(&self) -> usize;
    /// f(λ, w); writes ∂f/∂w (length m) to `gradient`.
    fn value(&self, lambda: &[f64], w: &[f64], gradient: &mut [f64]) -> f64;
}
