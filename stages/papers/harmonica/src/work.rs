//! The work of Harmonica's stages: samples × parities for the Lasso, multiplications for networks.

use driver::Arm;
use kit::work::{images, parities, values};
use models::neural::residual::Device;
use pipeline::work::{Inputs, Size, Work};
use tuners::harmonica::HarmonicaSettings;

use super::{
    network::{
        arms::{
            gp_ei::GpEi, halving::Halving, harmonica::Harmonica, hyperband::Hyperband,
            random::Random,
        },
        cost,
        stages::{
            ask::Ask, cut::Cut, race::Race, sampling::Sampling, stability::TableOne,
            transfer::Transfer, trial::Trial, usual::Usual, weights::Weights,
        },
    },
    synthetic::{
        config::{Recovery, Sweep},
        stages::{
            contest::ContestStage, dummies::DummiesStage, noise::NoiseStage,
            recovery::RecoveryStage, stability::StabilityStage, times::TimesStage,
        },
    },
};

/// Number of variables of a network's options, including dummies.
const OPTIONS: usize = models::neural::residual::COUNT;
/// The cost of a forward and backward step, in forward steps.
const BACK: f64 = 3.0;
/// The cost of an image's pass through a layer beside its multiplications, in multiplications: on a GPU that of
/// libtorch's calls for a typical batch, since its size is tuned; on the CPU that of norms and activations.
const LIBRARY_PASS: f64 = 1.5e4;
const OWN_PASS: f64 = 3.2e3;
/// Number of colour channels of an image.
const CHANNELS: f64 = 3.0;

impl Work for Weights {}

/// Images × multiplications × epochs of all trainings, forward and backward. A search that starts with short
/// trainings asks for fewer epochs than the horizon: that is part of the constant and its spread.
impl Work for Trial {
    fn work(&self, inputs: &Inputs) -> f64 {
        let side = (values(inputs, "images") / CHANNELS).sqrt().round() as usize;
        let epochs = (self.count * self.horizon) as f64;
        let image = cost::multiplications(&self.architecture, side);
        let layer = if self.device == Device::Cpu { OWN_PASS } else { LIBRARY_PASS };
        let pass = layer * self.architecture.depth as f64;
        BACK * epochs * inputs.rows("images") * (image + pass)
    }

    fn writes(&self, _: &str, _: &Inputs) -> Option<Size> {
        Some(Size::new(self.count, 5))
    }
}

/// Pixels of the published images.
impl Work for Cut {
    fn work(&self, inputs: &Inputs) -> f64 {
        inputs.cells("images")
    }

    fn writes(&self, _: &str, _: &Inputs) -> Option<Size> {
        Some(images(self.train + self.test, 3 * self.size * self.size))
    }
}

/// For Harmonica, samples told × parities; for GP-EI, observations³ × suggestions; otherwise rows.
impl<A: Arm + Asked> Work for Ask<A> {
    fn work(&self, inputs: &Inputs) -> f64 {
        self.search.price(inputs.rows_of(""), self.size as f64, self.variables)
    }

    fn writes(&self, _: &str, _: &Inputs) -> Option<Size> {
        Some(Size::new(self.size, 3))
    }
}

/// A search that is asked for a round.
trait Asked {
    /// The work of asking for `size` of `variables`, after `told` results.
    fn price(&self, told: f64, size: f64, _variables: usize) -> f64 {
        told + size
    }
}

impl Asked for Random {}
impl Asked for Halving {}
impl Asked for Hyperband {}

impl Asked for Harmonica {
    fn price(&self, told: f64, size: f64, variables: usize) -> f64 {
        (told + size) * parities(variables, self.settings.degree)
    }
}

impl Asked for GpEi {
    fn price(&self, told: f64, size: f64, _: usize) -> f64 {
        let Self(settings) = self;
        let climbs = (settings.grid + settings.refined * settings.iterations) as f64;
        size * (told + size).max(settings.starts as f64) * climbs
    }
}

/// Samples × parities, once per stage.
impl Work for Sampling {
    fn work(&self, inputs: &Inputs) -> f64 {
        inputs.rows_of("") * parities(OPTIONS, self.settings.degree)
    }
}

/// Six fits per stage, of samples × parities.
impl Work for TableOne {
    fn work(&self, inputs: &Inputs) -> f64 {
        6.0 * inputs.rows_of("") * parities(OPTIONS, self.settings.degree)
    }
}

impl Work for Transfer {
    fn writes(&self, _: &str, _: &Inputs) -> Option<Size> {
        Some(Size::new(self.best + self.neighbours, 3))
    }
}

/// One row.
impl Work for Usual {
    fn work(&self, _: &Inputs) -> f64 {
        1.0
    }

    fn writes(&self, _: &str, _: &Inputs) -> Option<Size> {
        Some(Size::new(1, 3))
    }
}

impl Work for Race {}

/// One fit of Harmonica: samples × parities, and the search for the minimisers of the polynomial found.
fn fit(samples: usize, variables: usize, settings: &HarmonicaSettings) -> f64 {
    let free = (settings.features * settings.degree).min(variables) as f64;
    samples as f64 * parities(variables, settings.degree) + MINIMISER * free.exp2()
}

/// The cost of one point in the search for minimisers.
const MINIMISER: f64 = 45.0;

/// Seeds × stages × a fit.
impl Work for ContestStage {
    fn work(&self, _: &Inputs) -> f64 {
        let fits = f64::from(self.values.seeds) * self.settings.stages as f64;
        fits * fit(self.settings.samples, self.variables, &self.settings)
    }
}

/// Seeds × stages × a fit.
impl Work for DummiesStage {
    fn work(&self, _: &Inputs) -> f64 {
        let fits = f64::from(self.values.seeds) * self.settings.stages as f64;
        fits * fit(self.values.samples, self.variables, &self.settings)
    }
}

/// Seeds × levels × stages × a fit.
impl Work for NoiseStage {
    fn work(&self, _: &Inputs) -> f64 {
        let sweeps = self.values.sweeps.values();
        let one = |sweep: &Sweep| {
            sweep.levels.len() as f64 * fit(sweep.samples, self.variables, &self.settings)
        };
        let stages = f64::from(self.values.seeds) * self.settings.stages as f64;
        stages * sweeps.map(one).sum::<f64>()
    }
}

/// Instances × a fit.
impl Work for RecoveryStage {
    fn work(&self, _: &Inputs) -> f64 {
        let Recovery { instances, variables, samples, features, degree, .. } = self.values;
        let points = ((features * degree).min(variables) as f64).exp2();
        let fit = samples as f64 * parities(variables, degree) + MINIMISER * points;
        f64::from(instances) * fit
    }
}

/// Seeds × stages × five fits.
impl Work for StabilityStage {
    fn work(&self, _: &Inputs) -> f64 {
        let fits = f64::from(self.values.seeds) * 5.0 * self.settings.stages as f64;
        fits * fit(self.values.samples, self.variables, &self.settings)
    }
}

/// For GP-EI, seeds × samples² × the search of an acquisition's maximum; without it, seeds × numbers of
/// samples × stages × a fit.
impl Work for TimesStage {
    fn work(&self, _: &Inputs) -> f64 {
        let seeds = f64::from(self.seeds);
        if let Some((most, settings)) = self.gp_ei {
            let climbs = (settings.grid + settings.refined * settings.iterations) as f64;
            return seeds * f64::from(most).powi(2) * climbs;
        }
        let one = |&samples: &u32| fit(samples as usize, self.variables, &self.settings);
        seeds * self.settings.stages as f64 * self.samples.iter().map(one).sum::<f64>()
    }

    fn variant(&self) -> String {
        if self.gp_ei.is_some() { "gp-ei".to_owned() } else { String::new() }
    }
}
