//! Gradient descent on the weights of a self-tuning network: gradient clipping, momentum, and the weights
//! that a step can change.

use tch::{Kind, TchError, Tensor};

use super::tunable::{Forward, Loss, Tunable, cross_entropy};
use crate::error::TorchError;

/// The update rule of the weights.
#[derive(Debug)]
pub struct Weights {
    momentum: f64,
    clip: Option<f64>,
    /// The momentum of each weight.
    pub velocity: Tensor,
    /// 1 where a weight belongs to the response.
    response: Tensor,
}

impl Weights {
    /// The rule for the weights of `task`, with its momentum and the largest gradient norm.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn new(task: &mut dyn Tunable, momentum: f64, clip: Option<f64>) -> Result<Self, TchError> {
        let lengths = task.weights().parts.iter().map(Tensor::numel);
        let mut marks: Vec<Vec<f32>> = lengths.map(|n| vec![0.0; n]).collect();
        task.mark(&mut marks);
        let flat = &task.weights().flat;
        let response = Tensor::f_from_slice(&marks.concat())?;
        let response = response.f_to_kind(flat.f_kind()?)?.f_to_device(flat.device())?;
        Ok(Self { momentum, clip, velocity: flat.f_zeros_like()?, response })
    }

    /// One step of gradient descent on a loss.
    ///
    /// # Errors
    /// If libtorch fails.
    pub fn descend(
        &mut self,
        task: &mut dyn Tunable,
        loss: &Loss,
        rate: f64,
    ) -> Result<(), TorchError> {
        let gradient = loss.by_weights(task.weights())?;
        Ok(self.step(task, gradient, rate)?)
    }

    /// One step of only the response, on the loss of the network's linearisation in the hyper-parameters,
    /// \[Bae2020\] sec. 3.3: `forward` is the network with hyper-parameters in `response` (B×n, zero, with
    /// gradient tracking), `departure` their perturbations (B×n).
    ///
    /// The effect J·δ of the perturbation on the logits is the gradient of (Jᵀu)·δ with respect to u.
    ///
    /// # Errors
    /// If libtorch fails.
    pub fn respond(
        &mut self,
        task: &mut dyn Tunable,
        forward: &Forward,
        response: &Tensor,
        departure: &Tensor,
        rate: f64,
    ) -> Result<Tensor, TorchError> {
        let u = forward.logits.f_zeros_like()?.f_set_requires_grad(true)?;
        let product = forward.logits.f_mul(&u)?.f_sum(None)?;
        let pulled = Tensor::f_run_backward(&[&product], &[response], true, true)?.swap_remove(0);
        let along = pulled.f_mul(departure)?.f_sum(None)?;
        let effect = Tensor::f_run_backward(&[&along], &[&u], true, true)?.swap_remove(0);
        let loss = cross_entropy(&forward.logits.f_detach()?.f_add(&effect)?, &forward.targets)?;
        let gradient = self.of_response(task, &loss)?;
        // Its momentum and that of the other weights are separate: neither affects the other.
        let kept = self.velocity.f_mul(&self.response.f_neg()?.f_add_scalar(1.0)?)?;
        _ = self.velocity.f_mul_(&self.response)?;
        self.step(task, gradient, rate)?;
        _ = self.velocity.f_add_(&kept)?;
        Ok(loss)
    }

    /// The gradient with respect to the response, zero for the other weights. The linearisation does not
    /// depend on all of them: for example not on a bias of the logits.
    fn of_response(&self, task: &mut dyn Tunable, loss: &Tensor) -> Result<Tensor, TchError> {
        let parts: Vec<&Tensor> = task.weights().parts.iter().collect();
        let all = Tensor::f_run_backward(&[loss], &parts, false, false)?;
        let known = |(gradient, part): (Tensor, &&Tensor)| {
            if gradient.defined() {
                gradient.f_reshape([-1])
            } else {
                part.f_zeros_like()?.f_reshape([-1])
            }
        };
        let all: Vec<Tensor> = all.into_iter().zip(&parts).map(known).collect::<Result<_, _>>()?;
        Tensor::f_cat(&all, 0)?.f_mul(&self.response)
    }

    fn step(
        &mut self,
        task: &mut dyn Tunable,
        mut gradient: Tensor,
        rate: f64,
    ) -> Result<(), TchError> {
        if let Some(longest) = self.clip {
            // Computed without reading the norm, which would make the program wait for the GPU: min(1,
            // longest / norm).
            let norm = gradient.f_square()?.f_sum(Kind::Double)?.f_sqrt()?;
            let share = norm.f_reciprocal()?.f_mul_scalar(longest)?.f_clamp_max(1.0)?;
            _ = gradient.f_mul_(&share.f_to_kind(gradient.f_kind()?)?)?;
        }
        if self.momentum > 0.0 {
            _ = self.velocity.f_mul_scalar_(self.momentum)?.f_add_(&gradient)?;
            gradient = self.velocity.f_mul_scalar(-rate)?;
        } else {
            _ = gradient.f_mul_scalar_(-rate)?;
        }
        _ = task.weights().flat.f_add_(&gradient)?;
        Ok(())
    }
}
