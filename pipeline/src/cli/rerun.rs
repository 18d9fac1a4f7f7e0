//! `rerun --check`: computes results again and compares them.

use std::{
    fmt::Write,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use clap::Args;

use super::{
    Session, progress, run,
    run_args::{LogFormat, slots},
};
use crate::{
    error::{Error, Exit, Result},
    graph::{Graph, Id},
    machine,
    plan::{self, Plan},
    run::{
        again::{Again, Bench, at_most, candidates, differences, draw},
        slots::Slots,
    },
};

#[derive(Args)]
pub(super) struct Rerun {
    /// Draw among these stages and everything they need: names, prefixes or patterns [default: all]
    pub targets: Vec<String>,
    /// How many results to draw; what the store has is not replaced
    #[arg(long, value_name = "N")]
    pub check: usize,
    /// Seed of the draw [default: a different one each time]
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// CPU slots [default: all cores]
    #[arg(long, short, env = "JOBS", hide_env = true, value_parser = slots)]
    pub jobs: Option<usize>,
}

pub(super) fn rerun(session: &Session, args: &Rerun) -> Result<()> {
    let (graph, store) = session.graph_and_store()?;
    let wanted = session.select(&graph, &args.targets)?;
    let interrupted = run::interruptible()?;
    let _present = store.present()?;
    store.sweep()?;
    let plan = Plan::new(&graph, &wanted, &store, plan::Options::default())?;
    let from = candidates(&graph, &plan);
    if from.is_empty() {
        let profile = session.profile();
        return Err(Error::usage(format!("there are no results under profile {profile}"))
            .help("`retune run` computes them"));
    }
    let seed = args.seed.unwrap_or_else(machine::now);
    let mut sample = Sample { results: from.len(), ..Sample::default() };
    let drawn = draw(from, args.check, seed);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let bench = Bench {
        plan: &plan,
        graph: &graph,
        store: &store,
        kinds: &session.registry.kinds,
        slots: Slots::new(args.jobs.unwrap_or(cores), machine::memory_mib(), machine::gpus(), 1),
        program: run::program()?,
        interrupted: Arc::clone(&interrupted),
    };
    let mut listener = progress::listener(LogFormat::Text, false);
    let mut ended = bench.again(&drawn, &mut *listener)?;
    drop(listener);
    ended.sort_by_key(|(id, _)| *id);
    for (id, again) in ended {
        sample.add(&graph, &plan, id, again);
    }
    let text = sample.words();
    session.print(&format!("{text} (profile {}, --seed {seed})\n", session.profile()))?;
    sample.judge(&interrupted)
}

/// The outcome of the check.
#[derive(Default)]
struct Sample {
    /// Results that could have been drawn.
    results: usize,
    compared: usize,
    wrong: usize,
    failed: usize,
    text: String,
}

impl Sample {
    fn add(&mut self, graph: &Graph, plan: &Plan, id: Id, again: Again) {
        let name = &graph[id].name;
        let outputs = match again {
            Again::Done(outputs) => outputs,
            Again::Failed(why) => {
                self.failed += 1;
                return self.say("failed", name, &why);
            }
            Again::Unavailable(why) => return self.say("unavailable", name, &why),
        };
        self.compared += 1;
        let differences = differences(graph, plan, id, &outputs);
        self.wrong += usize::from(!differences.is_empty());
        for differs in differences {
            let (output, recorded, now) = (differs.output, differs.recorded, differs.now);
            self.say(
                "differs",
                name,
                &format!("output {output}\nrecorded {recorded}\nnow      {now}"),
            );
        }
    }

    fn say(&mut self, what: &str, stage: &str, more: &str) {
        let _ = writeln!(self.text, "{what:12} {stage}\n  {}", more.replace('\n', "\n  "));
    }

    fn words(&self) -> String {
        let Self { results, compared, wrong, text, .. } = self;
        let said = if compared == results {
            "which are all there are".to_owned()
        } else if *compared == 0 {
            "nothing could be compared".to_owned()
        } else {
            // Rounded up, so that the printed bound holds, but not because of a rounding error.
            let bound = (at_most(*wrong, *compared) * 1000.0 - 1e-9).ceil() / 10.0;
            format!("at most {bound} % of the {results} results are wrong, at 95 % confidence")
        };
        format!("{text}{wrong} of {compared} differ: {said}")
    }

    fn judge(&self, interrupted: &AtomicBool) -> Result<()> {
        if interrupted.load(Ordering::Relaxed) {
            return Err(Error::new(Exit::Interrupted, "interrupted")
                .help("the same --seed draws the same stages again"));
        }
        let Self { compared, wrong, failed, .. } = self;
        match (wrong, failed) {
            (0, 0) => Ok(()),
            (0, _) => Err(Error::new(
                Exit::Failed,
                format!("{failed} stages with results fail when they are computed again"),
            )),
            _ => Err(Error::new(
                Exit::Failed,
                format!("{wrong} of {compared} results come out differently"),
            )
            .help(
                "`retune log STAGE` says how a result came about, `run --force STAGE` replaces it",
            )),
        }
    }
}
