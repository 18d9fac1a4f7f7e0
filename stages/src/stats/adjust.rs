//! p values adjusted for the number of tests. A p that is NaN counts as 1: an undefined test shows
//! nothing. Results are in the order of the input and at most 1.

/// p · m.
#[must_use]
pub fn bonferroni(p: &[f64]) -> Vec<f64> {
    let m = p.len() as f64;
    p.iter().map(|v| at_most_1(m * at_most_1(*v))).collect()
}

/// Step-down adjustment \[Holm1979\].
#[must_use]
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![0.0; p.len()];
    let mut largest = 0.0_f64;
    for (below, i) in ascending(p).into_iter().enumerate() {
        largest = largest.max((p.len() - below) as f64 * at_most_1(p[i]));
        adjusted[i] = at_most_1(largest);
    }
    adjusted
}

/// Step-up adjustment for the false discovery rate of independent tests \[Benjamini1995\].
#[must_use]
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    step_up(p, 1.0)
}

/// The same for tests of any dependence \[Benjamini2001\].
#[must_use]
pub fn benjamini_yekutieli(p: &[f64]) -> Vec<f64> {
    step_up(p, (1..=p.len()).map(|i| 1.0 / i as f64).sum())
}

/// min over the ranks j ≥ i of `factor` · p_(j) · m / j.
fn step_up(p: &[f64], factor: f64) -> Vec<f64> {
    let m = p.len() as f64;
    let mut adjusted = vec![0.0; p.len()];
    let mut smallest = 1.0_f64;
    for (below, i) in ascending(p).into_iter().enumerate().rev() {
        smallest = smallest.min(factor * at_most_1(p[i]) * m / (below + 1) as f64);
        adjusted[i] = smallest;
    }
    adjusted
}

fn at_most_1(p: f64) -> f64 {
    // `min` gives 1 for NaN.
    p.min(1.0)
}

fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&i, &j| at_most_1(p[i]).total_cmp(&at_most_1(p[j])));
    order
}
