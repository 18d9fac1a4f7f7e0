//! Copies one triangle of a square matrix to the other, mirrored at the diagonal.

/// Rows and columns of the blocks that are transposed at once: two of them fit into the first-level cache.
const BLOCK: usize = 32;

/// Copies the upper triangle of a matrix (n×n, by rows) to the lower one.
pub fn to_lower(a: &mut [f64], n: usize) {
    for rows in (0..n).step_by(BLOCK) {
        let last = n.min(rows + BLOCK);
        let (above, own) = a.split_at_mut(rows * n);
        for columns in (0..rows).step_by(BLOCK) {
            let above = &above[columns * n..(columns + BLOCK) * n];
            for (j, row) in (rows..last).zip(own.chunks_exact_mut(n)) {
                for (v, mirrored) in row[columns..].iter_mut().zip(above.chunks_exact(n)) {
                    *v = mirrored[j];
                }
            }
        }
        for (i, j) in below_diagonal(rows, last) {
            a[i * n + j] = a[j * n + i];
        }
    }
}

/// Copies the lower triangle of a matrix (n×n, by rows) to the upper one.
pub fn to_upper(a: &mut [f64], n: usize) {
    for rows in (0..n).step_by(BLOCK) {
        let last = n.min(rows + BLOCK);
        let (own, below) = a.split_at_mut(last * n);
        for first in (last..n).step_by(BLOCK) {
            let below = &below[(first - last) * n..(n.min(first + BLOCK) - last) * n];
            for (j, row) in (rows..last).zip(own[rows * n..].chunks_exact_mut(n)) {
                for (v, mirrored) in row[first..].iter_mut().zip(below.chunks_exact(n)) {
                    *v = mirrored[j];
                }
            }
        }
        for (i, j) in below_diagonal(rows, last) {
            a[j * n + i] = a[i * n + j];
        }
    }
}

/// Rows and columns of what is below the diagonal in a block on it.
fn below_diagonal(first: usize, last: usize) -> impl Iterator<Item = (usize, usize)> {
    (first..last).flat_map(move |i| (first..i).map(move |j| (i, j)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirrored_matrix_is_symmetric() {
        for n in [0, 1, 31, 32, 33, 64, 70] {
            let whole: Vec<f64> = (0..n * n).map(|at| at as f64).collect();
            let mirrored = |mirror: fn(&mut [f64], usize),
                            own: fn(usize, usize) -> (usize, usize)| {
                let mut a = whole.clone();
                mirror(&mut a, n);
                for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    let (row, column) = own(i, j);
                    assert_eq!(a[i * n + j], (row * n + column) as f64, "({i}, {j}) of {n}");
                }
            };
            mirrored(to_lower, |i, j| (i.min(j), i.max(j)));
            mirrored(to_upper, |i, j| (i.max(j), i.min(j)));
        }
    }
}
