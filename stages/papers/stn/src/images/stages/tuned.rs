//! A network that tunes its hyper-parameters during training.

use kit::port::Out;
use models::neural::self_tuning::{Control, Hyper};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    images::{cost::Costs, rows, setting::Setting},
    tables::{
        images::{Reached, Trained},
        label::Label,
        trace::{Epoch, Step, Taken},
    },
    trace::{self, Clock},
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
    /// What changes the hyper-parameters.
    pub control: Control,
    /// Maximum number of epochs.
    pub epochs: usize,
}

impl Tuned {
    /// The tables that every method has.
    pub const MAIN: Out<Trained> = Out::table("main");
    /// Its epochs.
    pub const EPOCHS: Out<Epoch> = Out::table("epochs");
    /// The course of its hyper-parameters.
    pub const STEPS: Out<Step> = Out::table("steps");
    /// The times of epochs.
    pub const TIMES: Out<Taken> = Out::measured("times");
}

impl Stage for Tuned {
    const KIND: &'static str = "stn/images/tuned";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Self::MAIN.output(), Self::EPOCHS.output(), Self::STEPS.output(), Self::TIMES.output()];

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
        let mut all: Vec<Reached> = (1..)
            .zip(&trace.epochs)
            .map(|(epoch, record)| {
                Reached::new(0, epoch, costs.until(&self.setting, record, epoch), record)
            })
            .collect();
        if trace.diverged {
            let epoch = all.len() + 1;
            let cost = costs.epochs(&self.setting, &self.control, epoch);
            all.push(Reached::diverged(0, epoch, cost));
        }
        let label = Label { method: self.method.clone(), replicate: self.replicate };
        Self::MAIN.write(cx, &rows::trained(&label, &all))?;
        Self::EPOCHS.write(cx, &trace::epochs(&label, &trace))?;
        Self::STEPS.write(cx, &trace::steps(&label, &trace, &self.hypers))?;
        Self::TIMES.write(cx, &trace::times(&label, &trace, &clock))
    }
}
