//! Rows of an RBF kernel matrix, computed when asked for and kept while there is room. Knows no
//! solver.

use ndarray::ArrayView2;

use crate::linalg::elementary;
use crate::linalg::wide::wide;

/// Points whose kernel values are computed together: their sums stay in the first cache.
const BLOCK: usize = 512;

/// Points, feature by feature, so that one point meets many at once in vector registers.
#[derive(Debug, Clone)]
pub struct RbfRows {
    /// Feature-major: features × points.
    features: Vec<f64>,
    /// ‖x‖² of each point.
    squares: Vec<f64>,
    points: usize,
    gamma: f64,
}

impl RbfRows {
    /// Points (n×d) under the kernel exp(−γ‖x − z‖²).
    pub fn new(x: ArrayView2<'_, f64>, gamma: f64) -> Self {
        Self {
            features: x.t().iter().copied().collect(),
            squares: x.rows().into_iter().map(|row| row.dot(&row)).collect(),
            points: x.nrows(),
            gamma,
        }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.points
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.points == 0
    }

    /// K(z, ·) for every point.
    pub fn against(&self, z: &[f64], out: &mut [f64]) {
        kernel_row(self, z, out);
    }

    /// K(point i, ·) for every point.
    fn row(&self, i: usize, z: &mut Vec<f64>, out: &mut [f64]) {
        z.clear();
        z.extend(self.features.chunks_exact(self.points).map(|column| column[i]));
        self.against(z, out);
    }
}

wide! {
    /// out ← exp(−γ(‖z‖² + ‖x‖² − 2 z·x)) for every point x.
    fn kernel_row['a]['a](rows: &'a RbfRows, z: &'a [f64], out: &'a mut [f64]) -> () {
        let mut square = 0.0_f64;
        for v in z {
            square = v.mul_add(*v, square);
        }
        let mut products = [0.0; BLOCK];
        for (b, out) in out.chunks_mut(BLOCK).enumerate() {
            let products = &mut products[..out.len()];
            products.fill(0.0);
            for (v, column) in z.iter().zip(rows.features.chunks_exact(rows.points)) {
                for (p, x) in products.iter_mut().zip(&column[b * BLOCK..]) {
                    *p = v.mul_add(*x, *p);
                }
            }
            for ((o, p), s) in out.iter_mut().zip(products).zip(&rows.squares[b * BLOCK..]) {
                // Rounding may leave the distance of equal points below 0.
                let distance = (-2.0_f64).mul_add(*p, square + s);
                let distance = if distance < 0.0 { 0.0 } else { distance };
                *o = elementary::exp(-rows.gamma * distance);
            }
        }
    }
}

/// The most recently used rows, in single precision: twice as many fit, and the gradient, in double
/// precision, sees every one of them with the same rounding.
#[derive(Debug)]
pub(crate) struct Cache<'a> {
    rows: &'a RbfRows,
    values: Vec<f32>,
    /// Place of each point's row, or `usize::MAX`.
    place: Vec<usize>,
    /// Point at each place, and when it was last asked for.
    used: Vec<(usize, u64)>,
    capacity: usize,
    clock: u64,
    exact: Vec<f64>,
    point: Vec<f64>,
}

impl<'a> Cache<'a> {
    /// Room for `bytes` of rows, at least two.
    pub(crate) fn new(rows: &'a RbfRows, bytes: usize) -> Self {
        let n = rows.len();
        let capacity = (bytes / (4 * n.max(1))).clamp(2, n.max(2));
        Self {
            rows,
            values: Vec::new(),
            place: vec![usize::MAX; n],
            used: Vec::new(),
            capacity,
            clock: 0,
            exact: vec![0.0; n],
            point: Vec::new(),
        }
    }

    /// Makes sure that the row of a point is there, and gives its place.
    fn bring(&mut self, i: usize) -> usize {
        self.clock += 1;
        if self.place[i] != usize::MAX {
            self.used[self.place[i]].1 = self.clock;
            return self.place[i];
        }
        let n = self.rows.len();
        let place = if self.used.len() < self.capacity {
            self.used.push((i, self.clock));
            self.values.resize(self.used.len() * n, 0.0);
            self.used.len() - 1
        } else {
            let oldest = (0..self.capacity).min_by_key(|&p| self.used[p].1).unwrap_or(0);
            self.place[self.used[oldest].0] = usize::MAX;
            self.used[oldest] = (i, self.clock);
            oldest
        };
        self.place[i] = place;
        self.rows.row(i, &mut self.point, &mut self.exact);
        for (v, e) in self.values[place * n..][..n].iter_mut().zip(&self.exact) {
            *v = *e as f32;
        }
        place
    }

    /// The row of a point.
    pub(crate) fn row(&mut self, i: usize) -> &[f32] {
        let (place, n) = (self.bring(i), self.rows.len());
        &self.values[place * n..][..n]
    }

    /// The rows of two points.
    pub(crate) fn pair(&mut self, i: usize, j: usize) -> (&[f32], &[f32]) {
        // The second to be asked for cannot take the place of the first: there are two at least.
        let (a, b, n) = (self.bring(i), self.bring(j), self.rows.len());
        (&self.values[a * n..][..n], &self.values[b * n..][..n])
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    #[test]
    fn rows_are_the_kernels_and_survive_a_small_cache() {
        let n = 1100;
        let x = Array2::from_shape_fn((n, 3), |(i, j)| ((i * 7 + j * 5) as f64).sin());
        let rows = RbfRows::new(x.view(), 0.7);
        let plain = |i: usize, j: usize| {
            let d = &x.row(i) - &x.row(j);
            (-0.7 * d.dot(&d)).exp()
        };
        let mut out = vec![0.0; n];
        rows.against(&x.row(5).to_vec(), &mut out);
        for (j, v) in out.iter().enumerate() {
            assert!((v - plain(5, j)).abs() < 1e-14);
        }
        let mut cache = Cache::new(&rows, 3 * 4 * n);
        for i in [0, 1, 2, 3, 0, 1, 1099, 3] {
            let (a, b) = cache.pair(i, (i + 1) % n);
            for j in 0..n {
                assert!((f64::from(a[j]) - plain(i, j)).abs() < 1e-7);
                assert!((f64::from(b[j]) - plain((i + 1) % n, j)).abs() < 1e-7);
            }
        }
        assert_eq!(cache.used.len(), 3);
    }
}
