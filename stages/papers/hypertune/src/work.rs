//! The work of HyperTune's stages: trainings × the cost of one, reading the data set, and the tuner, which
//! takes most of the time at small sizes.

use kit::work::values;
use pipeline::work::{Inputs, Size, Work};

use super::{
    arm::Arm,
    learn::Learner,
    method::Method,
    stages::{
        absent::Absent, complexity::Complexity, convergence::Convergence, rival::Rival,
        split::Split, standings::Standings, subset::Subset, whole::Whole,
    },
    task::Task,
};

/// The role of stored images.
const IMAGES: &str = "images";

/// Number of rows, and of values per row.
fn shape(task: &Task, inputs: &Inputs) -> (f64, f64) {
    let rows = inputs.rows("split");
    if inputs.count_of(IMAGES) > 0.0 {
        let own = values(inputs, IMAGES);
        return (rows, task.view.side.map_or(own, |side| (side * side) as f64));
    }
    (rows, inputs.size("data").columns.max(1.0))
}

/// Multiplications of a training on all rows, up to a constant of the learner; for tuned exponents, with the
/// average power.
fn training(task: &Task, (rows, features): (f64, f64)) -> f64 {
    match task.learner {
        Learner::ElasticNet { epochs, .. } => rows * features * epochs as f64,
        Learner::SvmRbf { .. } => rows * rows * features,
        Learner::SvmRff { epochs, most_features, .. } => {
            rows * average(most_features) * (features + epochs as f64)
        }
        Learner::Mlp { epochs, most_neurons } => {
            rows * features * average(most_neurons) * epochs as f64
        }
        Learner::Cnn { epochs, widths: [first, second], most_neurons, .. } => {
            // Two groups of convolutions, the second on half the side, then a quarter of the values.
            let [first, second] = [first as f64, second as f64];
            let convolutions =
                9.0 * features * (first + first * first + (first * second + second * second) / 4.0);
            let dense = features / 16.0 * second * average(most_neurons);
            rows * epochs as f64 * (convolutions + dense)
        }
    }
}

/// The mean of 2 to an exponent between the smallest of all learners and `most`.
fn average(most: f64) -> f64 {
    let (low, high) = (LEAST.exp2(), most.exp2());
    if most > LEAST { (high - low) / (most - LEAST) / std::f64::consts::LN_2 } else { high }
}

/// The smallest exponent.
const LEAST: f64 = 3.0;

/// The approximate costs of learners and their tuners, in multiplications of a support vector machine, so
/// that trainings, the data set and the tuner can be added.
struct Prices {
    /// A multiplication of a training.
    multiplication: f64,
    /// A value of the data set that is read and scaled.
    value: f64,
    /// A fit of the surrogate, for each observation cubed; more hyper-parameters take more steps.
    fit: f64,
    /// The passes of a row through a small network in all epochs, whatever its size.
    row: f64,
}

fn prices(learner: Learner) -> Prices {
    let [multiplication, value, fit, row] = match learner {
        Learner::ElasticNet { .. } => [1.0, 65.0, 2e6, 0.0],
        Learner::SvmRbf { .. } => [0.5, 90.0, 1.1e6, 0.0],
        Learner::SvmRff { .. } => [1.0, 45.0, 2.2e6, 0.0],
        Learner::Mlp { .. } => [6.0, 50.0, 1.4e7, 0.0],
        Learner::Cnn { epochs, .. } => [0.5, 60.0, 4e6, 3e5 * epochs as f64],
    };
    Prices { multiplication, value, fit, row }
}

/// A step of Fabolas, for each observation cubed.
const FABOLAS_FIT: f64 = 1.5e5;

/// The cost of a number of trainings of this shape, including reading the data set, without the tuner.
fn trainings(task: &Task, inputs: &Inputs, (rows, features): (f64, f64), count: f64) -> f64 {
    let prices = prices(task.learner);
    let one = prices.multiplication * training(task, (rows, features)) + prices.row * rows;
    count * one + prices.value * (inputs.cells("data") + inputs.cells(IMAGES))
}

/// A fit with signs costs about as much as the acquisition at this many candidates.
const FIT_IN_CANDIDATES: f64 = 300.0;
/// The number of candidates for which the costs hold.
const USUAL_CANDIDATES: f64 = 1000.0;

/// The cost of a surrogate over a number of evaluations, with one fit after each: the square of its number of
/// values and `signs`, since factorisations take the smallest part at these sizes.
fn surrogate(task: &Task, evaluations: f64, signs: f64) -> f64 {
    let squares = |to: f64| to.powi(3);
    prices(task.learner).fit * (squares(evaluations + signs) - squares(signs))
}

/// Rows.
impl Work for Split {
    fn work(&self, inputs: &Inputs) -> f64 {
        inputs.rows("target") + inputs.rows(IMAGES)
    }

    fn writes(&self, _: &str, inputs: &Inputs) -> Option<Size> {
        let rows = inputs.rows("target") + inputs.rows(IMAGES);
        let used = if self.rows == 0 { rows } else { rows.min(self.rows as f64) };
        Some(Size { rows: used, columns: 2.0 })
    }
}

/// Evaluations × a training on the subset.
impl Work for Subset {
    fn work(&self, inputs: &Inputs) -> f64 {
        let (rows, features) = shape(&self.task, inputs);
        let (part, count) = ((rows / self.divisor as f64, features), self.evaluations as f64);
        trainings(&self.task, inputs, part, count) + surrogate(&self.task, count, 0.0)
    }

    fn variant(&self) -> String {
        self.task.learner.as_str().to_owned()
    }

    fn writes(&self, _: &str, _: &Inputs) -> Option<Size> {
        Some(Size::new(self.evaluations, 12))
    }
}

/// Iterations × a training.
impl Work for Whole {
    fn work(&self, inputs: &Inputs) -> f64 {
        let (shape, count) = (shape(&self.task, inputs), self.iterations as f64);
        let directions = self.settings.directions;
        let signed = (directions.rising | directions.falling).count_ones();
        let signs = self.settings.points as f64 * f64::from(signed);
        let candidates = self.settings.search.candidates as f64;
        let search = (FIT_IN_CANDIDATES + candidates) / (FIT_IN_CANDIDATES + USUAL_CANDIDATES);
        let own = search * surrogate(&self.task, count, signs);
        trainings(&self.task, inputs, shape, count) + own
    }

    fn variant(&self) -> String {
        self.task.learner.as_str().to_owned()
    }

    fn writes(&self, _: &str, _: &Inputs) -> Option<Size> {
        Some(Size::new(self.iterations, 12))
    }
}

/// Evaluations of a method that trains on parts of the data, per evaluation on the whole.
const MANY: f64 = 4.0;

impl<A: Arm> Rival<A> {
    /// Its approximate number of evaluations.
    fn evaluations(&self, inputs: &Inputs) -> f64 {
        let evaluations = match A::METHOD {
            Method::Ei => inputs.rows("hypertune"),
            // Most of their evaluations are on a part of the rows: they make more for the same work.
            Method::Fabolas | Method::Hyperband => MANY * inputs.rows("hypertune"),
        };
        evaluations.min(self.most_evaluations as f64)
    }
}

/// The work of HyperTune's run, and the tuner.
impl<A: Arm> Work for Rival<A> {
    fn work(&self, inputs: &Inputs) -> f64 {
        let count = inputs.rows("hypertune");
        let tuner = match A::METHOD {
            // Its many small trainings cost about that.
            Method::Ei | Method::Hyperband => surrogate(&self.task, count, 0.0),
            Method::Fabolas => FABOLAS_FIT * self.evaluations(inputs).powi(3),
        };
        trainings(&self.task, inputs, shape(&self.task, inputs), count) + tuner
    }

    fn variant(&self) -> String {
        self.task.learner.as_str().to_owned()
    }

    fn writes(&self, _: &str, inputs: &Inputs) -> Option<Size> {
        Some(Size { rows: self.evaluations(inputs), columns: 12.0 })
    }
}

/// Points × (a training on all rows and on each subset).
impl Work for Complexity {
    fn work(&self, inputs: &Inputs) -> f64 {
        let (rows, features) = shape(&self.task, inputs);
        let small = training(&self.task, (rows / self.divisor as f64, features));
        let whole = training(&self.task, (rows, features));
        self.points as f64 * (whole + self.subsets as f64 * small)
    }

    fn variant(&self) -> String {
        self.task.learner.as_str().to_owned()
    }
}

impl Work for Convergence {}
impl Work for Standings {}

/// Nothing.
impl Work for Absent {
    fn work(&self, _: &Inputs) -> f64 {
        1.0
    }
}
