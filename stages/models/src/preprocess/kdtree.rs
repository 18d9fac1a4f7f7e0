//! Finds nearest neighbours by a k-d tree \[Bentley1975\].

use ndarray::ArrayView2;

/// Maximum number of points in a leaf.
const LEAF: usize = 8;
/// Number of points of a leaf whose distances are computed together.
const TOGETHER: usize = 4;

/// The distance of two points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Σ |aᵢ − bᵢ|.
    Manhattan,
    /// Σ (aᵢ − bᵢ)²; orders points as the Euclidean distance does.
    SquaredEuclidean,
}

impl Metric {
    /// The contribution of one coordinate; it never decreases with the difference.
    fn part(self, difference: f64) -> f64 {
        match self {
            Self::Manhattan => difference.abs(),
            Self::SquaredEuclidean => difference * difference,
        }
    }
}

#[derive(Debug, Clone)]
enum Node {
    /// Points `order[from..to]`.
    Leaf { from: usize, to: usize },
    /// Points at most `at` in `column` are below `left`, those at least `at` below `right`.
    Split { column: usize, at: f64, left: usize, right: usize },
}

/// Points in a tree.
#[derive(Debug, Clone)]
pub struct KdTree {
    points: Vec<f64>,
    columns: usize,
    metric: Metric,
    order: Vec<usize>,
    nodes: Vec<Node>,
}

impl KdTree {
    /// Builds the tree of the rows of `points` (n×d, finite).
    pub fn new(points: ArrayView2<'_, f64>, metric: Metric) -> Self {
        let mut tree = Self {
            points: points.iter().copied().collect(),
            columns: points.ncols(),
            metric,
            order: (0..points.nrows()).collect(),
            nodes: Vec::new(),
        };
        tree.build(0, points.nrows());
        tree
    }

    fn coordinate(&self, point: usize, column: usize) -> f64 {
        self.points[point * self.columns + column]
    }

    /// Adds the node of `order[from..to]` and returns its number.
    fn build(&mut self, from: usize, to: usize) -> usize {
        let number = self.nodes.len();
        self.nodes.push(Node::Leaf { from, to });
        let extent = |column: usize| {
            let values = self.order[from..to].iter().map(|&p| self.coordinate(p, column));
            let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
                (low.min(v), high.max(v))
            });
            high - low
        };
        let widest = (0..self.columns)
            .map(|column| (extent(column), column))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let Some((width, column)) = widest else { return number };
        if to - from <= LEAF || width <= 0.0 {
            return number;
        }
        let middle = usize::midpoint(from, to);
        let (points, columns) = (&self.points, self.columns);
        let key = |p: &usize| points[p * columns + column];
        self.order[from..to]
            .select_nth_unstable_by(middle - from, |a, b| key(a).total_cmp(&key(b)));
        let at = self.coordinate(self.order[middle], column);
        let left = self.build(from, middle);
        let right = self.build(middle, to);
        self.nodes[number] = Node::Split { column, at, left, right };
        number
    }

    /// The `k` points nearest to `query` with their distances, nearest first; among equally distant
    /// ones those with the smaller numbers. Fewer if there are fewer points.
    ///
    /// # Panics
    /// If `query` has another number of coordinates than the points.
    pub fn nearest(&self, query: &[f64], k: usize) -> Vec<(f64, usize)> {
        assert_eq!(query.len(), self.columns, "coordinates of the query");
        let mut found = Vec::with_capacity(k + 1);
        if k > 0 {
            self.search(0, query, k, &mut found);
        }
        found
    }

    /// The distances of points from `query`. The sums of several points do not wait for one another.
    fn distances<const N: usize>(&self, points: [usize; N], query: &[f64]) -> [(f64, usize); N] {
        let rows = points.map(|point| &self.points[point * self.columns..][..self.columns]);
        let mut sums = [0.0; N];
        for (column, q) in query.iter().enumerate() {
            for i in 0..N {
                sums[i] += self.metric.part(rows[i][column] - q);
            }
        }
        std::array::from_fn(|i| (sums[i], points[i]))
    }

    fn search(&self, node: usize, query: &[f64], k: usize, found: &mut Vec<(f64, usize)>) {
        match self.nodes[node] {
            Node::Leaf { from, to } => {
                let mut leaf = self.order[from..to].chunks_exact(TOGETHER);
                for four in &mut leaf {
                    let four = std::array::from_fn(|i| four[i]);
                    for (distance, point) in self.distances::<TOGETHER>(four, query) {
                        insert(found, (distance, point), k);
                    }
                }
                for &point in leaf.remainder() {
                    let [nearest] = self.distances([point], query);
                    insert(found, nearest, k);
                }
            }
            Node::Split { column, at, left, right } => {
                let difference = query[column] - at;
                let (near, far) = if difference < 0.0 { (left, right) } else { (right, left) };
                self.search(near, query, k, found);
                // `<=` and not `<`: an equally distant point may have a smaller number.
                let bound = self.metric.part(difference);
                if found.len() < k || found.last().is_some_and(|&(worst, _)| bound <= worst) {
                    self.search(far, query, k, found);
                }
            }
        }
    }
}

/// Adds a point with its distance if it is among the `k` nearest.
fn insert(found: &mut Vec<(f64, usize)>, (distance, point): (f64, usize), k: usize) {
    let at = found.partition_point(|&(d, p)| (d, p) < (distance, point));
    if at < k {
        found.insert(at, (distance, point));
        found.truncate(k);
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn finds_what_a_plain_search_finds(
            n in 1_usize..80, d in 1_usize..4, k in 1_usize..9,
            // A coarse grid, so that many distances are equal.
            values in prop::collection::vec(0_i32..6, 320),
            query in prop::collection::vec(-1_i32..7, 4),
        ) {
            let x = Array2::from_shape_fn((n, d), |(i, j)| f64::from(values[i * d + j]));
            let query: Vec<f64> = query[..d].iter().map(|&v| f64::from(v) + 0.5).collect();
            for metric in [Metric::Manhattan, Metric::SquaredEuclidean] {
                let mut plain: Vec<(f64, usize)> = x
                    .rows()
                    .into_iter()
                    .enumerate()
                    .map(|(i, row)| {
                        (row.iter().zip(&query).map(|(a, b)| metric.part(a - b)).sum(), i)
                    })
                    .collect();
                plain.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                plain.truncate(k);
                prop_assert_eq!(KdTree::new(x.view(), metric).nearest(&query, k), plain);
            }
        }
    }

    #[test]
    fn equal_points_end_the_division() {
        let x = Array2::zeros((50, 3));
        let found = KdTree::new(x.view(), Metric::Manhattan).nearest(&[0.0; 3], 4);
        assert_eq!(found, [(0.0, 0), (0.0, 1), (0.0, 2), (0.0, 3)]);
    }
}
