//! `retune data`: lists data sets and their sources, and fetches them.

use std::{io::Write, sync::Arc};

use clap::{ArgMatches, FromArgMatches, Subcommand};
use data::{
    Places,
    command::{self, DataCommand},
};
use pipeline::{
    cli::{Command, Session, manual::Example},
    error::{Error, Exit, Result},
};

/// The command.
pub struct Data;

impl Command for Data {
    fn clap(&self) -> clap::Command {
        DataCommand::augment_subcommands(clap::Command::new("data"))
            .about("List, fetch and locate data sets")
            .subcommand_required(true)
            .arg_required_else_help(true)
    }

    fn examples(&self) -> &'static [Example] {
        &[
            ("{program} data list", "list the data sets with size and licence"),
            ("{program} data where digits", "say where a data set comes from"),
            ("{program} data fetch", "fetch all data sets before a run"),
        ]
    }

    fn run(&self, session: &Session, matches: &ArgMatches) -> Result<()> {
        let wanted =
            DataCommand::from_arg_matches(matches).map_err(|e| Error::usage(e.to_string()))?;
        let mut places = Places::from_env(session.artifacts().join("data"));
        // Progress is only informative: errors of a closed stream are ignored.
        places.progress = Some(Arc::new(|line| drop(writeln!(std::io::stderr(), "{line}"))));
        match command::run(&wanted, &places) {
            Ok(text) => session.print(&text),
            Err(partial) => {
                session.print(&partial.to_string())?;
                let n = partial.missing.len();
                Err(Error::new(Exit::Failed, format!("{n} data sets are not available"))
                    .help("their stages are unavailable; everything else runs"))
            }
        }
    }
}
