//! The alternative hypothesis of a test: which departures from the null hypothesis it looks for.

/// How the first sample is suspected to differ from the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternative {
    /// Larger or smaller.
    TwoSided,
    /// Larger.
    Greater,
    /// Smaller.
    Less,
}

impl Alternative {
    /// The p value from the probabilities of a statistic at least as large (`upper`) and at least
    /// as small (`lower`) as the one observed. Two-sided is twice the smaller, at most 1.
    #[must_use]
    pub fn p(self, upper: f64, lower: f64) -> f64 {
        let p = match self {
            Self::TwoSided => 2.0 * if upper < lower { upper } else { lower },
            Self::Greater => upper,
            Self::Less => lower,
        };
        // `min` is not used, since it would turn an undefined p into 1.
        if p > 1.0 { 1.0 } else { p }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_sided_p_doubles_the_smaller_tail() {
        assert_eq!(Alternative::TwoSided.p(0.2, 0.9), 0.4);
        assert_eq!(Alternative::TwoSided.p(0.6, 0.7), 1.0);
        assert_eq!(Alternative::Greater.p(0.2, 0.9), 0.2);
        assert_eq!(Alternative::Less.p(0.2, 0.9), 0.9);
        assert!(Alternative::TwoSided.p(f64::NAN, f64::NAN).is_nan());
    }
}
