//! The exact null distribution of Mann and Whitney's U, for samples without ties.

/// P(U ≥ `u`) for samples of `n_a` and `n_b` values. Takes min(n_a, n_b)² · max(n_a, n_b) steps at
/// most. Accurate relative to itself in both tails.
#[must_use]
pub fn upper_tail(n_a: usize, n_b: usize, u: usize) -> f64 {
    let all = n_a * n_b;
    if u > all {
        return 0.0;
    }
    // U and n_a n_b − U have the same distribution.
    if 2 * u > all {
        at_most(n_a, n_b, all - u)
    } else if u == 0 {
        1.0
    } else {
        1.0 - at_most(n_a, n_b, u - 1)
    }
}

/// P(U ≤ `last`), for `last` up to the middle of the range.
///
/// The arrangements with U = u are the coefficients of Π_{i=1..m} (1 − q^{n+i}) / (1 − q^i), the
/// generating function of the counting recurrence of \[Mann1947\]. Up to the middle the
/// coefficients rise with u and with the number of factors, so the subtraction never loses more
/// than the last digits of what is kept. Divided by its total after each factor, each product is a
/// distribution, and nothing overflows.
fn at_most(n_a: usize, n_b: usize, last: usize) -> f64 {
    let (few, many) = (n_a.min(n_b), n_a.max(n_b));
    let mut p = vec![0.0; last + 1];
    p[0] = 1.0;
    for i in 1..=few {
        for u in (many + i..=last).rev() {
            p[u] -= p[u - many - i];
        }
        for u in i..=last {
            p[u] += p[u - i];
        }
        let share = i as f64 / (many + i) as f64;
        p.iter_mut().for_each(|v| *v *= share);
    }
    p.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The recurrence itself, P(m, n, u) = m/(m+n) P(m−1, n, u−n) + n/(m+n) P(m, n−1, u), which
    /// only adds.
    fn by_recurrence(m: usize, n: usize) -> Vec<f64> {
        let mut rows: Vec<Vec<f64>> = vec![vec![1.0]; m + 1];
        for j in 1..=n {
            let mut next: Vec<Vec<f64>> = vec![vec![1.0]];
            for i in 1..=m {
                let total = (i + j) as f64;
                let mut p = vec![0.0; i * j + 1];
                for (u, v) in next[i - 1].iter().enumerate() {
                    p[u + j] += v * i as f64 / total;
                }
                for (u, v) in rows[i].iter().enumerate() {
                    p[u] += v * j as f64 / total;
                }
                next.push(p);
            }
            rows = next;
        }
        rows.pop().unwrap()
    }

    #[test]
    fn agrees_with_the_additive_recurrence() {
        for (m, n) in [(1, 1), (1, 9), (2, 2), (3, 7), (8, 9), (20, 20), (5, 60), (41, 37)] {
            let p = by_recurrence(m, n);
            assert_eq!(p.len(), m * n + 1);
            let mut tail = 0.0;
            for u in (0..p.len()).rev() {
                tail += p[u];
                for (a, b) in [(m, n), (n, m)] {
                    let ours = upper_tail(a, b, u);
                    assert!((ours - tail).abs() <= 1e-12 * tail, "{m} {n} {u}: {ours} {tail}");
                }
            }
            assert_eq!(upper_tail(m, n, m * n + 1), 0.0);
        }
    }

    #[test]
    fn large_samples_neither_overflow_nor_lose_the_middle() {
        // n_a n_b is odd: the distribution is symmetric about a half.
        let p = upper_tail(801, 701, (801 * 701_usize).div_ceil(2));
        assert!((p - 0.5).abs() < 1e-10, "{p}");
    }
}
