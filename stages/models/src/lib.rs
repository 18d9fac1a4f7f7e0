//! Learners and surrogate models. They are independent of tuners and of data files.
//!
//! Learners: [`bilevel`] (problems with derivatives), [`linear`], [`svm`], [`neural`], [`gaussian_nb`], and
//! [`learner`], HyperTune's learners behind one interface. Surrogates: [`gp`], [`density`], [`forest`].
//! [`preprocess`] prepares rows for a learner. Without the feature `learners` the surrogates and [`polynomial`] are left,
//! which is all that tuners are built on.

#[cfg(feature = "learners")]
pub mod best_response;
#[cfg(feature = "learners")]
pub mod bilevel;
#[cfg(feature = "learners")]
pub mod curvature;
pub mod density;
pub mod forest;
#[cfg(feature = "learners")]
pub mod gaussian_nb;
pub mod gp;
#[cfg(feature = "learners")]
pub mod learner;
#[cfg(feature = "learners")]
pub mod linear;
#[cfg(feature = "learners")]
pub mod neural;
pub mod polynomial;
#[cfg(feature = "learners")]
pub mod preprocess;
#[cfg(feature = "learners")]
pub mod samples;
#[cfg(feature = "learners")]
pub mod svm;
