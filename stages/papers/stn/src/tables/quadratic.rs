//! Affine maps fitted to random quadratic losses.

use std::borrow::Cow;

use kit::row::Row;

/// One fit.
#[derive(Row, Clone, Debug, Default)]
pub struct QuadraticRow {
    /// hyper-parameters n
    pub hypers: usize,
    /// weights m
    pub weights: usize,
    /// random loss
    pub seed: u32,
    /// how the expectation is taken
    pub fit: Cow<'static, str>,
    /// distance of the fitted Jacobian from the exact one over the length of this
    pub error: f64,
    /// iterations
    pub steps: u32,
    /// why they ended
    pub ended: Cow<'static, str>,
}
