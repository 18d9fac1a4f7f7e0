//! What reversing an inner solve gives.

use std::ops::Range;

/// The gradient norm, as a share of that at the origin, at which an inner solve has converged: nothing is left to
/// differentiate.
pub(super) const CONVERGED: f64 = 1e-12;

/// The loss at the end of an inner solve with its derivative through it.
#[derive(Debug, Clone, PartialEq)]
pub struct Unrolled {
    /// `g(x_T)`.
    pub value: f64,
    /// `dg(x_T)/dλ`, length s.
    pub hypergradient: Vec<f64>,
    /// Inner iterations.
    pub iterations: usize,
    /// What counts as constant of them; empty where nothing does.
    pub path: Path,
}

/// The iterations x' = x − αH∇₁h(x, λ) of a solve, each with the correction pair that it left.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Path {
    pub(super) iterations: Vec<Iteration>,
    pub(super) pairs: Vec<Pair>,
}

/// One iteration: the length α, and the pairs that H is made of.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Iteration {
    pub length: f64,
    pub used: Range<usize>,
}

/// A correction pair s = Δx, y = Δ∇ with ρ = 1/sᵀy, or ρ = 0 where that is too small to be trusted: such a pair is left
/// out, as in the solver.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pair {
    pub s: Vec<f64>,
    pub y: Vec<f64>,
    pub rho: f64,
}
