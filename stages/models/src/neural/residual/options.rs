//! The options of \[Hazan2018\] Table 2 as types: a detail exists only if the option that it belongs to is
//! chosen, so that assignments with the same meaning are equal here.

use serde::{Deserialize, Serialize};

use super::recipe::SCHEDULE_EPOCHS;

/// How the weights of convolutions and of the last layer are initialised; biases start at 0. n is the number
/// of inputs of a unit (channels × kernel area).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Initialisation {
    /// Uniform with variance 2/(n + outputs), \[Glorot2010\] eq. 16.
    Xavier,
    /// Normal with variance 2/n, \[He2015\] eq. 10.
    Kaiming,
    /// Normal with variance 1/n. The paper does not say what 1/n is: it is read as a variance, like the 2/n
    /// next to it in the list.
    Inverse,
    /// Normal with variance 1/n².
    InverseSquare,
}

/// The momentum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Momentum {
    /// 0.9.
    #[serde(rename = "0.9")]
    Tenth,
    /// 0.99.
    #[serde(rename = "0.99")]
    Hundredth,
}

impl Momentum {
    /// The share of the previous step that is kept.
    pub fn coefficient(self) -> f64 {
        match self {
            Self::Tenth => 0.9,
            Self::Hundredth => 0.99,
        }
    }
}

/// The update rule of the parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Optimiser {
    /// Stochastic gradient descent.
    Sgd {
        /// Heavy-ball momentum.
        momentum: Option<Momentum>,
    },
    /// \[Kingma2015\] with β₁ = 0.9, β₂ = 0.999, ε = 1e-8. The momentum options have no effect here: the
    /// paper does not say what they would mean, and the weights of its Table 3 cancel (with Adam, momentum
    /// moves the error by −3.02 + 2.19 against 3.02 + 2.19 with SGD).
    Adam,
}

/// When the learning rate drops, in epochs of a training of [`SCHEDULE_EPOCHS`] epochs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Drops {
    /// From here on a tenth of the initial rate.
    pub first: usize,
    /// From here on a hundredth.
    pub second: usize,
}

/// The initial weights w of the residual links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkStart {
    /// 1 in every block.
    One,
    /// Drawn from \[0, 1\] for each block.
    Random,
}

/// The epoch from which on the weights of the residual links are tuned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TuneFrom {
    /// The first epoch.
    Start,
    /// Epoch 10 of a training of [`SCHEDULE_EPOCHS`] epochs.
    TenthEpoch,
}

/// The residual link of a block, shortcut + w · branch: the paper weights "residual links" without
/// saying which of the two it means; the residual is what the branch computes, \[He2016\] eq. 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Link {
    /// Initial value of w.
    pub start: LinkStart,
    /// From when on w is updated by its gradient, if at all.
    pub tuned: Option<TuneFrom>,
}

/// The positions of activations in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Places {
    /// After the first convolution (and its batch norm).
    pub first: bool,
    /// After the second convolution (and its batch norm), before the sum.
    pub second: bool,
    /// After the sum.
    pub third: bool,
}

/// Activation function of the whole network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// max(x, 0).
    Relu,
    /// 1 / (1 + e⁻ˣ).
    Sigmoid,
    /// tanh x.
    Tanh,
}

/// Batch normalisation after every 3×3 convolution and after the convolutions of shortcuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BatchNorm {
    /// Whether scale and offset are trained; otherwise they stay 1 and 0.
    pub tuned: bool,
}

/// The shortcut around a block, \[He2016\] section 4.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shortcut {
    /// Type A: every second pixel and channels of zeros where the size changes.
    Identity,
    /// Type B: a 1×1 convolution where the size changes.
    Projection,
    /// Type C: a 1×1 convolution in every block.
    Projections,
}

/// Everything about a training that Table 2 decides.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ResidualOptions {
    /// Initialisation of the weights.
    pub initialisation: Initialisation,
    /// Update rule.
    pub optimiser: Optimiser,
    /// Learning rate of the first epoch.
    pub learning_rate: f64,
    /// When the learning rate drops, if at all.
    pub drops: Option<Drops>,
    /// Weights of the residual links.
    pub link: Link,
    /// Where blocks have activations. There is always one after the first convolution of the network: the
    /// table only concerns those in blocks.
    pub places: Places,
    /// Whether convolutions have offsets.
    pub convolution_bias: bool,
    /// Activation function.
    pub activation: Activation,
    /// Dropout rate of the inputs of a block's second convolution. The paper does not say where its dropout
    /// is; this position is that of \[Zagoruyko2016\] section 2.4, which it cites.
    pub dropout: Option<f64>,
    /// Batch normalisation.
    pub batch_norm: Option<BatchNorm>,
    /// Shortcut of blocks.
    pub shortcut: Shortcut,
    /// Factor of ‖w‖²/2 over all trained parameters, added to the loss (with Adam too, as in Torch).
    pub weight_decay: Option<f64>,
    /// Minibatch size.
    pub batch_size: usize,
}

/// A number among the options that is out of range.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{name} {value}: expected {expected}")]
pub struct BadOption {
    /// The option.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// The accepted values.
    pub expected: &'static str,
}

impl ResidualOptions {
    /// Checks the numbers: those that `decode` makes are always in range.
    ///
    /// # Errors
    /// If one is not.
    pub fn check(&self) -> Result<(), BadOption> {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let (dropout, decay) = (self.dropout.unwrap_or(0.5), self.weight_decay.unwrap_or(1.0));
        let all = [
            (
                "learning-rate",
                self.learning_rate,
                positive(self.learning_rate),
                "a positive number",
            ),
            ("dropout", dropout, positive(dropout) && dropout < 1.0, "a rate between 0 and 1"),
            ("weight-decay", decay, positive(decay), "a positive number"),
            ("batch-size", self.batch_size as f64, self.batch_size > 0, "at least 1"),
        ];
        match all.into_iter().find(|(_, _, fine, _)| !fine) {
            Some((name, value, _, expected)) => Err(BadOption { name, value, expected }),
            None => Ok(()),
        }
    }

    /// The learning rate in an epoch, counted from 0, of a full training of `horizon` epochs.
    pub fn rate(&self, epoch: usize, horizon: usize) -> f64 {
        let reached = |drop: usize| epoch * SCHEDULE_EPOCHS >= drop * horizon;
        match self.drops {
            Some(drops) if reached(drops.second) => self.learning_rate / 100.0,
            Some(drops) if reached(drops.first) => self.learning_rate / 10.0,
            _ => self.learning_rate,
        }
    }

    /// Whether the links' weights are trained in an epoch, counted from 0, of a full training of `horizon`
    /// epochs.
    pub fn tunes_links(&self, epoch: usize, horizon: usize) -> bool {
        match self.link.tuned {
            None => false,
            Some(TuneFrom::Start) => true,
            Some(TuneFrom::TenthEpoch) => epoch * SCHEDULE_EPOCHS >= 10 * horizon,
        }
    }

    /// Whether a link's weight is anything but the constant 1.
    pub fn weighs_links(&self) -> bool {
        self.link.tuned.is_some() || self.link.start == LinkStart::Random
    }
}
