//! The work of Harmonica's stages: of the Lasso, samples × parities; of networks, multiplications.

use pipeline::work::{Inputs, Size, Work};

use super::{
    network::{
        cost,
        search::Search,
        stages::{
            ask::Ask, cut::Cut, race::Race, sampling::Sampling, stability::TableOne,
            transfer::Transfer, trial::Trial, usual::Usual,
        },
    },
    stages::claims::ClaimsStage,
    synthetic::stages::{
        contest::ContestStage, dummies::DummiesStage, noise::NoiseStage, recovery::RecoveryStage,
        stability::StabilityStage, times::TimesStage,
    },
};
use crate::papers::work::{images, joined, parities, values};

/// Variables of a network's options, dummies included.
const OPTIONS: usize = crate::models::residual::COUNT;
/// A step forward and back costs as many steps forward.
const BACK: f64 = 3.0;
/// Colours of an image.
const CHANNELS: f64 = 3.0;

/// Images × multiplications × epochs of all trainings, forward and back. A search that starts with short
/// trainings asks for fewer epochs than the horizon: that is in the constant and its spread.
impl Work for Trial {
    fn work(&self, inputs: &Inputs) -> f64 {
        let side = (values(inputs, "images") / CHANNELS).sqrt().round() as usize;
        let epochs = (self.count * self.horizon) as f64;
        BACK * epochs * inputs.rows("images") * cost::multiplications(&self.architecture, side)
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

/// Of Harmonica, samples told × parities; of GP-EI, observations³ × suggestions; else rows.
impl Work for Ask {
    fn work(&self, inputs: &Inputs) -> f64 {
        let told = inputs.rows_of("");
        match self.search {
            Search::Harmonica { settings, .. } => {
                (told + self.size as f64) * parities(self.variables, settings.degree)
            }
            Search::GpEi(settings) => {
                let all = told + self.size as f64;
                let climbs = (settings.grid + settings.refined * settings.iterations) as f64;
                self.size as f64 * all.max(settings.starts as f64) * climbs
            }
            _ => told + self.size as f64,
        }
    }

    fn variant(&self) -> String {
        match self.search {
            Search::Random => "random",
            Search::SuccessiveHalving(_) => "halving",
            Search::Hyperband(_) => "hyperband",
            Search::GpEi(_) => "gp-ei",
            Search::Harmonica { .. } => "harmonica",
        }
        .to_owned()
    }

    fn writes(&self, _: &str, _: &Inputs) -> Option<Size> {
        Some(Size::new(self.size, 3))
    }
}

/// Samples × parities, once a stage.
impl Work for Sampling {
    fn work(&self, inputs: &Inputs) -> f64 {
        inputs.rows_of("") * parities(OPTIONS, self.settings.degree)
    }
}

/// Six fits a stage, of samples × parities.
impl Work for TableOne {
    fn work(&self, inputs: &Inputs) -> f64 {
        6.0 * inputs.rows_of("") * parities(OPTIONS, self.settings.degree)
    }
}

/// Rows.
impl Work for Transfer {
    fn work(&self, inputs: &Inputs) -> f64 {
        joined(inputs)
    }

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

/// Tables joined and rows.
impl Work for Race {
    fn work(&self, inputs: &Inputs) -> f64 {
        joined(inputs)
    }
}

/// Seeds × stages × methods' samples × parities.
impl Work for ContestStage {
    fn work(&self, _: &Inputs) -> f64 {
        let fits = f64::from(self.values.seeds) * self.settings.stages as f64;
        fits * self.settings.samples as f64 * parities(self.variables, self.settings.degree)
    }
}

/// Seeds × stages × samples × parities.
impl Work for DummiesStage {
    fn work(&self, _: &Inputs) -> f64 {
        let fits = f64::from(self.values.seeds) * self.settings.stages as f64;
        fits * self.values.samples as f64 * parities(self.variables, self.settings.degree)
    }
}

/// Seeds × levels × stages × samples × parities.
impl Work for NoiseStage {
    fn work(&self, _: &Inputs) -> f64 {
        let sweeps = self.values.sweeps.values();
        let samples: usize = sweeps.map(|sweep| sweep.levels.len() * sweep.samples).sum();
        let fits = f64::from(self.values.seeds) * self.settings.stages as f64;
        fits * samples as f64 * parities(self.variables, self.settings.degree)
    }
}

/// Instances × samples × parities.
impl Work for RecoveryStage {
    fn work(&self, _: &Inputs) -> f64 {
        let columns = parities(self.values.variables, self.values.degree);
        f64::from(self.values.instances) * self.values.samples as f64 * columns
    }
}

/// Seeds × stages × (one fit of the samples, and four that are moved) × parities.
impl Work for StabilityStage {
    fn work(&self, _: &Inputs) -> f64 {
        let fits = f64::from(self.values.seeds) * 5.0 * self.settings.stages as f64;
        fits * self.values.samples as f64 * parities(self.variables, self.settings.degree)
    }
}

/// Of GP-EI, seeds × samples² × what an acquisition's maximum takes; without it, seeds × stages × all
/// samples × parities.
impl Work for TimesStage {
    fn work(&self, _: &Inputs) -> f64 {
        let seeds = f64::from(self.seeds);
        if let Some((most, settings)) = self.gp_ei {
            let climbs = (settings.grid + settings.refined * settings.iterations) as f64;
            return seeds * f64::from(most).powi(2) * climbs;
        }
        let samples = self.samples.iter().map(|&samples| f64::from(samples)).sum::<f64>();
        let columns = parities(self.variables, self.settings.degree);
        seeds * self.settings.stages as f64 * samples * columns
    }

    fn variant(&self) -> String {
        if self.gp_ei.is_some() { "gp-ei".to_owned() } else { String::new() }
    }
}

/// Rows of evidence.
impl Work for ClaimsStage {
    fn work(&self, inputs: &Inputs) -> f64 {
        joined(inputs)
    }
}
