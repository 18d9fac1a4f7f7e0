//! A search: one network is trained after another, each with fixed hyper-parameters, until the budget is
//! spent.

use std::{collections::BTreeMap, fs};

use data::images::Images;
use kit::{port::Out, row::Row};
use models::neural::self_tuning::{Control, EpochRecord, Hyper};
use pipeline::{
    digest::Digest,
    stage::{Context, Needs, Output, Stage, Stop},
};
use serde::{Deserialize, Serialize};
use tuners::tuner::{Fidelity, Suggestion, Trial};

use crate::{
    finished::{Finished, Shelf},
    images::{
        cost::Costs,
        rows,
        search::{Search, fixed},
        setting::Setting,
    },
    tables::{
        images::{Reached, Trained},
        label::Label,
        trace::Taken,
    },
    trace::{Clock, taken},
};

/// One run of a search.
#[derive(Serialize, Deserialize)]
pub struct Searched {
    /// The replicate.
    pub replicate: u32,
    /// The network.
    pub setting: Setting,
    /// The hyper-parameters.
    pub hypers: Vec<Hyper>,
    /// The search.
    pub search: Search,
    /// The largest dropout rate.
    pub dropouts: f64,
    /// Epochs of a full training.
    pub epochs: usize,
    /// The number of multiplications that can be spent.
    pub budget: f64,
}

/// A hyper-parameter of a configuration.
#[derive(Row)]
pub struct Configured {
    #[row(flatten)]
    label: Label,
    /// number of the training, from 0
    training: usize,
    /// hyper-parameter
    name: String,
    /// its value
    value: f64,
}

impl Searched {
    /// All epochs of all trainings.
    pub const MAIN: Out<Trained> = Out::table("main");
    /// The configurations of the trainings.
    pub const CONFIGURATIONS: Out<Configured> = Out::table("configurations");
    /// The times of epochs.
    pub const TIMES: Out<Taken> = Out::measured("times");
}

/// The state of a search.
struct State {
    shelf: Shelf,
    rows: Vec<Reached>,
    seconds: Vec<(f64, f64)>,
    /// Suggested values, one list per training.
    configurations: Vec<Vec<f64>>,
    /// Number of epochs and lowest validation loss so far of each configuration that was trained.
    known: BTreeMap<String, (usize, f64)>,
    spent: f64,
}

impl Stage for Searched {
    const KIND: &'static str = "stn/images/searched";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Self::MAIN.output(), Self::CONFIGURATIONS.output(), Self::TIMES.output()];

    fn needs(&self) -> Needs {
        self.setting.needs()
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let images = self.setting.images(cx)?;
        let searcher = self.search.searcher(&self.hypers, self.dropouts, self.epochs);
        let mut searcher = searcher.map_err(|e| Stop::Failed(e.to_string()))?;
        let mut rng = cx.rng(&format!("ask {}", self.search.as_str()))?;
        let mut state = State {
            shelf: Shelf::open(cx.checkpoints())?,
            rows: Vec::new(),
            seconds: Vec::new(),
            configurations: Vec::new(),
            known: BTreeMap::new(),
            spent: 0.0,
        };
        loop {
            let clock = Clock::start();
            let Some(suggestion) = searcher.tuner.ask(&mut rng) else { break };
            let values = searcher.values(&suggestion.config);
            match self.train(cx, &images, &mut state, &suggestion, values, clock)? {
                Some(value) => searcher.tuner.tell(Trial { suggestion, value }),
                None => break,
            }
        }
        let label = Label { method: self.search.as_str().to_owned(), replicate: self.replicate };
        Self::MAIN.write(cx, &rows::trained(&label, &state.rows))?;
        Self::CONFIGURATIONS.write(cx, &self.configurations(&label, &state))?;
        let epochs = state.rows.iter().map(|row| row.epoch);
        Self::TIMES.write(cx, &taken(&label, epochs.zip(state.seconds)))
    }
}

impl Searched {
    /// Trains the suggestion and records it; returns the lowest validation loss, NaN if it diverged, `None`
    /// once the budget does not suffice for an epoch.
    ///
    /// A configuration that was trained before is continued: only new epochs cost.
    fn train(
        &self,
        cx: &Context,
        images: &Images,
        state: &mut State,
        suggestion: &Suggestion,
        values: Vec<f64>,
        clock: Clock,
    ) -> Result<Option<f64>, Stop> {
        let (control, number) = (fixed(&values), state.configurations.len());
        let costs = Costs::of(&control);
        // Only Hyperband continues its trainings; a repeated suggestion of another search is a new training.
        let text = match self.search {
            Search::Hyperband(_) => format!("{values:?}"),
            _ => format!("{number} {values:?}"),
        };
        let (before, least) = state.known.get(&text).copied().unwrap_or((0, f64::INFINITY));
        let Fidelity::Part { divisor } = suggestion.fidelity else { return Ok(None) };
        let wanted = (self.epochs as u64).div_ceil(divisor) as usize;
        let affordable = costs.within(&self.setting, &control, self.budget - state.spent);
        let epochs = wanted.min(before + affordable);
        if epochs <= before {
            // All epochs are known, or none can be afforded.
            return Ok((wanted <= before).then_some(least));
        }
        let finished = if let Some(finished) = state.shelf.get(number) {
            finished.clone()
        } else {
            let task = (control.clone(), epochs, before);
            let new = self.continued(cx, images, task, &text, clock)?;
            state.shelf.push(new.clone())?;
            new
        };
        let spent = |epochs| state.spent + costs.epochs(&self.setting, &control, epochs);
        let new = finished.epochs.iter().enumerate();
        let mut entered: Vec<Reached> = new
            .map(|(i, record)| Reached::new(number, before + i + 1, spent(i + 1), record))
            .collect();
        if finished.diverged {
            let count = entered.len() + 1;
            entered.push(Reached::diverged(number, before + count, spent(count)));
        }
        let least = entered.iter().filter_map(|row| row.valid_loss).fold(least, f64::min);
        state.spent = entered.last().map_or(state.spent, |row| row.cost);
        state.seconds.extend(finished.all_seconds());
        state.known.insert(text, (before + entered.len(), least));
        state.rows.extend(entered);
        state.configurations.push(values);
        Ok(Some(if finished.diverged { f64::NAN } else { least }))
    }

    /// The epochs of a training after the first `before` ones.
    fn continued(
        &self,
        cx: &Context,
        images: &Images,
        (control, epochs, before): (Control, usize, usize),
        text: &str,
        mut clock: Clock,
    ) -> Result<Finished, Stop> {
        let settings = self.setting.settings(self.hypers.clone(), control, epochs);
        // A configuration that is promoted to more epochs keeps its random numbers.
        let mut rng = cx.rng(&format!("training {text}"))?;
        let name = Digest::of(text.as_bytes()).to_string();
        let folder = cx.checkpoints().map(|folder| folder.join(name));
        let after = &mut |_: &EpochRecord| clock.tick();
        let trace =
            self.setting.train(cx, &settings, images, folder.as_deref(), &mut rng, after)?;
        if trace.diverged {
            clock.tick();
        }
        if let (Some(folder), false) = (folder, matches!(self.search, Search::Hyperband(_))) {
            // Nothing continues from it; it does no harm if it stays.
            _ = fs::remove_dir_all(folder);
        }
        Ok(Finished::since(trace, before, clock.seconds().to_vec()))
    }

    fn configurations(&self, label: &Label, state: &State) -> Vec<Configured> {
        let of = |(training, values): (usize, &Vec<f64>)| {
            let row = move |(hyper, &value): (&Hyper, &f64)| Configured {
                label: label.clone(),
                training,
                name: hyper.name.clone(),
                value,
            };
            self.hypers.iter().zip(values).map(row).collect::<Vec<_>>()
        };
        state.configurations.iter().enumerate().flat_map(of).collect()
    }
}
