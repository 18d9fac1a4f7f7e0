//! The `retune` program.
fn main() {}
