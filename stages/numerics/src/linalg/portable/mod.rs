//! Small factorisations without LAPACK, for programs that do not link it: always compiled, and used where the
//! feature `lapack` is off.
//!
//! Every sum has a fixed order, so a factor is the same bits on any processor.
//! It is not LAPACK's to the last bit.

pub mod cholesky;
pub mod tridiagonal;
