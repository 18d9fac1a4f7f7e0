//! The size of a network and the length of its training, checked, and the result.

use serde::{Deserialize, Serialize};

/// Length in epochs of the training to which the times in Table 2 refer (section 5: 160 epochs).
pub const SCHEDULE_EPOCHS: usize = 160;

/// A residual network of \[He2016\] section 4.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Architecture {
    /// Layers, 6n + 2: three groups of n blocks of two convolutions, one convolution before and one
    /// linear layer after them.
    pub depth: usize,
    /// Channels in the three groups (16, 32 and 64 in the paper); none smaller than the one before.
    pub widths: [usize; 3],
    /// Classes.
    pub classes: usize,
}

impl Architecture {
    /// Blocks per group, n.
    pub fn blocks(&self) -> usize {
        self.depth.saturating_sub(2) / 6
    }

    /// Checks the numbers.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn check(&self) -> Result<(), BadRecipe> {
        let [first, second, third] = self.widths;
        if self.depth < 8 || !(self.depth - 2).is_multiple_of(6) {
            return Err(BadRecipe::Depth(self.depth));
        }
        if first == 0 || second < first || third < second {
            return Err(BadRecipe::Widths(self.widths));
        }
        // Labels are bytes.
        if !(2..=256).contains(&self.classes) {
            return Err(BadRecipe::Classes(self.classes));
        }
        Ok(())
    }
}

/// For how long a network is trained, and on which views of the images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Recipe {
    /// Epochs of a full training: what is scheduled is scheduled in fractions of it.
    pub horizon: usize,
    /// Epochs to train now: the first of the full training, the same numbers as there.
    pub epochs: usize,
    /// Whether training images are shifted by up to an eighth of their side (4 pixels of 32) and
    /// mirrored at random, \[He2016\] section 4.2.
    pub augment: bool,
}

impl Recipe {
    /// Checks the numbers.
    ///
    /// # Errors
    /// If there are no epochs, or more than in the full training.
    pub fn check(&self) -> Result<(), BadRecipe> {
        if !(1..=self.horizon).contains(&self.epochs) {
            return Err(BadRecipe::Epochs { epochs: self.epochs, horizon: self.horizon });
        }
        Ok(())
    }
}

/// Numbers of an architecture or a recipe that are out of range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadRecipe {
    /// Not 6n + 2.
    #[error("depth {0}: expected 6n + 2 for n ≥ 1: 8, 14, 20, …, 56")]
    Depth(usize),
    /// Zero or falling.
    #[error("widths {0:?}: expected three numbers from 1 that do not fall")]
    Widths([usize; 3]),
    /// Out of range.
    #[error("{0} classes: expected 2 to 256")]
    Classes(usize),
    /// Out of range.
    #[error("{epochs} epochs of {horizon}: expected at least 1 and no more than the full training")]
    Epochs {
        /// Epochs to train.
        epochs: usize,
        /// Epochs of the full training.
        horizon: usize,
    },
}

/// One epoch of a training.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct EpochRow {
    /// Mean cross entropy over the images trained on, each at the time of its step.
    pub loss: f64,
    /// Share of the test images that are classified wrongly after the epoch.
    pub test_error: f64,
}

/// How a training went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Training {
    /// The epochs; those from a divergence on are missing.
    pub curve: Vec<EpochRow>,
    /// Whether the loss or an output ceased to be a finite number, which ended the training.
    pub diverged: bool,
}

impl Training {
    /// The test error after the last epoch; 1 for a training that diverged.
    pub fn error(&self) -> f64 {
        match self.curve.last() {
            Some(last) if !self.diverged => last.test_error,
            _ => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused() {
        let good = Architecture { depth: 8, widths: [16, 32, 64], classes: 10 };
        assert_eq!((good.check(), good.blocks()), (Ok(()), 1));
        assert_eq!(Architecture { depth: 56, ..good }.blocks(), 9);
        for depth in [0, 1, 2, 7, 9, 13, 55] {
            assert_eq!(Architecture { depth, ..good }.check(), Err(BadRecipe::Depth(depth)));
        }
        for widths in [[0, 1, 1], [2, 1, 2], [1, 2, 1]] {
            assert_eq!(Architecture { widths, ..good }.check(), Err(BadRecipe::Widths(widths)));
        }
        for classes in [0, 1, 257] {
            assert_eq!(Architecture { classes, ..good }.check(), Err(BadRecipe::Classes(classes)));
        }
        for (epochs, horizon, fine) in [(1, 1, true), (3, 5, true), (0, 5, false), (6, 5, false)] {
            assert_eq!(Recipe { horizon, epochs, augment: false }.check().is_ok(), fine);
        }
    }

    #[test]
    fn a_divergence_counts_as_error_one() {
        let row = EpochRow { loss: 0.5, test_error: 0.25 };
        let mut training = Training { curve: vec![row, row], diverged: false };
        assert_eq!(training.error(), 0.25);
        training.diverged = true;
        assert_eq!(training.error(), 1.0);
        training.curve.clear();
        assert_eq!(training.error(), 1.0);
    }
}
