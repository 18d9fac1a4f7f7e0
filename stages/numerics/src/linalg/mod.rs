//! Linear algebra kernels: vectors, the design matrix (dense or sparse), small factorisations.
//!
//! Every kernel sums in a fixed order with explicit fused multiply-adds, so that its result is the same bits
//! on any processor; wider registers only make it faster.

pub mod cholesky;
pub mod csr;
pub mod dense;
pub mod design;
pub mod elementary;
pub mod mirror;
pub mod portable;
pub mod simd_dispatch;
#[cfg(feature = "lapack")]
pub mod singular;
pub mod symmetric;
pub mod symmetric_product;
mod triangular;
pub mod vector;
