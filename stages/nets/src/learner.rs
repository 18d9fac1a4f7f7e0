//! A residual network that is being trained: its parameters with their update rules, step by step.

use models::neural::residual::ResidualOptions;
use tch::{Reduction, TchError, Tensor};

use super::{block::Mode, network::Network, optimiser::Updater, parameters::gradients};

/// Minimum rate at which batch norm's running statistics are updated, as in Torch.
const NORM_SHARE: f64 = 0.1;

/// A network and the update rules of its parameters.
#[derive(Debug)]
pub struct Learner {
    pub network: Network,
    /// The learning rate of the next steps.
    pub rate: f64,
    weights: Updater,
    links: Option<Updater>,
    options: ResidualOptions,
    steps: u32,
}

/// What a step is, but for its batch.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// Its number, counted from 0.
    pub number: u32,
    /// The rate at which batch norm's running statistics are updated.
    ///
    /// DIFFERS: batch norm's statistics start as the mean over the batches seen so far, and move by
    /// Torch's tenth from the tenth batch on. From its start at mean 0 and variance 1, ten batches
    /// would leave a third of that start in them, which the paper's hundreds do not.
    share: f64,
}

impl Step {
    /// Whether all later steps have the same share.
    pub fn settled(self) -> bool {
        self.share <= NORM_SHARE
    }
}

/// What a step computes before it changes parameters.
#[derive(Debug)]
pub struct Gradients {
    /// The mean loss (a scalar).
    pub loss: Tensor,
    /// By the weights, and by the links while they are trained.
    by: Vec<Tensor>,
}

impl Gradients {
    /// The same tensors.
    pub fn shallow_clone(&self) -> Self {
        let by = self.by.iter().map(Tensor::shallow_clone).collect();
        Self { loss: self.loss.shallow_clone(), by }
    }
}

impl Learner {
    /// A network before its first step.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn new(options: &ResidualOptions, network: Network) -> Result<Self, TchError> {
        let flat = &network.weights.flat;
        let weights = Updater::new(options.optimiser, options.weight_decay, flat)?;
        let (rate, options) = (options.learning_rate, *options);
        Ok(Self { network, rate, weights, links: None, options, steps: 0 })
    }

    /// From now on the links' weights are trained; returns whether they were not before.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn tune_links(&mut self) -> Result<bool, TchError> {
        if let (None, Some(links)) = (&self.links, &mut self.network.links) {
            links.track(true)?;
            let ResidualOptions { optimiser, weight_decay, .. } = self.options;
            self.links = Some(Updater::new(optimiser, weight_decay, &links.flat)?);
            return Ok(true);
        }
        Ok(false)
    }

    /// Counts a step.
    pub fn next(&mut self) -> Step {
        let number = self.steps;
        self.steps += 1;
        Step { number, share: (1.0 / f64::from(self.steps)).max(NORM_SHARE) }
    }

    /// The loss on images (n×C×S×S) of classes (n) and its gradients, with dropout by a mask for each block; batch
    /// norm's running statistics are updated.
    ///
    /// # Errors
    /// If shapes do not fit.
    pub fn gradients(
        &self,
        (x, y): (&Tensor, &Tensor),
        masks: Option<&[Tensor]>,
        Step { share, .. }: Step,
    ) -> Result<Gradients, TchError> {
        let logits = self.network.forward(x, Mode::Training { share, masks })?;
        let loss = logits.f_cross_entropy_loss(y, None::<&Tensor>, Reduction::Mean, -100, 0.0)?;
        let Network { weights, links, .. } = &self.network;
        let links = links.as_ref().filter(|_| self.links.is_some());
        let of: Vec<_> = std::iter::once(weights).chain(links).collect();
        Ok(Gradients { by: gradients(&loss, &of)?, loss: loss.f_detach()? })
    }

    /// Updates parameters by gradients.
    ///
    /// # Errors
    /// If the gradients are of other parameters.
    pub fn update(&mut self, gradients: Gradients) -> Result<(), TchError> {
        let Network { weights, links, .. } = &mut self.network;
        let links = links.as_mut().zip(self.links.as_mut());
        let parameters = std::iter::once((weights, &mut self.weights)).chain(links);
        for ((parameters, updater), by) in parameters.zip(gradients.by) {
            updater.step(&mut parameters.flat, by, self.rate)?;
        }
        Ok(())
    }
}
