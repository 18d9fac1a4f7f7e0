//! Solvers: L-BFGS, Newton, conjugate gradients, the inner problem, searches in a box. They are written against
//! functions, matrices and the bilevel interface, never against a model.

pub mod cg;
pub mod inner;
pub mod lbfgs;
pub mod line_search;
pub mod local_search;
pub mod newton_cg;
pub mod nsga2;
pub mod optimum;
pub mod projected_bfgs;
pub mod stop;
