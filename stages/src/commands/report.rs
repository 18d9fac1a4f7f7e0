//! `retune report`: the pages that show all results.

use std::path::Path;

use clap::ArgMatches;
use pipeline::{
    artifacts::Artifacts,
    cli::{Command, Session, manual::Example},
    error::{Error, Exit, Result},
    graph::Node,
    plan::{Options, Plan},
    store::Store,
};
use site::{
    absent::lacking::Planned,
    downloads::code::Code,
    names::{Named, Names},
};

use super::results;
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
        let planned = Planned::of(&graph, &plan, session.profile());
        let kinds = session.kinds();
        let source =
            |node: &Node| Some((node.name.clone(), sources::file(kinds.get(node.kind)?.module)?));
        let found = graph.order().iter().filter_map(|&id| source(&graph[id]));
        let root = session.config_dir().parent().map(Path::to_path_buf).unwrap_or_default();
        let code = Code::of(root, found);
        let report = session.artifacts().join("report");
        let tables = match results::here(session)? {
            Some(tables) => tables,
            None => Artifacts::of(Store::open(session.artifacts())?)?,
        };
        site::write(
            &tables,
            session.artifacts(),
            &report,
            (&Names::of(&self.0), &code),
            Some(&planned),
        )
        .map_err(|e| match e {
            site::Error::Store(error) => error,
            other => Error::new(Exit::Store, other.to_string()),
        })?;
        session.print(&format!("{}\n", report.join("index.html").display()))
    }
}
