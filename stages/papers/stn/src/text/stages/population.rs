//! Population-based training: an extension.

use kit::{data_sets::stored, device, port::Out};
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
    tables::{
        label::Label,
        trace::{Epoch, MembersCost, Taken, Turned},
    },
    text::{
        config::at,
        cost, learn,
        search::{Bound, space},
    },
    trace::{self, Clock, taken},
};

/// One population.
#[derive(Serialize, Deserialize)]
pub struct Population {
    /// The replicate.
    pub replicate: u32,
    /// The network, with fixed hyper-parameters, and the training of a member.
    pub settings: StLstm,
    /// The search space of hyper-parameters.
    pub bounds: Vec<Bound>,
    /// The population.
    pub population: PopulationBased,
    /// The device on which it is trained, not `auto`.
    pub device: Device,
    /// Memory limit, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl Population {
    /// All epochs of all members.
    pub const MAIN: Out<Epoch> = Out::table("main");
    /// The ancestry of members.
    pub const MEMBERS: Out<Turned> = Out::table("members");
    /// The total cost.
    pub const COST: Out<MembersCost> = Out::table("cost");
    /// The times of epochs.
    pub const TIMES: Out<Taken> = Out::measured("times");
}

impl Stage for Population {
    const KIND: &'static str = "stn/text/population";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Self::MAIN.output(), Self::MEMBERS.output(), Self::COST.output(), Self::TIMES.output()];

    fn needs(&self) -> Needs {
        Needs { checkpoints: true, ..device::needs(self.device, self.memory_mib) }
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let failed = |e: &dyn std::fmt::Display| Stop::Failed(e.to_string());
        let corpus = stored::corpus(cx, &learn::CORPUS)?;
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
        let spent = (1..).zip(spent).map(|(epoch, cost)| MembersCost { epoch, cost });
        let seconds: Vec<(f64, f64)> = all
            .iter()
            .flat_map(|lived| {
                // No row is written for the epoch in which a training diverges.
                let Finished { epochs, .. } = &lived.finished;
                lived.finished.all_seconds().into_iter().take(epochs.len()).collect::<Vec<_>>()
            })
            .collect();
        let label = Label { method: METHOD.to_owned(), replicate: self.replicate };
        let names: Vec<&str> = self.bounds.iter().map(|bound| bound.name.as_str()).collect();
        let times = taken(&label, (1..).zip(seconds));
        let trace = Trace { epochs: main, ..Trace::default() };
        Self::MAIN.write(cx, &trace::epochs(&label, &trace))?;
        Self::MEMBERS.write(cx, &population::members(&label, &names, &all))?;
        Self::COST.write(cx, &spent.collect::<Vec<_>>())?;
        Self::TIMES.write(cx, &times)
    }
}
