//! The inverse of a lower triangular matrix and its Gram matrix: no place above the diagonal is read or written, and four
//! rows are read together.

use crate::linalg::simd_dispatch::wide;

/// Rows that are read together.
const ROWS: usize = 4;

wide! {
    /// Writes the inverse of a lower triangular matrix (n×n, by rows) to `inverse`, which is zero.
    pub fn invert['a]['a](lower: &'a [f64], n: usize, inverse: &'a mut [f64]) -> () {
        for i in 0..n {
            let (above, rest) = inverse.split_at_mut(i * n);
            let row = &mut rest[..=i];
            let own = &lower[i * n..=i * n + i];
            row[i] = 1.0;
            for first in (0..i).step_by(ROWS) {
                let last = i.min(first + ROWS);
                if last - first == ROWS {
                    let [a, b, c, d] = [0, 1, 2, 3].map(|q| &above[(first + q) * n..][..=first]);
                    let f: [f64; ROWS] = own[first..last].try_into().expect("as many");
                    let places = row[..=first].iter_mut().zip(a).zip(b).zip(c).zip(d);
                    for ((((v, a), b), c), d) in places {
                        let two = (-f[1]).mul_add(*b, (-f[0]).mul_add(*a, *v));
                        *v = (-f[3]).mul_add(*d, (-f[2]).mul_add(*c, two));
                    }
                } else {
                    for k in first..last {
                        for (v, a) in row[..=first].iter_mut().zip(&above[k * n..]) {
                            *v = (-own[k]).mul_add(*a, *v);
                        }
                    }
                }
                // The corner beyond the first row's end.
                for k in first + 1..last {
                    for j in first + 1..=k {
                        row[j] = (-own[k]).mul_add(above[k * n + j], row[j]);
                    }
                }
            }
            for v in row.iter_mut() {
                *v /= own[i];
            }
        }
    }
}

wide! {
    /// Adds `MᵀM` for a lower triangular M (n×n, by rows) to the lower triangle of `gram` (n×n).
    pub fn gram['a]['a](m: &'a [f64], n: usize, gram: &'a mut [f64]) -> () {
        for first in (0..n).step_by(ROWS) {
            let last = n.min(first + ROWS);
            let whole = if last - first == ROWS { first } else { 0 };
            let [a, b, c, d] = [0, 1, 2, 3].map(|q| &m[(first + q).min(n - 1) * n..][..whole]);
            for i in 0..whole {
                let row = &mut gram[i * n..=i * n + i];
                let places = row.iter_mut().zip(a).zip(b).zip(c).zip(d);
                for ((((v, p), q), r), s) in places {
                    let two = b[i].mul_add(*q, a[i].mul_add(*p, *v));
                    *v = d[i].mul_add(*s, c[i].mul_add(*r, two));
                }
            }
            // The rows at the end, or the corners of the four rows.
            for k in first..last {
                let own = &m[k * n..=k * n + k];
                for i in whole..=k {
                    for (v, x) in gram[i * n..=i * n + i].iter_mut().zip(own) {
                        *v = own[i].mul_add(*x, *v);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn inverse_and_gram_are_those_of_the_definition(
            n in 1_usize..40,
            elements in proptest::collection::vec(-1.0_f64..1.0, 40 * 40),
        ) {
            let mut m = vec![0.0; n * n];
            for i in 0..n {
                m[i * n..i * n + i].copy_from_slice(&elements[i * 40..i * 40 + i]);
                m[i * n + i] = 2.0 + elements[i * 40 + i];
            }
            // What is above the diagonal is not read.
            let mut dirty = m.clone();
            (0..n).for_each(|i| dirty[i * n + i + 1..(i + 1) * n].fill(f64::NAN));
            let (mut inverse, mut product) = (vec![0.0; n * n], vec![0.0; n * n]);
            invert(&dirty, n, &mut inverse);
            gram(&dirty, n, &mut product);
            let largest = inverse.iter().fold(1.0_f64, |most, v| most.max(v.abs()));
            for i in 0..n {
                for j in 0..n {
                    let unit: f64 = (0..n).map(|k| m[i * n + k] * inverse[k * n + j]).sum();
                    let expected = f64::from(u8::from(i == j));
                    prop_assert!((unit - expected).abs() < 1e-13 * largest * n as f64, "{i} {j} of {n}");
                    let square: f64 = (0..n).map(|k| m[k * n + i] * m[k * n + j]).sum();
                    let expected = if j <= i { square } else { 0.0 };
                    prop_assert!((product[i * n + j] - expected).abs() < 1e-13 * n as f64);
                }
            }
        }
    }
}
