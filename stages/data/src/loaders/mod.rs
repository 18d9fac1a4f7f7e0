//! Loaders turn files with pinned content into [`Loaded`](super::Loaded), [`Images`](super::Images), a
//! [`Corpus`](super::Corpus), a [`Benchmark`](super::Benchmark) or
//! [`LearningCurves`](super::LearningCurves). Each reads one format, wherever the files came from.
//!
//! **Invariant**: no loader panics on any input, and none accepts a value that is not finite: the error names
//! file, line and column.

pub mod cifar;
pub mod hpo_tables;
pub mod issue_lifetime;
pub mod jira;
pub mod kjv;
pub mod lcdb;
pub mod mnist;
pub mod news20;
pub mod numbers;
pub mod parkinsons;
pub mod pickle;
pub mod promise;
pub mod ptb;
mod records;
pub mod sklearn;
pub mod svmlight;
pub mod tfidf;
pub mod uci;
pub mod warnings;
