//! A few trainings of a round, each with its own random numbers, which do not depend on how trainings are
//! grouped into stages.

use std::time::Instant;

use data::images::Images;
use kit::{
    data_sets::image_table::ImageTable,
    device,
    port::{In, Out},
};
use models::neural::residual::{self, Architecture, Device, Precision, Recipe};
use pipeline::{
    machine,
    stage::{Context, Needs, Output, Stage, Stop},
};
use serde::{Deserialize, Serialize};

use crate::network::{
    rows::{Asked, Taken, Tried},
    signs, train,
};

/// Trains the networks of some rows of the requested configurations.
#[derive(Serialize, Deserialize)]
pub struct Trial {
    /// The network.
    pub architecture: Architecture,
    /// Epochs of a full training.
    pub horizon: usize,
    /// Whether training images are shifted and mirrored.
    pub augment: bool,
    /// The first row.
    pub first: usize,
    /// Number of rows.
    pub count: usize,
    /// The device on which they are trained, not `auto`.
    pub device: Device,
    /// The precision in which that device multiplies.
    #[serde(default, skip_serializing_if = "Precision::is_usual")]
    pub precision: Precision,
    /// Memory limit, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl Trial {
    /// The images.
    pub const IMAGES: In<ImageTable> = In::new("images");
    /// The requested configurations.
    pub const ASKED: In<Asked> = In::new("asked");
    /// The result of each row.
    pub const MAIN: Out<Tried> = Out::table("main");
    /// The time of each row.
    pub const TIMES: Out<Taken> = Out::measured("times");
}

impl Stage for Trial {
    const KIND: &'static str = "harmonica/trial";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output(), Self::TIMES.output()];

    fn needs(&self) -> Needs {
        match self.device {
            Device::Cpu => Needs::worker(self.memory_mib),
            device => device::needs(device, self.memory_mib),
        }
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let (images, asked) = (Self::IMAGES.read(cx)?, Self::ASKED.read(cx)?);
        let rows = asked.get(self.first..self.first + self.count).ok_or_else(|| {
            Stop::Failed(format!("no rows {} to {}", self.first, self.first + self.count - 1))
        })?;
        let (mut tried, mut times) = (Vec::new(), Vec::new());
        for asked in rows {
            let (wall, cpu) = (Instant::now(), machine::cpu_seconds());
            tried.push(self.train(cx, asked, &images)?);
            let (number, epochs) = (asked.number, asked.epochs);
            let (cpu_s, wall_s) = (machine::cpu_seconds() - cpu, wall.elapsed().as_secs_f64());
            times.push(Taken { number, epochs, cpu_s, wall_s });
        }
        Self::MAIN.write(cx, &tried)?;
        Self::TIMES.write(cx, &times)
    }
}

impl Trial {
    fn train(&self, cx: &Context, asked: &Asked, images: &Images) -> Result<Tried, Stop> {
        let Self { architecture, horizon, augment, device, precision, .. } = *self;
        let epochs = asked.epochs as usize;
        let training = train::train(
            &residual::decode(&asked.minus),
            &architecture,
            &Recipe { horizon, epochs, augment },
            images,
            (device, precision),
            // A configuration that is promoted to more epochs keeps its random numbers.
            &mut cx.rng(&signs::text(&asked.minus))?,
            &|| cx.cancelled(),
        )?;
        Ok(Tried {
            asked: asked.clone(),
            depth: u32::try_from(architecture.depth).unwrap_or(u32::MAX),
            error: training.error(),
            diverged: training.diverged,
        })
    }
}
