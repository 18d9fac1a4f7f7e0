//! One training of one network: every experiment on texts is made of these.

use data::corpus_table;
use kit::{device, table::Columns};
use models::neural::{residual::Device, self_tuning_lstm::StLstm};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    text::{asked, cost, learn, schedule},
    trace::{Clock, Run},
};

/// Trains a network.
#[derive(Serialize, Deserialize)]
pub struct Train {
    /// The network, its hyper-parameters and how they move. A `course` among the inputs goes first.
    pub settings: StLstm,
    /// What it is called in tables.
    pub method: String,
    /// The replicate.
    pub replicate: u32,
    /// The row of the input `asked` that has the hyper-parameters and the epochs, if there is one.
    pub row: Option<usize>,
    /// Where it is trained, not `auto`.
    pub device: Device,
    /// Largest memory, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl Stage for Train {
    const KIND: &'static str = "stn/text/train";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[
        Output::table("main"),
        Output::table("steps"),
        Output::table("course"),
        Output::table("cost"),
        Output::measured("times"),
    ];

    fn needs(&self) -> Needs {
        Needs { checkpoints: true, ..device::needs(self.device, self.memory_mib) }
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let corpus = corpus_table::decode(&cx.input("words")?, &cx.input("vocabulary")?)
            .map_err(|e| Stop::Failed(e.to_string()))?;
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
        let run = Run { method: &self.method, replicate: self.replicate };
        let spent = cost::of(&settings, &corpus, &trace.epochs);
        let spent = Columns::new().index("epoch", "epoch, from 1", 1..=spent.len() as u32).real(
            "cost",
            "passes of the plain network up to its end",
            spent,
        );
        cx.write("main", &run.epochs(&trace)?)?;
        cx.write("steps", &run.steps(&trace, &settings.hypers)?)?;
        cx.write("course", &schedule::table(&schedule::of(&trace, &settings.hypers))?)?;
        cx.write("cost", &spent.batch()?)?;
        Ok(cx.write("times", &run.times(&trace, &clock)?)?)
    }
}

impl Train {
    /// The settings, with what the inputs say of them.
    fn settings(&self, cx: &Context) -> Result<StLstm, Stop> {
        let mut settings = self.settings.clone();
        let StLstm { hypers, control, descent, .. } = &mut settings;
        let has = |wanted: &str| cx.roles().any(|role| role == wanted);
        if has("course") {
            schedule::follow(&schedule::read(&cx.input("course")?)?, hypers, control)?;
        }
        if let Some(row) = self.row {
            let all = asked::read(&cx.input("asked")?)?;
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
