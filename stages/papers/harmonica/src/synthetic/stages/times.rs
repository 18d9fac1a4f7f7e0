//! Figure 5: the time that optimisers spend on choosing what to evaluate. The function costs nothing.

use std::time::Instant;

use driver::Search;
use kit::port::Out;
use numerics::space::Space;
use pipeline::{
    machine,
    stage::{Context, Needs, Output, Stage, Stop},
};
use serde::{Deserialize, Serialize};
use tuners::{
    bayesian::gp_ei::{GpEi, GpEiSettings},
    harmonica::{Harmonica, HarmonicaSettings},
    multi_fidelity::{
        brackets::Budgets,
        hyperband::{Hyperband, HyperbandSettings},
    },
    random::Random,
    tuner::{Error, Tuner},
};

use crate::{
    synthetic::{
        function::Weights,
        run::{function, minus, space},
    },
    tables::times::Spent,
};

/// Makes an optimiser.
type Make = Box<dyn Fn(Space) -> Result<Box<dyn Tuner>, Error>>;

/// All optimisers on one number of variables, one after another.
#[derive(Serialize, Deserialize)]
pub struct TimesStage {
    /// How the function is drawn.
    pub weights: Weights,
    /// Number of variables.
    pub variables: usize,
    /// Harmonica's settings, except the number of samples.
    pub settings: HarmonicaSettings,
    /// Hyperband's settings.
    pub budgets: Budgets,
    /// Numbers of samples, ascending. Harmonica takes each of them in each of its stages.
    pub samples: Vec<u32>,
    /// Maximum number of samples of GP-EI, and its settings; `None` if it does not run.
    pub gp_ei: Option<(u32, GpEiSettings)>,
    /// The noise level A.
    pub noise: f64,
    /// Number of functions.
    pub seeds: u32,
}

impl TimesStage {
    /// All optimisers.
    pub const MAIN: Out<Spent> = Out::measured("main");
}

impl Stage for TimesStage {
    const KIND: &'static str = "harmonica/times";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output()];

    fn needs(&self) -> Needs {
        Needs::worker(1500)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let (variables, mut rows) = (self.variables, Vec::new());
        for seed in 0..self.seeds {
            for &samples in &self.samples {
                let settings = HarmonicaSettings { samples: samples as usize, ..self.settings };
                let all = u32::try_from(self.settings.stages).unwrap_or(u32::MAX) * samples;
                let own: Make =
                    Box::new(move |space| Ok(Box::new(Harmonica::new(space, settings)?)));
                let found = self.run(cx, seed, ("harmonica", own), &[all])?;
                let row = |(evaluations, cpu_s, wall_s)| Spent {
                    variables,
                    method: "harmonica".into(),
                    seed,
                    samples,
                    evaluations,
                    cpu_s,
                    wall_s,
                };
                rows.extend(found.into_iter().map(row));
            }
            let hyperband = HyperbandSettings { budgets: self.budgets, brackets: None };
            let random: Make = Box::new(|space| Ok(Box::new(Random::new(space))));
            let hyperband: Make =
                Box::new(move |space| Ok(Box::new(Hyperband::new(space, hyperband)?)));
            let surrogate = self.gp_ei.map(|(most, settings)| -> (&str, Make, u32) {
                ("gp-ei", Box::new(move |space| Ok(Box::new(GpEi::new(space, settings)?))), most)
            });
            let others = [("random", random, u32::MAX), ("hyperband", hyperband, u32::MAX)];
            for (name, method, most) in others.into_iter().chain(surrogate) {
                let marks: Vec<u32> = self.samples.iter().copied().filter(|s| *s <= most).collect();
                for (samples, cpu_s, wall_s) in self.run(cx, seed, (name, method), &marks)? {
                    rows.push(Spent {
                        variables,
                        method: name.into(),
                        seed,
                        samples,
                        evaluations: samples,
                        cpu_s,
                        wall_s,
                    });
                }
            }
        }
        Self::MAIN.write(cx, &rows)
    }
}

impl TimesStage {
    /// Evaluations, CPU seconds and wall seconds of an optimiser at each mark, which is a number of
    /// evaluations told.
    fn run(
        &self,
        cx: &Context,
        seed: u32,
        (name, method): (&str, Make),
        marks: &[u32],
    ) -> Result<Vec<(u32, f64, f64)>, Stop> {
        let HarmonicaSettings { stages, features, degree, .. } = self.settings;
        let shape = (self.variables, degree);
        let h = function(cx, seed, self.weights, shape, (stages, features))?;
        let mut noise = cx.rng(&format!("noise {seed}"))?;
        let mut asking = cx.rng(&format!("ask {seed}"))?;
        let space = space(self.variables)?;
        let (cpu, wall) = (machine::cpu_seconds(), Instant::now());
        let mut tuner: Box<dyn Tuner> = method(space).map_err(Stop::failed)?;
        let (cpu_s, wall_s) = (machine::cpu_seconds() - cpu, wall.elapsed().as_secs_f64());
        let (mut told, mut found) = (0, Vec::new());
        let mut search = Search::new(&mut *tuner, &mut asking);
        for &mark in marks {
            search.run(mark.saturating_sub(told) as usize, |suggestion, _| {
                if cx.cancelled() {
                    return Err(Stop::Failed("cancelled".to_owned()));
                }
                told += 1;
                let x = minus(&suggestion.config);
                Ok(Some((h.value(&x) + self.weights.noise(self.noise, &mut noise)).into()))
            })?;
            if told < mark {
                return Err(Stop::Failed(format!("{name} stopped after {told} evaluations")));
            }
            let took = search.took();
            found.push((told, cpu_s + took.cpu_s, wall_s + took.wall_s));
        }
        Ok(found)
    }
}
