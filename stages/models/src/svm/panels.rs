//! Packs points in panels as wide as a few vector registers, and multiplies a panel with several rows at
//! once.
//!
//! Every product sums over the features in their order with fused multiply-adds: the number of rows that are
//! multiplied together changes only the speed, never a bit of the result.

use ndarray::ArrayView2;

use crate::neural::feedforward::scalar::Scalar;

/// Number of points in a panel.
pub(crate) const LANES: usize = 16;
/// Number of rows that are multiplied with a panel together. Fewer rows leave the multipliers idle; the sums
/// of more rows do not fit the registers, which takes twenty times as long.
pub(crate) const ROWS: usize = 4;

/// Points, feature by feature within each panel; the last panel is padded with zeros.
#[derive(Debug, Clone)]
pub(crate) struct Panels {
    values: Vec<f64>,
    depth: usize,
    len: usize,
}

impl Panels {
    /// Packs points (n×d).
    pub(crate) fn new(x: ArrayView2<'_, f64>) -> Self {
        let (len, depth) = x.dim();
        let mut values = vec![0.0; len.next_multiple_of(LANES) * depth];
        for (i, row) in x.rows().into_iter().enumerate() {
            let at = i / LANES * LANES * depth + i % LANES;
            for (slot, v) in values[at..].iter_mut().step_by(LANES).zip(row) {
                *slot = *v;
            }
        }
        Self { values, depth, len }
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Number of features of a point.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// The panels (each features × lanes).
    #[inline(always)]
    pub(crate) fn iter(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(LANES * self.depth.max(1))
    }

    /// The features of a point.
    pub(crate) fn point(&self, i: usize) -> impl Iterator<Item = f64> + '_ {
        let at = i / LANES * LANES * self.depth + i % LANES;
        self.values[at..].iter().step_by(LANES).take(self.depth).copied()
    }

    /// Writes the features of `R` points side by side (features × R), as [`tile`] expects them.
    pub(crate) fn gather<const R: usize>(&self, points: [usize; R], out: &mut Vec<f64>) {
        out.clear();
        out.resize(R * self.depth, 0.0);
        for (r, i) in points.into_iter().enumerate() {
            for (slot, v) in out[r..].iter_mut().step_by(R).zip(self.point(i)) {
                *slot = v;
            }
        }
    }

    /// The chosen points, in the given order.
    pub(crate) fn select(&self, keep: &[u32]) -> Self {
        let mut values = vec![0.0; keep.len().next_multiple_of(LANES) * self.depth];
        for (i, &from) in keep.iter().enumerate() {
            let at = i / LANES * LANES * self.depth + i % LANES;
            let slots = values[at..].iter_mut().step_by(LANES);
            slots.zip(self.point(from as usize)).for_each(|(slot, v)| *slot = v);
        }
        Self { values, depth: self.depth, len: keep.len() }
    }
}

/// The products of `R` rows (depth × R, side by side) with the `L` points of a panel (depth × L).
/// Inlined into kernels that run wide.
#[inline(always)]
pub(crate) fn tile<T: Scalar, const R: usize, const L: usize>(
    panel: &[T],
    rows: &[T],
) -> [[T; L]; R] {
    let mut sums = [[T::ZERO; L]; R];
    for (x, z) in panel.as_chunks::<L>().0.iter().zip(rows.as_chunks::<R>().0) {
        for (sums, z) in sums.iter_mut().zip(z) {
            for (sum, x) in sums.iter_mut().zip(x) {
                *sum = z.fused(*x, *sum);
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    #[test]
    fn tiles_are_products_whatever_the_number_of_rows() {
        for (n, d) in [(1, 1), (15, 3), (16, 7), (33, 20)] {
            let x = Array2::from_shape_fn((n, d), |(i, j)| ((i * 7 + j * 5) as f64).sin());
            let panels = Panels::new(x.view());
            let mut packed = Vec::new();
            let rows = [0, n / 2, n - 1, n / 3];
            panels.gather::<ROWS>(rows, &mut packed);
            let mut single = Vec::new();
            for (p, panel) in panels.iter().enumerate() {
                let products = tile::<f64, ROWS, LANES>(panel, &packed);
                for (r, &row) in rows.iter().enumerate() {
                    panels.gather::<1>([row], &mut single);
                    assert_eq!(products[r], tile::<f64, 1, LANES>(panel, &single)[0]);
                    for (l, product) in products[r].iter().enumerate().take(n - p * LANES) {
                        let plain = x.row(row).dot(&x.row(p * LANES + l));
                        assert!((product - plain).abs() < 1e-13);
                    }
                }
            }
        }
    }

    #[test]
    fn chosen_points_are_packed_as_if_they_were_alone() {
        let x = Array2::from_shape_fn((40, 3), |(i, j)| (i * 10 + j) as f64);
        let keep = [39, 0, 17, 16];
        let chosen = Panels::new(x.view()).select(&keep);
        let alone = Panels::new(x.select(ndarray::Axis(0), &[39, 0, 17, 16]).view());
        assert_eq!(chosen.values, alone.values);
        assert_eq!(chosen.len(), 4);
    }
}
