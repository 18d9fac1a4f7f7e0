//! The exact null distribution of Mann and Whitney's U, for samples without ties.

/// If the smaller sample is larger than this, the distribution is counted exactly.
const RECURRENCE_UP_TO: usize = 8;

/// P(U ≥ `u`) for samples of `n_a` and `n_b` values. With m values in the smaller sample, takes about `m n_a n_b`
/// additions in the middle of the range and fewer towards its ends. The relative error is small in both tails.
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

/// P(U ≤ `last`) by the recurrence of \[Mann1947\] over the sample that holds the largest value, P(m, n, u) =
/// m/(m+n) P(m−1, n, u−n) + n/(m+n) P(m, n−1, u). Written in probabilities it does not overflow, and since it
/// only adds, no digits cancel.
fn at_most(n_a: usize, n_b: usize, last: usize) -> f64 {
    let (m, n) = (n_a.min(n_b), n_a.max(n_b));
    if m > RECURRENCE_UP_TO {
        return counted(m, n, last);
    }
    // P(i, j, ·) for i = 0..=m, up to `last`; with an empty sample U is 0.
    let mut rows = vec![vec![1.0]; m + 1];
    for j in 1..=n {
        for i in 1..=m {
            let (smaller, own) = {
                let (before, from) = rows.split_at_mut(i);
                (&before[i - 1], &mut from[0])
            };
            let share = i as f64 / (i + j) as f64;
            own.resize(last.min(i * j) + 1, 0.0);
            for p in own.iter_mut() {
                *p *= 1.0 - share;
            }
            // `smaller` is P(i − 1, j, ·) already: rows are replaced in rising order.
            for (p, with) in own.iter_mut().skip(j).zip(smaller) {
                *p += share * with;
            }
        }
    }
    rows[m].iter().sum()
}

/// P(U ≤ `last`) from exact counts: the numbers of arrangements with each U are the coefficients of
/// Π_{i=1..m} (1 − q^{n+i})/(1 − q^i). Each count has as many words as their sum needs; what a step subtracts too
/// early comes back, since words wrap around.
fn counted(m: usize, n: usize, last: usize) -> f64 {
    let factor = |i: usize| (n + i) as f64 / i as f64;
    // The bits of the sum after each step, and one more word.
    let needed =
        |steps: usize| (1..=steps).map(|i| factor(i).log2()).sum::<f64>() as usize / 64 + 2;
    let words = needed(m);
    let mut counts = vec![0_u64; (last + 1) * words];
    counts[0] = 1;
    for i in 1..=m {
        let (few, last) = (needed(i), last.min(n * i));
        for u in (n + i..=last).rev() {
            let (low, high) = counts.split_at_mut(u * words);
            combine(&mut high[..few], &low[(u - n - i) * words..], u64::overflowing_sub);
        }
        for u in i..=last {
            let (low, high) = counts.split_at_mut(u * words);
            combine(&mut high[..few], &low[(u - i) * words..], u64::overflowing_add);
        }
    }
    let mut below = vec![0; words];
    for count in counts.chunks(words) {
        combine(&mut below, count, u64::overflowing_add);
    }
    // Divided by the number of all arrangements, factor by factor, with an exponent: neither fits into a double.
    let word = 2.0_f64.powi(64);
    let top = below.iter().rposition(|part| *part > 0).unwrap_or(0);
    let mut p = below[..=top].iter().rev().take(3).fold(0.0, |p, part| p * word + *part as f64);
    let mut scale = top.saturating_sub(2);
    for i in 1..=m {
        p /= factor(i);
        if p < 1.0 && scale > 0 {
            (p, scale) = (p * word, scale - 1);
        }
    }
    (0..scale).fold(p, |p, _| p * word)
}

/// Adds one number to another or subtracts it, word by word from the lowest.
fn combine(to: &mut [u64], by: &[u64], with: impl Fn(u64, u64) -> (u64, bool)) {
    let mut carry = 0;
    for (to, by) in to.iter_mut().zip(by) {
        let (part, first) = with(*to, *by);
        let (whole, second) = with(part, carry);
        *to = whole;
        carry = u64::from(first | second);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exact number of arrangements with each U: the coefficients of Π_{i=1..m} (1 − q^{n+i}) / (1 −
    /// q^i).
    fn counts(m: usize, n: usize) -> Vec<i128> {
        let mut c = vec![0_i128; m * n + 1];
        c[0] = 1;
        for i in 1..=m {
            for u in (n + i..c.len()).rev() {
                c[u] -= c[u - n - i];
            }
            for u in i..c.len() {
                c[u] += c[u - i];
            }
        }
        c
    }

    #[test]
    fn agrees_with_whole_counts() {
        assert_eq!(counts(2, 3), [1, 1, 2, 2, 2, 1, 1]);
        for (m, n) in [(1, 1), (1, 9), (2, 2), (3, 7), (8, 9), (20, 20), (5, 60), (41, 37)] {
            let c = counts(m, n);
            let total = c.iter().sum::<i128>() as f64;
            let mut above = 0;
            for u in (0..c.len()).rev() {
                above += c[u];
                let exact = above as f64 / total;
                for (a, b) in [(m, n), (n, m)] {
                    let ours = upper_tail(a, b, u);
                    assert!((ours - exact).abs() <= 1e-13 * exact, "{m} {n} {u}: {ours} {exact}");
                }
            }
            assert_eq!(upper_tail(m, n, m * n + 1), 0.0);
        }
    }

    #[test]
    fn large_samples_are_quick() {
        // The most extreme of all arrangements, 1 of 2.7e299, and the middle.
        let extreme = upper_tail(500, 500, 250_000);
        assert!((extreme.log10() + 299.431_827).abs() < 1e-6, "{}", extreme.log10());
        let p = upper_tail(301, 301, 45_301);
        assert!((p - 0.5).abs() < 1e-12, "{p}");
    }

    #[test]
    fn unequal_samples_keep_the_middle() {
        // With an odd number of pairs the distribution is symmetric about a half: a U above half of all pairs
        // has probability ½.
        let p = upper_tail(1501, 21, (1501 * 21_usize).div_ceil(2));
        assert!((p - 0.5).abs() < 1e-12, "{p}");
    }
}
