//! The product of a symmetric matrix with a vector, from the half of the matrix that is on and above its diagonal.

use crate::linalg::simd_dispatch::wide;

/// Rows that are read together, so that the result is read and written a quarter as often.
const ROWS: usize = 4;

/// Independent partial sums of a row.
const LANES: usize = 8;

wide! {
    /// out ← A x for a symmetric `a` (n×n, row-major; only the diagonal and what is above it is read). A large
    /// matrix takes as long as its memory takes to arrive, so that half of it takes little more than half the time.
    pub fn symmetric_times['a]['a](a: &'a [f64], x: &'a [f64], out: &'a mut [f64]) -> () {
        let n = x.len();
        out.fill(0.0);
        for (block, rows) in a.chunks(ROWS * n.max(1)).enumerate() {
            let first = block * ROWS;
            let right = (first + ROWS).min(n);
            for (r, row) in rows.chunks_exact(n).enumerate() {
                let i = first + r;
                out[i] = row[i].mul_add(x[i], out[i]);
                entries(row, i, i + 1..right, x, out);
            }
            let whole = right + (n - right) / LANES * LANES;
            let mut parts = rows.chunks_exact(n).map(|row| &row[right..whole]);
            if let (Some(a), Some(b), Some(c), Some(d)) =
                (parts.next(), parts.next(), parts.next(), parts.next())
            {
                let weights = [x[first], x[first + 1], x[first + 2], x[first + 3]];
                let sums = four([a, b, c, d], weights, &x[right..whole], &mut out[right..whole]);
                for (o, sum) in out[first..].iter_mut().zip(sums) {
                    *o += sum;
                }
            }
            for (r, row) in rows.chunks_exact(n).enumerate() {
                entries(row, first + r, whole..n, x, out);
            }
        }
    }
}

/// Adds what the entries of row `i` in `columns` contribute, each in its two places.
#[inline(always)]
fn entries(row: &[f64], i: usize, columns: std::ops::Range<usize>, x: &[f64], out: &mut [f64]) {
    for j in columns {
        out[i] = row[j].mul_add(x[j], out[i]);
        out[j] = row[j].mul_add(x[i], out[j]);
    }
}

/// Returns the products of four rows with x, and adds Σ wᵣ aᵣ to `out`; the length is a multiple of [`LANES`].
#[inline(always)]
fn four(rows: [&[f64]; ROWS], w: [f64; ROWS], x: &[f64], out: &mut [f64]) -> [f64; ROWS] {
    let [a, b, c, d] = rows.map(|row| row.as_chunks::<LANES>().0);
    let mut sums = [[0.0_f64; LANES]; ROWS];
    let columns = x.as_chunks::<LANES>().0.iter().zip(out.as_chunks_mut::<LANES>().0);
    for ((x, out), (((a, b), c), d)) in columns.zip(a.iter().zip(b).zip(c).zip(d)) {
        for l in 0..LANES {
            sums[0][l] = a[l].mul_add(x[l], sums[0][l]);
            sums[1][l] = b[l].mul_add(x[l], sums[1][l]);
            sums[2][l] = c[l].mul_add(x[l], sums[2][l]);
            sums[3][l] = d[l].mul_add(x[l], sums[3][l]);
            let low = w[1].mul_add(b[l], w[0] * a[l]);
            out[l] += w[3].mul_add(d[l], w[2].mul_add(c[l], low));
        }
    }
    sums.map(|s| ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::dense::times;

    #[test]
    fn the_product_is_that_of_the_whole_matrix_and_nothing_below_the_diagonal_is_read() {
        for n in 0..70_usize {
            let entry = |i: usize, j: usize| ((i.min(j) * 31 + i.max(j) * 17) as f64 * 0.7).sin();
            let whole: Vec<f64> = (0..n * n).map(|at| entry(at / n, at % n)).collect();
            let below = |at: usize| at % n < at / n;
            let half: Vec<f64> =
                (0..n * n).map(|at| if below(at) { f64::NAN } else { whole[at] }).collect();
            let x: Vec<f64> = (0..n).map(|i| (i as f64 * 1.3).cos()).collect();
            let (mut expected, mut found) = (vec![0.0; n], vec![f64::NAN; n]);
            times(&whole, n.max(1), &x, &mut expected);
            symmetric_times(&half, &x, &mut found);
            for (i, (p, q)) in expected.iter().zip(&found).enumerate() {
                assert!((p - q).abs() < 1e-13, "row {i} of {n}: {p} and {q}");
            }
        }
    }

    #[test]
    fn a_product_by_hand() {
        let below = f64::NAN;
        let a = [2.0, -1.0, 3.0, below, 5.0, 4.0, below, below, -6.0];
        let mut out = [0.0; 3];
        symmetric_times(&a, &[1.0, 2.0, -1.0], &mut out);
        assert_eq!(out, [-3.0, 5.0, 17.0]);
    }
}
