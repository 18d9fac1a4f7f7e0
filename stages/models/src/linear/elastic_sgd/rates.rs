//! How far an update moves the weights.

use super::ElasticSgd;

/// The learning rates of a fit.
pub(super) struct Rates<'a> {
    settings: &'a ElasticSgd,
    /// t₀.
    first: f64,
}

impl<'a> Rates<'a> {
    #[inline(always)]
    pub(super) fn new(settings: &'a ElasticSgd) -> Self {
        Self { settings, first: settings.alpha.sqrt().sqrt() / settings.alpha }
    }

    /// The rate η of update `t`, and what it leaves of each weight for its L2 penalty.
    #[inline(always)]
    pub(super) fn at(&self, t: u64) -> (f64, f64) {
        let ElasticSgd { alpha, l1_ratio, .. } = *self.settings;
        let rate = 1.0 / (alpha * (self.first + t as f64));
        (rate, (1.0 - (1.0 - l1_ratio) * rate * alpha).max(0.0))
    }
}
