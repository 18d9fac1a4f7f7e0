//! The procedure of section 5.6 on one task: ranks of treatments, and SMOOTHIE against the best of the
//! others.

use stats::{
    better::Better,
    standing::{Outcome, Standing},
};

/// The level at which ranks are separated.
const ALPHA: f64 = 0.05;

/// The treatments of a task in ranks.
pub struct Ranking {
    /// Ranks, medians, tests.
    pub standing: Standing,
    /// SMOOTHIE with the learner that represents it.
    pub own: Option<usize>,
    /// The best of the others, by median.
    pub rival: Option<usize>,
}

impl Ranking {
    /// Ranks treatments, (method, learner), by their scores, the higher the better; `learner` represents
    /// SMOOTHIE. `None` if one of them has no scores.
    #[must_use]
    pub fn new(names: &[(String, String)], learner: &str, scores: &[Vec<f64>]) -> Option<Self> {
        let standing = Standing::new(scores, Better::Higher, ALPHA)?;
        let own = names.iter().position(|(method, of)| method == "smoothie" && of == learner);
        let rival = (0..names.len())
            .filter(|&i| names[i].0 != "smoothie")
            .max_by(|&a, &b| standing.medians[a].total_cmp(&standing.medians[b]));
        Some(Self { standing, own, rival })
    }

    /// The outcome of SMOOTHIE against a treatment: `win`, `tie` or `loss`.
    #[must_use]
    pub fn outcome(&self, against: usize) -> Option<&'static str> {
        Some(match self.standing.outcome(self.own?, against) {
            Outcome::Win => "win",
            Outcome::Tie => "tie",
            Outcome::Loss => "loss",
        })
    }

    /// Whether all treatments share the first rank.
    #[must_use]
    pub fn all_tie(&self) -> bool {
        self.standing.first.iter().all(|first| *first)
    }
}
