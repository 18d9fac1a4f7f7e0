//! `record --judge`: the verdicts of a recorded run, computed anew from the tables that were kept.

use std::{collections::BTreeMap, path::Path};

use super::{
    super::{
        Session, audit, progress,
        run::{interruptible, mask, program},
        run_args::LogFormat,
    },
    chosen::chosen,
};
use crate::{
    error::{Error, Exit, Result},
    machine,
    plan::{self, Plan, State},
    provenance::{Story, ro_crate},
    recorded::{
        Limits, Recorded,
        judging::{Judgement, Judging, copy},
    },
    run::{Options, run as carry_out, slots::Slots},
    store::{Store, runs::RunRecord},
};

/// Computes what can be computed from the tables of `experiment` kept in `dir`, and the stages `again`, and puts it in
/// the place of what was recorded.
pub(super) fn judge(
    session: &Session,
    (experiment, again): (&str, &[String]),
    (limits, about): (Limits, &ro_crate::About),
    dir: &Path,
) -> Result<Recorded> {
    let recorded = Recorded::read(dir)?;
    let graph = session.graph_with(&recorded.profile, &recorded.overrides)?;
    let name = format!("{}/{}", experiment, session.registry.recording.conclusion);
    let conclusion = graph.find(&name)?;
    let apart = audit::Removed::below(session, "judge");
    copy(dir, apart.path())?;
    let store = Store::open(apart.path())?.downloading_to(session.artifacts().join("data"));
    let store = std::sync::Arc::new(store);
    let lines = recorded.lines(dir)?;
    let again = mask(&graph, again)?;
    let judging = Judging::new(&graph, (&recorded, &lines), &store, conclusion, &again)?;
    let (wanted, given) = (judging.wanted(), judging.given(&store));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let slots = Slots::new(cores, machine::memory_mib(), machine::gpus(), 1);
    let options = Options {
        sources: Some(session.config_dir().clone()),
        given: given.clone(),
        ..Options::here(slots, program()?, interruptible()?)
    };
    let mut listener = progress::listener(LogFormat::Text, false);
    let kinds = &session.registry.kinds;
    let summary = carry_out(&graph, &wanted, &store, kinds, &options, &mut *listener)?;
    drop(listener);
    if summary.interrupted {
        return Err(Error::new(Exit::Interrupted, "interrupted").help("nothing was changed"));
    }
    let plan = Plan::new(&graph, &wanted, &store, plan::Options { given, ..Default::default() })?;
    let open = judging.judged().find(|&id| !matches!(plan.state(id), State::Fresh(..)));
    if let Some(id) = open {
        let stage = &graph[id].name;
        let failed = summary.failed.iter().chain(&summary.unavailable);
        let why = failed.map(|(name, why)| format!("{name}: {why}")).next().unwrap_or_default();
        let message = format!("stage {stage} could not be computed; {why}");
        return Err(Error::new(Exit::Failed, message).help("nothing was changed"));
    }
    let finished = machine::now();
    let run = store.record_run(RunRecord {
        id: 0,
        finished,
        host: machine::host(),
        profile: recorded.profile.clone(),
        overrides: recorded.overrides.clone(),
        targets: None,
        pinned: false,
        stages: plan.fresh(),
        lacking: BTreeMap::new(),
    })?;
    let story = Story::of(&store, Some(run))?;
    let keep = chosen(&story, experiment, &name, session.registry.recording)?;
    let stages = judging.judged().map(|id| graph[id].name.as_str()).collect();
    let judgement = Judgement { stages, finished };
    recorded.judged(&store, story, &judgement, &keep, (limits, about), dir)
}
