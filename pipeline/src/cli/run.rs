//! `run`: brings stages up to date and reports what happened.

use std::{
    collections::BTreeMap,
    fmt::Write,
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
};

use foldhash::HashMap;

use super::{
    Session, Tone, progress,
    run_args::{Executor, LogFormat, Run},
    session::words::{count, unavailable},
};
use crate::{
    absence,
    digest::Digest,
    error::{Error, Exit, Result},
    graph::Graph,
    machine,
    plan::{self, Plan},
    remote::Remote,
    run::{Backend, Options, Summary, run as carry_out, slots::Slots, slurm},
    store::{
        Store,
        runs::{Lack, RunRecord},
    },
};

pub(super) fn run(session: &Session, args: &Run) -> Result<()> {
    let (graph, store) = session.graph_and_store()?;
    let wanted = session.select(&graph, &args.targets)?;
    let forced = mask(&graph, &args.force)?;
    let options = Options {
        backend: backend(session, args)?,
        keep_going: !args.fail_fast,
        program: program()?,
        interrupted: interruptible()?,
        limit: args.limit,
        sandbox: args.sandbox,
        remote: remote(args)?,
        sources: Some(session.config_dir().clone()),
        forced,
        given: HashMap::default(),
    };
    let mut listener = progress::listener(args.log_format, args.plain);
    let summary =
        carry_out(&graph, &wanted, &store, &session.registry.kinds, &options, &mut *listener)?;
    drop(listener);
    remember(session, (&graph, &wanted), &args.targets, &store)?;
    if args.log_format == LogFormat::Json {
        let line = serde_json::to_string(&serde_json::json!({"event": "end", "summary": summary}))
            .map_err(|e| Error::usage(format!("cannot write JSON: {e}")).because(e))?;
        session.print(&(line + "\n"))?;
    } else {
        session.print_words(&words(&summary))?;
    }
    if summary.interrupted {
        return Err(
            Error::new(Exit::Interrupted, "interrupted").help("run again to go on from here")
        );
    }
    match summary.failed.len() {
        0 => Ok(()),
        1 => Err(Error::new(Exit::Failed, format!("stage {} failed", summary.failed[0].0))),
        n => Err(Error::new(Exit::Failed, format!("{n} stages failed"))),
    }
}

/// This program's own file, for workers.
pub(super) fn program() -> Result<PathBuf> {
    std::env::current_exe()
        .map_err(|e| Error::usage(format!("cannot find this program's own file: {e}")).because(e))
}

/// A flag that is set when this process is asked to end.
pub(super) fn interruptible() -> Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted))
            .map_err(|e| Error::usage(format!("cannot listen to signals: {e}")).because(e))?;
    }
    Ok(interrupted)
}

/// The remote through which results are shared.
fn remote(args: &Run) -> Result<Option<Arc<Remote>>> {
    let Some(url) = &args.remote else { return Ok(None) };
    super::remote::remote(url, args.sign.as_deref(), &args.trust)
        .map(|remote| Some(Arc::new(remote)))
}

/// Where the stages are carried out.
fn backend(session: &Session, args: &Run) -> Result<Backend> {
    if args.executor == Executor::Slurm {
        let usual = session.config_dir().join("slurm.toml");
        return Ok(Backend::Slurm(match &args.slurm {
            Some(path) => slurm::Settings::read(path)?,
            None if usual.is_file() => slurm::Settings::read(&usual)?,
            None => slurm::Settings::default(),
        }));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory = args.memory.unwrap_or_else(machine::memory_mib);
    let gpus = args.gpus.unwrap_or_else(machine::gpus);
    Ok(Backend::Here(Slots::new(args.jobs.unwrap_or(cores), memory, gpus, args.gpu_share)))
}

/// The stages that `--force` names, without those that they need.
pub(super) fn mask(graph: &Graph, patterns: &[String]) -> Result<Vec<bool>> {
    let mut mask = vec![false; if patterns.is_empty() { 0 } else { graph.len() }];
    for pattern in patterns {
        let mut any = false;
        for &id in graph.order() {
            if crate::graph::matches(pattern, &graph[id].name) {
                mask[id.index()] = true;
                any = true;
            }
        }
        if !any {
            graph.find(pattern)?;
        }
    }
    Ok(mask)
}

/// Records which keys the run ended with, for `diff`, and which stages were unavailable, for readers of results.
fn remember(
    session: &Session,
    (graph, wanted): (&Graph, &[bool]),
    targets: &[String],
    store: &Store,
) -> Result<()> {
    let plan = Plan::new(graph, wanted, store, plan::Options::default())?;
    record(session, store, targets, plan.fresh(), absence::lacking(graph, &plan))
}

/// Records that a run of `targets` under the profile in use ended with these stages.
pub(super) fn record(
    session: &Session,
    store: &Store,
    targets: &[String],
    stages: BTreeMap<String, Digest>,
    lacking: BTreeMap<String, Lack>,
) -> Result<()> {
    let run = RunRecord {
        id: 0,
        finished: machine::now(),
        host: machine::host(),
        profile: session.profile().to_owned(),
        overrides: session.overrides().to_vec(),
        targets: Some(targets.to_vec()),
        pinned: false,
        stages,
        lacking,
    };
    store.record_run(run).map(drop)
}

fn words(summary: &Summary) -> String {
    let mut text = String::new();
    for (stage, message) in &summary.failed {
        let failed = Tone::Bad.paint("failed");
        let _ = writeln!(text, "{failed}       {stage}\n  {}", message.replace('\n', "\n  "));
    }
    let mut needing: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, root) in &summary.blocked {
        *needing.entry(root).or_default() += 1;
    }
    let absent = summary.unavailable.iter().map(|(stage, why)| (stage.as_str(), why.as_str()));
    text.push_str(&unavailable(absent, |root| needing.get(root).copied().unwrap_or_default()));
    needing.retain(|root, _| summary.unavailable.iter().all(|(name, _)| name != root));
    for (root, stages) in needing {
        let _ = writeln!(text, "not run      {} that need {root}", count(stages, "stage"));
    }
    let _ = write!(
        text,
        "{} computed, {} unchanged because their inputs came out the same, {} up to date",
        count(summary.executed.len(), "stage"),
        summary.cut_off.len(),
        summary.fresh
    );
    if !summary.pulled.is_empty() {
        let _ = write!(text, ", {} from the remote", summary.pulled.len());
    }
    if summary.unreached > 0 {
        let _ = write!(text, ", {} not reached", summary.unreached);
    }
    text + "\n"
}
