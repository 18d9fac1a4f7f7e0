//! Learners behind one interface: fitting, predicting, and computing the smoothness of their loss.

use models::{
    curvature::{
        smoothness::{self, Extent},
        smoothness_naive_bayes::{Pooled, Sign},
    },
    gaussian_nb::GaussianNb,
    linear::penalised::{self, PenalisedLogistic},
    neural::feedforward::{
        Network, Shape,
        train::{Adam, Optimiser, Rows, Training},
    },
    samples::Samples,
    svm::{Svm, SvmSettings},
};
use ndarray::ArrayView2;
use rand_chacha::ChaCha12Rng;

use super::{
    protocol::Formula,
    space::{Model, Penalty},
};
use crate::rules::Rules;

/// A fitted learner.
pub enum Learned {
    /// A network.
    Network(Network<f32>),
    /// Logistic regression.
    Logistic(PenalisedLogistic),
    /// Gaussian naive Bayes.
    NaiveBayes(GaussianNb),
    /// A support vector machine.
    Svm(Svm),
}

/// The share of the largest variance that naive Bayes adds to all variances: scikit-learn's default.
const VARIANCE_SMOOTHING: f64 = 1e-9;
/// Logistic regression is fitted until the violation of optimality has shrunk to this share: the
/// default of scikit-learn's solvers.
const TOLERANCE: f64 = 1e-4;
/// Number of directions of the finite differences, and their step.
const NUMERIC: (usize, f64) = (8, 1e-3);

impl Learned {
    /// The class of each row (length n).
    #[must_use]
    pub fn classify(&self, x: ArrayView2<'_, f64>) -> Vec<u32> {
        match self {
            Self::Network(network) => network.classify(x),
            Self::Logistic(model) => model.classify(x),
            Self::NaiveBayes(model) => model.classify(x),
            Self::Svm(model) => model.classify(x),
        }
    }
}

/// Fits a learner; networks are trained for `epochs`. `None` if it diverges, or if the training rows do not
/// allow it.
#[must_use]
pub fn fit(
    model: Model,
    train: &Samples,
    rules: &Rules,
    epochs: u32,
    rng: &mut ChaCha12Rng,
) -> Option<Learned> {
    Some(match model {
        Model::FeedForward { .. } | Model::Adam { .. } => {
            Learned::Network(network(model, train, rules, epochs, rng)?)
        }
        Model::Logistic { penalty, c } => {
            Learned::Logistic(PenalisedLogistic::fit_to(train, regulariser(penalty, c)?, TOLERANCE))
        }
        Model::NaiveBayes => Learned::NaiveBayes(GaussianNb::fit(train, VARIANCE_SMOOTHING)),
        Model::Svm => Learned::Svm(Svm::fit(train, &SvmSettings::default())),
    })
}

fn regulariser(penalty: Penalty, c: f64) -> Option<penalised::Penalty> {
    let share = match penalty {
        Penalty::L1 => 1.0,
        Penalty::L2 => 0.0,
        // DIFFERS: the code's elastic net names no share, which its library refuses; equal shares.
        Penalty::ElasticNet => 0.5,
    };
    penalised::Penalty::new(c, share).ok()
}

/// Sizes and training of a network; logistic regression is a network without hidden layers. `None` for other
/// learners.
fn plan(model: Model, train: &Samples, rules: &Rules, epochs: u32) -> Option<(Shape, Training)> {
    let epochs = epochs as usize;
    let (inputs, classes) = (train.x.ncols(), train.classes);
    let sgd = Training {
        epochs,
        batch: rules.batch,
        optimiser: Optimiser::Sgd { rate: rules.rate },
        penalty: 0.0,
        stop: None,
    };
    match model {
        Model::FeedForward { layers, units } => {
            Some((Shape::classifier(inputs, layers, units, classes), sgd))
        }
        Model::Logistic { .. } => Some((Shape::classifier(inputs, 0, 0, classes), sgd)),
        Model::Adam { units, alpha, batch, rate, beta1, beta2, epsilon } => {
            let optimiser = Optimiser::Adam(Adam { rate, beta1, beta2, epsilon });
            let shape = Shape::classifier(inputs, 1, units, classes);
            Some((shape, Training { epochs, batch, optimiser, penalty: alpha, stop: None }))
        }
        Model::NaiveBayes | Model::Svm => None,
    }
}

/// A trained network, unless it diverged.
fn network(
    model: Model,
    train: &Samples,
    rules: &Rules,
    epochs: u32,
    rng: &mut ChaCha12Rng,
) -> Option<Network<f32>> {
    let (shape, training) = plan(model, train, rules, epochs)?;
    let mut network = Network::<f32>::glorot(shape, rng);
    network.train(&Rows::classified(train.x.view(), &train.y), &training, rng);
    network.parameters().iter().all(|w| w.is_finite()).then_some(network)
}

/// The smoothness of the loss, by which Algorithm 1 selects the largest. `None` if it does not exist.
///
/// Networks: after one epoch. Logistic regression: after one epoch in the paper, of the fitted model in the
/// code. Naive Bayes: from the data alone; the code's number is negative, so that its largest values are the
/// smallest norms.
///
/// DIFFERS: the paper's one epoch of logistic regression is here one of SGD on the loss without penalty, and the λ that
/// an L2 term adds to β by Theorem 4 is left out; the paper says neither how a penalty enters nor which solver it has.
/// Penalty and C move no probe, and configurations that differ in these alone are ordered by chance. The code's norm is
/// of a model that is fitted with both.
#[must_use]
pub fn smoothness(
    model: Model,
    train: &Samples,
    rules: &Rules,
    formula: Formula,
    rng: &mut ChaCha12Rng,
) -> Option<f64> {
    let (x, classes) = (train.x.view(), train.classes);
    let batches = Extent::Batches(rules.batch);
    Some(match (model, formula) {
        (Model::Svm, _) => return None,
        (Model::NaiveBayes, Formula::Theorem) => {
            let norms = Pooled::new(train).theorem(Sign::Statement);
            norms.into_iter().reduce(f64::max)?
        }
        (Model::NaiveBayes, Formula::Code) => Pooled::new(train).code(),
        (Model::NaiveBayes, Formula::Numeric) => {
            Pooled::new(train).exact().into_iter().reduce(f64::max)?
        }
        (Model::Logistic { penalty, c }, Formula::Code) => {
            let fitted = PenalisedLogistic::fit_to(train, regulariser(penalty, c)?, TOLERANCE);
            let all = Extent::Batches(train.n_rows());
            smoothness::logistic(x, fitted.coefficients.view(), classes, all).theorem()
        }
        (Model::Logistic { .. }, Formula::Theorem) => {
            let after = network(model, train, rules, 1, rng)?;
            let weights: Vec<f64> = after.last_kernel().iter().map(|&w| f64::from(w)).collect();
            let weights = ArrayView2::from_shape((weights.len() / x.ncols(), x.ncols()), &weights);
            smoothness::logistic(x, weights.ok()?, classes, batches).theorem()
        }
        (Model::FeedForward { .. } | Model::Adam { .. }, Formula::Theorem | Formula::Code) => {
            let after = network(model, train, rules, 1, rng)?;
            let bound = smoothness::feedforward(&after, x, classes, batches);
            if formula == Formula::Theorem { bound.theorem() } else { bound.quotient() }
        }
        (_, Formula::Numeric) => numeric(model, train, rules, rng)?,
    })
}

/// Finite differences of the loss with respect to the weights after one epoch, along random directions.
fn numeric(model: Model, train: &Samples, rules: &Rules, rng: &mut ChaCha12Rng) -> Option<f64> {
    let (directions, step) = NUMERIC;
    let after = network(model, train, rules, 1, rng)?;
    let rows = Rows::classified(train.x.view(), &train.y);
    let start: Vec<f64> = after.parameters().iter().map(|&w| f64::from(w)).collect();
    let point = ArrayView2::from_shape((1, start.len()), &start).ok()?;
    let mut gradient = vec![0.0; start.len()];
    // In double precision: second differences of a loss in single precision are mostly rounding errors.
    let shape = after.shape().clone();
    let loss = |at: &[f64]| {
        Network::with_parameters(shape.clone(), at.to_vec()).loss_gradient(&rows, &mut gradient)
    };
    Some(smoothness::finite_difference(point, step, directions, rng, loss))
}

/// The path of a network during training.
pub struct Path {
    /// Its sizes.
    pub shape: Shape,
    /// Weights before the first epoch and after each (epochs + 1 × parameters).
    pub weights: ndarray::Array2<f64>,
    /// The training rows.
    pub rows: Rows<f64>,
}

/// Trains a network epoch by epoch; `None` for other learners, and if it diverges.
#[must_use]
pub fn path(model: Model, train: &Samples, rules: &Rules, rng: &mut ChaCha12Rng) -> Option<Path> {
    let (shape, training) = plan(model, train, rules, 1)?;
    let mut network = Network::<f32>::glorot(shape.clone(), rng);
    let rows = Rows::classified(train.x.view(), &train.y);
    let mut weights = Vec::new();
    for epoch in 0..=rules.epochs {
        if epoch > 0 {
            network.train(&rows, &training, rng);
        }
        weights.extend(network.parameters().iter().map(|&w| f64::from(w)));
    }
    if weights.iter().any(|w: &f64| !w.is_finite()) {
        return None;
    }
    let epochs = rules.epochs as usize + 1;
    let weights = ndarray::Array2::from_shape_vec((epochs, shape.n_parameters()), weights).ok()?;
    Some(Path { shape, weights, rows: Rows::classified(train.x.view(), &train.y) })
}
