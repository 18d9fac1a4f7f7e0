//! The stages that check the theory, one kind per file.

pub mod gated;
pub mod neighbourhood;
pub mod quadratic;
