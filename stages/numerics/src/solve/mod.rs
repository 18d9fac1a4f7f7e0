//! Solvers. They know functions, matrices and the bilevel interface, never a model.

pub mod boxed;
pub mod cg;
pub mod climb;
pub mod inner;
pub mod lbfgs;
pub mod line_search;
pub mod nsga2;
pub mod optimum;
pub mod stop;
