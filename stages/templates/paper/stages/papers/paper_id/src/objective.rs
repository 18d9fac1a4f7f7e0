//! The objective that is tuned: Branin's function. Replace it by the paper's own problem.

use std::f64::consts::PI;

use numerics::space::{Bounds, Space};

/// Its name in tables.
pub const NAME: &str = "branin";

/// The hyper-parameters, x0 and x1.
#[must_use]
pub fn space() -> Space {
    Bounds::new(vec![-5.0, 0.0], vec![10.0, 15.0]).expect("two intervals").into()
}

/// The loss of a configuration; its minimum is 0.397887…, at three points:
/// ```
/// assert!((paper_id::objective::loss(&[std::f64::consts::PI, 2.275]) - 0.397_887_358).abs() < 1e-9);
/// ```
#[must_use]
pub fn loss(config: &[f64]) -> f64 {
    let (x, y) = (config[0], config[1]);
    let valley = y - 5.1 * x * x / (4.0 * PI * PI) + 5.0 * x / PI - 6.0;
    valley * valley + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x.cos() + 10.0
}
