//! Splits rows into parts. Works on row numbers and classes, not on data.

use std::{cmp::Reverse, num::NonZeroUsize};

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::Rng;

/// Rows of the three parts of \[Pedregosa2016\] §5, each ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thirds {
    /// The rows of the inner problem.
    pub train: Vec<usize>,
    /// The rows of the outer objective.
    pub test: Vec<usize>,
    /// The rows that measure the generalisation of the chosen hyper-parameters.
    pub validation: Vec<usize>,
}

/// Rows of a training part and a test part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The training rows.
    pub train: Vec<usize>,
    /// The test rows.
    pub test: Vec<usize>,
}

impl Rows {
    /// The last `test` of the rows `0..n` are the test part (all of them if there are fewer).
    #[must_use]
    pub fn last(n: usize, test: usize) -> Self {
        let cut = n.saturating_sub(test);
        Self { train: (0..cut).collect(), test: (cut..n).collect() }
    }

    /// `test` rows of `0..n`, drawn at random, are the test part (all, if there are fewer). Both
    /// parts ascending.
    #[must_use]
    pub fn drawn(n: usize, test: usize, rng: &mut ChaCha12Rng) -> Self {
        let order = permutation(n, rng);
        let (drawn, rest) = order.split_at(test.min(n));
        let ascending = |rows: &[usize]| {
            let mut rows = rows.to_vec();
            rows.sort_unstable();
            rows
        };
        Self { train: ascending(rest), test: ascending(drawn) }
    }
}

/// `count` of the rows `0..n`, drawn at random, ascending. If there are no more rows, all of them, without a
/// draw.
#[must_use]
pub fn sample(n: usize, count: usize, rng: &mut ChaCha12Rng) -> Vec<usize> {
    if count >= n { (0..n).collect() } else { Rows::drawn(n, count, rng).test }
}

/// n/k rounded up: the size that scikit-learn gives a test part of one k-th, such as a fifth
/// (k = 5) or a quarter (k = 4).
#[must_use]
pub fn share_up(n: usize, k: NonZeroUsize) -> usize {
    n.div_ceil(k.get())
}

/// n/k rounded to the nearest, a half upwards.
#[must_use]
pub fn share_nearest(n: usize, k: NonZeroUsize) -> usize {
    let rest = n % k;
    n / k + usize::from(rest >= k.get() - rest)
}

/// Distributes rows `0..n` at random over `k` parts, each ascending. Sizes differ by at most one,
/// the larger parts first.
#[must_use]
pub fn parts(n: usize, k: NonZeroUsize, rng: &mut ChaCha12Rng) -> Vec<Vec<usize>> {
    let order = permutation(n, rng);
    let mut rest = order.as_slice();
    (0..k.get())
        .map(|part| {
            let size = n / k + usize::from(part < n % k);
            let (mine, others) = rest.split_at(size);
            rest = others;
            let mut rows = mine.to_vec();
            rows.sort_unstable();
            rows
        })
        .collect()
}

/// `count` of the rows `0..labels.len()`, drawn at random such that each class keeps its share
/// (rounded by the largest remainder, lower classes first); ascending. All rows, if there are no
/// more.
///
/// ```
/// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
///
/// let labels = [0, 0, 0, 0, 0, 0, 1, 1, 1];
/// let rows = data::split::stratified(&labels, 3, &mut ChaCha12Rng::seed_from_u64(1));
/// assert_eq!(rows.iter().filter(|row| labels[**row] == 1).count(), 1);
/// ```
#[must_use]
pub fn stratified(labels: &[u8], count: usize, rng: &mut ChaCha12Rng) -> Vec<usize> {
    let n = labels.len();
    if count >= n {
        return (0..n).collect();
    }
    let mut sizes = [0; 256];
    for &label in labels {
        sizes[usize::from(label)] += 1;
    }
    let mut quota = sizes.map(|size| count * size / n);
    let mut by_rest: Vec<usize> = (0..sizes.len()).collect();
    by_rest.sort_by_key(|&class| Reverse(count * sizes[class] % n));
    let missing = count - quota.iter().sum::<usize>();
    by_rest[..missing].iter().for_each(|&class| quota[class] += 1);
    let mut rows = permutation(n, rng);
    rows.retain(|&row| {
        let left = &mut quota[usize::from(labels[row])];
        let take = *left > 0;
        *left -= usize::from(take);
        take
    });
    rows.sort_unstable();
    rows
}

/// Distributes rows `0..n` at random over three equal parts.
///
/// ```
/// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
///
/// let parts = data::split::thirds(10, &mut ChaCha12Rng::seed_from_u64(1));
/// assert_eq!((parts.train.len(), parts.test.len(), parts.validation.len()), (4, 3, 3));
/// let mut rows = [parts.train, parts.test, parts.validation].concat();
/// rows.sort_unstable();
/// assert!(rows.into_iter().eq(0..10));
/// ```
#[must_use]
pub fn thirds(n: usize, rng: &mut ChaCha12Rng) -> Thirds {
    let three = const { NonZeroUsize::new(3).unwrap() };
    let mut rows = parts(n, three, rng).into_iter();
    let mut next = || rows.next().unwrap_or_default();
    Thirds { train: next(), test: next(), validation: next() }
}

/// Row `i` goes to part `i mod 3`: 0 train, 1 test, 2 validation. For reference values.
#[must_use]
pub fn mod_three(n: usize) -> Thirds {
    let from = |start: usize| (start..n).step_by(3).collect();
    Thirds { train: from(0), test: from(1), validation: from(2) }
}

/// Divides `classes` classes at random into two groups of equal size (the second group has the odd one):
/// `true` marks the second. This makes 20 Newsgroups a two-class problem as in \[Pedregosa2016\] §5.
#[must_use]
pub fn two_groups(classes: usize, rng: &mut ChaCha12Rng) -> Vec<bool> {
    let mut second = vec![true; classes];
    for class in permutation(classes, rng).into_iter().take(classes / 2) {
        second[class] = false;
    }
    second
}

/// A uniform permutation of `0..n` (Fisher–Yates). Written out, so that the splits of a seed do not depend on
/// a library's version.
fn permutation(n: usize, rng: &mut ChaCha12Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, below(i as u64 + 1, rng) as usize);
    }
    order
}

/// A uniform integer below `bound` > 0: draws that would favour small values are rejected.
fn below(bound: u64, rng: &mut ChaCha12Rng) -> u64 {
    let unfair = (u64::MAX % bound + 1) % bound;
    loop {
        let draw = rng.next_u64();
        if draw <= u64::MAX - unfair {
            return draw % bound;
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn parts_are_a_partition_with_sizes_within_one() {
        for seed in 0..50 {
            let mut rng = ChaCha12Rng::seed_from_u64(seed);
            let (n, k) =
                (seed as usize * 7 % 23, NonZeroUsize::new(1 + seed as usize % 5).unwrap());
            let parts = parts(n, k, &mut rng);
            let sizes: Vec<_> = parts.iter().map(Vec::len).collect();
            assert_eq!(sizes.len(), k.get());
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
            assert!(parts.iter().all(|rows| rows.is_sorted()));
            let mut all = parts.concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..n));
        }
    }

    #[test]
    fn a_seed_gives_one_split_and_seeds_differ() {
        let split = |seed| thirds(300, &mut ChaCha12Rng::seed_from_u64(seed));
        assert_eq!(split(1), split(1));
        assert_ne!(split(1), split(2));
    }

    #[test]
    fn every_row_is_as_likely_in_every_part() {
        let mut rng = ChaCha12Rng::seed_from_u64(7);
        let mut hits = [0; 7];
        for _ in 0..7_000 {
            thirds(7, &mut rng).test.iter().for_each(|&row| hits[row] += 1);
        }
        // Expected 2000 each, standard deviation 38: five of them.
        assert!(hits.iter().all(|&hit: &i32| (hit - 2000).abs() < 190), "{hits:?}");
    }

    #[test]
    fn every_row_is_as_likely_in_a_sample() {
        let mut rng = ChaCha12Rng::seed_from_u64(8);
        let mut hits = [0; 10];
        for _ in 0..5_000 {
            let rows = sample(10, 4, &mut rng);
            assert!(rows.len() == 4 && rows.is_sorted());
            for &row in &rows {
                hits[row] += 1;
            }
        }
        // Expected 2000 each, standard deviation 35: five of them.
        assert!(hits.iter().all(|&hit: &i32| (hit - 2000).abs() < 175), "{hits:?}");
        assert_eq!(sample(3, 5, &mut rng), [0, 1, 2]);
    }

    #[test]
    fn shares_are_rounded_up_or_to_the_nearest() {
        let five = NonZeroUsize::new(5).unwrap();
        let four = NonZeroUsize::new(4).unwrap();
        assert_eq!([15, 17, 18].map(|n| share_up(n, five)), [3, 4, 4]);
        assert_eq!([15, 17, 18].map(|n| share_nearest(n, five)), [3, 3, 4]);
        assert_eq!([5, 6, 7].map(|n| share_nearest(n, four)), [1, 2, 2]);
        assert_eq!(share_nearest(usize::MAX, NonZeroUsize::MIN), usize::MAX);
    }

    #[test]
    fn the_test_part_is_the_end_or_drawn() {
        assert_eq!(Rows::last(5, 2), Rows { train: vec![0, 1, 2], test: vec![3, 4] });
        assert_eq!(Rows::last(2, 3), Rows { train: vec![], test: vec![0, 1] });
        let drawn = |seed| Rows::drawn(40, 10, &mut ChaCha12Rng::seed_from_u64(seed));
        let Rows { train, test } = drawn(1);
        assert_eq!((train.len(), test.len()), (30, 10));
        assert!(train.is_sorted() && test.is_sorted() && drawn(1).test == test);
        assert_ne!(drawn(2).test, test);
        let mut all = [train, test].concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..40));
        let mut rng = ChaCha12Rng::seed_from_u64(3);
        assert_eq!(Rows::drawn(2, 9, &mut rng).test, [0, 1]);
    }

    #[test]
    fn a_stratified_draw_keeps_the_shares_of_the_classes() {
        // 60, 30 and 10 rows of three classes, mixed.
        let labels: Vec<u8> = (0..100).map(|i| [0, 1, 0, 1, 0, 1, 0, 0, 0, 2][i % 10]).collect();
        let drawn = |count, seed| {
            let rows = stratified(&labels, count, &mut ChaCha12Rng::seed_from_u64(seed));
            assert!(rows.is_sorted_by(|a, b| a < b) && rows.len() == count);
            let of = |class| rows.iter().filter(|&&row| labels[row] == class).count();
            ([of(0), of(1), of(2)], rows)
        };
        assert_eq!(drawn(10, 1).0, [6, 3, 1]);
        // 4.2, 2.1 and 0.7 rows: the seventh goes to the largest remainder.
        assert_eq!(drawn(7, 1).0, [4, 2, 1]);
        assert_ne!(drawn(10, 1).1, drawn(10, 2).1);
        assert_eq!(stratified(&labels, 500, &mut ChaCha12Rng::seed_from_u64(1)).len(), 100);
        assert!(stratified(&[], 5, &mut ChaCha12Rng::seed_from_u64(1)).is_empty());
    }

    #[test]
    fn mod_three_is_by_residue() {
        let split = mod_three(8);
        assert_eq!(split.train, [0, 3, 6]);
        assert_eq!(split.test, [1, 4, 7]);
        assert_eq!(split.validation, [2, 5]);
    }

    #[test]
    fn two_groups_are_halves() {
        let groups = two_groups(20, &mut ChaCha12Rng::seed_from_u64(3));
        assert_eq!(groups.iter().filter(|&&second| second).count(), 10);
    }
}
