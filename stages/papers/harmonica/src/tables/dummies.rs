//! What Harmonica selects if some variables have no effect.

use kit::row::Row;
use models::polynomial::parity::Basis;

/// A selected feature.
#[derive(Row, Clone, Debug, Default)]
pub struct Selected {
    /// function and samples
    pub seed: u32,
    /// stage, from 1
    pub stage: usize,
    /// place by the size of its weight
    pub rank: usize,
    /// its variables
    pub feature: String,
    /// its weight
    pub weight: f64,
    /// how many of them do nothing
    pub dummies: usize,
    /// whether it is one dummy variable
    pub alone: bool,
    /// the share of such features among all that could be selected
    pub chance: f64,
}

/// The share of lone dummy variables among all monomials of degree 1 to `degree`; NaN if these are too
/// many to count.
pub fn dummies_among(variables: usize, dummies: usize, degree: usize) -> f64 {
    let basis = Basis::new((0..variables).collect(), degree);
    basis.map_or(f64::NAN, |basis| dummies as f64 / (basis.columns() - 1) as f64)
}
