//! Computes ranks, with mid-ranks for ties.

/// The ranks of some values.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    /// 1 for the smallest; equal values share the mean of the ranks that they occupy. All NaN if a value is
    /// NaN, which makes every statistic of them NaN.
    pub ranks: Vec<f64>,
    /// Σ (t³ − t) over groups of t equal values: 0 without ties. NaN if a value is NaN.
    pub tie_sum: f64,
}

impl Ranks {
    /// Whether two values are equal.
    #[must_use]
    pub fn has_ties(&self) -> bool {
        self.tie_sum > 0.0
    }
}

/// Ranks `values`.
///
/// ```
/// assert_eq!(stats::rank_tests::ranks::ranks(&[10.0, 20.0, 20.0]).ranks, [1.0, 2.5, 2.5]);
/// ```
#[must_use]
pub fn ranks(values: &[f64]) -> Ranks {
    if values.iter().any(|v| v.is_nan()) {
        return Ranks { ranks: vec![f64::NAN; values.len()], tie_sum: f64::NAN };
    }
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    let (mut tie_sum, mut before) = (0.0, 0);
    // Compared by `==`, under which the two zeros are equal.
    for equal in order.chunk_by(|&i, &j| values[i] == values[j]) {
        let t = equal.len() as f64;
        for &i in equal {
            ranks[i] = before as f64 + 0.5 * (t + 1.0);
        }
        tie_sum += t * t * t - t;
        before += equal.len();
    }
    Ranks { ranks, tie_sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_the_mean_of_their_places() {
        let r = ranks(&[2.0, -1.0, 2.0, 0.0, -0.0, 2.0]);
        assert_eq!(r.ranks, [5.0, 1.0, 5.0, 2.5, 2.5, 5.0]);
        assert_eq!(r.tie_sum, 24.0 + 6.0);
        assert!(!ranks(&[f64::INFINITY, 1.0, f64::NEG_INFINITY]).has_ties());
        assert!(ranks(&[]).ranks.is_empty());
    }

    #[test]
    fn nan_ranks_nothing() {
        let r = ranks(&[1.0, f64::NAN]);
        assert!(r.ranks.iter().all(|v| v.is_nan()) && r.tie_sum.is_nan() && !r.has_ties());
    }
}
