//! How hyper-parameters change during training: by the gradient through the best response, or by a schedule.

use serde::{Deserialize, Serialize};

/// What changes the hyper-parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Control {
    /// Gradient descent on the validation loss through the best response of the weights, Algorithm 1.
    Tuned(Tuning),
    /// A schedule; the network is a plain one, and only training batches are used.
    Given(Vec<Schedule>),
}

/// The schedule of a hyper-parameter that is not tuned, in valid values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Schedule {
    /// Constant at the initial value.
    Fixed,
    /// Normal noise around the initial value, drawn once per batch, clipped to the range.
    Noise {
        /// Standard deviation.
        deviation: f64,
    },
    /// A sine around the initial value, clipped to the range.
    Sine {
        /// Amplitude.
        amplitude: f64,
        /// Training batches per period.
        period: f64,
    },
    /// These values, one per training batch; the last one continues.
    Listed(Vec<f64>),
}

/// The settings of Algorithm 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Tuning {
    /// Steps on training batches in a cycle (`T_train`).
    pub train_steps: usize,
    /// Steps on validation batches in a cycle (`T_valid`).
    pub valid_steps: usize,
    /// Training batches before the first cycle.
    pub warm_up_batches: usize,
    /// Adam's learning rate for the hyper-parameters.
    pub learning_rate: f64,
    /// The perturbation's standard deviation σ.
    pub scale: Scale,
    /// Whether validation steps perturb the hyper-parameters too, as Algorithm 1 does.
    pub perturb_validation: bool,
    /// What the weights' response is a function of.
    #[serde(default)]
    pub response: Response,
}

/// The standard deviation of the perturbation, the same for all hyper-parameters at first.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub enum Scale {
    /// It stays.
    Fixed(f64),
    /// It is learned with the hyper-parameters.
    Learned {
        /// Its start.
        start: f64,
        /// Adam's learning rate for its unconstrained value.
        learning_rate: f64,
        /// The weight τ of the perturbation's entropy.
        entropy: f64,
    },
}

/// What the weights' response is a function of.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Response {
    /// The unconstrained hyper-parameters, \[MacKay2019\] eq. (10).
    #[default]
    Absolute,
    /// Their departure from where they are now: weights are trained without perturbation, and the
    /// response apart from them, on the network's linearisation, \[Bae2020\].
    Centred,
}

/// An invalid setting.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadControl {
    /// A count of zero.
    #[error("`{0}` is 0: expected at least 1")]
    Zero(&'static str),
    /// A number out of range.
    #[error("`{key}` = {value}: expected {expected}")]
    Number {
        /// The setting.
        key: &'static str,
        /// Its value.
        value: f64,
        /// The accepted values.
        expected: &'static str,
    },
    /// No values where some are needed, or a number of schedules that is not that of hyper-parameters.
    #[error("{found} {what}: expected {expected}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
}

impl Control {
    /// Whether the network has a best response.
    pub fn tunes(&self) -> bool {
        matches!(self, Self::Tuned(_))
    }

    /// Checks the numbers, for this many hyper-parameters.
    ///
    /// # Errors
    /// If one is invalid.
    pub fn check(&self, hypers: usize) -> Result<(), BadControl> {
        match self {
            Self::Tuned(tuning) => tuning.check(),
            Self::Given(schedules) if schedules.len() != hypers => Err(BadControl::Count {
                what: "schedules",
                found: schedules.len(),
                expected: hypers,
            }),
            Self::Given(schedules) => schedules.iter().try_for_each(Schedule::check),
        }
    }
}

impl Tuning {
    fn check(&self) -> Result<(), BadControl> {
        for (key, count) in [("train-steps", self.train_steps), ("valid-steps", self.valid_steps)] {
            if count == 0 {
                return Err(BadControl::Zero(key));
            }
        }
        positive("learning-rate", self.learning_rate)?;
        match self.scale {
            Scale::Fixed(scale) => positive("scale", scale),
            Scale::Learned { start, learning_rate, entropy } => {
                positive("scale.start", start)?;
                positive("scale.learning-rate", learning_rate)?;
                not_negative("scale.entropy", entropy)
            }
        }
    }
}

impl Schedule {
    fn check(&self) -> Result<(), BadControl> {
        match self {
            Self::Fixed => Ok(()),
            Self::Noise { deviation } => not_negative("deviation", *deviation),
            Self::Sine { amplitude, period } => {
                not_negative("amplitude", *amplitude)?;
                positive("period", *period)
            }
            Self::Listed(values) if values.is_empty() => {
                Err(BadControl::Count { what: "listed values", found: 0, expected: 1 })
            }
            Self::Listed(values) => match values.iter().find(|v| !v.is_finite()) {
                Some(&value) => {
                    Err(BadControl::Number { key: "listed", value, expected: "a finite number" })
                }
                None => Ok(()),
            },
        }
    }
}

fn positive(key: &'static str, value: f64) -> Result<(), BadControl> {
    let fine = value.is_finite() && value > 0.0;
    if fine { Ok(()) } else { Err(BadControl::Number { key, value, expected: "above 0" }) }
}

fn not_negative(key: &'static str, value: f64) -> Result<(), BadControl> {
    let fine = value.is_finite() && value >= 0.0;
    if fine { Ok(()) } else { Err(BadControl::Number { key, value, expected: "0 or more" }) }
}
