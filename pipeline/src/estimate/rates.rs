//! What the records say about each kind of stage: how much work its executions had, by the kind's formula, and what
//! they cost. Groups the executions by what has a constant of its own.

use std::{cell::RefCell, collections::HashMap};

use super::{
    fit::{Fit, Observation},
    rate::{Group, Rate},
    sizes::Sizes,
    typical::{Brought, Typical},
};
use crate::{
    digest::Digest,
    kinds::{Kinds, Load},
    machine::Machine,
    program::Program,
    store::{
        Store,
        record::{Record, Records},
    },
    work::{Inputs, Size},
};

/// One execution of a group.
#[derive(Clone, Debug)]
pub struct Sample<'r> {
    /// Its record.
    pub record: &'r Record,
    /// Its operations.
    pub work: f64,
    /// Whether it ran on a machine like this one, in a program built like this one.
    pub here: bool,
    /// The inputs whose size its formula asked for.
    pub sizes: Vec<(String, Size)>,
}

impl Sample<'_> {
    /// CPU seconds as measured, otherwise the elapsed time on every slot that it had.
    #[must_use]
    pub fn cpu_s(&self) -> f64 {
        self.record.cost.cpu_s.unwrap_or(self.record.cost.wall_s * self.record.threads as f64)
    }

    /// Whether it had a process of its own.
    fn worker(&self) -> bool {
        self.record.cost.cpu_s.is_some()
    }
}

/// All executions in the records, by group.
pub struct Samples<'r> {
    by_group: HashMap<Group, Vec<Sample<'r>>>,
    /// Seconds that any worker takes to start, here and elsewhere: the least of any record.
    starts_s: [f64; 2],
    /// For groups without a record, and for the factor by which this machine is slower.
    brought: &'r Brought,
    slowness: f64,
}

impl<'r> Samples<'r> {
    /// The executions in `records` whose parameters can still be read and whose inputs still exist, as far as their
    /// work depends on them.
    #[must_use]
    pub fn of(kinds: &'r Kinds, records: &'r Records, store: &Store) -> Self {
        Self::read(kinds, records, store, &Sizes::new(store))
    }

    pub(super) fn read(
        kinds: &'r Kinds,
        records: &'r Records,
        store: &Store,
        sizes: &Sizes,
    ) -> Self {
        let here = Here::new(store);
        let mut by_group: HashMap<Group, Vec<Sample>> = HashMap::new();
        for record in records.all() {
            let Some((load, asked)) = load(kinds, record, sizes) else { continue };
            let gpu = record.gpus > 0;
            let group = Group { kind: record.kind.clone(), variant: load.variant, gpu };
            let here = here.is(record.environment, gpu);
            let sample = Sample { record, work: load.work, here, sizes: asked };
            by_group.entry(group).or_default().push(sample);
        }
        let mut starts_s = [f64::INFINITY; 2];
        for sample in by_group.values().flatten().filter(|sample| sample.worker()) {
            let least = &mut starts_s[usize::from(sample.here)];
            *least = least.min(sample.cpu_s());
        }
        let starts_s = starts_s.map(|s| if s < LONGEST_START_S { s } else { 0.0 });
        let mut samples = Self { by_group, starts_s, brought: kinds.brought(), slowness: 1.0 };
        let own = |(group, all): (&'_ Group, &[Sample])| {
            let here: Vec<_> = all.iter().filter(|s| s.here).map(|s| samples.cpu(s)).collect();
            Some((group.clone(), Fit::of(&here)?))
        };
        let own: Vec<(Group, Fit)> = samples.groups().filter_map(own).collect();
        samples.slowness = samples.brought.slowness(own.iter().map(|(g, fit)| (g, fit.clone())));
        samples
    }

    /// The time that an execution took to start.
    fn start_s(&self, sample: &Sample) -> f64 {
        if sample.worker() { self.starts_s[usize::from(sample.here)] } else { 0.0 }
    }

    /// The CPU seconds that an execution took for its work.
    #[must_use]
    pub fn cpu(&self, sample: &Sample) -> Observation {
        let seconds = (sample.cpu_s() - self.start_s(sample)).max(0.0);
        Observation { work: sample.work, seconds }
    }

    fn wall(&self, sample: &Sample) -> Observation {
        let seconds = (sample.record.cost.wall_s - self.start_s(sample)).max(0.0);
        Observation { work: sample.work, seconds }
    }

    /// The groups with their executions.
    pub fn groups(&self) -> impl Iterator<Item = (&Group, &[Sample<'r>])> {
        self.by_group.iter().map(|(group, samples)| (group, samples.as_slice()))
    }

    /// The constants of a group: of this machine, otherwise of any, otherwise those that the program ships.
    #[must_use]
    pub fn rate(&self, group: &Group) -> Option<Rate> {
        self.recorded(group).or_else(|| self.brought.rate(group, self.slowness, self.starts_s[1]))
    }

    fn recorded(&self, group: &Group) -> Option<Rate> {
        let all = self.by_group.get(group)?;
        let here = all.iter().any(|sample| sample.here);
        let chosen = || all.iter().filter(|sample| sample.here == here);
        let bytes: f64 = chosen().map(|sample| sample.record.bytes as f64).sum();
        Some(Rate {
            cpu: Fit::of(&chosen().map(|s| self.cpu(s)).collect::<Vec<_>>())?,
            wall: Fit::of(&chosen().map(|s| self.wall(s)).collect::<Vec<_>>())?,
            start_s: chosen().map(|s| self.start_s(s)).fold(0.0, f64::max),
            bytes: bytes / chosen().map(|sample| sample.work).sum::<f64>(),
            here,
        })
    }

    /// The size of an output of a stage with this much work, as it has grown in the records.
    pub(super) fn written(
        &self,
        group: &Group,
        output: &str,
        work: f64,
        sizes: &Sizes,
    ) -> Option<Size> {
        let Some(all) = self.by_group.get(group) else {
            return self.brought.written(group, output, work);
        };
        let size = |sample: &Sample| {
            let (_, digest) = sample.record.outputs.iter().find(|(name, _)| name == output)?;
            Some((sample.work, sizes.of(*digest)?))
        };
        // Only the latest ones: each is a file that has to be read.
        let found: Vec<(f64, Size)> = all.iter().rev().take(LOOKED_AT).filter_map(size).collect();
        let (works, rows) =
            found.iter().fold((0.0, 0.0), |(works, rows), (w, s)| (works + w, rows + s.rows));
        let columns = found.first()?.1.columns;
        Some(Size { rows: rows / works * work, columns })
    }
}

impl Samples<'_> {
    /// What a program can ship about a group, for use where there are no records.
    #[must_use]
    pub fn typical(&self, group: &Group, store: &Store) -> Option<Typical> {
        let Rate { cpu, wall, bytes, .. } = self.recorded(group)?;
        let sizes = Sizes::new(store);
        let latest = self.by_group.get(group)?.last()?;
        let grown = |(name, _): &(String, Digest)| {
            let Size { rows, columns } = self.written(group, name, 1.0, &sizes)?;
            Some((name.clone(), [rows, columns]))
        };
        let outputs = latest.record.outputs.iter().filter_map(grown).collect();
        Some(Typical { group: group.clone(), cpu, wall, bytes, outputs })
    }
}

/// A store without a stage this short does not tell what a start takes.
const LONGEST_START_S: f64 = 0.1;
/// The number of records that are used to fit the growth of an output.
const LOOKED_AT: usize = 20;

/// The work of a recorded execution, with the sizes that its formula asked for.
fn load(kinds: &Kinds, record: &Record, sizes: &Sizes) -> Option<(Load, Vec<(String, Size)>)> {
    let (mut params, mut roles, mut digests) = ("", Vec::new(), Vec::new());
    for (part, value) in &record.manifest.parts {
        match part.split_once(' ') {
            None if part == "params" => params = value,
            // An optional input that was unavailable was not there.
            Some(("input", role)) => {
                if let Ok(digest) = value.parse::<Digest>() {
                    roles.push(role);
                    digests.push(digest);
                }
            }
            _ => {}
        }
    }
    let asked = RefCell::new(Vec::new());
    let names = roles.clone();
    let look = |place: usize| {
        let size = sizes.of(digests[place])?;
        asked.borrow_mut().push((names[place].to_owned(), size));
        Some(size)
    };
    let inputs = Inputs::new(roles, &look);
    let load = kinds.load(&record.kind, params, &inputs).filter(|_| inputs.complete())?;
    Some((load, asked.into_inner()))
}

/// Distinguishes machines and programs like this one from others.
struct Here<'a> {
    store: &'a Store,
    machine: Machine,
    build: String,
    /// Environment → whether it is alike, and with the same GPUs.
    known: RefCell<HashMap<Digest, (bool, bool)>>,
}

impl<'a> Here<'a> {
    fn new(store: &'a Store) -> Self {
        let (machine, build) = (Machine::here(), Program::this().build);
        Self { store, machine, build, known: RefCell::default() }
    }

    fn is(&self, environment: Option<Digest>, gpu: bool) -> bool {
        let Some(digest) = environment else { return false };
        let (alike, gpus) = *self.known.borrow_mut().entry(digest).or_insert_with(|| {
            let Some(found) = self.store.environment(digest) else { return (false, false) };
            let same = found.machine.processor == self.machine.processor;
            let alike = same && found.program.build == self.build;
            (alike, found.machine.gpus == self.machine.gpus)
        });
        alike && (gpus || !gpu)
    }
}
