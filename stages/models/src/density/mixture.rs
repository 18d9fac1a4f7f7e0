//! Shared parts of mixtures of kernels: weights by age, drawing a component, the logarithm of a sum.

/// Weights of n points, the oldest first; not normalised. The last `flat` points count fully, older
/// ones from 1/n linearly up to 1; a single older one counts 1/n.
///
/// ```
/// use models::density::mixture::recency_weights;
///
/// assert_eq!(recency_weights(3, 25), [1.0; 3]);
/// assert_eq!(recency_weights(4, 1), [0.25, 0.625, 1.0, 1.0]);
/// ```
pub fn recency_weights(n: usize, flat: usize) -> Vec<f64> {
    let old = n.saturating_sub(flat);
    let ramp = |i: usize| {
        let step = if old > 1 { i as f64 / (old - 1) as f64 } else { 0.0 };
        (1.0 - 1.0 / n as f64).mul_add(step, 1.0 / n as f64)
    };
    (0..n).map(|i| if i < old { ramp(i) } else { 1.0 }).collect()
}

/// The component on which `at`, uniform below the weights' sum, falls; there must be at least one weight.
pub(crate) fn pick(weights: impl ExactSizeIterator<Item = f64>, mut at: f64) -> usize {
    let last = weights.len() - 1;
    for (i, w) in weights.enumerate() {
        at -= w;
        if at < 0.0 {
            return i;
        }
    }
    last
}

/// ln Σ eˣ without overflow; −∞ for an empty sum, NaN if a term is NaN.
///
/// ```
/// use models::density::mixture::ln_sum_exp;
///
/// let (ln2, far) = (2.0_f64.ln(), -1e4);
/// assert!((ln_sum_exp(&[far, far]) - (far + ln2)).abs() < 1e-11);
/// assert_eq!(ln_sum_exp(&[f64::NEG_INFINITY; 2]), f64::NEG_INFINITY);
/// assert!(ln_sum_exp(&[0.0, f64::NAN]).is_nan());
/// ```
pub fn ln_sum_exp(terms: &[f64]) -> f64 {
    let top = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if terms.iter().any(|x| x.is_nan()) {
        f64::NAN
    } else if top.is_infinite() {
        top
    } else {
        top + terms.iter().map(|x| (x - top).exp()).sum::<f64>().ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_ramp_up_to_the_last_25() {
        assert_eq!(recency_weights(0, 25), Vec::<f64>::new());
        assert_eq!(recency_weights(25, 25), [1.0; 25]);
        let w = recency_weights(27, 25);
        assert!((w[0] - 1.0 / 27.0).abs() < 1e-15 && w.len() == 27);
        assert_eq!(recency_weights(26, 25)[..2], [1.0 / 26.0, 1.0]);
        let w = recency_weights(28, 25);
        assert!((w[0] - 1.0 / 28.0).abs() < 1e-15 && (w[1] - 29.0 / 56.0).abs() < 1e-15);
        assert!(w[2..].iter().all(|v| (v - 1.0).abs() < 1e-15) && w.len() == 28);
    }

    #[test]
    fn what_is_picked_has_the_weight() {
        let at = |at| pick([0.5, 0.0, 0.25].into_iter(), at);
        assert_eq!([at(0.0), at(0.49), at(0.5), at(0.74), at(0.76)], [0, 0, 2, 2, 2]);
    }
}
