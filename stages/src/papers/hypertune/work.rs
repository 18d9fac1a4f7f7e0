//! The work of HyperTune's stages: trainings × what one takes. What a tuner takes beside them is in the
//! constant of each learner.

use pipeline::work::{Inputs, Size, Work};

use super::{
    learn::Learner,
    stages::{
        absent::Absent,
        claims::ClaimsStage,
        complexity::Complexity,
        convergence::Convergence,
        rival::{Method, Rival},
        split::Split,
        standings::Standings,
        subset::Subset,
        whole::Whole,
    },
    task::Task,
};
use crate::papers::work::{joined, values};

/// The role of stored images.
const IMAGES: &str = "images";

/// Rows, and values of each.
fn shape(task: &Task, inputs: &Inputs) -> (f64, f64) {
    let rows = inputs.rows("split");
    if inputs.count_of(IMAGES) > 0.0 {
        let own = values(inputs, IMAGES);
        return (rows, task.view.side.map_or(own, |side| (side * side) as f64));
    }
    (rows, inputs.size("data").columns.max(1.0))
}

/// Multiplications of a training on all rows but for a constant of the learner: of exponents that are
/// tuned, what the average power is.
fn training(task: &Task, (rows, features): (f64, f64)) -> f64 {
    match task.learner {
        Learner::ElasticNet { epochs } => rows * features * epochs as f64,
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

/// The mean of 2 to an exponent between the least of all learners and `most`.
fn average(most: f64) -> f64 {
    let (low, high) = (LEAST.exp2(), most.exp2());
    if most > LEAST { (high - low) / (most - LEAST) / std::f64::consts::LN_2 } else { high }
}

/// The least exponent.
const LEAST: f64 = 3.0;

/// Reading the data set, in operations of the learner.
fn reading(task: &Task, inputs: &Inputs) -> f64 {
    let a_value = match task.learner {
        Learner::ElasticNet { .. } => 0.014,
        Learner::SvmRbf { .. } | Learner::SvmRff { .. } => 0.5,
        Learner::Mlp { .. } | Learner::Cnn { .. } => 2.4,
    };
    a_value * (inputs.cells("data") + inputs.cells(IMAGES))
}

fn trainings(task: &Task, inputs: &Inputs, count: f64) -> f64 {
    count * training(task, shape(task, inputs)) + reading(task, inputs)
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
        let rows = rows / self.divisor as f64;
        let all = self.evaluations as f64 * training(&self.task, (rows, features));
        all + reading(&self.task, inputs)
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
        trainings(&self.task, inputs, self.iterations as f64)
    }

    fn variant(&self) -> String {
        self.task.learner.as_str().to_owned()
    }

    fn writes(&self, _: &str, _: &Inputs) -> Option<Size> {
        Some(Size::new(self.iterations, 12))
    }
}

/// As much as HyperTune's run spends.
impl Work for Rival {
    fn work(&self, inputs: &Inputs) -> f64 {
        trainings(&self.task, inputs, inputs.rows("hypertune"))
    }

    fn variant(&self) -> String {
        format!("{}, {}", self.task.learner.as_str(), self.method.as_str())
    }

    fn writes(&self, _: &str, inputs: &Inputs) -> Option<Size> {
        let evaluations = match self.method {
            Method::Ei(_) => inputs.rows("hypertune"),
            _ => return None,
        };
        Some(Size { rows: evaluations, columns: 12.0 })
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

/// Rows of runs.
impl Work for Convergence {
    fn work(&self, inputs: &Inputs) -> f64 {
        joined(inputs)
    }
}

/// Rows of runs.
impl Work for Standings {
    fn work(&self, inputs: &Inputs) -> f64 {
        joined(inputs)
    }
}

/// Nothing.
impl Work for Absent {
    fn work(&self, _: &Inputs) -> f64 {
        1.0
    }
}

/// Rows of evidence.
impl Work for ClaimsStage {
    fn work(&self, inputs: &Inputs) -> f64 {
        joined(inputs)
    }
}
