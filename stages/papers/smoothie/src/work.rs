//! The work of SMOOTHIE's stages: trainings × rows × epochs × weights of a network of average size.

use pipeline::work::{Inputs, Size, Work};

use super::{
    arm::Arm,
    method::Method,
    protocol::SelectOn,
    space::{Learner, Search},
    stages::{
        audit::Audit, bounds::Bounds, contrasts::Contrasts, cut::CutStage, encode::Encode,
        intervals::Intervals, landscape::Landscape, pool::Pool, sensitivity::Sensitivity,
        standings::Standings, tune::Tune,
    },
};
use crate::rules::Rules;

/// Rows of one repeat: those of the data, unless the cut, which has at least so many `repeats`, has fewer.
fn rows(inputs: &Inputs, repeats: u32) -> f64 {
    inputs.rows("target").min(inputs.rows("cut") / f64::from(repeats.max(1)))
}

/// The cost of one row's pass through an average network, including the constant cost of a layer.
fn weights(search: &Search, features: f64) -> f64 {
    let middle = |[low, high]: [i64; 2]| (low + high) as f64 / 2.0;
    let (layers, units) = (middle(search.layers), middle(search.units));
    match search.learner {
        Learner::FeedForward | Learner::Ghost => {
            features * units + layers * units * (units + BESIDE)
        }
        Learner::Bayesmark => (features + BESIDE) * units,
        Learner::NaiveBayes | Learner::Logistic => features,
    }
}

/// The cost of an activation, in products.
const BESIDE: f64 = 10.0;

/// The cost of one evaluation: preparing the rows, including the search for neighbours, and training.
fn evaluation(search: &Search, rules: &Rules, inputs: &Inputs, repeats: u32) -> f64 {
    let (rows, features) = (rows(inputs, repeats), inputs.size("data").columns.max(1.0));
    let learning = match search.learner {
        Learner::NaiveBayes => rows * features,
        Learner::Logistic => rows * features * FITTED,
        // Only scaled.
        Learner::Bayesmark => {
            return rows * f64::from(rules.epochs) * weights(search, features);
        }
        _ => rows * f64::from(rules.epochs) * weights(search, features),
    };
    learning + PREPARED * rows * features
}

/// Approximate number of passes over the rows until logistic regression is fitted.
const FITTED: f64 = 2000.0;
/// Approximate number of passes over the rows before training: the search for neighbours, and over-sampling.
const PREPARED: f64 = 1000.0;

fn variant(search: &Search) -> &'static str {
    match search.learner {
        Learner::FeedForward => "feed-forward",
        Learner::NaiveBayes => "naive Bayes",
        Learner::Logistic => "logistic",
        Learner::Bayesmark => "Bayesmark",
        Learner::Ghost => "GHOST",
    }
}

/// Repeats × trainings × an evaluation.
impl<A: Arm> Work for Tune<A> {
    fn work(&self, inputs: &Inputs) -> f64 {
        let runs = if self.method.one_run(self.peers) { 1 } else { self.repeats };
        let epochs = f64::from(self.rules.epochs);
        let trainings = match self.method {
            // A probe is a training of one epoch, plus the smoothness.
            Method::Smoothie { probes, full } => {
                f64::from(full) + f64::from(probes) / epochs.max(1.0)
            }
            method => f64::from(method.budget()),
        };
        let known = self.first + self.repeats;
        f64::from(runs) * trainings * evaluation(&self.search, &self.rules, inputs, known)
    }

    fn variant(&self) -> String {
        variant(&self.search).to_owned()
    }
}

/// Configurations × (three probes and an evaluation).
impl Work for Pool {
    fn work(&self, inputs: &Inputs) -> f64 {
        let one = evaluation(&self.search, &self.rules, inputs, self.repeat + 1);
        f64::from(self.configurations) * one
    }

    fn variant(&self) -> String {
        variant(&self.search).to_owned()
    }

    fn writes(&self, _: &str, _: &Inputs) -> Option<Size> {
        Some(Size { rows: f64::from(self.configurations), columns: 13.0 })
    }
}

/// Two surfaces per repeat: a training, and points × a pass over the rows.
impl Work for Landscape {
    fn work(&self, inputs: &Inputs) -> f64 {
        let features = inputs.size("data").columns.max(1.0);
        let points = self.points.pow(2) as f64 + f64::from(self.rules.epochs);
        let surfaces = 2.0 * f64::from(self.repeats);
        surfaces * points * rows(inputs, self.repeats) * weights(&self.search, features)
    }

    fn variant(&self) -> String {
        variant(&self.search).to_owned()
    }
}

/// Autoencoders × values.
impl Work for Encode {
    fn work(&self, inputs: &Inputs) -> f64 {
        let features = inputs.size("data").columns.max(1.0);
        self.before.len() as f64 * rows(inputs, self.repeat + 1) * features
    }
}

/// Repeats × rows.
impl Work for CutStage {
    fn work(&self, inputs: &Inputs) -> f64 {
        f64::from(self.repeats) * inputs.rows("target")
    }

    fn variant(&self) -> String {
        match self.select_on {
            SelectOn::Test => "test",
            SelectOn::Validation => "validation",
        }
        .to_owned()
    }

    fn writes(&self, _: &str, inputs: &Inputs) -> Option<Size> {
        let all = inputs.rows("target");
        let used = if self.rows == 0 { all } else { all.min(self.rows as f64) };
        Some(Size { rows: f64::from(self.repeats) * used, columns: 4.0 })
    }
}

/// Random cases.
impl Work for Bounds {
    fn work(&self, _: &Inputs) -> f64 {
        f64::from(self.cases)
    }
}

/// Rows of pools.
impl Work for Sensitivity {
    fn work(&self, inputs: &Inputs) -> f64 {
        inputs.rows("pools").max(1.0)
    }
}

impl Work for Standings {}
impl Work for Intervals {}
impl Work for Contrasts {}

impl Work for Audit {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        protocol::{Formula, Options, TestLabels},
        rules::Metric,
    };

    /// 1000 rows of 20 features, of which the cut has 600.
    fn sized<T>(of: impl Fn(&Inputs) -> T) -> T {
        let sizes = [(1000, 20), (1000, 1), (600, 4)];
        let look = |place: usize| {
            let (rows, columns): (usize, usize) = sizes[place];
            Some(Size::new(rows, columns))
        };
        of(&Inputs::new(vec!["data", "target", "cut"], &look))
    }

    fn search(learner: Learner) -> Search {
        Search { learner, options: Options::Paper, layers: [3, 21], units: [2, 6] }
    }

    #[test]
    fn an_average_network_has_the_middle_of_layers_and_units() {
        // 12 layers of 4 units.
        let of = |learner| weights(&search(learner), 20.0);
        assert_eq!(of(Learner::FeedForward), 20.0 * 4.0 + 12.0 * 4.0 * 14.0);
        assert_eq!(of(Learner::Ghost), of(Learner::FeedForward));
        assert_eq!(of(Learner::Bayesmark), 30.0 * 4.0);
        assert_eq!(of(Learner::NaiveBayes), 20.0);
    }

    #[test]
    fn an_evaluation_prepares_the_rows_of_the_cut_and_learns() {
        let rules = Rules {
            metric: Metric::F1,
            formula: Formula::Theorem,
            options: Options::Paper,
            test_labels: TestLabels::True,
            epochs: 100,
            batch: 128,
            rate: 0.01,
        };
        let of = |learner| sized(|inputs| evaluation(&search(learner), &rules, inputs, 1));
        let values = 600.0 * 20.0;
        assert_eq!(of(Learner::NaiveBayes), values + 1000.0 * values);
        assert_eq!(of(Learner::Logistic), 2000.0 * values + 1000.0 * values);
        assert_eq!(of(Learner::FeedForward), 600.0 * 100.0 * 752.0 + 1000.0 * values);
        // Bayesmark's rows are scaled and no more.
        assert_eq!(of(Learner::Bayesmark), 600.0 * 100.0 * 120.0);
    }

    #[test]
    fn a_cut_of_many_repeats_has_a_share_of_its_rows_in_each() {
        assert_eq!(
            [1, 2, 20].map(|repeats| sized(|inputs| rows(inputs, repeats))),
            [600.0, 300.0, 30.0]
        );
    }
}
