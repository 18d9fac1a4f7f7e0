//! Random sparse polynomials, and what was recovered.

use kit::row::Row;

/// One polynomial.
#[derive(Row, Clone, Debug, Default)]
pub struct Recovered {
    /// random polynomial
    pub instance: u32,
    /// its smallest weight in size
    pub smallest: f64,
    /// of its terms, how many are selected
    pub found: usize,
    /// whether exactly these are
    pub support: bool,
    /// its minimum
    pub lowest: f64,
    /// its value at the minimiser of what was recovered
    pub reached: f64,
}
