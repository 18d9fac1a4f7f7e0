//! Power transforms that make a sample more normal \[Box1964\], \[Yeo2000\], with the exponent chosen by
//! maximum likelihood.

/// The family of transforms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// (xᵖ − 1)/p of positive values.
    BoxCox,
    /// Box–Cox of x + 1, and mirrored with 2 − p for negative values.
    YeoJohnson,
}

/// (xᵖ − 1)/p of x > 0 in a form that is exact for small p.
fn power(x: f64, p: f64) -> f64 {
    if p == 0.0 { x.ln() } else { (p * x.ln()).exp_m1() / p }
}

impl Family {
    /// The transformed value with exponent p; x > 0 for Box–Cox.
    pub fn apply(self, x: f64, p: f64) -> f64 {
        match self {
            Self::BoxCox => power(x, p),
            Self::YeoJohnson if x >= 0.0 => power(1.0 + x, p),
            Self::YeoJohnson => -power(1.0 - x, 2.0 - p),
        }
    }

    /// ln of the likelihood of exponent p for a normal sample, without constants.
    pub fn log_likelihood(self, values: &[f64], p: f64) -> f64 {
        let n = values.len() as f64;
        let t: Vec<f64> = values.iter().map(|&x| self.apply(x, p)).collect();
        let (_, variance) = moments(&t);
        let jacobian: f64 = match self {
            Self::BoxCox => values.iter().map(|x| x.ln()).sum(),
            Self::YeoJohnson => values.iter().map(|x| x.signum() * x.abs().ln_1p()).sum(),
        };
        -0.5 * n * variance.ln() + (p - 1.0) * jacobian
    }

    /// The exponent with the largest likelihood in [−5, 5], by golden-section search.
    pub fn exponent(self, values: &[f64]) -> f64 {
        let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
        let value = |p: f64| self.log_likelihood(values, p);
        let (mut low, mut high) = (-5.0, 5.0);
        let (mut a, mut b) = (high - golden * (high - low), low + golden * (high - low));
        let (mut at_a, mut at_b) = (value(a), value(b));
        for _ in 0..60 {
            if at_a >= at_b {
                (high, b, at_b) = (b, a, at_a);
                a = high - golden * (high - low);
                at_a = value(a);
            } else {
                (low, a, at_a) = (a, b, at_b);
                b = low + golden * (high - low);
                at_b = value(b);
            }
        }
        0.5 * (low + high)
    }
}

/// Mean and population variance.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n)
}

/// Values divided by their standard deviation, transformed by Box–Cox if all are positive and otherwise by
/// Yeo–Johnson, then standardised. If that fails (all equal, or not finite), the standardised values, or the
/// values themselves.
pub fn normalised(values: &[f64]) -> Vec<f64> {
    let deviation = moments(values).1.sqrt();
    let usable = deviation > 0.0 && deviation.is_finite();
    if !usable {
        return values.to_vec();
    }
    let scaled: Vec<f64> = values.iter().map(|v| v / deviation).collect();
    let positive = scaled.iter().all(|v| *v > 0.0);
    let family = if positive { Family::BoxCox } else { Family::YeoJohnson };
    let p = family.exponent(&scaled);
    let transformed: Vec<f64> = scaled.iter().map(|&v| family.apply(v, p)).collect();
    standardised(&transformed).or_else(|| standardised(values)).unwrap_or_else(|| values.to_vec())
}

/// The values with mean 0 and standard deviation 1; `None` if their standard deviation is 0.
fn standardised(values: &[f64]) -> Option<Vec<f64>> {
    let (mean, variance) = moments(values);
    let all: Vec<f64> = values.iter().map(|v| (v - mean) / variance.sqrt()).collect();
    all.iter().all(|v| v.is_finite()).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSITIVE: [f64; 8] = [0.1, 0.4, 0.5, 1.0, 1.7, 2.2, 5.0, 19.0];
    const MIXED: [f64; 8] = [-3.0, -1.1, -0.2, 0.0, 0.3, 1.5, 6.0, 20.0];

    #[test]
    fn reference_values() {
        // scipy 1.17.1: boxcox_llf, yeojohnson_llf at 0.3, boxcox_normmax(mle), yeojohnson_normmax.
        let close = |a: f64, b: f64, by: f64| assert!((a - b).abs() < by, "{a} {b}");
        close(Family::BoxCox.log_likelihood(&POSITIVE, 0.3), -6.4158100908725, 1e-10);
        close(Family::YeoJohnson.log_likelihood(&MIXED, 0.3), -11.1693745011400, 1e-10);
        close(Family::BoxCox.exponent(&POSITIVE), -0.0356500629970, 1e-6);
        close(Family::YeoJohnson.exponent(&MIXED), 0.3745374070692, 1e-6);
        close(Family::YeoJohnson.apply(-3.0, 2.0), -(4.0_f64.ln()), 1e-15);
        close(Family::BoxCox.apply(4.0, 0.5), 2.0, 1e-15);
    }

    #[test]
    fn the_order_stays_and_constants_survive() {
        for values in [POSITIVE, MIXED] {
            let t = normalised(&values);
            assert!(t.windows(2).all(|w| w[0] < w[1]), "{t:?}");
            let (mean, variance) = moments(&t);
            assert!(mean.abs() < 1e-12 && (variance - 1.0).abs() < 1e-12);
        }
        assert_eq!(normalised(&[2.0, 2.0]), [2.0, 2.0]);
    }
}
