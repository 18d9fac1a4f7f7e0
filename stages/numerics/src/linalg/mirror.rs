//! Walks over a square matrix and its mirror image at the diagonal.

/// Rows and columns of the blocks that are transposed at once: two of them fit into the first-level cache.
const BLOCK: usize = 32;

/// Calls `copy` with the places, in an n×n matrix by rows, of each element of the lower triangle, its diagonal
/// included, and of its mirror image; block by block.
pub fn mirror(n: usize, mut copy: impl FnMut(usize, usize)) {
    for rows in (0..n).step_by(BLOCK) {
        for columns in (0..=rows).step_by(BLOCK) {
            for i in rows..n.min(rows + BLOCK) {
                for j in columns..=i.min(columns + BLOCK - 1) {
                    copy(i * n + j, j * n + i);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirrored_matrix_is_symmetric() {
        for n in [0, 1, 31, 32, 33, 70] {
            let mut a: Vec<f64> = (0..n * n).map(|at| at as f64).collect();
            mirror(n, |below, above| a[below] = a[above]);
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                assert_eq!(a[i * n + j], (i.min(j) * n + i.max(j)) as f64, "({i}, {j}) of {n}");
            }
        }
    }
}
