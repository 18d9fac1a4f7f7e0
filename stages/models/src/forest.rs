//! Random forests for regression \[Breiman2001\], with the spread of the trees as uncertainty: the surrogate
//! of tuners like SMAC \[Hutter2011\].

use rand::RngExt as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

/// How a forest is grown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ForestSettings {
    /// Trees.
    pub trees: usize,
    /// Share of the features that a split chooses from, in (0, 1].
    pub features: f64,
    /// Nodes with fewer rows are leaves.
    pub split_from: usize,
}

impl Default for ForestSettings {
    /// SMAC's: ten trees, 5/6 of the features, splits from three rows on.
    fn default() -> Self {
        Self { trees: 10, features: 5.0 / 6.0, split_from: 3 }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Leaf { mean: f64, variance: f64 },
    Split { feature: usize, threshold: f64, right: usize },
}

/// A grown forest.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    /// Each tree's nodes in depth-first order: the left child follows its parent.
    trees: Vec<Vec<Node>>,
}

struct Grower<'a> {
    x: &'a [Vec<f64>],
    y: &'a [f64],
    settings: ForestSettings,
    nodes: Vec<Node>,
}

impl Forest {
    /// Grows every tree on rows drawn with replacement. `x` has one row per value of `y`; all finite.
    ///
    /// # Panics
    /// If there is no row, or rows and values differ in number.
    pub fn fit(x: &[Vec<f64>], y: &[f64], settings: ForestSettings, rng: &mut ChaCha12Rng) -> Self {
        assert!(!x.is_empty() && x.len() == y.len(), "one value a row, and at least one");
        let tree = |_| {
            let drawn: Vec<usize> = x.iter().map(|_| rng.random_range(0..x.len())).collect();
            let mut grower = Grower { x, y, settings, nodes: Vec::new() };
            grower.grow(drawn, rng);
            grower.nodes
        };
        Self { trees: (0..settings.trees.max(1)).map(tree).collect() }
    }

    /// Mean and standard deviation at a point: those of the mixture of the leaves that it falls into.
    pub fn predict(&self, x: &[f64]) -> (f64, f64) {
        let n = self.trees.len() as f64;
        let leaves: Vec<(f64, f64)> = self.trees.iter().map(|tree| leaf(tree, x)).collect();
        let mean = leaves.iter().map(|l| l.0).sum::<f64>() / n;
        let variance = leaves.iter().map(|l| l.1 + (l.0 - mean).powi(2)).sum::<f64>() / n;
        (mean, variance.max(0.0).sqrt())
    }
}

fn leaf(tree: &[Node], x: &[f64]) -> (f64, f64) {
    let mut at = 0;
    loop {
        match tree[at] {
            Node::Leaf { mean, variance } => return (mean, variance),
            Node::Split { feature, threshold, right } => {
                at = if x[feature] <= threshold { at + 1 } else { right };
            }
        }
    }
}

impl Grower<'_> {
    fn grow(&mut self, rows: Vec<usize>, rng: &mut ChaCha12Rng) {
        let n = rows.len() as f64;
        let mean = rows.iter().map(|&i| self.y[i]).sum::<f64>() / n;
        let variance = rows.iter().map(|&i| (self.y[i] - mean).powi(2)).sum::<f64>() / n;
        let split = if rows.len() < self.settings.split_from || variance == 0.0 {
            None
        } else {
            self.best_split(&rows, rng)
        };
        let Some((feature, threshold)) = split else {
            self.nodes.push(Node::Leaf { mean, variance });
            return;
        };
        let (left, right): (Vec<usize>, Vec<usize>) =
            rows.into_iter().partition(|&i| self.x[i][feature] <= threshold);
        let at = self.nodes.len();
        self.nodes.push(Node::Leaf { mean, variance });
        self.grow(left, rng);
        self.nodes[at] = Node::Split { feature, threshold, right: self.nodes.len() };
        self.grow(right, rng);
    }

    /// The split with the smallest sum of squares, among a random share of the features.
    fn best_split(&self, rows: &[usize], rng: &mut ChaCha12Rng) -> Option<(usize, f64)> {
        let d = self.x[0].len();
        let mut features: Vec<usize> = (0..d).collect();
        features.shuffle(rng);
        features.truncate(((self.settings.features * d as f64).ceil() as usize).clamp(1, d.max(1)));
        let mut best: Option<(f64, usize, f64)> = None;
        for feature in features {
            let mut order = rows.to_vec();
            order.sort_by(|&a, &b| self.x[a][feature].total_cmp(&self.x[b][feature]));
            let total: f64 = order.iter().map(|&i| self.y[i]).sum();
            let mut left = 0.0;
            for (k, pair) in order.windows(2).enumerate() {
                left += self.y[pair[0]];
                let (low, high) = (self.x[pair[0]][feature], self.x[pair[1]][feature]);
                if low == high {
                    continue;
                }
                let (n, m) = ((k + 1) as f64, (order.len() - k - 1) as f64);
                // The decrease of the sum of squares by the split, up to a constant.
                let gain = left * left / n + (total - left).powi(2) / m;
                if best.is_none_or(|(most, ..)| gain > most) {
                    best = Some((gain, feature, 0.5 * (low + high)));
                }
            }
        }
        best.map(|(_, feature, threshold)| (feature, threshold))
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    fn steps(n: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
        let x: Vec<Vec<f64>> =
            (0..n).map(|i| vec![i as f64 / n as f64, (i * 7 % n) as f64]).collect();
        let y = x.iter().map(|x| if x[0] < 0.5 { 1.0 } else { 3.0 }).collect();
        (x, y)
    }

    #[test]
    fn a_step_is_learned_and_its_edge_is_uncertain() {
        let (x, y) = steps(60);
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let settings = ForestSettings { features: 1.0, trees: 50, ..ForestSettings::default() };
        let forest = Forest::fit(&x, &y, settings, &mut rng);
        for (at, wanted) in [(0.1, 1.0), (0.9, 3.0)] {
            let (mean, deviation) = forest.predict(&[at, 30.0]);
            assert!(
                (mean - wanted).abs() < 1e-12 && deviation == 0.0,
                "{at}: {mean} ± {deviation}"
            );
        }
        // Trees differ between the last row below and the first row above.
        assert!(forest.predict(&[0.492, 30.0]).1 > 0.0);
    }

    #[test]
    fn predictions_stay_between_the_values_and_one_row_is_a_constant() {
        let (x, y) = steps(25);
        for seed in 0..10 {
            let mut rng = ChaCha12Rng::seed_from_u64(seed);
            let forest = Forest::fit(&x, &y, ForestSettings::default(), &mut rng);
            for i in 0..40 {
                let (mean, _) = forest.predict(&[f64::from(i) / 20.0 - 0.5, f64::from(i)]);
                assert!((1.0..=3.0).contains(&mean));
            }
            let one = Forest::fit(&x[..1], &y[..1], ForestSettings::default(), &mut rng);
            assert_eq!(one.predict(&[9.0, 9.0]), (1.0, 0.0));
        }
    }
}
