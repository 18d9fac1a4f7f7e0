//! Tails of the distributions that p values come from, exact far out. Knows no test.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use statrs::function::{
    beta::beta_reg,
    erf::{erfc, erfc_inv},
    gamma::gamma_ur,
};

/// P(Z ≥ z) of a standard normal Z.
#[must_use]
pub fn normal_sf(z: f64) -> f64 {
    0.5 * erfc(z * FRAC_1_SQRT_2)
}

/// P(Z ≤ z) of a standard normal Z.
#[must_use]
pub fn normal_cdf(z: f64) -> f64 {
    normal_sf(-z)
}

/// The z with P(Z ≤ z) = `p`; infinite at 0 and 1.
#[must_use]
pub fn normal_quantile(p: f64) -> f64 {
    -SQRT_2 * erfc_inv(2.0 * p)
}

/// P(X ≥ x) of a chi-squared X with `df` degrees of freedom; NaN for none.
#[must_use]
pub fn chi_squared_sf(x: f64, df: usize) -> f64 {
    if df == 0 || x.is_nan() {
        return f64::NAN;
    }
    if x <= 0.0 {
        return 1.0;
    }
    if x == f64::INFINITY {
        return 0.0;
    }
    gamma_ur(0.5 * df as f64, 0.5 * x)
}

/// P(|T| ≥ |t|) of Student's T with `df` > 0 degrees of freedom, not necessarily a whole number;
/// NaN for others.
#[must_use]
pub fn t_two_sided(t: f64, df: f64) -> f64 {
    if t.is_nan() || !(df.is_finite() && df > 0.0) {
        return f64::NAN;
    }
    let square = t * t;
    if square == f64::INFINITY {
        return 0.0;
    }
    // The argument of the incomplete beta function and its complement are both quotients, so that
    // neither is a difference near 1; the first form holds the far tail to its leading digits.
    if square > 1.0 {
        beta_reg(0.5 * df, 0.5, df / (df + square))
    } else {
        1.0 - beta_reg(0.5, 0.5 * df, square / (df + square))
    }
}

/// P(T ≥ t) of Student's T with `df` > 0 degrees of freedom; NaN for others.
#[must_use]
pub fn t_sf(t: f64, df: f64) -> f64 {
    let half = 0.5 * t_two_sided(t, df);
    if t > 0.0 { half } else { 1.0 - half }
}
