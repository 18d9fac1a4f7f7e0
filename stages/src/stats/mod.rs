//! Statistics that claims are judged by. Knows no paper.

pub mod bootstrap;
pub mod order;
pub mod regression;
