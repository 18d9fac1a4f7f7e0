//! Evaluates configurations on the three parts of a repeat.

use data::{images::Images, split, standardise::Standardiser};
use kit::port::In;
use models::samples::Samples;
use ndarray::{Array2, Axis};
use pipeline::stage::{Context, Stop};
use rand_chacha::ChaCha12Rng;

use super::{
    evaluation::Evaluation,
    learn::{Configured, InputKind, Learner},
    network,
};
use crate::{
    dataset::{self, Dataset, Scaling, View},
    tables::split::Part,
};

/// The data of one repeat, with its parts as row numbers.
pub struct Evaluator {
    data: Data,
    /// The training part.
    pub train: Vec<usize>,
    /// The validation part.
    validation: Vec<usize>,
    /// The held-out part.
    held_out: Vec<usize>,
}

/// Data in the form of a learner.
enum Data {
    Rows(Samples),
    Images { images: Images, classes: usize },
}

/// The parts of the data.
pub const SPLIT: In<Part> = In::new("split");

fn fail(error: impl std::fmt::Display) -> Stop {
    Stop::Failed(error.to_string())
}

impl Evaluator {
    /// Reads the data and their [`SPLIT`], as `input_kind`.
    ///
    /// # Errors
    /// If an artifact is corrupt, or the data do not suit the learner.
    pub fn read(cx: &Context, view: View, input_kind: InputKind) -> Result<Self, Stop> {
        let parts = SPLIT.read(cx)?;
        let kept: Vec<usize> = parts.iter().map(|part| part.row).collect();
        let of_part = |wanted: u32| (0..kept.len()).filter(|&i| parts[i].part == wanted).collect();
        let train: Vec<usize> = of_part(0);
        let (own, y, classes) = match Dataset::read(cx, &kept)? {
            Dataset::Matrix(data) => {
                if input_kind == InputKind::Images {
                    return Err(fail("the learner takes images, the data are rows"));
                }
                let classes = data.classes();
                (data.x, data.labels.iter().map(|&label| label as u32).collect(), classes)
            }
            Dataset::Images(images) => {
                let images = shrunk(images, view.side)?;
                let y: Vec<u32> = images.labels.iter().map(|&label| label.into()).collect();
                let classes = y.iter().max().map_or(0, |&last| last as usize + 1);
                if input_kind == InputKind::Images {
                    let data = Data::Images { images, classes };
                    return Ok(Self { data, train, validation: of_part(1), held_out: of_part(2) });
                }
                (dataset::features(&images), y, classes)
            }
        };
        let x = scaled(own, view.scaling, &train)?;
        let data = Data::Rows(Samples::new(x, y, classes).map_err(fail)?);
        Ok(Self { data, train, validation: of_part(1), held_out: of_part(2) })
    }

    /// 1/divisor of the training rows, drawn at random; at least one.
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

    /// Trains on these rows and evaluates on the validation part, and also on the held-out part if the
    /// validation error is below `below`.
    ///
    /// # Errors
    /// If a network cannot be trained here, or the run was interrupted.
    pub fn evaluate(
        &self,
        learner: Learner,
        config: &[f64],
        rows: &[usize],
        below: f64,
        (rng, interrupted): (&mut ChaCha12Rng, &dyn Fn() -> bool),
    ) -> Result<Evaluation, Stop> {
        match (learner.with(config), &self.data) {
            (Configured::Rows(learner, effort), Data::Rows(samples)) => {
                let Ok(fit) = learner.fit(samples, rows, &effort, rng) else {
                    return Ok(Evaluation { validation: 1.0, held_out: Some(1.0), work: 0.0 });
                };
                let validation = fit.error_rate(samples, &self.validation);
                let held_out = || fit.error_rate(samples, &self.held_out);
                Ok(Evaluation {
                    validation,
                    held_out: (validation < below).then(held_out),
                    work: fit.work.multiply_adds as f64,
                })
            }
            (Configured::Images(network), Data::Images { images, classes }) => {
                let parts = [rows, &self.validation, &self.held_out];
                let parts = parts.map(|rows| dataset::chosen(images, rows));
                network::evaluate(&network, &parts, *classes, below, rng, interrupted)
            }
            _ => Err(fail("the data were read for another learner")),
        }
    }
}

/// Images with `side` pixels along a side.
fn shrunk(images: Images, side: Option<usize>) -> Result<Images, Stop> {
    let Some(side) = side else { return Ok(images) };
    let own = images.size;
    images.shrunk(side).ok_or_else(|| fail(format!("side {side} does not divide that of {own}")))
}

/// Features scaled with parameters that are fitted to the rows `train`.
fn scaled(own: Array2<f64>, scaling: Scaling, train: &[usize]) -> Result<Array2<f64>, Stop> {
    match scaling {
        Scaling::None => Ok(own),
        Scaling::Standard => {
            let fitted = Standardiser::fit(own.select(Axis(0), train).view()).map_err(fail)?;
            fitted.apply(own.view()).map_err(fail)
        }
    }
}
