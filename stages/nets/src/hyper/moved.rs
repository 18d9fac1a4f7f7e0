//! The hyper-parameters that a training tunes: their values, their perturbation, and their updates. All
//! computations are in double precision and without libtorch's differentiation, since the perturbation is a
//! sum.

use models::neural::self_tuning::{Hyper, Range, Response, Scale, Tuning, sigmoid, softplus};
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};
use tch::{Kind, TchError, Tensor};

use super::{checkpoint::Checkpoint, drawn::Drawn};
use crate::{error::TorchError, parameters::Placement};

/// Adam's β₁, β₂ and ε, \[Kingma2015\].
const BETAS: (f64, f64) = (0.9, 0.999);
const EPSILON: f64 = 1e-8;

/// The state of tuned hyper-parameters.
#[derive(Debug)]
pub struct Moved<'a> {
    hypers: &'a [Hyper],
    /// The settings.
    pub tuning: Tuning,
    /// λ.
    unconstrained: Adam,
    /// softplus⁻¹ σ.
    raw_scale: Adam,
    placement: Placement,
}

/// Numbers that Adam updates, with its moments.
#[derive(Debug)]
struct Adam {
    at: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
    steps: i32,
}

/// The noise of a batch (B×n, row by row), as it was drawn: standard normal.
#[derive(Debug)]
pub struct Noise(Vec<f64>);

impl<'a> Moved<'a> {
    /// Hyper-parameters at their initial values.
    pub fn new(hypers: &'a [Hyper], tuning: Tuning, placement: Placement) -> Self {
        let start = match tuning.scale {
            Scale::Fixed(start) | Scale::Learned { start, .. } => start,
        };
        let raw = Range::Positive.unconstrained(start);
        let unconstrained = Adam::new(hypers.iter().map(Hyper::origin).collect());
        Self {
            hypers,
            tuning,
            unconstrained,
            raw_scale: Adam::new(vec![raw; hypers.len()]),
            placement,
        }
    }

    /// σ.
    pub fn scales(&self) -> Vec<f64> {
        self.raw_scale.at.iter().map(|&raw| softplus(raw)).collect()
    }

    /// The valid values.
    pub fn values(&self) -> Vec<f64> {
        let both = self.hypers.iter().zip(&self.unconstrained.at);
        both.map(|(hyper, &at)| hyper.range.value(at)).collect()
    }

    /// The unperturbed hyper-parameters, the same for all examples, with or without gradient tracking.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn still(&self, batch: usize, follow: bool) -> Result<Drawn, TchError> {
        self.drawn(&Noise::none(batch, self.hypers.len()), follow)
    }

    /// Noise for a batch: that of shared hyper-parameters is the same for all examples.
    pub fn noise(&self, batch: usize, rng: &mut ChaCha12Rng) -> Noise {
        let n = self.hypers.len();
        let mut noise: Vec<f64> = StandardNormal.sample_iter(rng).take(batch * n).collect();
        for (i, _) in self.hypers.iter().enumerate().filter(|(_, hyper)| hyper.shared) {
            for row in 1..batch {
                noise[row * n + i] = noise[i];
            }
        }
        Noise(noise)
    }

    /// Perturbed hyper-parameters λ + σε, one row per example, with or without gradient tracking.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn drawn(&self, noise: &Noise, follow: bool) -> Result<Drawn, TchError> {
        let (n, scales, at) = (self.hypers.len(), self.scales(), &self.unconstrained.at);
        let numbered = || noise.0.iter().enumerate().map(|(k, z)| (k % n, z));
        let values =
            numbered().map(|(i, z)| self.hypers[i].range.value(at[i] + scales[i] * z)).collect();
        let seen: Vec<f64> = match self.tuning.response {
            Response::Absolute => numbered().map(|(i, z)| at[i] + scales[i] * z).collect(),
            Response::Centred => numbered().map(|(i, z)| scales[i] * z).collect(),
        };
        let seen = Tensor::f_from_slice(&seen)?.f_view([-1, n as i64])?;
        let seen = seen.f_to_kind(self.placement.kind)?.f_to_device(self.placement.device)?;
        let seen = seen.f_set_requires_grad(follow)?;
        Ok(Drawn::new(Some(seen), values, n))
    }

    /// Adds their state to a checkpoint.
    pub fn save(&self, all: &mut Checkpoint) {
        self.unconstrained.save("hyper-parameters", all);
        self.raw_scale.save("scales", all);
    }

    /// Restores their state from a checkpoint.
    ///
    /// # Errors
    /// If it belongs to other hyper-parameters.
    pub fn resume(&mut self, from: &Checkpoint) -> Result<(), TorchError> {
        self.unconstrained.resume("hyper-parameters", from)?;
        self.raw_scale.resume("scales", from)
    }

    /// Updates the hyper-parameters, and the perturbation's scales if they are learned, by the gradient of a
    /// mean validation loss with respect to the input of the weights' response (B×n).
    ///
    /// # Errors
    /// If shapes do not fit.
    pub fn step(&mut self, gradient: &Tensor, noise: &Noise) -> Result<(), TchError> {
        let n = self.hypers.len();
        let gradient = gradient.f_to_kind(Kind::Double)?.f_reshape([-1])?;
        let gradient: Vec<f64> = gradient.try_into()?;
        let mut by_value = vec![0.0; n];
        let mut by_scale = vec![0.0; n];
        for (k, (g, z)) in gradient.iter().zip(&noise.0).enumerate() {
            by_value[k % n] += g;
            by_scale[k % n] += g * z;
        }
        self.unconstrained.step(&by_value, self.tuning.learning_rate);
        if let Scale::Learned { learning_rate, entropy, .. } = self.tuning.scale {
            // dσ/draw = sigmoid(raw); the entropy is Σ ln σ and a constant.
            let raw = &self.raw_scale.at;
            let chain = |i: usize| (by_scale[i] - entropy / softplus(raw[i])) * sigmoid(raw[i]);
            let gradient: Vec<f64> = (0..n).map(chain).collect();
            self.raw_scale.step(&gradient, learning_rate);
        }
        Ok(())
    }
}

impl Noise {
    /// Zeros for this many examples and hyper-parameters.
    pub fn none(batch: usize, hypers: usize) -> Self {
        Self(vec![0.0; batch * hypers])
    }
}

impl Adam {
    fn save(&self, name: &str, all: &mut Checkpoint) {
        let rest = [f64::from(self.steps)];
        all.add_numbers(name, &[&self.at[..], &self.first, &self.second, &rest].concat());
    }

    fn resume(&mut self, name: &str, from: &Checkpoint) -> Result<(), TorchError> {
        let (n, all) = (self.at.len(), from.numbers(name)?);
        if all.len() != 3 * n + 1 {
            return Err(TorchError::Checkpoint(name.to_owned()));
        }
        let part = |k: usize| all[k * n..(k + 1) * n].to_vec();
        *self = Self { at: part(0), first: part(1), second: part(2), steps: all[3 * n] as i32 };
        Ok(())
    }

    fn new(at: Vec<f64>) -> Self {
        let zeros = vec![0.0; at.len()];
        Self { at, first: zeros.clone(), second: zeros, steps: 0 }
    }

    fn step(&mut self, gradient: &[f64], rate: f64) {
        self.steps += 1;
        let correction = |beta: f64| 1.0 - beta.powi(self.steps);
        for (i, &g) in gradient.iter().enumerate() {
            self.first[i] += (1.0 - BETAS.0) * (g - self.first[i]);
            self.second[i] += (1.0 - BETAS.1) * (g * g - self.second[i]);
            let root = (self.second[i] / correction(BETAS.1)).sqrt();
            self.at[i] -= rate * self.first[i] / correction(BETAS.0) / (root + EPSILON);
        }
    }
}
