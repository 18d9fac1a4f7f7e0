//! Population-based training: an extension.

use models::neural::self_tuning::{EpochRecord, Hyper};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::population_based::PopulationBased;

use crate::{
    finished::Finished,
    images::{
        cost::Costs,
        rows::{self, Row},
        search::{self, fixed},
        setting::Setting,
    },
    population::{self, METHOD},
    trace::{Clock, Run},
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
    /// The most dropout.
    pub dropouts: f64,
    /// Epochs of each member.
    pub epochs: usize,
}

impl Stage for Population {
    const KIND: &'static str = "stn/images/population";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Output::table("main"), Output::table("members"), Output::measured("times")];

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
        let mut main: Vec<Row> = Vec::new();
        for lived in &all {
            let Finished { epochs, diverged, .. } = &lived.finished;
            let spent = |more: usize| (main.len() + more) as f64 * epoch;
            let number = |i: usize| lived.before + i + 1;
            let mut new: Vec<Row> = (epochs.iter().enumerate())
                .map(|(i, record)| Row::new(lived.member, number(i), spent(i + 1), record))
                .collect();
            if *diverged {
                let i = new.len();
                new.push(Row::diverged(lived.member, number(i), spent(i + 1)));
            }
            main.extend(new);
        }
        let run = Run { method: METHOD, replicate: self.replicate };
        let names: Vec<&str> = self.hypers.iter().map(|hyper| hyper.name.as_str()).collect();
        cx.write("main", &rows::table(&run, &main)?)?;
        cx.write("members", &population::members(&run, &names, &all)?)?;
        let seconds: Vec<(f64, f64)> =
            all.iter().flat_map(|lived| lived.finished.all_seconds()).collect();
        let times = run
            .columns(main.len())
            .index("epoch", "epoch of the member, from 1", main.iter().map(|row| row.epoch))
            .real("cpu_s", "CPU seconds of it", seconds.iter().map(|t| t.0))
            .real("wall_s", "elapsed seconds of it", seconds.iter().map(|t| t.1))
            .batch()?;
        Ok(cx.write("times", &times)?)
    }
}
