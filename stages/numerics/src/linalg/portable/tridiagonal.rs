//! Eigenvalues and eigenvectors of a symmetric matrix: reflections make it tridiagonal, then rotations with
//! implicit shifts make it diagonal (\[Golub2013\] algorithms 8.3.1 and 8.3.3; EISPACK's `tred2` and `imtql2`).

/// Rotations for one eigenvalue, far above the two or three that it usually takes.
const MOST_SWEEPS: usize = 60;

/// A tridiagonal matrix with the transformation that leads to it.
struct Tridiagonal {
    /// Diagonal (n).
    diagonal: Vec<f64>,
    /// Below it (n; the last is 0).
    below: Vec<f64>,
    /// Qᵀ (n×n, by rows), A = Q T Qᵀ.
    rows: Vec<f64>,
}

impl Tridiagonal {
    /// Reflections of the lower triangle of `a` (n×n, by rows).
    fn new(a: &[f64], n: usize) -> Self {
        let mut a = a.to_vec();
        for i in 0..n {
            for j in 0..i {
                a[j * n + i] = a[i * n + j];
            }
        }
        let mut rows: Vec<f64> =
            (0..n * n).map(|at| f64::from(u8::from(at / n == at % n))).collect();
        let mut below = vec![0.0; n];
        for k in 0..n.saturating_sub(2) {
            // v reflects column k below its diagonal onto the first axis; scaled, so that squares are in range.
            let mut v: Vec<f64> = a[k * n + k + 1..(k + 1) * n].to_vec();
            let scale = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            if scale == 0.0 {
                continue;
            }
            for x in &mut v {
                *x /= scale;
            }
            let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            let alpha = if v[0] > 0.0 { -length } else { length };
            below[k] = alpha * scale;
            v[0] -= alpha;
            let half = v.iter().map(|x| x * x).sum::<f64>() / 2.0;
            if half == 0.0 {
                continue;
            }
            // A ← H A H with H = I − v vᵀ / half, on the rows and columns below k.
            let size = v.len();
            let row = |i: usize| (k + 1 + i) * n + k + 1;
            let mut p: Vec<f64> = (0..size)
                .map(|i| {
                    let own = &a[row(i)..row(i) + size];
                    own.iter().zip(&v).map(|(a, v)| a * v).sum::<f64>() / half
                })
                .collect();
            let share = p.iter().zip(&v).map(|(p, v)| p * v).sum::<f64>() / (2.0 * half);
            p.iter_mut().zip(&v).for_each(|(p, v)| *p -= share * v);
            for i in 0..size {
                let own = &mut a[row(i)..row(i) + size];
                for ((a, v_j), p_j) in own.iter_mut().zip(&v).zip(&p) {
                    *a -= v[i] * p_j + p[i] * v_j;
                }
            }
            // Qᵀ ← H Qᵀ.
            let mut moved = vec![0.0; n];
            for (i, v_i) in v.iter().enumerate() {
                let own = &rows[(k + 1 + i) * n..(k + 2 + i) * n];
                moved.iter_mut().zip(own).for_each(|(m, q)| *m += v_i * q);
            }
            for (i, v_i) in v.iter().enumerate() {
                let own = &mut rows[(k + 1 + i) * n..(k + 2 + i) * n];
                own.iter_mut().zip(&moved).for_each(|(q, m)| *q -= v_i / half * m);
            }
        }
        if n > 1 {
            below[n - 2] = a[(n - 1) * n + n - 2];
        }
        Self { diagonal: (0..n).map(|i| a[i * n + i]).collect(), below, rows }
    }

    /// Rotates until nothing is left below the diagonal; `false` if that does not end.
    fn diagonalise(&mut self) -> bool {
        let n = self.diagonal.len();
        let (d, e) = (&mut self.diagonal, &mut self.below);
        for l in 0..n {
            let mut sweeps = 0;
            loop {
                // The block that begins at l ends where an element below the diagonal is negligible.
                let negligible =
                    |m: usize| e[m].abs() <= f64::EPSILON * (d[m].abs() + d[m + 1].abs());
                let m = (l..n - 1).find(|&m| negligible(m)).unwrap_or(n - 1);
                if m == l {
                    break;
                }
                sweeps += 1;
                if sweeps > MOST_SWEEPS {
                    return false;
                }
                // Wilkinson's shift.
                let g = (d[l + 1] - d[l]) / (2.0 * e[l]);
                let r = g.hypot(1.0);
                let mut g = d[m] - d[l] + e[l] / (g + r.copysign(g));
                let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
                let mut split = false;
                for i in (l..m).rev() {
                    let (f, b) = (s * e[i], c * e[i]);
                    let r = f.hypot(g);
                    e[i + 1] = r;
                    if r == 0.0 {
                        d[i + 1] -= p;
                        e[m] = 0.0;
                        split = true;
                        break;
                    }
                    (s, c) = (f / r, g / r);
                    g = d[i + 1] - p;
                    let r = (d[i] - g) * s + 2.0 * c * b;
                    p = s * r;
                    d[i + 1] = g + p;
                    g = c * r - b;
                    let (upper, lower) = self.rows.split_at_mut((i + 1) * n);
                    let pairs = upper[i * n..].iter_mut().zip(&mut lower[..n]);
                    for (one, other) in pairs {
                        let kept = *other;
                        *other = s * *one + c * kept;
                        *one = c * *one - s * kept;
                    }
                }
                if !split {
                    d[l] -= p;
                    e[l] = g;
                    e[m] = 0.0;
                }
            }
        }
        true
    }
}

/// The eigenvalues (n), ascending, and the eigenvectors, one per row (n×n, by rows), of a symmetric matrix (n×n, by
/// rows; the lower triangle is read), whose elements are finite; `None` if the rotations do not end.
pub fn eigen(a: &[f64], n: usize) -> Option<(Vec<f64>, Vec<f64>)> {
    let mut matrix = Tridiagonal::new(a, n);
    if !matrix.diagonalise() {
        return None;
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| matrix.diagonal[*i].total_cmp(&matrix.diagonal[*j]));
    let values = order.iter().map(|i| matrix.diagonal[*i]).collect();
    let vectors = order.iter().flat_map(|i| matrix.rows[i * n..(i + 1) * n].to_vec()).collect();
    Some((values, vectors))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn vectors_are_orthonormal_and_scaled_by_the_matrix(
            n in 1_usize..25,
            elements in proptest::collection::vec(-1.0_f64..1.0, 25 * 25),
            // Also matrices with zeros, which fall into blocks.
            zeros in proptest::collection::vec(any::<bool>(), 25 * 25),
        ) {
            let element = |i: usize, j: usize| {
                let at = i.max(j) * n + i.min(j);
                if zeros[at] { 0.0 } else { elements[at] }
            };
            let a: Vec<f64> = (0..n * n).map(|at| element(at / n, at % n)).collect();
            let (values, vectors) = eigen(&a, n).unwrap();
            prop_assert!(values.is_sorted());
            for (i, value) in values.iter().enumerate() {
                let v = &vectors[i * n..(i + 1) * n];
                for j in 0..n {
                    let scaled: f64 = (0..n).map(|k| a[j * n + k] * v[k]).sum();
                    prop_assert!((scaled - value * v[j]).abs() < 1e-13 * n as f64);
                }
                for j in 0..=i {
                    let other = &vectors[j * n..(j + 1) * n];
                    let product: f64 = v.iter().zip(other).map(|(a, b)| a * b).sum();
                    prop_assert!((product - f64::from(u8::from(i == j))).abs() < 1e-14 * n as f64);
                }
            }
        }
    }

    #[test]
    fn eigenvalues_of_the_second_difference_are_known() {
        // 2 − 2 cos(kπ / (n + 1)).
        let n = 12;
        let element = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        };
        let a: Vec<f64> = (0..n * n).map(|at| element(at / n, at % n)).collect();
        for (k, value) in eigen(&a, n).unwrap().0.iter().enumerate() {
            let angle = (k + 1) as f64 * std::f64::consts::PI / (n + 1) as f64;
            assert!((value - (2.0 - 2.0 * angle.cos())).abs() < 1e-14, "{k}: {value}");
        }
        assert_eq!(eigen(&[], 0), Some((vec![], vec![])));
        assert_eq!(eigen(&[0.0; 9], 3).unwrap().0, [0.0; 3]);
    }
}
