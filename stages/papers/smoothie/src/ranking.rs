//! The procedure of section 5.6 on one task: the treatments in ranks, and SMOOTHIE's outcome against each.

use stats::{
    better::Better,
    standing::{Outcome, Standing},
};

/// The level at which ranks are separated.
const ALPHA: f64 = 0.05;
/// The name of SMOOTHIE among the methods.
const SMOOTHIE: &str = "smoothie";

/// A treatment in its rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// The optimiser.
    pub method: String,
    /// The learner that it tuned.
    pub learner: String,
    /// Whether it shares the first rank.
    pub first: bool,
    /// The median of its scores.
    pub median: f64,
    /// What the SMOOTHIE that is compared does against it: `win`, `tie` or `loss`; empty where there is none.
    pub outcome: String,
}

impl Ranked {
    /// Whether it is SMOOTHIE, with any learner.
    #[must_use]
    pub fn is_smoothie(&self) -> bool {
        self.method == SMOOTHIE
    }

    /// The optimiser, SMOOTHIE with its learner: the others tune the one that does best.
    #[must_use]
    pub fn name(&self) -> String {
        if self.is_smoothie() {
            format!("{} {}", self.method, self.learner)
        } else {
            self.method.clone()
        }
    }
}

/// The place of SMOOTHIE's rival, the best of the others: by median, among those in the first rank if there are any.
/// The highest median alone would not do: a treatment in the second rank can have a higher one than another in the
/// first, whose scores scatter more.
#[must_use]
pub fn rival(treatments: &[Ranked]) -> Option<usize> {
    let others = treatments.iter().enumerate().filter(|(_, treatment)| !treatment.is_smoothie());
    let better = |(_, a): &(usize, &Ranked), (_, b): &(usize, &Ranked)| {
        a.first.cmp(&b.first).then(a.median.total_cmp(&b.median))
    };
    others.max_by(better).map(|(i, _)| i)
}

/// The treatments of a task in ranks.
pub struct Ranking {
    /// Medians and tests.
    pub standing: Standing,
    /// The treatments, in their order.
    pub treatments: Vec<Ranked>,
    /// SMOOTHIE with the learner that represents it.
    pub own: Option<usize>,
}

impl Ranking {
    /// Ranks treatments, (method, learner), by their scores, the higher the better; `learner` represents
    /// SMOOTHIE. `None` if one of them has no scores.
    ///
    /// DIFFERS: the authors' code corrects the p of all pairs at once, as a square matrix with its zero diagonal, which
    /// makes most of them too small. Runs are ranked by section 5.6 as published too, so that protocols differ in their
    /// runs alone; `stats::flawed` has the code's correction, and serves to check reference values.
    #[must_use]
    pub fn new(names: &[(String, String)], learner: &str, scores: &[Vec<f64>]) -> Option<Self> {
        let standing = Standing::new(scores, Better::Higher, ALPHA)?;
        let own = names.iter().position(|(method, of)| method == SMOOTHIE && of == learner);
        let outcome = |against: usize| match own.map(|own| standing.outcome(own, against)) {
            Some(Outcome::Win) => "win",
            Some(Outcome::Tie) => "tie",
            Some(Outcome::Loss) => "loss",
            None => "",
        };
        let ranked = |(i, (method, learner)): (usize, &(String, String))| Ranked {
            method: method.clone(),
            learner: learner.clone(),
            first: standing.first[i],
            median: standing.medians[i],
            outcome: outcome(i).to_owned(),
        };
        let treatments = names.iter().enumerate().map(ranked).collect();
        Some(Self { standing, treatments, own })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores about so much.
    fn about(score: f64) -> Vec<f64> {
        (0..12).map(|i| score + 0.001 * f64::from(i)).collect()
    }

    fn named<const N: usize>(names: [(&str, &str); N]) -> Vec<(String, String)> {
        names.map(|(method, of)| (method.to_owned(), of.to_owned())).into()
    }

    fn ranked(learner: &str, scores: [f64; 4]) -> Ranking {
        let names = [("bohb-5", "FF"), ("random-5", "FF"), ("smoothie", "FF"), ("smoothie", "NB")];
        Ranking::new(&named(names), learner, &scores.map(about)).unwrap()
    }

    #[test]
    fn smoothie_stands_for_itself_with_one_learner_and_never_as_its_own_rival() {
        let ranking = ranked("NB", [0.3, 0.5, 0.9, 0.7]);
        assert_eq!((ranking.own, rival(&ranking.treatments)), (Some(3), Some(1)));
        let names: Vec<String> = ranking.treatments.iter().map(Ranked::name).collect();
        assert_eq!(names, ["bohb-5", "random-5", "smoothie FF", "smoothie NB"]);
        let first: Vec<bool> = ranking.treatments.iter().map(|t| t.first).collect();
        assert_eq!(first, [false, false, true, false]);
        let none = ranked("LR", [0.3, 0.5, 0.9, 0.7]);
        assert_eq!((none.own, none.treatments[0].outcome.as_str()), (None, ""));
    }

    #[test]
    fn the_higher_score_wins_and_equals_tie() {
        let against_random =
            |own: f64| ranked("FF", [0.1, 0.5, own, 0.1]).treatments[1].outcome.clone();
        assert_eq!(against_random(0.9), "win");
        assert_eq!(against_random(0.5), "tie");
        assert_eq!(against_random(0.2), "loss");
        assert!(ranked("FF", [0.5; 4]).treatments.iter().all(|treatment| treatment.first));
    }

    #[test]
    fn a_rival_of_the_first_rank_is_better_than_one_with_a_higher_median_of_the_second() {
        let names =
            named([("bohb-30", "LR"), ("random-5", "LR"), ("smoothie", "LR"), ("smoothie", "NB")]);
        // Close to 0.5 and below the best; around it and as often above as below the best; close to 0.4.
        let near = |centre: f64| (0..20).map(|i| centre + 1e-4 * f64::from(i)).collect::<Vec<_>>();
        let wide = (0..20).map(|i| if i < 11 { 0.49 } else { 0.9 }).collect::<Vec<_>>();
        let ranking = Ranking::new(&names, "LR", &[near(0.5), wide, near(0.4), near(0.6)]).unwrap();
        let [bohb, random, own, _] = &ranking.treatments[..] else { panic!("four treatments") };
        assert!(!bohb.first && random.first && bohb.median > random.median && !own.first);
        assert_eq!(rival(&ranking.treatments), Some(1));
        // In the second rank as BOHB is, SMOOTHIE has not tied with the best: it has lost against random search.
        assert_eq!((bohb.outcome.as_str(), random.outcome.as_str()), ("tie", "loss"));
        // Without it, all others are in the second rank, and the highest median is the rival.
        let mut second = ranking.treatments.clone();
        second[1].first = false;
        assert_eq!(rival(&second), Some(0));
    }

    #[test]
    fn without_scores_there_is_no_ranking() {
        let names = named([("smoothie", "FF")]);
        assert!(Ranking::new(&names, "FF", &[Vec::new()]).is_none());
        assert_eq!(rival(&[]), None);
    }
}
