//! The three parts of a repeat, and how a configuration is evaluated on them. Knows no tuner.

use ndarray::Axis;
use pipeline::{
    graph::Draft,
    stage::{Context, Stop},
};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::learn::Learner;
use crate::{
    data::{classified::Classified, split, standardise::Standardiser},
    models::samples::Samples,
    papers::stored,
    table::Rows,
};

/// How features are scaled; parameters come from the training part alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// As loaded.
    None,
    /// Mean 0 and standard deviation 1.
    Standard,
}

/// The data of one repeat, with its parts as row numbers.
pub struct Arena {
    samples: Samples,
    /// To learn from.
    pub train: Vec<usize>,
    /// To compare configurations on.
    validation: Vec<usize>,
    /// To report on.
    held_out: Vec<usize>,
}

/// What became of a configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// Error on the validation part; 1 where no model came of it.
    pub validation: f64,
    /// Error on the held-out part, where it was asked for.
    pub held_out: Option<f64>,
    /// Multiplications of the training.
    pub work: f64,
}

/// Declares the inputs that [`Arena::read`] reads.
pub fn inputs(draft: &mut Draft, data: &str, split: &str) {
    stored::inputs(draft, data);
    draft.input("split", split);
}

fn fail(error: impl std::fmt::Display) -> Stop {
    Stop::Failed(error.to_string())
}

impl Arena {
    /// Reads the inputs that [`inputs`] declared.
    ///
    /// # Errors
    /// When an artifact is corrupt, or the data have no classes.
    pub fn read(cx: &Context, scaling: Scaling) -> Result<Self, Stop> {
        let data = Classified::try_from(stored::read(cx)?).map_err(fail)?;
        let table = cx.input("split")?;
        let rows = Rows(&table);
        let (row, part) = (rows.index("row")?, rows.index("part")?);
        let kept: Vec<usize> = row.iter().map(|&r| r as usize).collect();
        let of_part = |wanted: u32| (0..kept.len()).filter(|&i| part[i] == wanted).collect();
        let train: Vec<usize> = of_part(0);
        let own = data.x.select(Axis(0), &kept);
        let x = match scaling {
            Scaling::None => own,
            Scaling::Standard => {
                let fitted = Standardiser::fit(own.select(Axis(0), &train).view()).map_err(fail)?;
                fitted.apply(own.view()).map_err(fail)?
            }
        };
        let y = kept.iter().map(|&r| data.labels[r] as u32).collect();
        let samples = Samples::new(x, y, data.classes()).map_err(fail)?;
        Ok(Self { samples, train, validation: of_part(1), held_out: of_part(2) })
    }

    /// 1/divisor of the training rows, at random; at least one.
    #[must_use]
    pub fn subset(&self, divisor: u64, rng: &mut ChaCha12Rng) -> Vec<usize> {
        if divisor <= 1 {
            return self.train.clone();
        }
        let n = self.train.len();
        let wanted = ((n as f64 / divisor as f64).round() as usize).max(1);
        let drawn = split::Rows::drawn(n, wanted, rng).test;
        drawn.into_iter().map(|i| self.train[i]).collect()
    }

    /// Trains on these rows and looks at the validation part; at the held-out part too if the error
    /// there is below `below`.
    #[must_use]
    pub fn evaluate(
        &self,
        learner: Learner,
        config: &[f64],
        rows: &[usize],
        below: f64,
        rng: &mut ChaCha12Rng,
    ) -> Evaluation {
        let fit = learner.with(config).fit(&self.samples, rows, &learner.effort(), rng);
        let Ok(fit) = fit else {
            return Evaluation { validation: 1.0, held_out: Some(1.0), work: 0.0 };
        };
        let validation = fit.error_rate(&self.samples, &self.validation);
        let held_out = || fit.error_rate(&self.samples, &self.held_out);
        Evaluation {
            validation,
            held_out: (validation < below).then(held_out),
            work: fit.work.multiply_adds as f64,
        }
    }
}
