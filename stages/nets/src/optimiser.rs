//! Update rules over a flat vector of parameters, as PyTorch defines them.

use models::neural::residual::{Momentum, Optimiser};
use tch::{TchError, Tensor};

/// Adam's β₁, β₂ and ε, \[Kingma2015\].
const BETAS: (f64, f64) = (0.9, 0.999);
const EPSILON: f64 = 1e-8;

/// An update rule with its state.
#[derive(Debug)]
pub struct Updater {
    rule: Rule,
    decay: Option<f64>,
}

#[derive(Debug)]
enum Rule {
    Plain,
    Momentum { coefficient: f64, velocity: Tensor },
    Adam { first: Tensor, second: Tensor, steps: i32 },
}

impl Updater {
    /// A rule for parameters like `flat`, with the factor of the weight decay.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn new(optimiser: Optimiser, decay: Option<f64>, flat: &Tensor) -> Result<Self, TchError> {
        let zeros = || flat.f_zeros_like();
        let rule = match optimiser {
            Optimiser::Sgd { momentum: None } => Rule::Plain,
            Optimiser::Sgd { momentum: Some(momentum) } => {
                Rule::Momentum { coefficient: Momentum::coefficient(momentum), velocity: zeros()? }
            }
            Optimiser::Adam => Rule::Adam { first: zeros()?, second: zeros()?, steps: 0 },
        };
        Ok(Self { rule, decay })
    }

    /// Stochastic gradient descent with a given momentum, for parameters like `flat`.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn sgd(momentum: f64, flat: &Tensor) -> Result<Self, TchError> {
        let rule = Rule::Momentum { coefficient: momentum, velocity: flat.f_zeros_like()? };
        Ok(Self { rule, decay: None })
    }

    /// Updates `flat` by `gradient` at a learning rate.
    ///
    /// # Errors
    /// If they differ in size.
    pub fn step(
        &mut self,
        flat: &mut Tensor,
        mut gradient: Tensor,
        rate: f64,
    ) -> Result<(), TchError> {
        if let Some(decay) = self.decay {
            _ = gradient.f_add_(&flat.f_mul_scalar(decay)?)?;
        }
        let change = match &mut self.rule {
            Rule::Plain => gradient.f_mul_scalar_(-rate)?,
            Rule::Momentum { coefficient, velocity } => {
                _ = velocity.f_mul_scalar_(*coefficient)?.f_add_(&gradient)?;
                velocity.f_mul_scalar(-rate)?
            }
            Rule::Adam { first, second, steps } => {
                *steps += 1;
                _ = first.f_lerp_(&gradient, 1.0 - BETAS.0)?;
                let squared = gradient.f_square()?;
                _ = second.f_lerp_(&squared, 1.0 - BETAS.1)?;
                let correction = |beta: f64| 1.0 - beta.powi(*steps);
                let mut scale = second.f_sqrt()?;
                _ = scale.f_div_scalar_(correction(BETAS.1).sqrt())?.f_add_scalar_(EPSILON)?;
                first.f_div(&scale)?.f_mul_scalar_(-rate / correction(BETAS.0))?
            }
        };
        _ = flat.f_add_(&change)?;
        Ok(())
    }
}
