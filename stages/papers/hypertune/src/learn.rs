//! The learners of the paper, with the ranges of their hyper-parameters and the signs of their complexity.

use models::{
    learner::{self, Effort},
    linear::elastic_sgd::Charge,
    neural::{
        cnn::{CnnArchitecture, CnnOptions},
        residual::Device,
    },
    svm::smo::Smo,
};
use numerics::space::{Domain, Error, Parameter, Space};
use serde::{Deserialize, Serialize};

/// A learner with what is not tuned. The paper states none of the latter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub enum Learner {
    /// Logistic loss with L1 and L2 penalty by stochastic gradients.
    ElasticNet {
        /// Epochs of a training.
        epochs: usize,
        /// When the L1 penalty is taken from the weights.
        #[serde(default, skip_serializing_if = "usual")]
        charge: Charge,
    },
    /// Support vector machine with RBF kernel.
    #[serde(rename_all = "kebab-case")]
    SvmRbf {
        /// Tolerance of the optimality conditions.
        tolerance: f64,
        /// Most steps of a pair of classes; a machine that is not done by then predicts as it is.
        most_steps: usize,
        /// Kernel rows that each pair of classes keeps, MiB.
        cache_mib: usize,
    },
    /// Linear support vector machine on random Fourier features.
    #[serde(rename_all = "kebab-case")]
    SvmRff {
        /// Tolerance of the dual.
        tolerance: f64,
        /// Most epochs of a training.
        epochs: usize,
        /// Binary logarithm of the most features.
        most_features: f64,
    },
    /// Perceptron with one hidden layer.
    #[serde(rename_all = "kebab-case")]
    Mlp {
        /// Epochs of a training.
        epochs: usize,
        /// Binary logarithm of the most neurons.
        most_neurons: f64,
    },
    /// Convolutional network for images, in the program that has libtorch.
    #[serde(rename_all = "kebab-case")]
    Cnn {
        /// Epochs of a training.
        epochs: usize,
        /// Channels of its two groups of convolutions.
        widths: [usize; 2],
        /// Binary logarithm of the most neurons.
        most_neurons: f64,
        /// Where it is trained.
        device: Device,
    },
}

/// Whether a setting is as it is where it is not written: results from before it could be chosen keep their keys.
fn usual<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The kind of data of a learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// Rows of features.
    Rows,
    /// Images as bytes.
    Images,
}

/// A learner with the settings of a configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Configured {
    /// A learner for rows, with the limits of its training.
    Rows(learner::Learner, Effort),
    /// A learner for images.
    Images(Network),
}

/// A convolutional network, ready to be trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// The fixed settings.
    pub architecture: CnnArchitecture,
    /// The tuned settings.
    pub options: CnnOptions,
    /// The device on which it is trained.
    pub device: Device,
}

impl Learner {
    /// Its name in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ElasticNet { .. } => "elastic-net",
            Self::SvmRbf { .. } => "svm-rbf",
            Self::SvmRff { .. } => "svm-rff",
            Self::Mlp { .. } => "mlp",
            Self::Cnn { .. } => "cnn",
        }
    }

    /// The kind of data that it learns from.
    #[must_use]
    pub fn input_kind(self) -> InputKind {
        match self {
            Self::Cnn { .. } => InputKind::Images,
            _ => InputKind::Rows,
        }
    }

    /// The device on which it is trained, if it can be chosen.
    #[must_use]
    pub fn device(self) -> Option<Device> {
        match self {
            Self::Cnn { device, .. } => Some(device),
            _ => None,
        }
    }

    /// The same learner on that device, if the device can be chosen.
    #[must_use]
    pub fn on(self, device: Device) -> Self {
        match self {
            Self::Cnn { epochs, widths, most_neurons, .. } => {
                Self::Cnn { epochs, widths, most_neurons, device }
            }
            _ => self,
        }
    }

    /// The same for all learners of one size, wherever they are trained and whenever they take a penalty.
    #[must_use]
    pub fn sized(self) -> Self {
        match self.on(Device::Auto) {
            Self::ElasticNet { epochs, .. } => {
                Self::ElasticNet { epochs, charge: Charge::default() }
            }
            learner => learner,
        }
    }

    /// The tuned space. C, γ, α and the learning rate are exponents of ten; numbers of features and neurons
    /// and the minibatch size are exponents of two. The paper states no ranges for the networks.
    ///
    /// # Errors
    /// If a range is empty.
    pub fn space(self) -> Result<Space, Error> {
        // An exponent is tuned directly: the paper's ranges are those of exponents.
        let range = |name: &str, low: f64, high: f64| Parameter {
            name: name.to_owned(),
            domain: Domain::Float { low, high, log: false },
        };
        Space::new(match self {
            Self::ElasticNet { .. } => vec![range("ratio", 0.0, 1.0), range("alpha", -7.0, -1.0)],
            Self::SvmRbf { .. } => vec![range("c", -3.0, 3.0), range("gamma", -3.0, 3.0)],
            Self::SvmRff { most_features, .. } => vec![
                range("c", -3.0, 3.0),
                range("gamma", -3.0, 3.0),
                range("features", 3.0, most_features),
            ],
            Self::Mlp { most_neurons, .. } => vec![
                range("neurons", 3.0, most_neurons),
                range("dropout", 0.0, 0.8),
                range("batch", 4.0, 9.0),
                range("rate", -4.0, 0.0),
                range("momentum", 0.0, 0.99),
            ],
            Self::Cnn { most_neurons, .. } => vec![
                range("batch", 4.0, 9.0),
                range("convolution-dropout", 0.0, 0.8),
                range("rate", -4.0, 0.0),
                range("momentum", 0.0, 0.99),
                range("neurons", 3.0, most_neurons),
                range("dropout", 0.0, 0.8),
            ],
        })
    }

    /// m of each parameter: 1 if models become more complex with it, −1 if they become simpler.
    #[must_use]
    pub fn directions(self) -> &'static [i8] {
        match self {
            Self::ElasticNet { .. } => &[0, -1],
            Self::SvmRbf { .. } => &[1, 1],
            Self::SvmRff { .. } => &[1, 1, 1],
            Self::Mlp { .. } => &[1, 0, 0, 0, 0],
            Self::Cnn { .. } => &[0, 0, 0, 0, 1, 0],
        }
    }

    /// The learner with the settings of a configuration, in the order of [`Learner::space`].
    #[must_use]
    pub fn with(self, config: &[f64]) -> Configured {
        let ten = |exponent: f64| 10.0_f64.powf(exponent);
        let count = |exponent: f64| exponent.exp2().round() as usize;
        let idle = Effort { epochs: 0, smo: Smo::default(), tolerance: 1.0 };
        match self {
            Self::ElasticNet { epochs, charge } => {
                let (l1_ratio, alpha) = (config[0], ten(config[1]));
                let learner = learner::Learner::ElasticNet { alpha, l1_ratio, charge };
                Configured::Rows(learner, Effort { epochs, ..idle })
            }
            Self::SvmRbf { tolerance, most_steps, cache_mib } => {
                let smo = Smo { tolerance, cache: cache_mib << 20, max_iterations: most_steps };
                Configured::Rows(
                    learner::Learner::SvmRbf { c: ten(config[0]), gamma: ten(config[1]) },
                    Effort { smo, ..idle },
                )
            }
            Self::SvmRff { tolerance, epochs, .. } => Configured::Rows(
                learner::Learner::SvmFourier {
                    c: ten(config[0]),
                    gamma: ten(config[1]),
                    // Cosine and sine come in pairs.
                    features: 2 * count(config[2] - 1.0),
                },
                Effort { epochs, tolerance, ..idle },
            ),
            Self::Mlp { epochs, .. } => Configured::Rows(
                learner::Learner::Mlp {
                    neurons: count(config[0]),
                    dropout: config[1],
                    batch: count(config[2]),
                    rate: ten(config[3]),
                    momentum: config[4],
                },
                Effort { epochs, ..idle },
            ),
            Self::Cnn { epochs, widths, device, .. } => Configured::Images(Network {
                architecture: CnnArchitecture { widths, epochs },
                options: CnnOptions {
                    batch: count(config[0]),
                    convolution_dropout: config[1],
                    rate: ten(config[2]),
                    momentum: config[3],
                    neurons: count(config[4]),
                    dropout: config[5],
                },
                device,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CNN: Learner =
        Learner::Cnn { epochs: 1, widths: [2, 3], most_neurons: 10.0, device: Device::Cpu };

    #[test]
    fn configurations_are_exponents() {
        let rff = Learner::SvmRff { tolerance: 1e-2, epochs: 5, most_features: 12.0 };
        let space = rff.space().unwrap();
        let made = |learner: Learner, config: &[f64]| match learner.with(config) {
            Configured::Rows(made, _) => made,
            Configured::Images(network) => panic!("{network:?}"),
        };
        assert_eq!(
            made(rff, &space.from_unit(&[0.5, 0.0, 1.0])),
            learner::Learner::SvmFourier { c: 1.0, gamma: 1e-3, features: 4096 }
        );
        for unit in [0.0, 0.3, 0.77, 1.0] {
            let config = space.from_unit(&[unit; 3]);
            let learner::Learner::SvmFourier { features, .. } = made(rff, &config) else {
                panic!()
            };
            assert!(features % 2 == 0 && (8..=4096).contains(&features));
        }
        let net = Learner::ElasticNet { epochs: 3, charge: Charge::WhenUsed };
        let config = net.space().unwrap().from_unit(&[0.25, 1.0]);
        let expected =
            learner::Learner::ElasticNet { alpha: 0.1, l1_ratio: 0.25, charge: Charge::WhenUsed };
        assert_eq!(made(net, &config), expected);
        let config = CNN.space().unwrap().from_unit(&[0.2, 0.5, 0.5, 1.0, 1.0, 0.0]);
        let Configured::Images(network) = CNN.with(&config) else { panic!() };
        let options = CnnOptions {
            batch: 32,
            convolution_dropout: 0.4,
            rate: 0.01,
            momentum: 0.99,
            neurons: 1024,
            dropout: 0.0,
        };
        assert_eq!((network.options, network.device), (options, Device::Cpu));
        assert_eq!(network.options.check(), Ok(()));
    }

    #[test]
    fn every_parameter_has_a_direction_or_none() {
        for learner in [
            Learner::ElasticNet { epochs: 1, charge: Charge::EachUpdate },
            Learner::SvmRbf { tolerance: 1e-3, most_steps: 1, cache_mib: 1 },
            Learner::SvmRff { tolerance: 1e-2, epochs: 1, most_features: 12.0 },
            Learner::Mlp { epochs: 1, most_neurons: 10.0 },
            CNN,
        ] {
            let space = learner.space().unwrap();
            assert_eq!(learner.directions().len(), space.dimensions(), "{learner:?}");
        }
    }
}
