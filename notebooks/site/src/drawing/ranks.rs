//! Ranks methods by the values reached so far.

use std::collections::BTreeMap;

/// Method → its value in one block; smaller is better.
pub type Block = BTreeMap<String, f64>;

/// The ranks of the values of a block, 1 for the smallest; equal values share the mean of their ranks, and
/// NaN comes last.
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
}
