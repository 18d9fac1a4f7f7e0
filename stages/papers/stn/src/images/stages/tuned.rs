//! A network that tunes its hyper-parameters while it is trained.

use models::neural::self_tuning::{Control, Hyper};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    images::{
        cost::Costs,
        rows::{self, Row},
        setting::Setting,
    },
    trace::{Clock, Run},
};

/// One training.
#[derive(Serialize, Deserialize)]
pub struct Tuned {
    /// Its name in tables.
    pub method: String,
    /// The replicate.
    pub replicate: u32,
    /// The network.
    pub setting: Setting,
    /// The hyper-parameters.
    pub hypers: Vec<Hyper>,
    /// What moves them.
    pub control: Control,
    /// Most epochs.
    pub epochs: usize,
}

impl Stage for Tuned {
    const KIND: &'static str = "stn/images/tuned";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[
        Output::table("main"),
        Output::table("epochs"),
        Output::table("steps"),
        Output::measured("times"),
    ];

    fn needs(&self) -> Needs {
        self.setting.needs()
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let images = self.setting.images(cx)?;
        let settings =
            self.setting.settings(self.hypers.clone(), self.control.clone(), self.epochs);
        let (mut rng, mut clock) = (cx.rng("training")?, Clock::start());
        let trace =
            self.setting
                .train(cx, &settings, &images, cx.checkpoints(), &mut rng, &mut |_| clock.tick())?;
        let costs = Costs::of(&self.control);
        let mut all: Vec<Row> = (1..)
            .zip(&trace.epochs)
            .map(|(epoch, record)| {
                Row::new(0, epoch, costs.until(&self.setting, record, epoch), record)
            })
            .collect();
        if trace.diverged {
            let epoch = all.len() + 1;
            let cost = costs.epochs(&self.setting, &self.control, epoch);
            all.push(Row::diverged(0, epoch, cost));
        }
        let run = Run { method: &self.method, replicate: self.replicate };
        cx.write("main", &rows::table(&run, &all)?)?;
        cx.write("epochs", &run.epochs(&trace)?)?;
        cx.write("steps", &run.steps(&trace, &self.hypers)?)?;
        Ok(cx.write("times", &run.times(&trace, &clock)?)?)
    }
}
