//! Computes values of an RBF kernel: a few rows of the kernel matrix at once, and new rows against support
//! vectors.

use ndarray::ArrayView2;
use numerics::linalg::{elementary, simd_dispatch::wide};

use super::panels::{LANES, Panels, ROWS, tile};

/// Points with the kernel exp(−γ‖x − z‖²).
#[derive(Debug, Clone)]
pub struct RbfRows {
    panels: Panels,
    /// ‖x‖² of each point, 0 beyond the last one.
    squares: Vec<f64>,
    gamma: f64,
}

/// ‖x‖², summed as [`tile`] sums: the distance of a point from itself is then 0 exactly.
fn square(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |sum, v| v.mul_add(v, sum))
}

/// The kernel of `R` rows against a panel: exp(−γ(‖z‖² + ‖x‖² − 2 z·x)).
#[inline(always)]
fn kernel_tile<const R: usize>(
    (panel, squares): (&[f64], &[f64; LANES]),
    (rows, own): (&[f64], &[f64; R]),
    gamma: f64,
) -> [[f64; LANES]; R] {
    let mut values = tile::<f64, R, LANES>(panel, rows);
    for (values, own) in values.iter_mut().zip(own) {
        for (v, square) in values.iter_mut().zip(squares) {
            // Rounding may leave the distance of near points below 0.
            let distance = (-2.0_f64).mul_add(*v, own + square);
            let distance = if distance < 0.0 { 0.0 } else { distance };
            *v = elementary::exp(-gamma * distance);
        }
    }
    values
}

impl RbfRows {
    /// Points (n×d) and the kernel's γ.
    pub fn new(x: ArrayView2<'_, f64>, gamma: f64) -> Self {
        let panels = Panels::new(x);
        let squares = Self::norms(&panels);
        Self { panels, squares, gamma }
    }

    fn norms(panels: &Panels) -> Vec<f64> {
        let mut squares = vec![0.0; panels.len().next_multiple_of(LANES)];
        for (i, s) in squares[..panels.len()].iter_mut().enumerate() {
            *s = square(panels.point(i));
        }
        squares
    }

    /// The chosen points, in the given order.
    pub(crate) fn select(&self, keep: &[u32]) -> Self {
        let panels = self.panels.select(keep);
        let squares = Self::norms(&panels);
        Self { panels, squares, gamma: self.gamma }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.panels.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Length of a row of the kernel matrix: the number of points, padded to whole panels.
    pub(crate) fn width(&self) -> usize {
        self.squares.len()
    }

    /// Whether rows are expensive enough to be computed [`ROWS`] at a time before all of them are needed.
    /// With few features the exponentials dominate, and they gain nothing from it.
    pub(crate) fn gains_by_blocks(&self) -> bool {
        self.panels.depth() >= 48
    }

    /// The rows of `R` points of this or of another set of as many features, in single precision;
    /// each slice of `out` has the length [`RbfRows::width`].
    pub(crate) fn rows<const R: usize>(
        &self,
        of: &Self,
        points: [usize; R],
        out: [&mut [f32]; R],
        packed: &mut Vec<f64>,
    ) {
        of.panels.gather(points, packed);
        fill(self, packed, points.map(|i| of.squares[i]), out);
    }

    /// K(x, z) of every point x and each of at most [`LANES`] rows z (m×d): point after point, `LANES`
    /// values each.
    pub(crate) fn against(&self, z: ArrayView2<'_, f64>, values: &mut Vec<f64>) {
        values.resize(self.width() * LANES, 0.0);
        meet(self, &Self::new(z, self.gamma), values);
    }
}

wide! {
    /// Fills the rows of `R` points, given side by side with their ‖z‖².
    fn fill['a, const R: usize]['a, R](
        kernel: &'a RbfRows,
        rows: &'a [f64],
        own: [f64; R],
        out: [&'a mut [f32]; R],
    ) -> () {
        let mut out = out;
        let panels = kernel.panels.iter().zip(kernel.squares.as_chunks::<LANES>().0);
        for (p, panel) in panels.enumerate() {
            let values = kernel_tile((panel.0, panel.1), (rows, &own), kernel.gamma);
            for (out, values) in out.iter_mut().zip(&values) {
                for (o, v) in out[p * LANES..].iter_mut().zip(values) {
                    *o = *v as f32;
                }
            }
        }
    }
}

wide! {
    /// The kernel of all points against at most `LANES` of `other` (points × lanes).
    fn meet['a]['a](kernel: &'a RbfRows, other: &'a RbfRows, values: &'a mut [f64]) -> () {
        // The last block repeats the last row; those values are not used.
        let block = |first: usize| {
            let points = std::array::from_fn(|r| (first + r).min(other.len() - 1));
            let mut packed = Vec::new();
            other.panels.gather::<ROWS>(points, &mut packed);
            (packed, points.map(|i| other.squares[i]))
        };
        let blocks: Vec<_> = (0..other.len()).step_by(ROWS).map(block).collect();
        let panels = kernel.panels.iter().zip(kernel.squares.as_chunks::<LANES>().0);
        for (panel, out) in panels.zip(values.chunks_exact_mut(LANES * LANES)) {
            for (b, (packed, own)) in blocks.iter().enumerate() {
                let tile = kernel_tile(panel, (packed, own), kernel.gamma);
                for (l, out) in out.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                    for (r, values) in tile.iter().enumerate() {
                        out[b * ROWS + r] = values[l];
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, Axis};

    use super::*;

    #[test]
    fn rows_are_the_kernels_whatever_they_are_computed_with() {
        let (n, gamma) = (75, 0.7);
        let x = Array2::from_shape_fn((n, 3), |(i, j)| ((i * 7 + j * 5) as f64).sin());
        let kernel = RbfRows::new(x.view(), gamma);
        let plain = |i: usize, j: usize| {
            let d = &x.row(i) - &x.row(j);
            (-gamma * d.dot(&d)).exp()
        };
        let mut packed = Vec::new();
        let mut four = vec![vec![0.0_f32; kernel.width()]; ROWS];
        let points = [5, 74, 0, 33];
        let [a, b, c, d] = &mut four[..] else { unreachable!() };
        kernel.rows(&kernel, points, [&mut a[..], &mut b[..], &mut c[..], &mut d[..]], &mut packed);
        let mut one = vec![0.0_f32; kernel.width()];
        for (row, i) in four.iter().zip(points) {
            kernel.rows(&kernel, [i], [&mut one], &mut packed);
            assert_eq!(row, &one);
            assert_eq!(row[i], 1.0);
            for (j, &v) in row.iter().enumerate().take(n) {
                assert!((f64::from(v) - plain(i, j)).abs() < 6e-8);
            }
        }
        let mut values = Vec::new();
        let rows: Vec<usize> = (60..71).collect();
        kernel.against(x.select(Axis(0), &rows).view(), &mut values);
        for i in 0..n {
            for j in 60..71 {
                assert!((values[i * LANES + j - 60] - plain(i, j)).abs() < 1e-14);
            }
        }
        let few = kernel.select(&[74, 3, 33]);
        let mut row = vec![0.0_f32; few.width()];
        few.rows(&kernel, [5], [&mut row], &mut packed);
        assert_eq!(row[..3], [four[0][74], four[0][3], four[0][33]]);
    }
}
