//! Population-based training: an extension.

use data::corpus_table;
use kit::{device, table::Columns};
use models::neural::{
    residual::Device,
    self_tuning::{EpochRecord, Trace},
    self_tuning_lstm::StLstm,
};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::population_based::PopulationBased;

use crate::{
    finished::Finished,
    population::{self, METHOD},
    text::{
        config::at,
        cost, learn,
        search::{Bound, space},
    },
    trace::{Clock, Run},
};

/// One population.
#[derive(Serialize, Deserialize)]
pub struct Population {
    /// The replicate.
    pub replicate: u32,
    /// The network, whose hyper-parameters stay, and the training of a member.
    pub settings: StLstm,
    /// Where hyper-parameters are looked for.
    pub bounds: Vec<Bound>,
    /// The population.
    pub population: PopulationBased,
    /// Where it is trained, not `auto`.
    pub device: Device,
    /// Largest memory, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl Stage for Population {
    const KIND: &'static str = "stn/text/population";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[
        Output::table("main"),
        Output::table("members"),
        Output::table("cost"),
        Output::measured("times"),
    ];

    fn needs(&self) -> Needs {
        Needs { checkpoints: true, ..device::needs(self.device, self.memory_mib) }
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let failed = |e: &dyn std::fmt::Display| Stop::Failed(e.to_string());
        let corpus = corpus_table::decode(&cx.input("words")?, &cx.input("vocabulary")?)
            .map_err(|e| failed(&e))?;
        let space = space(&self.bounds).map_err(|e| failed(&e))?;
        let epochs = self.settings.descent.epochs;
        let all = population::train(&self.population, &space, epochs, cx, &mut |turn| {
            let mut settings = self.settings.clone();
            for (hyper, &value) in settings.hypers.iter_mut().zip(turn.values) {
                *hyper = at(hyper, value);
            }
            settings.descent.epochs = turn.until;
            let (mut rng, mut clock) =
                (cx.rng(&format!("training {}", turn.member))?, Clock::start());
            let folder = Some(turn.folder.as_path());
            let after = &mut |_: &EpochRecord| clock.tick();
            let stop = || cx.cancelled();
            let trace =
                learn::train(&settings, &corpus, self.device, &mut rng, folder, after, &stop)?;
            if trace.diverged {
                clock.tick();
            }
            Ok(Finished::since(trace, turn.before, clock.seconds().to_vec()))
        })?;
        let main: Vec<EpochRecord> =
            all.iter().flat_map(|lived| lived.finished.epochs.iter().copied()).collect();
        let spent = cost::of(&self.settings, &corpus, &main);
        let spent = Columns::new()
            .index("epoch", "epoch of all members' in turn, from 1", 1..=spent.len() as u32)
            .real("cost", "passes of the plain network up to its end", spent);
        let seconds: Vec<(f64, f64)> = all
            .iter()
            .flat_map(|lived| {
                // No row is written for the epoch in which a training diverges.
                let Finished { epochs, .. } = &lived.finished;
                lived.finished.all_seconds().into_iter().take(epochs.len()).collect::<Vec<_>>()
            })
            .collect();
        let run = Run { method: METHOD, replicate: self.replicate };
        let names: Vec<&str> = self.bounds.iter().map(|bound| bound.name.as_str()).collect();
        let times = run
            .columns(main.len())
            .index("epoch", "epoch of all members' in turn, from 1", 1..=main.len() as u32)
            .real("cpu_s", "CPU seconds of it", seconds.iter().map(|t| t.0))
            .real("wall_s", "elapsed seconds of it", seconds.iter().map(|t| t.1))
            .batch()?;
        let trace = Trace { epochs: main, ..Trace::default() };
        cx.write("main", &run.epochs(&trace)?)?;
        cx.write("members", &population::members(&run, &names, &all)?)?;
        cx.write("cost", &spent.batch()?)?;
        Ok(cx.write("times", &times)?)
    }
}
