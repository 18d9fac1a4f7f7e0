//! Population-based training: an extension.

use kit::port::Out;
use models::neural::self_tuning::{EpochRecord, Hyper};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::population_based::PopulationBased;

use crate::{
    finished::Finished,
    images::{
        cost::Costs,
        rows,
        search::{self, fixed},
        setting::Setting,
    },
    population::{self, METHOD},
    tables::{
        images::{Reached, Trained},
        label::Label,
        trace::{Taken, Turned},
    },
    trace::{Clock, taken},
};

/// One population.
#[derive(Serialize, Deserialize)]
pub struct Population {
    /// The replicate.
    pub replicate: u32,
    /// The network.
    pub setting: Setting,
    /// The hyper-parameters.
    pub hypers: Vec<Hyper>,
    /// The population.
    pub population: PopulationBased,
    /// The largest dropout rate.
    pub dropouts: f64,
    /// Epochs of each member.
    pub epochs: usize,
}

impl Population {
    /// All epochs of all members.
    pub const MAIN: Out<Trained> = Out::table("main");
    /// The ancestry of members.
    pub const MEMBERS: Out<Turned> = Out::table("members");
    /// The times of epochs.
    pub const TIMES: Out<Taken> = Out::measured("times");
}

impl Stage for Population {
    const KIND: &'static str = "stn/images/population";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Self::MAIN.output(), Self::MEMBERS.output(), Self::TIMES.output()];

    fn needs(&self) -> Needs {
        self.setting.needs()
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let images = self.setting.images(cx)?;
        let space = search::space(&self.hypers, self.dropouts);
        let space = space.map_err(|e| Stop::Failed(e.to_string()))?;
        let all = population::train(&self.population, &space, self.epochs, cx, &mut |turn| {
            let (control, mut clock) = (fixed(turn.values), Clock::start());
            let settings = self.setting.settings(self.hypers.clone(), control, turn.until);
            let mut rng = cx.rng(&format!("training {}", turn.member))?;
            let after = &mut |_: &EpochRecord| clock.tick();
            let folder = Some(turn.folder.as_path());
            let trace = self.setting.train(cx, &settings, &images, folder, &mut rng, after)?;
            if trace.diverged {
                clock.tick();
            }
            Ok(Finished::since(trace, turn.before, clock.seconds().to_vec()))
        })?;
        let control = fixed(&[]);
        let epoch = Costs::of(&control).epochs(&self.setting, &control, 1);
        let mut main: Vec<Reached> = Vec::new();
        for lived in &all {
            let Finished { epochs, diverged, .. } = &lived.finished;
            let spent = |more: usize| (main.len() + more) as f64 * epoch;
            let number = |i: usize| lived.before + i + 1;
            let mut new: Vec<Reached> = (epochs.iter().enumerate())
                .map(|(i, record)| Reached::new(lived.member, number(i), spent(i + 1), record))
                .collect();
            if *diverged {
                let i = new.len();
                new.push(Reached::diverged(lived.member, number(i), spent(i + 1)));
            }
            main.extend(new);
        }
        let label = Label { method: METHOD.to_owned(), replicate: self.replicate };
        let names: Vec<&str> = self.hypers.iter().map(|hyper| hyper.name.as_str()).collect();
        Self::MAIN.write(cx, &rows::trained(&label, &main))?;
        Self::MEMBERS.write(cx, &population::members(&label, &names, &all))?;
        let seconds = all.iter().flat_map(|lived| lived.finished.all_seconds());
        let epochs = main.iter().map(|row| row.epoch);
        Self::TIMES.write(cx, &taken(&label, epochs.zip(seconds)))
    }
}
