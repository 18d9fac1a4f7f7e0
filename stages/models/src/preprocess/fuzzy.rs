//! Weighted fuzzy over-sampling \[Yedida2021\]: copies of rare rows in concentric layers. It is
//! deterministic.

use serde::{Deserialize, Serialize};

use crate::samples::Samples;

/// Distance between layers.
const STEP: f64 = 0.03;
/// Layers of the published code.
const LAYERS: u32 = 10;

/// Which layers are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fuzzy {
    /// The published code: ten layers i from radius 0 on, ⌊(1/f)/2ⁱ⌋ pairs row ± radius each, with f
    /// the class's fraction of all rows.
    Code,
    /// The paper's sentence: ⌊log₂(1/n)⌋ layers i with (1/n)/2ⁱ rows each, with n the class's size over the
    /// largest class's. Rows alternate between row + radius and row − radius.
    Paper,
}

impl Fuzzy {
    /// Number of copies of each row at layer i, for a class of `count` rows among `total`, where the largest
    /// class has `most`; a pair counts as two.
    pub fn copies(self, count: usize, total: usize, most: usize) -> Vec<usize> {
        match self {
            // In floating point, as published: the quotient may round to just below an integer.
            Self::Code => {
                let inverse = 1.0 / (count as f64 / total as f64);
                (0..LAYERS).map(|i| 2 * (inverse / f64::from(1 << i)) as usize).collect()
            }
            Self::Paper => {
                let layers = (most / count).checked_ilog2().unwrap_or(0);
                (0..layers).map(|i| most / (count << i)).collect()
            }
        }
    }

    /// Appends the copies of all classes except the largest one (the first of several).
    pub fn apply(self, samples: &mut Samples) {
        let counts = samples.counts();
        let (total, most) = (samples.n_rows(), counts.iter().copied().max().unwrap_or(0));
        let largest = counts.iter().position(|&c| c == most);
        for (class, &count) in counts.iter().enumerate() {
            if count == 0 || Some(class) == largest {
                continue;
            }
            let class = class as u32;
            let copies = self.copies(count, total, most);
            let mut values = Vec::new();
            for row in samples.rows_of(class) {
                for (layer, &n) in copies.iter().enumerate() {
                    let radius = STEP * layer as f64;
                    for copy in 0..n {
                        let shift = if copy % 2 == self.first_up() { radius } else { -radius };
                        values.extend(samples.x.row(row).iter().map(|v| v + shift));
                    }
                }
            }
            samples.append(values, class);
        }
    }

    /// Which copy of a pair lies above its row.
    fn first_up(self) -> usize {
        match self {
            Self::Code => 1,
            Self::Paper => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    fn samples(counts: &[usize]) -> Samples {
        let y: Vec<u32> = counts.iter().enumerate().flat_map(|(c, &n)| vec![c as u32; n]).collect();
        let x = Array2::from_shape_fn((y.len(), 2), |(i, j)| (i * 3 + j) as f64);
        Samples::new(x, y, counts.len()).unwrap()
    }

    #[test]
    fn the_code_reverses_an_imbalance() {
        let mut s = samples(&[90, 10]);
        Fuzzy::Code.apply(&mut s);
        // ⌊10/2ⁱ⌋ pairs: 10 + 5 + 2 + 1.
        assert_eq!(s.counts(), [90, 10 + 10 * 2 * 18]);
        Fuzzy::Code.apply(&mut s);
        assert_eq!(s.counts(), [90 + 90 * 2 * (5 + 2 + 1), 370]);
    }

    #[test]
    fn the_papers_sentence_gives_its_number_of_layers() {
        // n = 1/9: three layers of 9, 4 and 2 rows.
        assert_eq!(Fuzzy::Paper.copies(10, 100, 90), [9, 4, 2]);
        assert_eq!(Fuzzy::Paper.copies(60, 160, 100), [0; 0]);
        let mut s = samples(&[8, 2]);
        Fuzzy::Paper.apply(&mut s);
        assert_eq!(s.counts(), [8, 2 + 2 * (4 + 2)]);
        assert_eq!(s.x.row(10), s.x.row(8));
        assert!((s.x[[14, 0]] - 24.03).abs() < 1e-12 && (s.x[[15, 0]] - 23.97).abs() < 1e-12);
    }

    #[test]
    fn an_absent_class_and_the_first_of_two_equal_ones_are_left() {
        let mut s = samples(&[3, 0, 3]);
        Fuzzy::Code.apply(&mut s);
        assert_eq!(s.counts(), [3, 0, 3 + 3 * 2 * (2 + 1)]);
    }
}
