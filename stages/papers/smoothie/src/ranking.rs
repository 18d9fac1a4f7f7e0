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

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores about so much.
    fn about(score: f64) -> Vec<f64> {
        (0..12).map(|i| score + 0.001 * f64::from(i)).collect()
    }

    fn ranked(learner: &str, scores: [f64; 4]) -> Ranking {
        let names = [("bohb-5", "FF"), ("random-5", "FF"), ("smoothie", "FF"), ("smoothie", "NB")];
        let names = names.map(|(method, of)| (method.to_owned(), of.to_owned()));
        Ranking::new(&names, learner, &scores.map(about)).unwrap()
    }

    #[test]
    fn smoothie_stands_for_itself_with_one_learner_and_never_as_its_own_rival() {
        let ranking = ranked("NB", [0.3, 0.5, 0.9, 0.7]);
        assert_eq!((ranking.own, ranking.rival), (Some(3), Some(1)));
        assert!(!ranking.all_tie());
        assert_eq!(ranked("LR", [0.3, 0.5, 0.9, 0.7]).own, None);
        assert_eq!(ranked("LR", [0.3, 0.5, 0.9, 0.7]).outcome(0), None);
    }

    #[test]
    fn the_higher_score_wins_and_equals_tie() {
        let against_random = |own: f64| ranked("FF", [0.1, 0.5, own, 0.1]).outcome(1);
        assert_eq!(against_random(0.9), Some("win"));
        assert_eq!(against_random(0.5), Some("tie"));
        assert_eq!(against_random(0.2), Some("loss"));
        assert!(ranked("FF", [0.5; 4]).all_tie());
    }

    #[test]
    fn without_scores_there_is_no_ranking() {
        let names = [("smoothie".to_owned(), "FF".to_owned())];
        assert!(Ranking::new(&names, "FF", &[Vec::new()]).is_none());
    }
}
