//! Linear algebra, solvers, search spaces, and the interface of bilevel problems.
//!
//! Independent of models and tuners. Sums have a fixed order, so that a result is the same bits at any
//! number of threads and any register width.

pub mod linalg;
pub mod problem;
pub mod solve;
pub mod space;
