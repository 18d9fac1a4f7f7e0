//! The stages that check the theory, one kind a file.

pub mod gated;
pub mod neighbourhood;
pub mod quadratic;
