//! The training of a self-tuning network on images, as data: the network, its hyper-parameters, what changes
//! them, and how weights are trained. The crate `nets` trains it.

use serde::{Deserialize, Serialize};

use super::alexnet::{AlexNet, BadAlexNet};
use super::regularisation::{BadRoles, Roles};
use super::residual::{BadImages, Images};
use super::self_tuning::{BadControl, BadHyper, BadSgdConfig, Control, Hyper, SgdConfig};

/// The settings of a training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct StCnn {
    /// The network.
    pub network: AlexNet,
    /// The hyper-parameters, by the names in `regularisation`; others are not applied.
    pub hypers: Vec<Hyper>,
    /// What changes the hyper-parameters.
    pub control: Control,
    /// How weights are trained.
    pub descent: SgdConfig,
    /// Minibatch size.
    pub batch: usize,
}

/// The images of a training.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// The training images, for the weights.
    pub training: Images<'a>,
    /// The validation images, for the hyper-parameters.
    pub validation: Images<'a>,
    /// The test images, on which nothing is chosen.
    pub test: Images<'a>,
}

/// Settings that are invalid or do not fit the images.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadStCnn {
    /// The network.
    #[error(transparent)]
    Network(#[from] BadAlexNet),
    /// A setting of a hyper-parameter.
    #[error(transparent)]
    Hyper(#[from] BadHyper),
    /// The names of hyper-parameters.
    #[error(transparent)]
    Roles(#[from] BadRoles),
    /// The change of hyper-parameters.
    #[error(transparent)]
    Control(#[from] BadControl),
    /// How weights are trained.
    #[error(transparent)]
    SgdConfig(#[from] BadSgdConfig),
    /// A batch size of 0.
    #[error("batch 0: expected at least 1")]
    Batch,
    /// The images of one part.
    #[error("{part} images: {source}")]
    Images {
        /// `training`, `validation` or `test`.
        part: &'static str,
        /// Their fault.
        source: BadImages,
    },
    /// Images whose shape the network does not accept.
    #[error("{part} images of {found:?} (channels, side): expected {expected:?}")]
    Shape {
        /// `training`, `validation` or `test`.
        part: &'static str,
        /// Their channels and side.
        found: (usize, usize),
        /// The channels and side of the network.
        expected: (usize, usize),
    },
}

impl StCnn {
    /// Checks the settings, and that the images fit them.
    ///
    /// # Errors
    /// If they do not.
    pub fn check(&self, images: &Parts<'_>) -> Result<(), BadStCnn> {
        self.check_settings()?;
        let all = [
            ("training", images.training),
            ("validation", images.validation),
            ("test", images.test),
        ];
        for (part, own) in all {
            let bad = |source| BadStCnn::Images { part, source };
            own.check(self.network.classes).map_err(bad)?;
            let (found, expected) =
                ((own.channels, own.size), (AlexNet::COLOURS, self.network.side));
            if found != expected {
                return Err(BadStCnn::Shape { part, found, expected });
            }
        }
        Ok(())
    }

    /// Checks the settings by themselves.
    ///
    /// # Errors
    /// If one is invalid.
    pub fn check_settings(&self) -> Result<(), BadStCnn> {
        self.network.check()?;
        self.hypers.iter().try_for_each(Hyper::check)?;
        Roles::of(self.hypers.iter().map(|hyper| hyper.name.as_str()))?;
        self.control.check(self.hypers.len())?;
        self.descent.check()?;
        if self.batch == 0 { Err(BadStCnn::Batch) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::self_tuning::{Decay, Range, Schedule};
    use super::*;

    fn settings() -> StCnn {
        let hyper = |name: &str| Hyper {
            name: name.to_owned(),
            range: Range::Interval { low: 0.0, high: 0.5 },
            start: 0.05,
            shared: false,
        };
        let decay = Decay { factor: 0.1, window: 60, minimum_rate: 1e-5, patience: 75 };
        StCnn {
            network: AlexNet { side: 16, classes: 2, width_divisor: 64, dense_factor: false },
            hypers: vec![hyper("hue"), hyper("dropout-1")],
            control: Control::Given(vec![Schedule::Fixed; 2]),
            descent: SgdConfig { learning_rate: 0.01, momentum: 0.9, clip: None, epochs: 1, decay },
            batch: 128,
        }
    }

    #[test]
    fn settings_are_checked() {
        type Spoil = fn(&mut StCnn);
        type Is = fn(&BadStCnn) -> bool;
        let fine = settings();
        assert_eq!(fine.check_settings(), Ok(()));
        let all: [(Spoil, Is); 6] = [
            (|s| s.network.side = 8, |e| matches!(e, BadStCnn::Network(_))),
            (|s| s.hypers[0].start = f64::NAN, |e| matches!(e, BadStCnn::Hyper(_))),
            (|s| s.hypers[1].name = "hue".to_owned(), |e| matches!(e, BadStCnn::Roles(_))),
            (|s| s.control = Control::Given(Vec::new()), |e| matches!(e, BadStCnn::Control(_))),
            (|s| s.descent.learning_rate = f64::NAN, |e| matches!(e, BadStCnn::SgdConfig(_))),
            (|s| s.batch = 0, |e| matches!(e, BadStCnn::Batch)),
        ];
        for (spoil, is) in all {
            let mut bad = fine.clone();
            spoil(&mut bad);
            let error = bad.check_settings().unwrap_err();
            assert!(is(&error), "{error:?}");
        }
    }

    #[test]
    fn images_must_fit_the_network() {
        let (pixels, labels) = (vec![0; 2 * 3 * 16 * 16], [0, 1]);
        let fine = Images { pixels: &pixels, labels: &labels, size: 16, channels: 3 };
        let parts = Parts { training: fine, validation: fine, test: fine };
        assert_eq!(settings().check(&parts), Ok(()));
        let grey = Images { pixels: &pixels[..512], channels: 1, ..fine };
        let expected = BadStCnn::Shape { part: "test", found: (1, 16), expected: (3, 16) };
        assert_eq!(settings().check(&Parts { test: grey, ..parts }), Err(expected));
        let many = Images { labels: &[0, 2], ..fine };
        let error = settings().check(&Parts { validation: many, ..parts }).unwrap_err();
        assert!(matches!(error, BadStCnn::Images { part: "validation", .. }), "{error:?}");
    }
}
