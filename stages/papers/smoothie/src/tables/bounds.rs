//! The theorems' bounds with the true second derivatives.

use std::borrow::Cow;

use kit::row::Row;

/// A random case of a theorem.
#[derive(Row, Clone, Debug)]
pub struct Case {
    /// what bounds
    pub theorem: Cow<'static, str>,
    /// what the supremum is over: the norm of batches of rows, of all rows, of single rows
    pub norm: Cow<'static, str>,
    /// the claim rests on it; what does not is shown beside
    pub decides: bool,
    /// random case
    pub case: u32,
    /// m
    pub rows: usize,
    /// k
    pub classes: usize,
    /// β of the theorem, its constant taken as 1 or as in the proof
    pub bound: f64,
    /// spectral norm of the true Hessian (naive Bayes: Frobenius)
    pub exact: f64,
    /// what λ/2‖W‖² adds to it, over λ; NaN where there are no weights
    pub ridge: f64,
}
