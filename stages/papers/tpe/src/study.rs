//! Which components matter, after PED-ANOVA: how the best settings of a grid are spread over the values of a
//! component.

use std::collections::BTreeMap;

pub use crate::tables::ablated::MARKS;
use stats::moments::mean;

use crate::{
    grid::{Factor, Grid, factors},
    tables::ablated::Ablated,
    target::GROUPS,
};

/// The better half of all settings.
pub const HALF: f64 = 0.5;
/// The best settings.
pub const TOP: f64 = 0.05;

/// The settings of a grid on one target.
#[derive(Debug, Clone)]
pub struct Scores {
    /// The target.
    pub target: String,
    /// The lowest loss of each setting, the mean over seeds, after each quarter of a run.
    pub at: [Vec<f64>; MARKS],
}

/// A grid on the targets of a group.
#[derive(Debug, Clone)]
pub struct Panel {
    /// The components.
    pub factors: Vec<Factor>,
    /// The targets.
    pub targets: Vec<Scores>,
}

/// A grid on all targets, by group.
#[derive(Debug, Clone, Default)]
pub struct Study {
    /// The panels.
    pub groups: BTreeMap<String, Panel>,
}

/// The marks of each setting, one per seed.
type Marked = BTreeMap<u32, Vec<[f64; MARKS]>>;

impl Study {
    /// The study of these runs, each setting with its mean over seeds. A target on which a setting is missing is left
    /// out.
    #[must_use]
    pub fn new(grid: &Grid, draw: usize, runs: &[Ablated]) -> Self {
        let mut cells: BTreeMap<(&str, &str), Marked> = BTreeMap::new();
        for run in runs {
            let own = cells.entry((&run.group, &run.target)).or_default();
            own.entry(run.setting).or_default().push(run.marks());
        }
        let mut study = Self::default();
        for ((group, target), settings) in cells {
            let tried = grid.settings(group == GROUPS[4], draw);
            if settings.len() != tried.len() {
                continue;
            }
            let at = std::array::from_fn(|mark| {
                let one = |seeds: &Vec<[f64; MARKS]>| {
                    mean(&seeds.iter().map(|marks| marks[mark]).collect::<Vec<_>>())
                };
                settings.values().map(one).collect()
            });
            let panel = || Panel { factors: factors(&tried), targets: Vec::new() };
            let own = study.groups.entry(group.to_owned()).or_insert_with(panel);
            own.targets.push(Scores { target: target.to_owned(), at });
        }
        study
    }
}

impl Panel {
    /// The component of this name.
    #[must_use]
    pub fn factor(&self, name: &str) -> Option<&Factor> {
        self.factors.iter().find(|factor| factor.name == name)
    }

    /// The same panel without a target.
    #[must_use]
    pub fn without(&self, target: &str) -> Self {
        let mut panel = self.clone();
        panel.targets.retain(|scores| scores.target != target);
        panel
    }

    /// The mass of one value of a component among the best settings, for each target; empty if there is no such
    /// component or value.
    #[must_use]
    pub fn top(&self, mark: usize, factor: &str, level: &str) -> Vec<f64> {
        let Some(factor) = self.factor(factor) else { return Vec::new() };
        let Some(level) = factor.levels.iter().position(|one| one == level) else {
            return Vec::new();
        };
        self.targets.iter().map(|scores| masses(factor, &scores.at[mark], TOP)[level]).collect()
    }

    /// The global importance of each component (columns) on each target (rows), not scaled.
    #[must_use]
    pub fn global(&self, mark: usize) -> Vec<Vec<f64>> {
        let one = |scores: &Scores| {
            let of = |factor: &Factor| global(&masses(factor, &scores.at[mark], HALF));
            self.factors.iter().map(of).collect()
        };
        self.targets.iter().map(one).collect()
    }

    /// The local importance, as [`global`](Self::global).
    #[must_use]
    pub fn local(&self, mark: usize) -> Vec<Vec<f64>> {
        let one = |scores: &Scores| {
            let of = |factor: &Factor| {
                let at = |share| masses(factor, &scores.at[mark], share);
                local(&at(HALF), &at(TOP))
            };
            self.factors.iter().map(of).collect()
        };
        self.targets.iter().map(one).collect()
    }
}

/// The means of the columns over these rows, in percent of their sum.
#[must_use]
pub fn shares(importances: &[Vec<f64>], rows: &[usize]) -> Vec<f64> {
    let columns = importances.first().map_or(0, Vec::len);
    let sums: Vec<f64> =
        (0..columns).map(|j| rows.iter().map(|&i| importances[i][j]).sum()).collect();
    let total: f64 = sums.iter().sum();
    sums.iter().map(|sum| 100.0 * sum / total).collect()
}

/// How the best `share` of the settings that have this component is spread over its values. The number of best
/// settings is one more than ⌊share · n⌋, and more if losses are equal.
///
/// DIFFERS: the paper's shares of β and Δ are smoothed by a kernel of unknown width; here they are frequencies. β is
/// compared among the settings that have it.
#[must_use]
pub fn masses(factor: &Factor, scores: &[f64], share: f64) -> Vec<f64> {
    let own: Vec<(usize, f64)> =
        factor.of.iter().zip(scores).filter_map(|(of, &score)| Some(((*of)?, score))).collect();
    let mut sorted: Vec<f64> = own.iter().map(|one| one.1).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut counts = vec![0.0; factor.levels.len()];
    let Some(last) = sorted.get((share * own.len() as f64) as usize) else { return counts };
    for (level, _) in own.iter().filter(|one| one.1.total_cmp(last).is_le()) {
        counts[*level] += 1.0;
    }
    let total: f64 = counts.iter().sum();
    counts.iter().map(|count| count / total).collect()
}

/// The mean over K values of (K p − 1)².
fn global(half: &[f64]) -> f64 {
    let k = half.len() as f64;
    mean(&half.iter().map(|p| (k * p - 1.0).powi(2)).collect::<Vec<_>>())
}

/// The sum over values of p (q/p − 1)², p among the better half and q among the best.
fn local(half: &[f64], top: &[f64]) -> f64 {
    let terms = half.iter().zip(top).filter(|(p, _)| **p > 0.0);
    terms.map(|(p, q)| p * (q / p - 1.0).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factor(of: &[usize], levels: usize) -> Factor {
        let levels = (0..levels).map(|level| level.to_string()).collect();
        Factor { name: "prior", levels, of: of.iter().map(|&level| Some(level)).collect() }
    }

    #[test]
    fn masses_by_hand() {
        let own = factor(&[0, 0, 1, 1, 1, 0], 2);
        // Position 3 of the sorted losses is 4: four settings, of which one has the first value.
        let scores = [9.0, 1.0, 2.0, 3.0, 4.0, 8.0];
        assert_eq!(masses(&own, &scores, HALF), [0.25, 0.75]);
        assert_eq!(masses(&own, &scores, TOP), [1.0, 0.0]);
        // Equal losses come in together.
        assert_eq!(masses(&own, &[1.0; 6], TOP), [0.5, 0.5]);
        let some = Factor { of: vec![None, None, Some(1), Some(0), None, None], ..own };
        assert_eq!(masses(&some, &scores, TOP), [0.0, 1.0]);
    }

    #[test]
    fn importances_by_hand() {
        assert_eq!((global(&[0.25; 4]), global(&[1.0, 0.0])), (0.0, 1.0));
        assert!((global(&[0.75, 0.25]) - 0.25).abs() < 1e-15);
        // 0.5 (0.5)² + 0.5 (0.5)²
        assert!((local(&[0.5, 0.5], &[0.75, 0.25]) - 0.25).abs() < 1e-15);
        assert_eq!((local(&[0.5, 0.5], &[0.5, 0.5]), local(&[1.0, 0.0], &[1.0, 0.0])), (0.0, 0.0));
        let importances = [vec![1.0, 3.0], vec![2.0, 2.0], vec![0.0, 1.0]];
        assert_eq!(shares(&importances, &[0, 1]), [37.5, 62.5]);
        assert_eq!(shares(&importances, &[2, 2]), [0.0, 100.0]);
    }
}
