//! SMOOTHIE's search space: how rows are treated, and which learner is trained on them (Tables II and III,
//! Figure 5).

use models::preprocess::scaler::{SCALERS, Scaler};
use numerics::space::{Domain, Error, Parameter, Space};
use serde::{Deserialize, Serialize};

use super::protocol::Options;

/// The learner that is tuned.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Learner {
    /// Feed-forward network trained by SGD.
    FeedForward,
    /// Gaussian naive Bayes.
    NaiveBayes,
    /// Logistic regression.
    Logistic,
    /// Network of one hidden layer trained by Adam, in the space of Bayesmark.
    Bayesmark,
    /// Feed-forward network in the space of GHOST, which fixes how rows are over-sampled.
    Ghost,
}

impl Learner {
    /// Its name in tables: that of the paper.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FeedForward | Self::Bayesmark | Self::Ghost => "FF",
            Self::NaiveBayes => "NB",
            Self::Logistic => "LR",
        }
    }
}

/// The search space of one learner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Search {
    /// The learner.
    pub learner: Learner,
    /// The learner-independent options; Bayesmark's space has none.
    pub options: Options,
    /// Smallest and largest number of hidden layers.
    pub layers: [i64; 2],
    /// Smallest and largest number of units per layer.
    pub units: [i64; 2],
}

/// The penalty of logistic regression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Penalty {
    /// Sum of absolute values.
    L1,
    /// Half the sum of squares.
    L2,
    /// Both in equal shares.
    ElasticNet,
}

/// A learner with its hyper-parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Model {
    /// Hidden layers of equal width, ReLU, SGD.
    FeedForward {
        /// Hidden layers.
        layers: usize,
        /// Units in each.
        units: usize,
    },
    /// One hidden layer, ReLU, Adam.
    Adam {
        /// Units of the hidden layer.
        units: usize,
        /// Weight of ½‖w‖²/m.
        alpha: f64,
        /// Minibatch size.
        batch: usize,
        /// Learning rate.
        rate: f64,
        /// Decay of the first moment.
        beta1: f64,
        /// Decay of the second moment.
        beta2: f64,
        /// Added to the root of the second moment.
        epsilon: f64,
    },
    /// Logistic regression.
    Logistic {
        /// The penalty.
        penalty: Penalty,
        /// Inverse of its weight.
        c: f64,
    },
    /// Gaussian naive Bayes.
    NaiveBayes,
    /// RBF support vector machine with the usual defaults: the baseline of Table V.
    Svm,
}

/// How rows are treated before training, in the order of application.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Treatment {
    /// Scaling, fitted on the training rows.
    pub scaler: Scaler,
    /// Label engineering.
    pub label_engineering: bool,
    /// Label flip and autoencoder.
    pub ultrasample: bool,
    /// How often fuzzy sampling is applied.
    pub fuzzy: u8,
    /// SMOTE.
    pub smote: bool,
}

impl Treatment {
    /// Unchanged rows.
    pub const NONE: Self = Self {
        scaler: Scaler::None,
        label_engineering: false,
        ultrasample: false,
        fuzzy: 0,
        smote: false,
    };
}

/// A configuration in words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The treatment of the rows.
    pub treatment: Treatment,
    /// The learner.
    pub model: Model,
}

/// The scalers that GHOST chooses from.
pub const GHOST_SCALERS: [Scaler; 3] = [Scaler::Standardise, Scaler::Normalise, Scaler::MinMax];
const PENALTIES: [Penalty; 3] = [Penalty::L1, Penalty::L2, Penalty::ElasticNet];
const C: [f64; 3] = [0.1, 1.0, 10.0];

fn parameter(name: &str, domain: Domain) -> Parameter {
    Parameter { name: name.to_owned(), domain }
}

fn switch(name: &str) -> Parameter {
    parameter(name, Domain::Categorical { choices: 2 })
}

impl Search {
    /// The parameters with their values.
    ///
    /// # Errors
    /// If a range of layers or units is empty.
    pub fn space(&self) -> Result<Space, Error> {
        let mut all = Vec::new();
        if self.learner == Learner::Ghost {
            all.push(parameter("scaler", Domain::Categorical { choices: GHOST_SCALERS.len() }));
        } else if self.learner != Learner::Bayesmark {
            all.push(parameter("scaler", Domain::Categorical { choices: SCALERS.len() }));
            all.push(switch("smote"));
            all.push(switch("label-engineering"));
            match self.options {
                Options::Paper => {
                    all.push(parameter("fuzzy", Domain::Int { low: 0, high: 2, log: false }));
                }
                Options::Code => all.extend([switch("fuzzy"), switch("ultrasample")]),
            }
        }
        match self.learner {
            Learner::FeedForward | Learner::Ghost => {
                let range = |[low, high]: [i64; 2]| Domain::Int { low, high, log: false };
                all.push(parameter("layers", range(self.layers)));
                all.push(parameter("units", range(self.units)));
            }
            Learner::Logistic => {
                all.push(parameter("penalty", Domain::Categorical { choices: PENALTIES.len() }));
                all.push(parameter("c", Domain::Categorical { choices: C.len() }));
            }
            Learner::NaiveBayes => {}
            Learner::Bayesmark => {
                let log = |low, high| Domain::Float { low, high, log: true };
                // DIFFERS: Bayesmark searches both decay rates on a logit scale; here 1 − β is
                // searched on a logarithmic one, over the same interval. Its `tol` and
                // `validation_fraction` belong to early stopping, which is not used.
                all.extend([
                    parameter("units", Domain::Int { low: 50, high: 200, log: false }),
                    parameter("alpha", log(1e-5, 1e1)),
                    parameter("batch", Domain::Int { low: 10, high: 250, log: false }),
                    parameter("rate", log(1e-5, 1e-1)),
                    parameter("one-less-beta1", log(1e-2, 0.5)),
                    parameter("one-less-beta2", log(1e-6, 0.1)),
                    parameter("epsilon", log(1e-9, 1e-6)),
                ]);
            }
        }
        Space::new(all)
    }

    /// The meaning of a configuration of [`Search::space`].
    #[must_use]
    pub fn choice(&self, space: &Space, config: &[f64]) -> Choice {
        let value = |name: &str| {
            let place = space.parameters().iter().position(|p| p.name == name);
            place.map_or(0.0, |i| config[i])
        };
        let number = |name: &str| value(name) as usize;
        let on = |name: &str| value(name) > 0.0;
        let treatment = match self.learner {
            Learner::Bayesmark => Treatment { scaler: Scaler::Standardise, ..Treatment::NONE },
            Learner::Ghost => Treatment {
                scaler: GHOST_SCALERS[number("scaler")],
                label_engineering: false,
                ultrasample: true,
                fuzzy: 1,
                smote: true,
            },
            _ => Treatment {
                scaler: SCALERS[number("scaler")],
                label_engineering: on("label-engineering"),
                ultrasample: on("ultrasample"),
                fuzzy: value("fuzzy") as u8,
                smote: on("smote"),
            },
        };
        let model = match self.learner {
            Learner::FeedForward | Learner::Ghost => {
                Model::FeedForward { layers: number("layers"), units: number("units") }
            }
            Learner::NaiveBayes => Model::NaiveBayes,
            Learner::Logistic => {
                Model::Logistic { penalty: PENALTIES[number("penalty")], c: C[number("c")] }
            }
            Learner::Bayesmark => Model::Adam {
                units: number("units"),
                alpha: value("alpha"),
                batch: number("batch"),
                rate: value("rate"),
                beta1: 1.0 - value("one-less-beta1"),
                beta2: 1.0 - value("one-less-beta2"),
                epsilon: value("epsilon"),
            },
        };
        Choice { treatment, model }
    }
}

/// A configuration as text: `name=value` by parameter.
#[must_use]
pub fn describe(space: &Space, config: &[f64]) -> String {
    let pairs = space.parameters().iter().zip(config);
    pairs.map(|(p, v)| format!("{}={v}", p.name)).collect::<Vec<_>>().join(" ")
}

/// The configuration that [`describe`] described.
#[must_use]
pub fn parse(space: &Space, words: &str) -> Option<Vec<f64>> {
    let mut pairs = words.split(' ').map(|pair| pair.split_once('='));
    let value = |p: &Parameter| {
        let (name, value) = pairs.next()??;
        if name == p.name { value.parse().ok() } else { None }
    };
    space.parameters().iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(learner: Learner, options: Options) -> Search {
        Search { learner, options, layers: [3, 20], units: [2, 6] }
    }

    #[test]
    fn sizes_are_those_of_the_paper_and_of_the_code() {
        let size = |learner, options| {
            let space = search(learner, options).space().unwrap();
            space.domains().map(|d| d.values().unwrap()).product::<u64>()
        };
        assert_eq!(size(Learner::NaiveBayes, Options::Paper), 60);
        assert_eq!(size(Learner::NaiveBayes, Options::Code), 80);
        assert_eq!(size(Learner::Logistic, Options::Paper), 60 * 9);
        // "the learners can be configured in 100 ways": 18 × 5 networks, 9 regressions, naive Bayes.
        assert_eq!(size(Learner::FeedForward, Options::Paper) / 60 + 9 + 1, 100);
    }

    #[test]
    fn a_choice_reads_its_parameters_by_name() {
        let search = search(Learner::FeedForward, Options::Code);
        let space = search.space().unwrap();
        let choice = search.choice(&space, &[2.0, 1.0, 0.0, 1.0, 1.0, 7.0, 4.0]);
        assert_eq!(choice.model, Model::FeedForward { layers: 7, units: 4 });
        let treatment = Treatment {
            scaler: Scaler::MinMax,
            label_engineering: false,
            ultrasample: true,
            fuzzy: 1,
            smote: true,
        };
        assert_eq!(choice.treatment, treatment);
        let config = vec![2.0, 1.0, 0.0, 1.0, 1.0, 7.0, 4.0];
        let words = describe(&space, &config);
        assert!(words.starts_with("scaler=2 smote=1"));
        assert_eq!(parse(&space, &words), Some(config));
        assert_eq!(parse(&space, "scaler=2 smoke=1"), None);
    }
}
