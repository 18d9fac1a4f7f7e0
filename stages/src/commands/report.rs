//! `retune report`: the pages that show all results.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use clap::ArgMatches;
use pipeline::{
    artifacts::Artifacts,
    cli::{Command, Session, manual::Example},
    error::Result,
    estimate::{
        Estimate,
        beyond::{beyond, part},
    },
    graph::{Graph, Node},
    plan::{Options, Plan},
    recorded::Recorded,
    store::Store,
};
use site::{
    absent::lacking::Planned,
    downloads::code::Code,
    names::{Named, Names},
};

use super::results::{self, RECORDED};
use crate::sources;

/// The command, with the names of the papers.
pub struct Report(pub Vec<Named>);

impl Command for Report {
    fn clap(&self) -> clap::Command {
        clap::Command::new("report")
            .about("Write the report's pages from what was computed; begin with report/index.html")
    }

    fn examples(&self) -> &'static [Example] {
        &[("{program} report", "write the report from what was computed")]
    }

    fn run(&self, session: &Session, _: &ArgMatches) -> Result<()> {
        let (graph, store) = session.graph_and_store()?;
        let plan = Plan::new(&graph, &graph.select(&[])?, &store, Options::default())?;
        let mut planned = Planned::of(&graph, &plan, session.profile());
        let recorded = results::recorded(session)?;
        planned.remaining = remaining(session, &store, &recorded)?;
        planned.outdated = results::outdated(session, &recorded)?;
        let kinds = session.kinds();
        let found = graph.order().iter().filter_map(|&id| {
            let node = made(&graph, &graph[id]);
            Some((graph[id].name.clone(), sources::file(kinds.get(node.kind)?.module)?))
        });
        let root = session.config_dir().parent().map(Path::to_path_buf).unwrap_or_default();
        let code = Code::of(root, found);
        let report = session.artifacts().join("report");
        let tables = match results::here(session)? {
            Some(tables) => tables,
            None => Artifacts::of(Store::open(session.artifacts())?)?,
        };
        site::write(
            &tables,
            (session.artifacts(), recorded),
            &report,
            (&Names::of(&self.0), &code),
            Some(&planned),
        )
        .map_err(super::of_site)?;
        session.print(&format!("{}\n", report.join("index.html").display()))
    }
}

/// The profile of the papers' own sizes.
const PAPER: &str = "paper";

/// What the papers' own sizes would take beyond the recorded runs, by part of an experiment that has one.
fn remaining(
    session: &Session,
    store: &Store,
    recorded: &[(PathBuf, Recorded)],
) -> Result<BTreeMap<String, Estimate>> {
    // Two more graphs are not worth expanding where nothing is recorded.
    let profiles = if recorded.is_empty() { Vec::new() } else { session.profiles()? };
    if ![PAPER, RECORDED].iter().all(|name| profiles.iter().any(|own| own == name)) {
        return Ok(BTreeMap::new());
    }
    let graph = session.graph_of(PAPER)?;
    let beyond = beyond(&graph, &session.graph_of(RECORDED)?);
    let plan = Plan::new(&graph, &graph.select(&[])?, store, Options::default())?;
    let is_recorded = |part: &str| {
        let experiment = part.split('/').next().unwrap_or(part);
        recorded.iter().any(|(_, own)| own.experiment == experiment)
    };
    Ok(Estimate::by(&graph, &plan, session.kinds(), (store, &store.records()?), |id| {
        let part = part(&graph[id].name);
        (beyond[id.index()] && is_recorded(part)).then(|| part.to_owned())
    }))
}

/// The stage that computed what `node` holds: of a gathering of tables, the first that it gathers.
fn made<'a>(graph: &'a Graph, node: &'a Node) -> &'a Node {
    let first = node.inputs.first().filter(|_| node.kind.starts_with("gather/"));
    first.map_or(node, |edge| made(graph, &graph[edge.from]))
}
