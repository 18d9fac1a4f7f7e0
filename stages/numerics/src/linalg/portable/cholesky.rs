//! The Cholesky factor by rows: each element is a product of two finished rows, four columns at a time.

use crate::linalg::simd_dispatch::wide;

/// Independent partial sums of a product.
const LANES: usize = 8;
/// Columns whose products with a row are made together, so that the row is read once.
const COLUMNS: usize = 4;
/// Rows that follow one another against the same columns, which then stay in the cache.
const ROWS: usize = 32;

/// xᵀy₀, …, xᵀy₃.
#[inline(always)]
fn products(x: &[f64], y: [&[f64]; COLUMNS]) -> [f64; COLUMNS] {
    let mut lanes = [[0.0_f64; LANES]; COLUMNS];
    let whole = x.len() / LANES * LANES;
    let y = y.map(|column| &column[..x.len()]);
    for k in (0..whole).step_by(LANES) {
        let left: &[f64; LANES] = x[k..k + LANES].try_into().expect("of this length");
        for (lanes, column) in lanes.iter_mut().zip(y) {
            let right: &[f64; LANES] = column[k..k + LANES].try_into().expect("of this length");
            for l in 0..LANES {
                lanes[l] = left[l].mul_add(right[l], lanes[l]);
            }
        }
    }
    for k in whole..x.len() {
        for (lanes, column) in lanes.iter_mut().zip(y) {
            lanes[k - whole] = x[k].mul_add(column[k], lanes[k - whole]);
        }
    }
    lanes.map(|l| ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7])))
}

wide! {
    /// Replaces the lower triangle of a symmetric matrix (n×n, by rows) by its Cholesky factor L, A = L Lᵀ; what is
    /// above the diagonal is neither read nor written. Whether the matrix is positive definite to working
    /// precision; if not, what is left there means nothing.
    pub fn factor['a]['a](a: &'a mut [f64], n: usize) -> bool {
        for top in (0..n).step_by(ROWS) {
            let bottom = n.min(top + ROWS);
            for left in (0..bottom).step_by(COLUMNS) {
                let right = bottom.min(left + COLUMNS);
                for i in top.max(left)..bottom {
                    let (above, rest) = a.split_at_mut(i * n);
                    let (finished, row) = rest[..n].split_at_mut(left);
                    // The columns that reach beyond row i are not finished; their products are not used.
                    let column = |j: usize| if j < i { &above[j * n..] } else { &*finished };
                    let [c0, c1, c2, c3] = [0, 1, 2, 3].map(|c| column(left + c));
                    let sums = products(finished, [c0, c1, c2, c3]);
                    for j in left..right.min(i + 1) {
                        let mut value = row[j - left] - sums[j - left];
                        for k in left..j {
                            let other = if j == i { row[k - left] } else { above[j * n + k] };
                            value = (-row[k - left]).mul_add(other, value);
                        }
                        row[j - left] = if j < i {
                            value / above[j * n + j]
                        } else if value.is_finite() && value > 0.0 {
                            value.sqrt()
                        } else {
                            return false;
                        };
                    }
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// B Bᵀ + n I of a matrix B with these elements (n×n, by rows).
    fn positive(b: &[f64], n: usize) -> Vec<f64> {
        let element = |i: usize, j: usize| {
            let product: f64 = (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum();
            product + if i == j { n as f64 } else { 0.0 }
        };
        (0..n * n).map(|at| element(at / n, at % n)).collect()
    }

    proptest! {
        #[test]
        fn the_factor_times_its_transpose_is_the_matrix(
            n in 1_usize..75,
            elements in proptest::collection::vec(-1.0_f64..1.0, 75 * 75),
        ) {
            let a = positive(&elements[..n * n], n);
            let mut l = a.clone();
            prop_assert!(factor(&mut l, n));
            for i in 0..n {
                for j in 0..=i {
                    let product: f64 = (0..=j).map(|k| l[i * n + k] * l[j * n + k]).sum();
                    prop_assert!((product - a[i * n + j]).abs() < 1e-13 * n as f64, "{i}, {j} of {n}");
                }
                // What is above the diagonal stays.
                prop_assert_eq!(&l[i * n + i + 1..(i + 1) * n], &a[i * n + i + 1..(i + 1) * n]);
            }
        }
    }

    #[test]
    fn a_factor_of_whole_numbers_is_exact() {
        // [4 2 6; 2 10 9; 6 9 22] has the factor [2; 1 3; 3 2 3].
        let mut a = vec![4.0, 0.0, 0.0, 2.0, 10.0, 0.0, 6.0, 9.0, 22.0];
        assert!(factor(&mut a, 3));
        assert_eq!(a, [2.0, 0.0, 0.0, 1.0, 3.0, 0.0, 3.0, 2.0, 3.0]);
    }

    #[test]
    fn what_is_not_positive_definite_is_told() {
        assert!(!factor(&mut [1.0, 2.0, 2.0, 1.0], 2));
        assert!(!factor(&mut [0.0], 1));
        assert!(!factor(&mut [f64::INFINITY], 1));
        assert!(factor(&mut [], 0));
        // A negative pivot beyond the first block of rows.
        let n = 40;
        let mut a: Vec<f64> = (0..n * n).map(|at| f64::from(u8::from(at / n == at % n))).collect();
        a[n * n - 1] = -1e-9;
        assert!(!factor(&mut a, n));
    }
}
