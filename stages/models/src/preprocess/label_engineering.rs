//! Label engineering ("smooth"), \[Yedida2024\] sec. 2.2: most labels are deleted, and restored from the
//! nearest neighbours of their rows.

use ndarray::Axis;
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::kdtree::{KdTree, Metric};
use crate::samples::Samples;

/// The number of neighbours that vote, for m rows of which m − ⌊m − √m⌋ keep their label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Neighbours {
    /// The published Python code: ⌊√√kept⌋.
    Legacy,
    /// The published Cython code: ⌊√kept⌋, but it returns its rows unchanged.
    Cython,
    /// The paper: ⌊m^¼⌋.
    Paper,
}

impl Neighbours {
    /// k for `m` rows of which `kept` keep their label; at least 1.
    pub fn count(self, m: usize, kept: usize) -> usize {
        // In integers: a rounded fourth root of 81 may be just below 3.
        let k = match self {
            Self::Legacy => kept.isqrt().isqrt(),
            Self::Cython => kept.isqrt(),
            Self::Paper => m.isqrt().isqrt(),
        };
        k.max(1)
    }
}

/// Number of labels deleted of `m`: ⌊m − √m⌋.
pub fn lost(m: usize) -> usize {
    let root = m.isqrt();
    // The ceiling of √m labels remain.
    m - root - usize::from(root * root < m)
}

/// The labels of the rows `lost`, each the most frequent (the smallest on ties) among the `k` rows
/// of `kept` that are nearest in the L1 distance.
pub fn restore(samples: &Samples, lost: &[usize], kept: &[usize], k: usize) -> Vec<u32> {
    let tree = KdTree::new(samples.x.select(Axis(0), kept).view(), Metric::Manhattan);
    let vote = |&row: &usize| {
        let query: Vec<f64> = samples.x.row(row).to_vec();
        let mut votes = vec![0_usize; samples.classes];
        for (_, neighbour) in tree.nearest(&query, k) {
            votes[samples.y[kept[neighbour]] as usize] += 1;
        }
        let most = votes.iter().copied().max().unwrap_or(0);
        votes.iter().position(|&v| v == most).unwrap_or(0) as u32
    };
    lost.iter().map(vote).collect()
}

/// Deletes labels at random and restores them: the rows with restored labels come first, in the order in
/// which they were drawn, then the others in theirs. [`Neighbours::Cython`] changes nothing.
pub fn smooth(samples: &Samples, neighbours: Neighbours, rng: &mut ChaCha12Rng) -> Samples {
    if neighbours == Neighbours::Cython {
        return samples.clone();
    }
    let m = samples.n_rows();
    let mut order: Vec<usize> = (0..m).collect();
    let (lost, kept) = order.split_at_mut(lost(m));
    // The first steps of a shuffle draw without replacement.
    for i in 0..lost.len() {
        let j = rng.random_range(i..m);
        match j.checked_sub(lost.len()) {
            Some(k) => std::mem::swap(&mut lost[i], &mut kept[k]),
            None => lost.swap(i, j),
        }
    }
    kept.sort_unstable();
    let labels = restore(samples, lost, kept, neighbours.count(m, kept.len()));
    let mut smoothed = samples.select(&order);
    smoothed.y[..labels.len()].copy_from_slice(&labels);
    smoothed
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn counts_follow_the_square_and_fourth_roots() {
        for m in 1..2000 {
            let exact = m as f64 - (m as f64).sqrt();
            assert_eq!(lost(m), exact.floor() as usize, "{m} rows");
        }
        assert_eq!(Neighbours::Paper.count(81, 9), 3);
        assert_eq!(Neighbours::Paper.count(80, 9), 2);
        assert_eq!(Neighbours::Legacy.count(120, 11), 1);
        assert_eq!(Neighbours::Cython.count(120, 11), 3);
    }

    #[test]
    fn separate_clusters_get_their_labels_back() {
        let x = Array2::from_shape_fn((200, 2), |(i, j)| {
            100.0 * (i % 2) as f64 + ((i * 7 + j * 3) as f64).sin()
        });
        let samples = Samples::new(x, (0..200).map(|i| i % 2).collect(), 2).unwrap();
        for seed in 0..5 {
            let mut rng = ChaCha12Rng::seed_from_u64(seed);
            let smoothed = smooth(&samples, Neighbours::Paper, &mut rng);
            assert_ne!(smoothed.x, samples.x);
            for (row, label) in smoothed.x.rows().into_iter().zip(&smoothed.y) {
                assert_eq!(*label, u32::from(row[0] > 50.0));
            }
            let sum = |s: &Samples| s.x.sum();
            assert!((sum(&smoothed) - sum(&samples)).abs() < 1e-8, "the same rows");
        }
    }

    #[test]
    fn ties_go_to_the_smaller_label() {
        let x = Array2::from_shape_vec((3, 1), vec![0.0, -1.0, 1.0]).unwrap();
        let samples = Samples::new(x, vec![0, 2, 1], 3).unwrap();
        assert_eq!(restore(&samples, &[0], &[1, 2], 2), [1]);
        assert_eq!(restore(&samples, &[0], &[1, 2], 1), [2]);
    }
}
