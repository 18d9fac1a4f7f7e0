//! Finds nearest neighbours by a k-d tree \[Bentley1975\].

use ndarray::ArrayView2;

/// Maximum number of points in a leaf, unless they are equal; distances of so many are computed side by side.
const LEAF: usize = 8;

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

    /// The distances of the points of a block from `query`.
    fn distances(self, block: &[f64], query: &[f64]) -> [f64; LEAF] {
        match self {
            Self::Manhattan => sums(block, query, f64::abs),
            Self::SquaredEuclidean => sums(block, query, |difference| difference * difference),
        }
    }
}

/// The sums of the parts of a block's points, which do not wait for one another.
#[inline(always)]
fn sums(block: &[f64], query: &[f64], part: impl Fn(f64) -> f64) -> [f64; LEAF] {
    let mut sums = [0.0; LEAF];
    for (coordinates, q) in block.as_chunks::<LEAF>().0.iter().zip(query) {
        for l in 0..LEAF {
            sums[l] += part(coordinates[l] - q);
        }
    }
    sums
}

#[derive(Debug, Clone)]
enum Node {
    /// Points `order[from..to]`, whose blocks begin with number `block`.
    Leaf { from: usize, to: usize, block: usize },
    /// Points at most `at` in `column` are below `left`, those at least `at` below `right`.
    Split { column: usize, at: f64, left: usize, right: usize },
}

/// Points in a tree.
#[derive(Debug, Clone)]
pub struct KdTree {
    columns: usize,
    metric: Metric,
    order: Vec<usize>,
    nodes: Vec<Node>,
    /// The points of the leaves in blocks of [`LEAF`], in each block one column after another; the last block of a leaf
    /// may have zeros behind its points.
    blocks: Vec<f64>,
}

impl KdTree {
    /// Builds the tree of the rows of `points` (n×d, finite).
    pub fn new(points: ArrayView2<'_, f64>, metric: Metric) -> Self {
        let mut tree = Self {
            columns: points.ncols(),
            metric,
            order: (0..points.nrows()).collect(),
            nodes: Vec::new(),
            blocks: Vec::new(),
        };
        let rows: Vec<f64> = points.iter().copied().collect();
        tree.build(&rows, 0, points.nrows());
        tree
    }

    /// Adds the node of `order[from..to]` and returns its number.
    fn build(&mut self, points: &[f64], from: usize, to: usize) -> usize {
        let number = self.nodes.len();
        let (width, column) = self.widest(points, from, to);
        if to - from <= LEAF || width <= 0.0 {
            let block = self.add_blocks(points, from, to);
            self.nodes.push(Node::Leaf { from, to, block });
            return number;
        }
        let middle = usize::midpoint(from, to);
        let key = |p: &usize| points[p * self.columns + column];
        self.order[from..to]
            .select_nth_unstable_by(middle - from, |a, b| key(a).total_cmp(&key(b)));
        let at = key(&self.order[middle]);
        self.nodes.push(Node::Split { column, at, left: 0, right: 0 });
        let left = self.build(points, from, middle);
        let right = self.build(points, middle, to);
        self.nodes[number] = Node::Split { column, at, left, right };
        number
    }

    /// The largest extent of the points `order[from..to]` in a column, and the first column that has it; 0 without
    /// columns.
    fn widest(&self, points: &[f64], from: usize, to: usize) -> (f64, usize) {
        let mut low = vec![f64::INFINITY; self.columns];
        let mut high = vec![f64::NEG_INFINITY; self.columns];
        for point in &self.order[from..to] {
            let row = &points[point * self.columns..][..self.columns];
            for ((low, high), &v) in low.iter_mut().zip(&mut high).zip(row) {
                *low = if v < *low { v } else { *low };
                *high = if v > *high { v } else { *high };
            }
        }
        let extents = low.iter().zip(&high).map(|(low, high)| high - low).zip(0..);
        let wider = |a: (f64, usize), b: (f64, usize)| if b.0 > a.0 { b } else { a };
        extents.reduce(wider).unwrap_or((0.0, 0))
    }

    /// Adds the blocks of the points `order[from..to]` and returns the number of the first.
    fn add_blocks(&mut self, points: &[f64], from: usize, to: usize) -> usize {
        let size = LEAF * self.columns;
        let first = self.blocks.len().checked_div(size).unwrap_or(0);
        for together in self.order[from..to].chunks(LEAF) {
            let block = self.blocks.len();
            self.blocks.resize(block + size, 0.0);
            for (l, point) in together.iter().enumerate() {
                let row = &points[point * self.columns..][..self.columns];
                for (coordinates, v) in
                    self.blocks[block..].as_chunks_mut::<LEAF>().0.iter_mut().zip(row)
                {
                    coordinates[l] = *v;
                }
            }
        }
        first
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

    fn search(&self, node: usize, query: &[f64], k: usize, found: &mut Vec<(f64, usize)>) {
        match self.nodes[node] {
            Node::Leaf { from, to, block } => {
                let size = LEAF * self.columns;
                for (b, points) in (block..).zip(self.order[from..to].chunks(LEAF)) {
                    let distances = self.metric.distances(&self.blocks[b * size..][..size], query);
                    for (&point, distance) in points.iter().zip(distances) {
                        insert(found, (distance, point), k);
                    }
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
fn insert(found: &mut Vec<(f64, usize)>, nearest: (f64, usize), k: usize) {
    if found.len() == k && found.last().is_some_and(|last| nearest > *last) {
        return;
    }
    let at = found.partition_point(|other| *other < nearest);
    found.insert(at, nearest);
    found.truncate(k);
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
