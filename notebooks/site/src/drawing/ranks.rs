//! Ranks of methods within data sets, their averages, and which differ by Nemenyi's test. Reads
//! numbers that stages computed; draws nothing.

use std::collections::BTreeMap;

/// Method → its value in one block; smaller is better.
pub type Block = BTreeMap<String, f64>;

/// The ranks of the values of a block, 1 for the smallest; equal values share the mean of their
/// ranks, and what is no number comes last.
#[must_use]
pub fn ranks(block: &Block) -> BTreeMap<&str, f64> {
    let value = |v: f64| if v.is_nan() { f64::INFINITY } else { v };
    let mut sorted: Vec<(&str, f64)> = block.iter().map(|(m, v)| (m.as_str(), value(*v))).collect();
    sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut ranks = BTreeMap::new();
    let mut first = 0;
    while first < sorted.len() {
        let same = sorted[first..].iter().take_while(|(_, v)| *v == sorted[first].1).count();
        // Ranks first + 1 to first + same.
        let shared = count(first) + (count(same) + 1.0) / 2.0;
        ranks.extend(sorted[first..first + same].iter().map(|(method, _)| (*method, shared)));
        first += same;
    }
    ranks
}

fn count(n: usize) -> f64 {
    n as f64
}

/// The average ranks of the methods that took part in every block.
#[derive(Debug, PartialEq)]
pub struct Standing {
    /// Method and average rank, the best first.
    pub methods: Vec<(String, f64)>,
    /// Methods that some blocks lack, and so are left out.
    pub partial: Vec<String>,
    /// How many blocks there are.
    pub blocks: usize,
    /// Average ranks further apart than this differ at the 5% level; NaN where it is not tabulated.
    pub critical: f64,
}

/// The standing over `blocks`; none with fewer than two blocks or methods.
#[must_use]
pub fn standing(blocks: &[Block]) -> Option<Standing> {
    let all: std::collections::BTreeSet<&String> = blocks.iter().flat_map(BTreeMap::keys).collect();
    let everywhere = |method: &&String| blocks.iter().all(|block| block.contains_key(*method));
    let (complete, partial): (Vec<&String>, Vec<&String>) = all.into_iter().partition(everywhere);
    if blocks.len() < 2 || complete.len() < 2 {
        return None;
    }
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for block in blocks {
        let own: Block = block
            .iter()
            .filter(|(m, _)| complete.contains(m))
            .map(|(m, v)| (m.clone(), *v))
            .collect();
        for (method, rank) in ranks(&own) {
            let at = complete.iter().find(|m| m.as_str() == method)?;
            *sums.entry(at.as_str()).or_default() += rank;
        }
    }
    let n = count(blocks.len());
    let mut methods: Vec<(String, f64)> =
        sums.into_iter().map(|(m, sum)| (m.to_owned(), sum / n)).collect();
    methods.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    let k = count(methods.len());
    let critical = quantile(methods.len()) * (k * (k + 1.0) / (6.0 * n)).sqrt();
    let partial = partial.into_iter().cloned().collect();
    Some(Standing { methods, partial, blocks: blocks.len(), critical })
}

/// The 5% points of the studentised range with infinite degrees of freedom over the root of two, for
/// 2 to 20 methods: the factors of the Nemenyi test, \[Demsar2006\] table 5.
const QUANTILES: [f64; 19] = [
    1.960, 2.344, 2.569, 2.728, 2.850, 2.948, 3.031, 3.102, 3.164, 3.219, 3.268, 3.313, 3.354,
    3.391, 3.426, 3.458, 3.489, 3.517, 3.544,
];

fn quantile(methods: usize) -> f64 {
    methods.checked_sub(2).and_then(|i| QUANTILES.get(i)).copied().unwrap_or(f64::NAN)
}

impl Standing {
    /// The longest runs of methods that do not differ, as first and last place in the order.
    #[must_use]
    pub fn cliques(&self) -> Vec<(usize, usize)> {
        let mut cliques: Vec<(usize, usize)> = Vec::new();
        for (first, (_, rank)) in self.methods.iter().enumerate() {
            let near = |(_, other): &&(String, f64)| other - rank <= self.critical;
            let last = first + self.methods[first..].iter().take_while(near).count() - 1;
            let within = cliques.last().is_some_and(|(_, end)| *end >= last);
            if last > first && !within {
                cliques.push((first, last));
            }
        }
        cliques
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(values: &[(&str, f64)]) -> Block {
        values.iter().map(|(m, v)| ((*m).to_owned(), *v)).collect()
    }

    #[test]
    fn equal_values_share_their_ranks() {
        let block = block(&[("a", 1.0), ("b", 1.0), ("c", 3.0), ("d", f64::NAN), ("e", 0.5)]);
        let expected = [("a", 2.5), ("b", 2.5), ("c", 4.0), ("d", 5.0), ("e", 1.0)];
        assert_eq!(ranks(&block), expected.into_iter().collect());
    }

    /// The example of \[Demsar2006\] sec. 3.2.2, four methods on fourteen data sets:
    /// 2.569 √(4·5 / (6·14)) = 1.25.
    #[test]
    fn the_critical_difference_of_the_textbook_example() {
        let blocks: Vec<Block> = (0..14)
            .map(|i| block(&[("a", f64::from(i)), ("b", 20.0), ("c", 30.0), ("d", 40.0)]))
            .collect();
        let standing = standing(&blocks).unwrap();
        assert!((standing.critical - 1.2536).abs() < 5e-4, "{}", standing.critical);
        assert_eq!(standing.methods[0], ("a".to_owned(), 1.0));
        assert_eq!(standing.cliques(), [(0, 1), (1, 2), (2, 3)]);
    }

    /// The range of k standard normal values stays below √2 times the factor with probability 0.95:
    /// k ∫ φ(x) (Φ(x + q) − Φ(x))^(k−1) dx, summed over a fine grid.
    #[test]
    fn the_factors_are_points_of_the_studentised_range() {
        const STEPS: usize = 3600;
        let h = 18.0 / count(STEPS);
        let x = |i: usize| -9.0 + count(i) * h;
        let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
        let mut below = vec![0.0];
        for i in 0..STEPS {
            below.push(below[i] + h * (density(x(i)) + density(x(i + 1))) / 2.0);
        }
        let below_at = |value: f64| {
            let at = (0..STEPS).take_while(|i| x(i + 1) < value).count();
            let share = ((value - x(at)) / h).clamp(0.0, 1.0);
            below.get(at + 1).map_or(1.0, |next| below[at] + share * (next - below[at]))
        };
        for (k, factor) in (2..=20).zip(QUANTILES) {
            let q = factor * std::f64::consts::SQRT_2;
            // Every fourth point is fine enough.
            let part = |i: usize| density(x(i)) * (below_at(x(i) + q) - below[i]).powi(k - 1);
            let sum: f64 = (0..STEPS).step_by(4).map(part).sum();
            let reached = f64::from(k) * sum * 4.0 * h;
            assert!((reached - 0.95).abs() < 2e-4, "{k}: {reached}");
        }
    }

    #[test]
    fn methods_that_some_blocks_lack_are_named_and_left_out() {
        let blocks =
            [block(&[("a", 1.0), ("b", 2.0), ("c", 0.0)]), block(&[("a", 2.0), ("b", 1.0)])];
        let standing = standing(&blocks).unwrap();
        assert_eq!(standing.methods, [("a".to_owned(), 1.5), ("b".to_owned(), 1.5)]);
        assert_eq!(standing.partial, ["c"]);
        assert!(super::standing(&blocks[..1]).is_none());
    }
}
