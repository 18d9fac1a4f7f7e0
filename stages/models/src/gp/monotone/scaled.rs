//! Points with their coordinates divided by the length scales, and the weights of a covariance between one point and
//! all of them, in whole registers.

use numerics::linalg::elementary::exp;

use crate::gp::kernel::Kernel;

/// Numbers of a register, or of several narrower ones.
pub(super) const LANES: usize = 8;
/// Inputs that are read together.
pub(super) const GROUP: usize = 4;

/// The sum of the lanes, in a fixed tree.
#[inline(always)]
pub(super) fn fold(s: [f64; LANES]) -> f64 {
    ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

/// n points, input after input. Behind the points and the inputs there are zeros up to whole registers and groups.
#[derive(Debug, Clone)]
pub(super) struct Scaled {
    columns: Vec<f64>,
    points: usize,
    places: usize,
}

impl Scaled {
    /// The points `rows` (n, one number per length scale).
    pub(super) fn new<'a>(
        rows: impl ExactSizeIterator<Item = &'a [f64]>,
        length_scales: &[f64],
    ) -> Self {
        let points = rows.len();
        let places = points.next_multiple_of(LANES);
        let mut columns = vec![0.0; places * length_scales.len().next_multiple_of(GROUP)];
        for (i, row) in rows.enumerate() {
            for (d, (x, l)) in row.iter().zip(length_scales).enumerate() {
                columns[d * places + i] = x / l;
            }
        }
        Self { columns, points, places }
    }

    /// The number of points, n.
    pub(super) fn len(&self) -> usize {
        self.points
    }

    /// The number of inputs, filled up to whole groups.
    #[inline(always)]
    pub(super) fn inputs(&self) -> usize {
        self.columns.len() / self.places
    }

    /// n, filled up to whole registers.
    pub(super) fn places(&self) -> usize {
        self.places
    }

    /// Scaled coordinate `input` of all points.
    #[inline(always)]
    pub(super) fn column(&self, input: usize) -> &[f64] {
        &self.columns[input * self.places..][..self.places]
    }

    /// The columns of a group of inputs.
    #[inline(always)]
    pub(super) fn group(&self, group: usize) -> [&[f64]; GROUP] {
        [0, 1, 2, 3].map(|c| self.column(group * GROUP + c))
    }

    /// Writes all scaled coordinates of point i to `point`.
    #[inline(always)]
    pub(super) fn read(&self, i: usize, point: &mut [f64]) {
        for (d, x) in point.iter_mut().enumerate() {
            *x = self.column(d)[i];
        }
    }
}

/// The first two of [`Kernel::weights`] between `point` (scaled, one number per filled up input) and the first of the
/// points, as many as `zeroth` and `first` have places: whole registers. To be inlined into a kernel that runs wide.
#[inline(always)]
pub(super) fn weigh(
    form: Kernel,
    points: &Scaled,
    point: &[f64],
    zeroth: &mut [f64],
    first: &mut [f64],
) {
    zeroth.fill(0.0);
    let n = zeroth.len();
    for (group, own) in point.chunks_exact(GROUP).enumerate() {
        let [a, b, c, d] = points.group(group).map(|column| &column[..n]);
        for (j, r) in zeroth.iter_mut().enumerate() {
            let gaps = [own[0] - a[j], own[1] - b[j], own[2] - c[j], own[3] - d[j]];
            for gap in gaps {
                *r = gap.mul_add(gap, *r);
            }
        }
    }
    match form {
        Kernel::SquaredExponential => {
            for (r, w) in zeroth.iter_mut().zip(first) {
                *r = exp(-0.5 * *r);
                *w = *r;
            }
        }
        Kernel::Matern52 => {
            for (r, w) in zeroth.iter_mut().zip(first) {
                let square = 5.0 * *r;
                let s = square.sqrt();
                let e = exp(-s);
                *r = (square / 3.0 + s + 1.0) * e;
                *w = 5.0 / 3.0 * (1.0 + s) * e;
            }
        }
    }
}
