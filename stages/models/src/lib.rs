//! Learners and surrogate models. They are independent of tuners and of data files.
//!
//! Learners: [`bilevel`] (problems with derivatives), [`linear`], [`svm`], [`neural`], [`gaussian_nb`], and
//! [`learner`], HyperTune's learners behind one interface. Surrogates: [`gp`], [`density`], [`forest`].
//! [`preprocess`] prepares rows for a learner.

pub mod best_response;
pub mod bilevel;
pub mod curvature;
pub mod density;
pub mod forest;
pub mod gaussian_nb;
pub mod gp;
pub mod learner;
pub mod linear;
pub mod neural;
pub mod polynomial;
pub mod preprocess;
pub mod samples;
pub mod svm;
