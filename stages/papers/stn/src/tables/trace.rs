//! A training: its epochs, the steps of its hyper-parameters, and the time and cost of each epoch.

use kit::{cell::NanIsNull, port::SeenAs, row::Row};

use super::label::Label;

/// An epoch, without the label of its training.
#[derive(Row, Clone, Debug, Default, PartialEq)]
pub struct Ended {
    /// epoch, from 1
    pub epoch: usize,
    /// training batches up to its end
    pub batches: u64,
    /// validation batches that moved hyper-parameters
    pub moves: u64,
    /// mean training loss, perturbed
    pub train_loss: f64,
    /// validation loss at its end
    pub valid_loss: f64,
    /// validation error rate
    pub valid_error: Option<f64>,
    /// test loss where validation is best so far
    pub test_loss: Option<f64>,
    /// test error rate, likewise
    pub test_error: Option<f64>,
    /// learning rate of the weights
    pub rate: f64,
}

/// An epoch.
#[derive(Row, Clone, Debug, Default, PartialEq)]
pub struct Epoch {
    /// The training.
    #[row(flatten)]
    pub label: Label,
    /// The epoch.
    #[row(flatten)]
    pub ended: Ended,
}

/// A step of a hyper-parameter.
#[derive(Row, Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// The training.
    #[row(flatten)]
    pub label: Label,
    /// training batches before
    pub batches: u64,
    /// hyper-parameter
    pub name: String,
    /// its value
    pub value: f64,
    /// standard deviation of its perturbation, unconstrained
    pub scale: Option<f64>,
}

/// The time of an epoch; missing for an epoch of a killed attempt.
#[derive(Row, Clone, Debug)]
pub struct Taken {
    /// The training.
    #[row(flatten)]
    pub label: Label,
    /// epoch of its training, from 1
    pub epoch: usize,
    /// CPU seconds of it, and of what a search thought before
    #[row(with = NanIsNull)]
    pub cpu_s: f64,
    /// elapsed seconds of it, likewise
    #[row(with = NanIsNull)]
    pub wall_s: f64,
}

/// The cost of a training on a text.
#[derive(Row, Clone, Debug)]
pub struct Cost {
    /// epoch, from 1
    pub epoch: usize,
    /// passes of the plain network up to its end
    pub cost: f64,
}

/// The cost of the trainings of a population.
#[derive(Row, Clone, Debug)]
pub struct MembersCost {
    /// epoch of all members' in turn, from 1
    pub epoch: usize,
    /// passes of the plain network up to its end
    pub cost: f64,
}

impl SeenAs<Cost> for MembersCost {}

/// A member's hyper-parameter in a turn: the member, its ancestor, and the value.
#[derive(Row, Clone, Debug)]
pub struct Turned {
    /// The training.
    #[row(flatten)]
    pub label: Label,
    /// round, from 0
    pub round: usize,
    /// member, from 0
    pub training: usize,
    /// member whose weights it went on with
    pub from: usize,
    /// hyper-parameter
    pub name: String,
    /// its value
    pub value: f64,
}
