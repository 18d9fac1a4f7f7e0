//! Tail probabilities of the distributions that p values come from, accurate far into the tail.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use statrs::{
    distribution::{ContinuousCDF, StudentsT},
    function::{beta::beta_reg, erf::erfc_inv, gamma::gamma_ur},
};

/// P(Z ≥ z) of a standard normal Z. Computed with `libm`, whose error function is accurate to the last
/// digits; that of `statrs` is accurate to ten.
///
/// ```
/// assert_eq!(stats::distribution::normal_sf(0.0), 0.5);
/// ```
#[must_use]
pub fn normal_sf(z: f64) -> f64 {
    0.5 * libm::erfc(z * FRAC_1_SQRT_2)
}

/// P(Z ≤ z) of a standard normal Z.
#[must_use]
pub fn normal_cdf(z: f64) -> f64 {
    normal_sf(-z)
}

/// The z such that P(Z ≤ z) = `p`; infinite at 0 and 1.
///
/// ```
/// assert!((stats::distribution::normal_quantile(0.975) - 1.959_964).abs() < 1e-6);
/// ```
#[must_use]
pub fn normal_quantile(p: f64) -> f64 {
    -SQRT_2 * erfc_inv(2.0 * p)
}

/// P(X ≥ x) of a chi-squared X with `df` degrees of freedom; NaN if `df` is 0.
///
/// ```
/// assert!((stats::distribution::chi_squared_sf(3.841_459, 1) - 0.05).abs() < 1e-6);
/// ```
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

/// P(|T| ≥ |t|) of Student's T with `df` > 0 degrees of freedom, not necessarily a whole number; NaN
/// otherwise.
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

/// P(T ≥ t) of Student's T with `df` > 0 degrees of freedom; NaN otherwise.
#[must_use]
pub fn t_sf(t: f64, df: f64) -> f64 {
    let half = 0.5 * t_two_sided(t, df);
    if t > 0.0 { half } else { 1.0 - half }
}

/// The value that Student's T with `df` > 0 degrees of freedom stays below with probability `p` in (0, 1);
/// NaN otherwise.
///
/// ```
/// assert!((stats::distribution::t_quantile(0.975, 10.0) - 2.228_139).abs() < 1e-6);
/// ```
#[must_use]
pub fn t_quantile(p: f64, df: f64) -> f64 {
    if !(p > 0.0 && p < 1.0) {
        return f64::NAN;
    }
    StudentsT::new(0.0, 1.0, df).map_or(f64::NAN, |t| t.inverse_cdf(p))
}

#[cfg(test)]
mod tests {
    use super::*;

    // The values of this module were computed with 40 digits.

    fn close(ours: f64, exact: f64, what: &str) {
        assert!((ours - exact).abs() <= 1e-12 * exact.abs(), "{what}: {ours:e} {exact:e}");
    }

    #[test]
    fn quantiles_of_students_t() {
        for (df, t) in [
            (1.0, 12.706_204_736_432_095),
            (2.0, 4.302_652_729_911_275),
            (7.0, 2.364_624_251_592_785),
            (19.0, 2.093_024_054_408_263),
        ] {
            let ours = t_quantile(0.975, df);
            assert!((ours - t).abs() <= 1e-9 * t, "{df}: {ours} {t}");
            assert!((t_sf(ours, df) - 0.025).abs() < 1e-10);
        }
        assert!(t_quantile(0.975, 0.0).is_nan() && t_quantile(1.0, 3.0).is_nan());
    }

    #[test]
    fn normal_tails() {
        for (z, p) in [
            (-8.0, 0.999_999_999_999_999_3),
            (-1.0, 0.841_344_746_068_542_9),
            (0.0, 0.5),
            (0.3, 0.382_088_577_811_047_4),
            (0.5, 0.308_537_538_725_986_9),
            (1.96, 0.024_997_895_148_220_434),
            (3.0, 0.001_349_898_031_630_094_5),
            (5.0, 2.866_515_718_791_939e-7),
            (8.0, 6.220_960_574_271_784e-16),
            (12.0, 1.776_482_112_077_679e-33),
            (20.0, 2.753_624_118_606_233_7e-89),
            (37.0, 5.725_571_222_524_577e-300),
        ] {
            close(normal_sf(z), p, &format!("{z}"));
            close(normal_cdf(-z), p, &format!("{z}"));
        }
        assert_eq!(normal_sf(f64::NEG_INFINITY), 1.0);
        assert!(normal_sf(f64::NAN).is_nan());
    }

    #[test]
    fn normal_quantiles() {
        for (p, z) in [
            (1e-10, -6.361_340_902_404_056),
            (0.001, -3.090_232_306_167_813_5),
            (0.025, -1.959_963_984_540_054_2),
            (0.3, -0.524_400_512_708_040_8),
            (0.6, 0.253_347_103_135_799_8),
            (0.975, 1.959_963_984_540_054_2),
            (0.999, 3.090_232_306_167_813_5),
        ] {
            close(normal_quantile(p), z, &format!("{p}"));
        }
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
    }

    #[test]
    fn chi_squared_tails() {
        for (x, df, p) in [
            (0.001, 1, 0.974_772_879_369_960_4),
            (0.5, 1, 0.479_500_122_186_953_5),
            (3.84, 1, 0.050_043_521_248_705_1),
            (12.0, 1, 0.000_532_005_505_139_249_7),
            (60.0, 1, 9.485_737_571_073_848e-15),
            (300.0, 1, 3.294_362_383_314_041e-67),
            (0.1, 2, 0.951_229_424_500_714),
            (25.7, 2, 2.626_128_104_876_302_5e-6),
            (200.0, 2, 3.720_075_976_020_836e-44),
            (7.0, 3, 0.071_897_772_496_465_13),
            (35.33, 6, 3.719_279_255_103_224_4e-6),
            (20.0, 23, 0.641_911_791_815_334_8),
            (100.0, 23, 1.407_872_871_272_286_3e-11),
            (80.0, 100, 0.929_664_933_340_605),
            (400.0, 100, 1.692_797_995_885_708_8e-37),
        ] {
            close(chi_squared_sf(x, df), p, &format!("{x} {df}"));
        }
        assert_eq!((chi_squared_sf(0.0, 3), chi_squared_sf(f64::INFINITY, 3)), (1.0, 0.0));
        assert!(chi_squared_sf(1.0, 0).is_nan() && chi_squared_sf(f64::NAN, 1).is_nan());
    }

    #[test]
    fn student_tails() {
        for (t, df, p) in [
            (0.0, 3.0, 1.0),
            (0.001, 5.0, 0.999_240_786_772_197_7),
            (0.5, 1.0, 0.704_832_764_699_133_5),
            (1.0, 2.0, 0.422_649_730_810_374_2),
            (0.99, 7.3, 0.353_847_247_997_496_4),
            (1.01, 7.3, 0.344_794_925_628_267_7),
            (2.0, 10.0, 0.073_388_034_770_740_37),
            (10.0, 18.0, 8.930_946_909_956_922e-9),
            (50.0, 6.0, 4.292_901_143_455_145e-9),
            (12.0, 98.0, 6.000_153_201_837_828e-21),
            (0.1, 1000.0, 0.920_364_369_023_604_1),
        ] {
            close(t_two_sided(t, df), p, &format!("{t} {df}"));
            assert_eq!(t_two_sided(-t, df), t_two_sided(t, df));
            assert!((t_sf(t, df) + t_sf(-t, df) - 1.0).abs() < 1e-15);
        }
        // With many degrees of freedom the gamma functions lose digits.
        for (t, p) in [(3.0, 0.002_706_448_189_997_666_3), (6.0, 2.041_618_472_922_615_3e-9)] {
            assert!((t_two_sided(t, 1e4) / p - 1.0).abs() < 1e-10);
        }
        assert_eq!((t_sf(f64::INFINITY, 2.0), t_sf(f64::NEG_INFINITY, 2.0)), (0.0, 1.0));
        assert!(t_sf(1.0, 0.0).is_nan() && t_sf(1.0, f64::NAN).is_nan());
    }
}
