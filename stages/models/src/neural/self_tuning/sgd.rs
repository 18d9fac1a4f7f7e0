//! How weights are trained and for how long: learning rate, momentum, gradient clipping, and the decay of the
//! learning rate when the validation loss no longer falls.

use serde::{Deserialize, Serialize};

/// Gradient descent on the weights.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SgdConfig {
    /// The learning rate at first.
    pub learning_rate: f64,
    /// Momentum, 0 for none.
    #[serde(default)]
    pub momentum: f64,
    /// The longest gradient; longer ones are shortened to it.
    #[serde(default)]
    pub clip: Option<f64>,
    /// Passes over the training part at most.
    pub epochs: usize,
    /// When the rate falls, and when training ends.
    pub decay: Decay,
}

/// The rate falls when the validation loss exceeds the least of all epochs but the last `window`
/// (\[MacKay2019\] app. D and E, \[Merity2018\]).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Decay {
    /// By this factor.
    pub factor: f64,
    /// The last epochs that do not count.
    pub window: usize,
    /// Training ends when the rate is below it.
    pub minimum_rate: f64,
    /// Training ends after so many epochs without a new least loss.
    pub patience: usize,
}

/// An invalid number.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("`{key}` = {value}: expected {expected}")]
pub struct BadSgdConfig {
    key: &'static str,
    value: f64,
    expected: &'static str,
}

impl SgdConfig {
    /// Checks the numbers.
    ///
    /// # Errors
    /// If one is invalid.
    pub fn check(&self) -> Result<(), BadSgdConfig> {
        let above = |value: f64| value.is_finite() && value > 0.0;
        let share = |value: f64| (0.0..1.0).contains(&value);
        let count = |n: usize| n as f64;
        let checks = [
            ("learning-rate", self.learning_rate, above(self.learning_rate), "above 0"),
            ("momentum", self.momentum, share(self.momentum), "in [0, 1)"),
            ("clip", self.clip.unwrap_or(1.0), self.clip.is_none_or(above), "above 0"),
            ("epochs", count(self.epochs), self.epochs > 0, "at least 1"),
            (
                "decay.factor",
                self.decay.factor,
                above(self.decay.factor) && self.decay.factor <= 1.0,
                "in (0, 1]",
            ),
            (
                "decay.minimum-rate",
                self.decay.minimum_rate,
                self.decay.minimum_rate.is_finite() && self.decay.minimum_rate >= 0.0,
                "0 or more",
            ),
            ("decay.patience", count(self.decay.patience), self.decay.patience > 0, "at least 1"),
        ];
        match checks.into_iter().find(|check| !check.2) {
            Some((key, value, _, expected)) => Err(BadSgdConfig { key, value, expected }),
            None => Ok(()),
        }
    }
}

impl Decay {
    /// Whether the learning rate decays after an epoch, given the validation losses of the epochs before it.
    pub fn falls(&self, before: &[f64], now: f64) -> bool {
        // Not if all earlier epochs are too recent.
        let old = &before[..before.len().saturating_sub(self.window)];
        old.iter().any(|&loss| now > loss)
    }

    /// Whether training ends, given the learning rate and the validation losses of all epochs.
    pub fn ends(&self, rate: f64, losses: &[f64]) -> bool {
        rate < self.minimum_rate || losses.len() - best(losses) >= self.patience
    }
}

/// One more than the index of the first epoch with the lowest loss; 0 without epochs.
fn best(losses: &[f64]) -> usize {
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    losses.iter().position(|&loss| loss == least).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECAY: Decay = Decay { factor: 0.25, window: 2, minimum_rate: 0.1, patience: 3 };

    #[test]
    fn the_rate_falls_when_an_old_loss_was_lower() {
        assert!(!DECAY.falls(&[], 5.0));
        assert!(!DECAY.falls(&[4.0, 3.0], 5.0));
        assert!(DECAY.falls(&[4.0, 3.0, 2.0], 5.0));
        assert!(!DECAY.falls(&[4.0, 3.0, 2.0], 4.0));
        assert!(!DECAY.falls(&[4.0, 3.0, 2.0], 3.5));
    }

    #[test]
    fn training_ends_with_the_rate_or_the_patience() {
        assert!(DECAY.ends(0.09, &[1.0]));
        assert!(!DECAY.ends(0.1, &[1.0]));
        assert!(!DECAY.ends(1.0, &[1.0, 2.0, 2.0]));
        assert!(!DECAY.ends(1.0, &[2.0, 2.0, 1.0, 2.0]));
        assert!(DECAY.ends(1.0, &[1.0, 2.0, 1.0, 2.0]));
        assert!(!DECAY.ends(1.0, &[]));
    }

    #[test]
    fn numbers_are_checked() {
        let fine = SgdConfig {
            learning_rate: 30.0,
            momentum: 0.0,
            clip: Some(0.25),
            epochs: 3,
            decay: DECAY,
        };
        assert!(fine.check().is_ok());
        for bad in [
            SgdConfig { learning_rate: f64::NAN, ..fine },
            SgdConfig { momentum: 1.0, ..fine },
            SgdConfig { clip: Some(0.0), ..fine },
            SgdConfig { epochs: 0, ..fine },
            SgdConfig { decay: Decay { factor: 1.5, ..DECAY }, ..fine },
            SgdConfig { decay: Decay { minimum_rate: f64::NAN, ..DECAY }, ..fine },
            SgdConfig { decay: Decay { patience: 0, ..DECAY }, ..fine },
        ] {
            assert!(bad.check().is_err(), "{bad:?}");
        }
    }
}
