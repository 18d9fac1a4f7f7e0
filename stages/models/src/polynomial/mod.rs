//! Sparse polynomials over ±1 variables and their recovery \[Hazan2018\].

pub mod lasso;
pub mod parity;
pub mod sparse_parity;
