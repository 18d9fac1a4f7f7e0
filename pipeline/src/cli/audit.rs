//! `audit`: draws stages of the recorded runs at random, computes them again and compares the results.

use std::{
    collections::BTreeMap,
    fmt::Write,
    path::Path,
    sync::{Arc, atomic::Ordering},
};

use clap::Args;

use super::{
    Session, progress, run,
    run_args::{LogFormat, slots},
    session::words::unavailable,
};
use crate::{
    digest::Digest,
    error::{Error, Exit, Result},
    graph::{Graph, Id},
    machine,
    plan::{self, Plan, State},
    recorded::{
        Recorded,
        audit::{Agreement, Audit as Drawing, Draws},
        near::near,
    },
    run::{Options, again::at_most, run as carry_out, slots::Slots},
    store::{Store, environment::family},
    table,
};

#[derive(Args)]
pub(super) struct Audit {
    /// The experiments whose recorded runs are audited [default: all that are recorded]
    pub experiments: Vec<String>,
    /// About how many minutes the audit may take, all experiments together
    #[arg(long, value_name = "N", default_value_t = 5.0)]
    pub minutes: f64,
    /// Seed of the draw [default: a different one each time]
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// CPU slots [default: all cores]
    #[arg(long, short, env = "JOBS", hide_env = true, value_parser = slots)]
    pub jobs: Option<usize>,
}

/// With this many draws and none wrong, the share of wrong ones is bounded at 1 %.
const ENOUGH: usize = 300;

pub(super) fn audit(session: &Session, args: &Audit) -> Result<()> {
    if !(args.minutes.is_finite() && args.minutes > 0.0) {
        return Err(Error::usage(format!("--minutes {}: not a positive number", args.minutes)));
    }
    let mut all = Recorded::all(&session.recorded())?;
    for name in &args.experiments {
        if !all.iter().any(|(_, recorded)| recorded.experiment == *name) {
            return Err(Error::usage(format!("nothing is recorded of `{name}`"))
                .help("`retune recorded` lists what is"));
        }
    }
    all.retain(|(_, own)| {
        args.experiments.is_empty() || args.experiments.contains(&own.experiment)
    });
    if all.is_empty() {
        return Err(Error::usage("no run is recorded").help("`retune record EXPERIMENT` keeps one"));
    }
    let seed = args.seed.unwrap_or_else(machine::now);
    let minutes = args.minutes / all.len() as f64;
    let mut wrong = 0;
    for (dir, recorded) in &all {
        wrong += one(session, args, dir, recorded, minutes, seed)?;
    }
    match wrong {
        0 => Ok(()),
        _ => Err(Error::new(Exit::Failed, format!("{wrong} outputs are not what was recorded"))
            .help(format!("--seed {seed} draws the same stages again"))),
    }
}

/// Audits one recorded run and prints how many outputs contradict it.
fn one(
    session: &Session,
    args: &Audit,
    dir: &Path,
    recorded: &Recorded,
    minutes: f64,
    seed: u64,
) -> Result<usize> {
    let Recorded { experiment, profile, .. } = recorded;
    let graph = session.graph_with(profile, &recorded.overrides)?;
    let lines = recorded.lines(dir)?;
    let conclusion =
        graph.find(&format!("{experiment}/{}", session.registry.recording.conclusion))?;
    let gpus = machine::gpus();
    let drawing = Drawing::new(&graph, &lines, conclusion, gpus);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.unwrap_or(cores);
    let draws = drawing.draw(minutes * 60.0 * jobs as f64, ENOUGH, seed);
    if draws.stages.is_empty() {
        session.print(&format!(
            "{experiment}: no stage can be computed again in {minutes:.1} minutes\n"
        ))?;
        return Ok(0);
    }
    let (store, _folder) = apart(session)?;
    let mut wanted = vec![false; graph.len()];
    let names: Vec<String> = draws.stages.iter().map(|&id| graph[id].name.clone()).collect();
    for (wanted, drawn) in wanted.iter_mut().zip(graph.select(&names)?) {
        *wanted |= drawn;
    }
    let interrupted = run::interruptible()?;
    let slots = Slots::new(jobs, machine::memory_mib(), gpus, 1);
    let options = Options::here(slots, run::program()?, Arc::clone(&interrupted));
    let mut listener = progress::listener(LogFormat::Text, false);
    let kinds = &session.registry.kinds;
    let summary = carry_out(&graph, &wanted, &store, kinds, &options, &mut *listener)?;
    drop(listener);
    if interrupted.load(Ordering::Relaxed) {
        return Err(Error::new(Exit::Interrupted, "interrupted")
            .help(format!("--seed {seed} draws the same stages again")));
    }
    if let Some((stage, why)) = summary.failed.first() {
        return Err(Error::new(Exit::Failed, format!("stage {stage} failed: {why}")));
    }
    let plan = Plan::new(&graph, &wanted, &store, plan::Options::default())?;
    // Rounding differs between families of processors, and so may keys, which follow from what was read.
    let elsewhere = !recorded.families.is_empty() && !recorded.families.contains(family());
    let kept = elsewhere.then(|| Store::open_existing(dir)).transpose()?;
    let numbers = kept.as_ref().map(|kept| {
        |old: Digest, new: Digest| {
            let old = table::read(&kept.object(old)).ok()?;
            table::read(&store.object(new)).ok().map(|new| near(&old, &new))
        }
    });
    let numbers = numbers.as_ref().map(|numbers| numbers as &Numbers);
    let found = Found::of(&graph, &plan, &drawing, &draws, numbers);
    session.print_words(&found.words(recorded, &draws, seed))?;
    Ok(found.wrong)
}

/// A store of its own beside that of the results, so that no existing result is taken for a newly computed one.
fn apart(session: &Session) -> Result<(Arc<Store>, Removed)> {
    let removed = Removed::below(session, "audit");
    let store = Store::open(removed.path())?.downloading_to(session.artifacts().join("data"));
    Ok((Arc::new(store), removed))
}

/// A folder that is removed when it is no longer needed.
pub(super) struct Removed(std::path::PathBuf);

impl Removed {
    /// One beside the store, for this process.
    pub(super) fn below(session: &Session, name: &str) -> Self {
        Self(session.artifacts().join(format!("{name}.{}", std::process::id())))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Removed {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0)); // nothing depends on it
    }
}

/// Whether the numbers of two tables are the same, by their digests; `None` if one is not at hand.
type Numbers<'a> = dyn Fn(Digest, Digest) -> Option<bool> + 'a;

/// The outcome of an audit.
#[derive(Default)]
struct Found {
    /// Draws that could be compared, and those among them with an output that differs from the record.
    compared: usize,
    differing: usize,
    /// Outputs, each counted once, by how they compare.
    outputs: BTreeMap<Agreement, usize>,
    /// Outputs that contradict the record.
    wrong: usize,
    /// Stages that could not be computed here, and why.
    lacking: Vec<(String, String)>,
    text: String,
}

impl Found {
    fn of(
        graph: &Graph,
        plan: &Plan,
        drawing: &Drawing,
        draws: &Draws,
        numbers: Option<&Numbers>,
    ) -> Self {
        let mut found = Self::default();
        let mut seen: BTreeMap<Id, Option<bool>> = BTreeMap::new();
        for &id in &draws.stages {
            let outcome =
                *seen.entry(id).or_insert_with(|| found.look((graph, plan), drawing, id, numbers));
            if let Some(differs) = outcome {
                found.compared += 1;
                found.differing += usize::from(differs);
            }
        }
        found
    }

    /// Compares a stage and says whether it differs; `None` if it could not be computed, or not be compared.
    fn look(
        &mut self,
        (graph, plan): (&Graph, &Plan),
        drawing: &Drawing,
        id: Id,
        numbers: Option<&Numbers>,
    ) -> Option<bool> {
        let name = &graph[id].name;
        let State::Fresh(key, produced) = plan.state(id) else {
            let mut root = plan.state(id);
            if let State::Blocked(of) = root {
                root = plan.state(*of);
            }
            let why = match root {
                State::Unavailable(_, why) => why.clone(),
                _ => "it was not computed".to_owned(),
            };
            self.lacking.push((name.clone(), why));
            return None;
        };
        let (mut differs, mut compared) = (false, false);
        let outputs = |output: &str| plan::output(produced, output);
        for (line, agreement) in drawing.compare(id, *key, &outputs, numbers) {
            *self.outputs.entry(agreement).or_default() += 1;
            compared |= agreement != Agreement::Unknown;
            let word = match agreement {
                Agreement::Same
                | Agreement::SameUnderOther
                | Agreement::Near
                | Agreement::Unknown => continue,
                Agreement::Moved => "moved",
                Agreement::Wrong => {
                    self.wrong += 1;
                    "differs"
                }
            };
            differs = true;
            let _ = writeln!(
                self.text,
                "{word:12} {name}, output {}: recorded {}",
                line.output,
                line.digest.short()
            );
        }
        compared.then_some(differs)
    }

    fn words(&self, recorded: &Recorded, draws: &Draws, seed: u64) -> String {
        let Self { compared, differing, text, .. } = self;
        let lacking =
            unavailable(self.lacking.iter().map(|(stage, why)| (&**stage, &**why)), |_| 0);
        let of = |agreement| self.outputs.get(&agreement).copied().unwrap_or_default();
        let other = of(Agreement::SameUnderOther) + of(Agreement::Moved);
        let bound = (at_most(*differing, *compared) * 1000.0 - 1e-9).ceil() / 10.0;
        let mut words = format!(
            "{lacking}{text}{}: {differing} of {compared} draws differ: at most {bound} % of the evidence does, at 95 % \
             confidence, of the {:.0} % that could be drawn (--seed {seed})\n",
            recorded.experiment,
            draws.covered * 100.0,
        );
        let (near, unknown) = (of(Agreement::Near), of(Agreement::Unknown));
        if near + unknown > 0 {
            let families: Vec<&str> = recorded.families.iter().map(String::as_str).collect();
            let _ = writeln!(
                words,
                "  recorded on {}, computed on {}: {near} outputs have other bytes and the same numbers to 1e-6; {unknown} \
                 cannot be compared, since only their digests were kept",
                families.join(" and "),
                family(),
            );
        }
        if other > 0 {
            let _ = writeln!(
                words,
                "  {other} outputs have other keys than recorded (the code or a config has changed): {} came out \
                 the same, {} moved",
                of(Agreement::SameUnderOther),
                of(Agreement::Moved)
            );
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_that_could_not_be_computed_are_told_by_reason() {
        let recorded: Recorded = serde_json::from_str(
            r#"{"format": 1, "experiment": "toy", "profile": "full", "overrides": [], "program": "", "finished": 0,
                "machines": {}, "cpu_s": 1.0, "stages": 2, "kept": 0, "lacking": []}"#,
        )
        .unwrap();
        let lacks = |stage: &str| (stage.to_owned(), "no program\nremedy: build it".to_owned());
        let found = Found { lacking: vec![lacks("toy/a"), lacks("toy/b")], ..Found::default() };
        let words = found.words(&recorded, &Draws::default(), 7);
        let words = anstream::adapter::strip_str(&words).to_string();
        let told = "unavailable  2 stages: toy/a, toy/b\n  no program\n  remedy: build it\ntoy: 0 of 0 draws";
        assert!(words.starts_with(told), "{words}");
    }
}
