//! One training of one network: every experiment on texts consists of these.

use kit::{
    data_sets::stored,
    device,
    port::{In, Out},
};
use models::neural::{residual::Device, self_tuning_lstm::StLstm};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    tables::{
        asked::AskedValue,
        label::Label,
        schedule::Point,
        trace::{Cost, Epoch, Step, Taken},
    },
    text::{asked, cost, learn, schedule},
    trace::{self, Clock},
};

/// Trains a network.
#[derive(Serialize, Deserialize)]
pub struct Train {
    /// The network, its hyper-parameters and their changes. A course among the inputs takes precedence.
    pub settings: StLstm,
    /// Its name in tables.
    pub method: String,
    /// The replicate.
    pub replicate: u32,
    /// The number of the search's suggestion that has the hyper-parameters and the epochs, if there is one.
    pub row: Option<usize>,
    /// The device on which it is trained, not `auto`.
    pub device: Device,
    /// Memory limit, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl Train {
    /// A course that hyper-parameters follow.
    pub const COURSE: In<Point> = In::new("course");
    /// The suggestions of a search.
    pub const ASKED: In<AskedValue> = In::new("asked");
    /// Its epochs.
    pub const MAIN: Out<Epoch> = Out::table("main");
    /// The course of hyper-parameters, thinned.
    pub const STEPS: Out<Step> = Out::table("steps");
    /// The same, complete.
    pub const COURSE_OF: Out<Point> = Out::table("course");
    /// Its cost.
    pub const COST: Out<Cost> = Out::table("cost");
    /// The times of epochs.
    pub const TIMES: Out<Taken> = Out::measured("times");
}

impl Stage for Train {
    const KIND: &'static str = "stn/text/train";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[
        Self::MAIN.output(),
        Self::STEPS.output(),
        Self::COURSE_OF.output(),
        Self::COST.output(),
        Self::TIMES.output(),
    ];

    fn needs(&self) -> Needs {
        Needs { checkpoints: true, ..device::needs(self.device, self.memory_mib) }
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let corpus = stored::corpus(cx, &learn::CORPUS)?;
        let settings = self.settings(cx)?;
        let mut clock = Clock::start();
        let trace = learn::train(
            &settings,
            &corpus,
            self.device,
            &mut cx.rng("training")?,
            cx.checkpoints(),
            &mut |_| clock.tick(),
            &|| cx.cancelled(),
        )?;
        let label = Label { method: self.method.clone(), replicate: self.replicate };
        let spent = cost::of(&settings, &corpus, &trace.epochs);
        let spent = (1..).zip(spent).map(|(epoch, cost)| Cost { epoch, cost });
        Self::MAIN.write(cx, &trace::epochs(&label, &trace))?;
        Self::STEPS.write(cx, &trace::steps(&label, &trace, &settings.hypers))?;
        Self::COURSE_OF.write(cx, &schedule::of(&trace, &settings.hypers))?;
        Self::COST.write(cx, &spent.collect::<Vec<_>>())?;
        Self::TIMES.write(cx, &trace::times(&label, &trace, &clock))
    }
}

impl Train {
    /// The settings, updated by the inputs.
    fn settings(&self, cx: &Context) -> Result<StLstm, Stop> {
        let mut settings = self.settings.clone();
        let StLstm { hypers, control, descent, .. } = &mut settings;
        if let Some(course) = Self::COURSE.read_if_there(cx)? {
            schedule::follow(&course, hypers, control)?;
        }
        if let Some(row) = self.row {
            let all = asked::read(Self::ASKED.read(cx)?)?;
            let asked = all.get(row).ok_or_else(|| Stop::Failed(format!("no row {row}")))?;
            for hyper in hypers {
                if let Some(value) = asked.value(&hyper.name) {
                    hyper.start = schedule::inside(hyper.range, value);
                }
            }
            descent.epochs = asked.epochs as usize;
        }
        Ok(settings)
    }
}
