//! The cost of trainings in multiplications, so that a budget is the same on any machine. Only layers are
//! counted, not augmentation, masks or weight updates.

use models::neural::{
    alexnet::AlexNet,
    self_tuning::{Control, EpochRecord, Response, Tuning},
};

use crate::images::setting::{Setting, Sizes};

/// Multiplications of a training, by operation, in units of one image's forward pass through the plain
/// network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// A step of the weights, per training image.
    train: f64,
    /// A step of the hyper-parameters, per validation image.
    tune: f64,
    /// An evaluation, per validation image.
    evaluate: f64,
}

/// Multiplications of the layers for one image, forward.
#[must_use]
pub fn multiplications(network: &AlexNet) -> f64 {
    let mut side = network.side;
    let mut products = 0;
    for layer in network.convolutions() {
        side = side.div_ceil(layer.stride);
        products += 9 * layer.from * layer.to * side * side;
        side /= if layer.pooled { 2 } else { 1 };
    }
    products += network.dense().map(|layer| layer.from * layer.to).iter().sum::<usize>();
    products as f64
}

impl Costs {
    /// The cost of trainings with a given control. Forward counts 1; backward 1 for the gradient of each
    /// layer's inputs and 1 for that of its weights. A response doubles every layer, and a step of the
    /// hyper-parameters needs no gradient of weights.
    ///
    /// A centred response is trained on every second batch along a derivative: forward (1), back to the
    /// hyper-parameters (1), along the perturbation (1), and the gradients of the last two with respect to
    /// inputs and weights (4), all doubled.
    #[must_use]
    pub fn of(control: &Control) -> Self {
        match control {
            Control::Given(_) => Self { train: 3.0, tune: 0.0, evaluate: 1.0 },
            Control::Tuned(Tuning { response: Response::Absolute, .. }) => {
                Self { train: 6.0, tune: 4.0, evaluate: 2.0 }
            }
            Control::Tuned(Tuning { response: Response::Centred, .. }) => {
                Self { train: 10.0, tune: 4.0, evaluate: 2.0 }
            }
        }
    }

    /// The cost after a number of training batches, updates of the hyper-parameters and epochs.
    fn after(self, setting: &Setting, batches: f64, moves: f64, epochs: f64) -> f64 {
        let Sizes { train, validation, .. } = setting.sizes;
        let trained = batches * train as f64 / setting.batches() as f64;
        let per_move = validation as f64 / validation.div_ceil(setting.batch) as f64;
        let evaluated = epochs * validation as f64;
        let passes =
            self.train * trained + self.tune * moves * per_move + self.evaluate * evaluated;
        passes * multiplications(&setting.network)
    }

    /// Multiplications up to the end of the epoch with this number, counted from 1.
    #[must_use]
    pub fn until(self, setting: &Setting, epoch: &EpochRecord, number: usize) -> f64 {
        self.after(setting, epoch.batches as f64, epoch.moves as f64, number as f64)
    }

    /// Multiplications of this many epochs without early stopping.
    #[must_use]
    pub fn epochs(self, setting: &Setting, control: &Control, epochs: usize) -> f64 {
        let batches = (epochs * setting.batches()) as f64;
        let moves = match control {
            Control::Given(_) => 0.0,
            Control::Tuned(tuning) => {
                let share = tuning.valid_steps as f64 / tuning.train_steps as f64;
                (batches - tuning.warm_up_batches as f64).max(0.0) * share
            }
        };
        self.after(setting, batches, moves, epochs as f64)
    }

    /// The largest number of epochs within a budget of multiplications.
    #[must_use]
    #[expect(clippy::maybe_infinite_iter, reason = "costs grow without bound")]
    pub fn within(self, setting: &Setting, control: &Control, budget: f64) -> usize {
        // A difference of less than one product is rounding.
        let fits = |epochs: &usize| self.epochs(setting, control, *epochs) <= budget * (1.0 + 1e-9);
        (1..).take_while(fits).last().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use models::neural::{
        residual::Device,
        self_tuning::{Decay, Scale, SgdConfig},
    };

    fn setting() -> Setting {
        let decay = Decay { factor: 0.1, window: 60, minimum_rate: 1e-5, patience: 75 };
        Setting {
            sizes: Sizes { train: 90, validation: 40, test: 10 },
            network: AlexNet { side: 16, classes: 10, width_divisor: 64, dense_factor: false },
            batch: 30,
            descent: SgdConfig { learning_rate: 0.1, momentum: 0.9, clip: None, epochs: 1, decay },
            device: Device::Cpu,
        }
    }

    fn tuned(response: Response) -> Control {
        Control::Tuned(Tuning {
            train_steps: 2,
            valid_steps: 1,
            warm_up_batches: 2,
            learning_rate: 0.003,
            scale: Scale::Fixed(1.0),
            perturb_validation: true,
            response,
        })
    }

    #[test]
    fn multiplications_are_those_of_the_layers() {
        let network = AlexNet { side: 16, classes: 10, width_divisor: 64, dense_factor: false };
        // 3→1 at 8×8, 1→3 at 4×4, 3→6, 6→4 and 4→4 at 2×2; 4→64→64→10.
        let by_hand = 9 * (3 * 64 + 3 * 16 + (18 + 24 + 16) * 4) + 4 * 64 + 64 * 64 + 640;
        assert_eq!(multiplications(&network), f64::from(by_hand));
    }

    #[test]
    fn each_kind_of_step_counts() {
        let (setting, given) = (setting(), Control::Given(Vec::new()));
        let unit = multiplications(&setting.network);
        let passes = |control: &Control, n| Costs::of(control).epochs(&setting, control, n) / unit;
        assert!((passes(&given, 2) - 2.0 * (3.0 * 90.0 + 40.0)).abs() < 1e-9);
        // Six batches, of which the four after the warm-up lead to two steps on twenty images each.
        let own = 6.0 * 180.0 + 4.0 * 40.0 + 2.0 * 80.0;
        assert!((passes(&tuned(Response::Absolute), 2) - own).abs() < 1e-9);
        let centred = 10.0 * 180.0 + 4.0 * 40.0 + 2.0 * 80.0;
        assert!((passes(&tuned(Response::Centred), 2) - centred).abs() < 1e-9);
    }

    #[test]
    fn a_budget_is_used_up_in_whole_epochs() {
        let (setting, given) = (setting(), Control::Given(Vec::new()));
        let costs = Costs::of(&given);
        let five = costs.epochs(&setting, &given, 5);
        assert_eq!([0.99, 1.0, 1.19].map(|s| costs.within(&setting, &given, s * five)), [4, 5, 5]);
        assert_eq!(costs.within(&setting, &given, 1.0), 0);
        let row = EpochRecord {
            batches: 15,
            moves: 0,
            train_loss: 1.0,
            valid_loss: 1.0,
            valid_error: None,
            test_loss: None,
            test_error: None,
            rate: 0.1,
        };
        assert!((costs.until(&setting, &row, 5) - five).abs() < 1e-6);
    }
}
