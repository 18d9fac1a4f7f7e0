//! SMOTE \[Chawla2002\]: creates new rows on the segments between neighbours of one class.

use ndarray::Axis;
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;

use super::kdtree::{KdTree, Metric};
use crate::samples::Samples;

/// Number of nearest neighbours towards which a new row can lie.
pub const NEIGHBOURS: usize = 5;

/// Enlarges every class that occurs to the size of the largest one: each new row is x + u (x' − x) with x
/// drawn from the class, x' from its `k` nearest neighbours within the class (Euclidean) and u from \[0, 1).
/// New rows are appended, class after class.
///
/// DIFFERS: with fewer than k + 1 rows the neighbours are all others of the class, and a single row
/// is copied, where the usual implementation stops with an error: a configuration then still has a
/// value.
pub fn smote(samples: &mut Samples, k: usize, rng: &mut ChaCha12Rng) {
    let counts = samples.counts();
    let most = counts.iter().copied().max().unwrap_or(0);
    for (class, &count) in counts.iter().enumerate() {
        if count == 0 || count == most {
            continue;
        }
        let class = class as u32;
        let points = samples.x.select(Axis(0), &samples.rows_of(class));
        let tree = KdTree::new(points.view(), Metric::SquaredEuclidean);
        let mut neighbours: Vec<Option<Vec<usize>>> = vec![None; count];
        let mut values = Vec::with_capacity((most - count) * points.ncols());
        for _ in count..most {
            let from = rng.random_range(0..count);
            let near = neighbours[from].get_or_insert_with(|| {
                let found = tree.nearest(&points.row(from).to_vec(), k + 1);
                // Usually the first, but not among equal points.
                found.into_iter().map(|(_, p)| p).filter(|&p| p != from).take(k).collect()
            });
            let u: f64 = rng.random();
            let to = if near.is_empty() { from } else { near[rng.random_range(0..near.len())] };
            let pair = points.row(from).into_iter().zip(points.row(to));
            values.extend(pair.map(|(a, b)| a + u * (b - a)));
        }
        samples.append(values, class);
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn classes_become_equal_and_new_rows_lie_between_neighbours() {
        // Class 1 is two far clusters of six: no segment may cross.
        let x = Array2::from_shape_fn((52, 2), |(i, j)| {
            let far = if i % 2 == 0 { 0.0 } else { 1000.0 };
            far + ((i * 5 + j * 11) as f64).sin()
        });
        let y: Vec<u32> = (0..52).map(|i| u32::from(i >= 40)).collect();
        for seed in 0..10 {
            let mut s = Samples::new(x.clone(), y.clone(), 2).unwrap();
            smote(&mut s, NEIGHBOURS, &mut ChaCha12Rng::seed_from_u64(seed));
            assert_eq!(s.counts(), [40, 40]);
            assert_eq!(s.x.view().split_at(Axis(0), 52).0, x);
            for row in s.x.rows().into_iter().skip(52) {
                let near = |c: f64| row.iter().all(|v| (v - c).abs() <= 1.0);
                assert!(near(0.0) || near(1000.0), "{row}");
            }
            assert_ne!(s.x.row(52), s.x.row(53), "new rows differ");
        }
    }

    #[test]
    fn small_classes_use_what_there_is() {
        let mut s = Samples::new(array![[0.0], [1.0], [2.0], [9.0]], vec![0, 0, 0, 1], 3).unwrap();
        smote(&mut s, NEIGHBOURS, &mut ChaCha12Rng::seed_from_u64(1));
        assert_eq!(s.counts(), [3, 3, 0]);
        assert!(s.x.column(0).iter().skip(3).all(|&v| v == 9.0));
    }
}
