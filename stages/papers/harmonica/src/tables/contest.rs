//! Harmonica-1 against its rivals on synthetic functions.

use kit::row::Row;

/// A method on a function.
#[derive(Row, Clone, Debug, Default)]
pub struct Played {
    /// optimiser
    pub method: String,
    /// function
    pub seed: u32,
    /// evaluations of any cost
    pub evaluations: usize,
    /// their cost, in full evaluations
    pub cost: f64,
    /// the lowest full evaluation
    pub observed: f64,
    /// the function there without noise
    pub value: f64,
    /// value above the lowest that any method chose on this function
    pub regret: f64,
}
