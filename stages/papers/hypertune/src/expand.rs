//! Expands the config to the stages of HyperTune.

use kit::{
    claims::wiring::Source,
    data_sets::{images::LoadImages, source},
    device,
    wire::{self, Wire},
};
use pipeline::{
    error::Result,
    graph::{Builder, Draft},
    seed::Seed,
    stage::Stage,
};
use tuners::bayesian::{
    directed::DirectedSettings,
    hypertune::{Directions, HyperTuneSettings},
};

use super::{
    config::{Data, HyperTuneConfig, Task},
    learn::Learner,
    runs::HYPERTUNE,
    stages::{
        absent::Absent,
        complexity::Complexity,
        rival::{self, Rival},
        split::Split,
        subset::Subset,
        whole::Whole,
    },
    task,
};
use crate::{
    arm::Arm,
    arms::{ei::Ei, fabolas::Fabolas, hyperband::Hyperband},
    dataset, evaluator,
    method::Method,
    tables::trials::Label,
    wiring::{Tables, Traced, conclude},
};

/// Adds the stages under one root seed.
pub(super) fn add(values: &HyperTuneConfig, builder: &mut Builder) -> Result<Vec<Source>> {
    let used = |name: &str| values.tasks.values().any(|t| t.runs && t.data == name);
    for (name, data) in values.data.iter().filter(|(name, _)| used(name)) {
        data_and_splits(values, name, data, builder)?;
    }
    let mut tables = Tables::default();
    for (name, task) in values.tasks.iter().filter(|(_, task)| task.runs) {
        let expansion = Expansion {
            values,
            name,
            task,
            data: &values.data[&task.data],
            learner: placed(values.learners[&task.learner]),
        };
        for repeat in 0..values.repeats {
            expansion.repeat(repeat, builder, &mut tables)?;
        }
    }
    conclude(values, builder, &tables)
}

fn data_and_splits(
    values: &HyperTuneConfig,
    name: &str,
    data: &Data,
    builder: &mut Builder,
) -> Result<()> {
    let stage = format!("hypertune/{name}/data");
    if let Some(id) = &data.data_set {
        source::add(builder, stage.as_str(), id)?;
    } else {
        let absent = Absent { data: name.to_owned(), how: data.absent.clone() };
        builder.add(stage.as_str(), &absent)?;
    }
    let super::config::SplitValues { validation, held_out } = values.split;
    for repeat in 0..values.repeats {
        let split = Split { rows: data.rows, validation, held_out };
        let seed = Seed::new(values.root_seed, &format!("hypertune/split {name}"), repeat.into());
        let draft = builder.add(split_stage(name, repeat), &split)?.seed(seed);
        read_data(draft, &stage, data.images());
    }
    Ok(())
}

/// Reads the data of a task: a design matrix or images.
fn read_data(draft: &mut Draft, data: &str, images: bool) {
    if images {
        draft.reads(&dataset::IMAGES, &LoadImages::MAIN.of(data));
    } else {
        wire::stored(draft, data);
    }
}

fn split_stage(data: &str, repeat: u32) -> String {
    format!("hypertune/{data}/split/repeat={repeat}")
}

/// The learner with its device resolved.
fn placed(learner: Learner) -> Learner {
    learner.device().map_or(learner, |own| learner.on(device::resolved(own)))
}

struct Expansion<'a> {
    values: &'a HyperTuneConfig,
    name: &'a str,
    task: &'a Task,
    data: &'a Data,
    learner: Learner,
}

impl Expansion<'_> {
    fn stage(&self, what: &str, repeat: u32) -> String {
        format!("hypertune/{}/{what}/repeat={repeat}", self.name)
    }

    fn task(&self, method: &str, repeat: u32) -> task::Task {
        let label = Label {
            task: self.name.to_owned(),
            learner: self.learner.as_str().to_owned(),
            data: self.task.data.clone(),
            method: method.to_owned(),
            repeat,
        };
        task::Task { label, learner: self.learner, view: self.data.view() }
    }

    /// Adds a stage that reads the data of a repeat. All methods of a repeat share their random numbers: they
    /// begin with the same points.
    fn add<'b, S: Stage>(
        &self,
        builder: &'b mut Builder,
        (name, label): (&str, &str),
        stage: &S,
        repeat: u32,
    ) -> Result<&'b mut Draft> {
        let label = format!("hypertune/{label} {}", self.name);
        let seed = Seed::new(self.values.root_seed, &label, repeat.into());
        let draft = builder.add(name, stage)?.seed(seed);
        let data = format!("hypertune/{}/data", self.task.data);
        read_data(draft, &data, self.data.images());
        let split = Split::MAIN.of(split_stage(&self.task.data, repeat));
        draft.reads(&evaluator::SPLIT, &split);
        if let Some(device) = self.learner.device() {
            device::facet(draft, device);
        }
        Ok(draft)
    }

    fn settings(&self, points: usize, search: DirectedSettings) -> HyperTuneSettings {
        let own = self.values.hypertune;
        HyperTuneSettings {
            searches: own.searches,
            divisor: self.data.subset_divisor,
            evaluations: own.evaluations,
            points,
            directions: Directions::of(self.learner.directions()),
            search,
        }
    }

    fn repeat(&self, repeat: u32, builder: &mut Builder, tables: &mut Tables) -> Result<()> {
        let values = self.values;
        let memory_mib = self.data.memory_mib;
        let mut subsets = Vec::new();
        for b in 0..values.hypertune.searches {
            let what = format!("subset={b}");
            let stage = Subset {
                task: self.task(&what, repeat),
                divisor: self.data.subset_divisor,
                evaluations: values.hypertune.evaluations,
                search: values.search,
                memory_mib,
            };
            let name = self.stage(&what, repeat);
            subsets.push(Traced::of(self.add(builder, (&name, &what), &stage, repeat)?));
        }
        let own = self.stage(HYPERTUNE, repeat);
        let settings = self.settings(values.hypertune.points, values.search);
        let own = self.whole(builder, (&own, HYPERTUNE), settings, repeat, &subsets)?;
        tables.runs.push(own.clone());
        for rival in &self.task.rivals {
            let at = (repeat, &own);
            tables.runs.push(match rival {
                Method::Ei => self.rival(Ei(values.search), at, builder)?,
                Method::Fabolas => {
                    let own = values.fabolas_on(self.task);
                    self.rival(Fabolas(own.settings), at, builder)?
                }
                Method::Hyperband => self.rival(Hyperband(values.hyperband()), at, builder)?,
            });
        }
        if self.task.variants && repeat < values.variant_repeats {
            for (variant, changes) in &values.variants {
                let (points, search) = changes.of(&values.hypertune, &values.search);
                let method = format!("{HYPERTUNE} {variant}");
                let name = self.stage(&method.replace(' ', "-"), repeat);
                let settings = self.settings(points, search);
                let run = self.whole(builder, (&name, &method), settings, repeat, &subsets)?;
                tables.runs.push(run);
            }
        }
        if self.task.complexity && repeat < values.complexity.repeats {
            let stage = Complexity {
                task: self.task("complexity", repeat),
                points: values.complexity.points,
                divisor: self.data.subset_divisor,
                subsets: values.complexity.subsets,
                neutral: values.complexity.neutral,
                memory_mib,
            };
            let name = self.stage("complexity", repeat);
            let draft = self.add(builder, (&name, "complexity"), &stage, repeat)?;
            tables.complexity.push(draft.gives(&Complexity::MAIN));
        }
        tables.subsets.extend(subsets);
        Ok(())
    }

    /// A rival within the work of HyperTune's run of the repeat.
    fn rival<A: Arm>(
        &self,
        method: A,
        (repeat, own): (u32, &Traced),
        builder: &mut Builder,
    ) -> Result<Traced> {
        let most_evaluations = match A::METHOD {
            Method::Fabolas => self.values.fabolas_on(self.task).evaluations,
            Method::Ei | Method::Hyperband => self.values.most_evaluations,
        };
        let (task, memory_mib) = (self.task(A::METHOD.as_str(), repeat), self.data.memory_mib);
        let stage = Rival { task, method, most_evaluations, memory_mib };
        let name = self.stage(A::METHOD.as_str(), repeat);
        let draft = self.add(builder, (&name, "tune"), &stage, repeat)?;
        Ok(Traced::of(draft.reads(&rival::HYPERTUNE, &own.evaluated)))
    }

    /// HyperTune on the whole training part, with the optima of these subset searches.
    fn whole(
        &self,
        builder: &mut Builder,
        (name, method): (&str, &str),
        settings: HyperTuneSettings,
        repeat: u32,
        subsets: &[Traced],
    ) -> Result<Traced> {
        let stage = Whole {
            task: self.task(method, repeat),
            settings,
            iterations: self.values.hypertune.iterations,
            settled: self.values.hypertune.settled,
            memory_mib: self.data.memory_mib,
        };
        let draft = self.add(builder, (name, "tune"), &stage, repeat)?;
        for (b, subset) in subsets.iter().enumerate() {
            draft.reads(&Whole::SUBSETS.at(b), &subset.evaluated);
        }
        Ok(Traced::of(draft))
    }
}

#[cfg(test)]
#[path = "expand_tests.rs"]
mod tests;
