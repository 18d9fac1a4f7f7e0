//! Expands the config to the stages on images.

use kit::{
    claims::wiring::Source,
    data_sets::{images::LoadImages, source},
    device,
    port::Out,
    wire::{Handle, Wire, gather_any},
};
use pipeline::{error::Result, graph::Builder, seed::Seed, stage::Stage};

use super::{
    config::{ImagesPart, MAIN, TunedRun},
    cost::Costs,
    search::Search,
    stages::{
        cut::{Cut, Validation},
        population::Population,
        race::{Entry, Race},
        searched::Searched,
        tuned::Tuned,
    },
};
use crate::{
    images::setting::{IMAGES, Setting},
    population::METHOD,
    tables::image_race::{Raced, Sooner},
    verdicts::evidence::{IMAGES_ANYTIME, IMAGES_RACE, IMAGES_SENSITIVITY},
};

const DATA: &str = "stn/images/data";
const CUT: &str = "stn/images/cut";
/// The same with the last training images as the validation set.
const CUT_LAST: &str = "stn/images/cut-last";

/// The images of a training with this validation set.
fn cut(validated: Validation) -> &'static str {
    match validated {
        Validation::Drawn => CUT,
        Validation::Last => CUT_LAST,
    }
}

/// Adds every stage that the config asks for; returns the tables that the verdicts rest on.
///
/// # Errors
/// If a name occurs twice.
pub fn expand(values: &ImagesPart, root: u64, builder: &mut Builder) -> Result<[Source; 3]> {
    source::add(builder, DATA, &values.data_set)?;
    let used = |cut: &Validation| {
        *cut == Validation::Drawn || values.tuned.values().any(|run| run.validated == *cut)
    };
    for validated in [Validation::Drawn, Validation::Last].into_iter().filter(used) {
        let stage = Cut { sizes: values.sizes, validated, side: values.side };
        let seed = Seed::new(root, "stn/images/cut", 0);
        let draft = builder.add(cut(validated), &stage)?.seed(seed);
        draft.reads(&Cut::IMAGES, &LoadImages::MAIN.of(DATA));
    }
    let mut expansion = Expansion { values, root, setting: values.setting(), builder };
    let mut race = Vec::new();
    for replicate in 0..values.replicates {
        let extended = replicate < values.extension_replicates;
        for (name, run) in values.tuned.iter().filter(|(name, _)| extended || *name == MAIN) {
            race.push(expansion.tuned(name, run, None, replicate)?);
        }
        race.extend(expansion.searches(replicate, extended)?);
        if extended {
            race.push(expansion.population(replicate)?);
        }
    }
    expansion.figures(&race)?;
    let (raced, sooner) = expansion.race("race", &race, values.allowed())?;
    let (sensitivity, _) = expansion.sensitivity()?;
    Ok([
        Source::new(&IMAGES_RACE, &raced),
        Source::new(&IMAGES_ANYTIME, &sooner),
        Source::new(&IMAGES_SENSITIVITY, &sensitivity),
    ])
}

struct Expansion<'a, 'b, 'k> {
    values: &'a ImagesPart,
    root: u64,
    setting: Setting,
    builder: &'b mut Builder<'k>,
}

fn name(replicate: u32, method: &str) -> String {
    let method = method.replacen(' ', "=", 1).replace(' ', "-");
    format!("stn/images/replicate={replicate}/{method}")
}

impl Expansion<'_, '_, '_> {
    /// Adds a stage that trains. All methods of a replicate share their random numbers.
    fn add<S: Stage>(&mut self, stage: &S, method: &str, replicate: u32) -> Result<Entry> {
        self.add_on(CUT, stage, method, replicate)
    }

    /// The same, on these images.
    fn add_on<S: Stage>(
        &mut self,
        images: &str,
        stage: &S,
        method: &str,
        replicate: u32,
    ) -> Result<Entry> {
        let role = name(replicate, method);
        let seed = Seed::new(self.root, "stn/images/train", replicate.into());
        let draft = self.builder.add(role.clone(), stage)?.seed(seed);
        draft.reads(&IMAGES, &Cut::MAIN.of(images));
        device::facet(draft, self.setting.device);
        Ok(Entry { method: method.to_owned(), replicate, role })
    }

    /// A self-tuning network, for a number of epochs or as many as the budget allows.
    fn tuned(
        &mut self,
        method: &str,
        run: &TunedRun,
        epochs: Option<usize>,
        replicate: u32,
    ) -> Result<Entry> {
        let control = run.control(&self.setting);
        let allowed = || Costs::of(&control).within(&self.setting, &control, self.values.allowed());
        let most = self.values.descent.epochs;
        let mut setting = self.setting.clone();
        setting.network.dense_factor = run.dense_factor;
        let stage = Tuned {
            method: method.to_owned(),
            replicate,
            setting,
            hypers: self.values.spaces.get(&run.space).cloned().unwrap_or_default(),
            epochs: epochs.unwrap_or_else(allowed).clamp(1, most),
            control,
        };
        self.add_on(cut(run.validated), &stage, method, replicate)
    }

    fn searches(&mut self, replicate: u32, extended: bool) -> Result<Vec<Entry>> {
        let values = self.values;
        let own = |search: &Search| extended || !matches!(search, Search::Hyperband(_));
        let searches = values.all_searches().into_iter().filter(own).map(|search| {
            let method = search.as_str();
            let stage = Searched {
                replicate,
                setting: self.setting.clone(),
                hypers: values.spaces.get(&values.searches.space).cloned().unwrap_or_default(),
                search,
                dropouts: values.searches.dropouts,
                epochs: values.searches.epochs,
                budget: values.allowed(),
            };
            self.add(&stage, method, replicate)
        });
        searches.collect()
    }

    /// Population-based training: not in the paper.
    fn population(&mut self, replicate: u32) -> Result<Entry> {
        let values = self.values;
        let stage = Population {
            replicate,
            setting: self.setting.clone(),
            hypers: values.spaces.get(&values.searches.space).cloned().unwrap_or_default(),
            population: values.searches.population,
            dropouts: values.searches.dropouts,
            epochs: values.member_epochs(),
        };
        self.add(&stage, METHOD, replicate)
    }

    /// Appendix H.
    fn sensitivity(&mut self) -> Result<(Handle<Raced>, Handle<Sooner>)> {
        let values = self.values;
        let sensitivity = &values.sensitivity;
        let epochs = Some(sensitivity.epochs);
        let base = &values.tuned[MAIN];
        let mut entries = Vec::new();
        for replicate in 0..sensitivity.replicates {
            let own = self.tuned("sensitivity", base, epochs, replicate)?;
            for method in [base.schedule_name(), base.scale_name()] {
                entries.push(Entry { method, ..own.clone() });
            }
            for (method, run) in sensitivity.runs(base) {
                entries.push(self.tuned(&method, &run, epochs, replicate)?);
            }
        }
        let control = base.control(&self.setting);
        let budget = Costs::of(&control).epochs(&self.setting, &control, sensitivity.epochs);
        self.race("sensitivity", &entries, budget)
    }

    fn race(
        &mut self,
        what: &str,
        entries: &[Entry],
        budget: f64,
    ) -> Result<(Handle<Raced>, Handle<Sooner>)> {
        let race = Race { entries: entries.to_vec(), budget };
        let draft = self.builder.add(format!("stn/images/figures/{what}"), &race)?;
        let mut entries: Vec<&Entry> = entries.iter().collect();
        entries.sort_by_key(|entry| &entry.role);
        entries.dedup_by_key(|entry| &entry.role);
        for entry in entries {
            // All methods write the same tables: these belong to the stage with that name, of any kind.
            draft.may_read(&Race::TRAINED.at(&entry.role), &Tuned::MAIN.of(entry.role.as_str()));
            draft.may_read(&Race::TAKEN.at(entry.times()), &Tuned::TIMES.of(entry.role.as_str()));
        }
        Ok((draft.gives(&Race::MAIN), draft.gives(&Race::ANYTIME)))
    }

    /// One table per figure, across replicates.
    fn figures(&mut self, entries: &[Entry]) -> Result<()> {
        let tuned = |entry: &&Entry| self.values.tuned.contains_key(&entry.method);
        let (own, others): (Vec<&Entry>, Vec<&Entry>) = entries.iter().partition(tuned);
        let (populations, searches): (Vec<&Entry>, Vec<&Entry>) =
            others.into_iter().partition(|e| e.method == METHOD);
        self.figure("epochs", &Tuned::EPOCHS, &own)?;
        self.figure("steps", &Tuned::STEPS, &own)?;
        self.figure("configurations", &Searched::CONFIGURATIONS, &searches)?;
        self.figure("members", &Population::MEMBERS, &populations)
    }

    fn figure<T>(&mut self, what: &str, of: &Out<T>, entries: &[&Entry]) -> Result<()> {
        let all = entries.iter().map(|entry| (entry.role.clone(), of.of(entry.role.as_str())));
        gather_any(self.builder, format!("stn/images/figures/{what}"), of, all)?;
        Ok(())
    }
}

#[cfg(test)]
#[path = "expand_tests.rs"]
mod tests;
