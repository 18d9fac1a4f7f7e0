//! The inputs of a training step in memory that stays, so that one and the same sequence of operations, captured as
//! a CUDA graph, serves one batch after another.

use cuda::graph::{self, Graph};
use tch::{Kind, TchError, Tensor};

use super::{
    error::TorchError,
    learner::{Gradients, Learner, Step},
    resident::{Order, Resident},
};

/// The inputs of a step: visits and masks.
#[derive(Debug)]
pub struct Held {
    order: Order,
    masks: Option<Vec<Tensor>>,
}

impl Held {
    /// Memory for inputs like these.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn like(order: &Order, masks: Option<&[Tensor]>) -> Result<Self, TchError> {
        let Order { rows, views } = order;
        let order = Order { rows: rows.f_zeros_like()?, views: views.f_zeros_like()? };
        let empty = |masks: &[Tensor]| masks.iter().map(Tensor::f_zeros_like).collect();
        Ok(Self { order, masks: masks.map(empty).transpose()? })
    }

    /// Copies the inputs of a step.
    ///
    /// # Errors
    /// If they are not like those that there is memory for.
    pub fn take(&mut self, order: &Order, masks: Option<&[Tensor]>) -> Result<(), TchError> {
        self.order.rows.f_copy_(&order.rows)?;
        self.order.views.f_copy_(&order.views)?;
        for (held, mask) in self.masks.iter_mut().flatten().zip(masks.into_iter().flatten()) {
            held.f_copy_(mask)?;
        }
        Ok(())
    }

    /// Queues the computation of gradients by what was copied last.
    ///
    /// # Errors
    /// If libtorch fails.
    pub fn gradients(
        &self,
        learner: &Learner,
        step: Step,
        images: &Resident,
        kind: Kind,
    ) -> Result<Gradients, TchError> {
        let (x, y) = images.batch(&self.order, kind)?;
        learner.gradients((&x, &y), self.masks.as_deref(), step)
    }
}

/// The computation of gradients as a CUDA graph.
#[derive(Debug)]
pub struct Captured {
    pub held: Held,
    // Before the graph, in whose memory they are.
    gradients: Gradients,
    graph: Graph,
}

impl Captured {
    /// Captures how gradients are computed by these inputs, in a step after which rates of statistics do not change.
    ///
    /// # Errors
    /// If libtorch fails.
    pub fn new(
        held: Held,
        learner: &Learner,
        step: Step,
        images: &Resident,
        kind: Kind,
    ) -> Result<Self, TorchError> {
        debug_assert!(step.settled());
        let capture = || Ok::<_, TorchError>(held.gradients(learner, step, images, kind)?);
        let (graph, gradients) = Graph::capture(capture)?;
        Ok(Self { held, gradients, graph })
    }

    /// Queues the computation by what was copied last. The result stays until the next one, in the same memory.
    ///
    /// # Errors
    /// If the GPU fails.
    pub fn replay(&self) -> Result<Gradients, TorchError> {
        self.graph.replay()?;
        Ok(self.gradients.shallow_clone())
    }
}

// Here and not beside the error: only what captures graphs depends on them.
impl From<graph::Error> for TorchError {
    fn from(error: graph::Error) -> Self {
        Self::settings(error)
    }
}

#[cfg(test)]
mod tests {
    use cuda::graph::OwnStream;
    use models::neural::residual::{
        Architecture, Momentum, Optimiser, ResidualOptions, Scale, decode, masks::Masks,
    };
    use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    use tch::Device;

    use super::{
        super::{
            block_masks::BlockMasks,
            network::{Network, branches},
            parameters::Placement,
            toy_images::Toy,
        },
        *,
    };

    const ARCHITECTURE: Architecture = Architecture { depth: 8, widths: [2, 2, 3], classes: 3 };
    const BATCH: usize = 16;

    /// Losses and parameters after some steps, from the tenth on by held inputs: captured where that is possible.
    fn trained(options: &ResidualOptions, (kind, device): (Kind, Device), held: bool) -> Vec<f64> {
        let _stream = match device {
            Device::Cuda(number) => Some(OwnStream::enter(number).unwrap()),
            _ => None,
        };
        let toy = Toy::new(8, 160, 1);
        let images = toy.images();
        let resident = Resident::new(&images, &Scale::of(&images), device).unwrap();
        let mut rng = ChaCha12Rng::seed_from_u64(4);
        let placement = Placement { device, kind: Kind::Float };
        let channels = images.channels;
        let network = Network::new(options, &ARCHITECTURE, channels, placement, &mut rng).unwrap();
        let mut learner = Learner::new(options, network).unwrap();
        learner.tune_links().unwrap();
        let rows: Vec<usize> = (0..images.len()).collect();
        let order = resident.order(&rows, Some(&mut rng)).unwrap();
        let dropped = Masks::new(0.2, [1, 2]);
        let mut masks = BlockMasks::new(dropped, branches(&ARCHITECTURE, images.size));
        let (mut inputs, mut graph) = (None, None);
        let mut found = Vec::new();
        for at in 0..30 {
            // The rate falls, as in a training.
            learner.rate = if at < 20 { 0.05 } else { 0.02 };
            let order = order.part(at * BATCH % images.len(), BATCH).unwrap();
            let step = learner.next();
            let masks = masks.draw(step.number, BATCH as i64, (kind, device)).unwrap();
            let masks = Some(&masks[..]);
            let gradients = if !held || !step.settled() {
                let (x, y) = resident.batch(&order, kind).unwrap();
                learner.gradients((&x, &y), masks, step).unwrap()
            } else if device == Device::Cpu {
                let held = inputs.get_or_insert_with(|| Held::like(&order, masks).unwrap());
                held.take(&order, masks).unwrap();
                held.gradients(&learner, step, &resident, kind).unwrap()
            } else {
                let captured = graph.get_or_insert_with(|| {
                    let held = Held::like(&order, masks).unwrap();
                    Captured::new(held, &learner, step, &resident, kind).unwrap()
                });
                captured.held.take(&order, masks).unwrap();
                captured.replay().unwrap()
            };
            found.push(gradients.loss.double_value(&[]));
            learner.update(gradients).unwrap();
        }
        let Network { weights, links, .. } = &learner.network;
        for flat in [&weights.flat, &links.as_ref().unwrap().flat] {
            found.extend(Vec::<f64>::try_from(flat.to_kind(Kind::Double)).unwrap());
        }
        found
    }

    #[test]
    fn a_libtorch_without_cuda_has_no_streams() {
        if crate::device::available() == 0 {
            let why = OwnStream::enter(0).unwrap_err().to_string();
            assert!(why.starts_with("this libtorch has no "), "{why}");
        }
    }

    /// To the bit: rows, views and masks are read anew in each step, and links are trained.
    #[test]
    fn a_step_on_held_inputs_is_the_same_step() {
        let mut minus = [true; 60];
        minus[30 - 1] = false;
        minus[4 - 1] = false;
        let usual = decode(&minus);
        assert!(usual.weighs_links());
        let devices = [Device::Cpu, Device::cuda_if_available()];
        let momentum = Optimiser::Sgd { momentum: Some(Momentum::Tenth) };
        for (device, optimiser) in devices
            .into_iter()
            .flat_map(|device| [Optimiser::Adam, momentum].map(|optimiser| (device, optimiser)))
        {
            let options = ResidualOptions { optimiser, ..usual };
            for kind in [Kind::Float, Kind::BFloat16] {
                let (anew, held) = (false, true);
                let expected = trained(&options, (kind, device), anew);
                let found = trained(&options, (kind, device), held);
                assert!(found.iter().all(|number| number.is_finite()));
                assert!(found == expected, "{device:?}, {kind:?}, {optimiser:?}");
            }
        }
    }
}
