//! What a sample says about the whole: how large the share of wrong results can be if a given number of the checked
//! ones is wrong. Exact for a binomial count (one-sided Clopper–Pearson bound); for draws without replacement it is
//! conservative.

/// The confidence level of the bounds.
pub const LEVEL: f64 = 0.95;

/// The least share at which as few as `wrong` of `drawn` would come up with a probability of at most 5 %.
#[must_use]
pub fn at_most(wrong: usize, drawn: usize) -> f64 {
    if wrong >= drawn {
        return 1.0;
    }
    // The probability falls as the share grows: bisect the interval until its ends are neighbouring numbers.
    let (mut low, mut high) = (0.0, 1.0);
    loop {
        let share = f64::midpoint(low, high);
        if share <= low || share >= high {
            return high;
        }
        if as_few(wrong, drawn, share) > 1.0 - LEVEL {
            low = share;
        } else {
            high = share;
        }
    }
}

/// The probability of at most `wrong` among `drawn` when each is wrong with probability `share`.
fn as_few(wrong: usize, drawn: usize, share: f64) -> f64 {
    let odds = share.ln() - (-share).ln_1p();
    let mut term = drawn as f64 * (-share).ln_1p(); // the logarithm of the term for none wrong
    let mut sum = term.exp();
    for i in 0..wrong {
        term += ((drawn - i) as f64 / (i + 1) as f64).ln() + odds;
        sum += term.exp();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_wrong_has_the_bound_in_closed_form() {
        for drawn in [1, 2, 10, 40, 1000, 100_000] {
            let exact = 1.0 - 0.05_f64.powf(1.0 / f64::from(drawn));
            let found = at_most(0, usize::try_from(drawn).unwrap());
            assert!((found - exact).abs() < 1e-12, "{drawn}: {found} is not {exact}");
        }
    }

    #[test]
    fn other_bounds_are_those_solved_elsewhere() {
        // Computed with integer binomial coefficients.
        for (wrong, drawn, bound) in
            [(1, 10, 0.394163302), (2, 20, 0.282618525), (5, 40, 0.245030513), (9, 10, 0.994883803)]
        {
            let found = at_most(wrong, drawn);
            assert!((found - bound).abs() < 1e-8, "{wrong} of {drawn}: {found} is not {bound}");
        }
        assert_eq!(at_most(3, 3), 1.0);
        assert_eq!(at_most(0, 0), 1.0, "who has looked at nothing knows nothing");
    }
}
