//! The Cholesky factor, row after row of its transpose; of each four finished rows the products are taken away from the
//! rest together.

use crate::linalg::simd_dispatch::wide;

/// Rows whose products are taken away together.
const ROWS: usize = 4;

wide! {
    /// Replaces the upper triangle of a symmetric matrix (n×n, by rows) by its Cholesky factor U = Lᵀ, A = Uᵀ U; what is
    /// below the diagonal is neither read nor written. Whether the matrix is positive definite to working precision; if
    /// not, what is left there means nothing.
    pub fn factor['a]['a](a: &'a mut [f64], n: usize) -> bool {
        for first in (0..n).step_by(ROWS) {
            let last = n.min(first + ROWS);
            let (panel, rest) = a[first * n..].split_at_mut((last - first) * n);
            for k in 0..last - first {
                let (finished, row) = panel.split_at_mut(k * n);
                let row = &mut row[first + k..n];
                for other in finished.chunks_exact(n) {
                    let other = &other[first + k..];
                    let factor = -other[0];
                    for (v, x) in row.iter_mut().zip(other) {
                        *v = factor.mul_add(*x, *v);
                    }
                }
                if !(row[0].is_finite() && row[0] > 0.0) {
                    return false;
                }
                let pivot = row[0].sqrt();
                row.iter_mut().for_each(|v| *v /= pivot);
                row[0] = pivot;
            }
            if last == n {
                break;
            }
            let [p, q, r, s] = [0, 1, 2, 3].map(|k| &panel[k * n..(k + 1) * n]);
            for (i, row) in (last..).zip(rest.chunks_exact_mut(n)) {
                let places = row[i..].iter_mut().zip(&p[i..]).zip(&q[i..]).zip(&r[i..]).zip(&s[i..]);
                for ((((v, w), x), y), z) in places {
                    let two = (-q[i]).mul_add(*x, (-p[i]).mul_add(*w, *v));
                    *v = (-s[i]).mul_add(*z, (-r[i]).mul_add(*y, two));
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
            let mut u = a.clone();
            prop_assert!(factor(&mut u, n));
            for i in 0..n {
                for j in 0..=i {
                    let product: f64 = (0..=j).map(|k| u[k * n + i] * u[k * n + j]).sum();
                    prop_assert!((product - a[i * n + j]).abs() < 1e-13 * n as f64, "{i}, {j} of {n}");
                }
                // What is below the diagonal stays.
                prop_assert_eq!(&u[i * n..i * n + i], &a[i * n..i * n + i]);
            }
        }
    }

    #[test]
    fn a_factor_of_whole_numbers_is_exact() {
        // [4 2 6; 2 10 9; 6 9 22] has the factor [2; 1 3; 3 2 3].
        let mut a = vec![4.0, 2.0, 6.0, 0.0, 10.0, 9.0, 0.0, 0.0, 22.0];
        assert!(factor(&mut a, 3));
        assert_eq!(a, [2.0, 1.0, 3.0, 0.0, 3.0, 2.0, 0.0, 0.0, 3.0]);
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
