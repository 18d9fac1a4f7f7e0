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
use site::words::count;

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
        named(&wanted)?;
        let mut places = Places::from_env(session.artifacts().join("data"));
        // Progress is only informative: errors of a closed stream are ignored.
        places.progress = Some(Arc::new(|line| drop(writeln!(std::io::stderr(), "{line}"))));
        match command::run(&wanted, &places) {
            Ok(text) => session.print(&text),
            Err(partial) => {
                session.print(&format!("{}\n", partial.to_string().trim_end()))?;
                let n = count(partial.missing.len(), "data set");
                let are = if partial.missing.len() == 1 { "is" } else { "are" };
                Err(Error::new(Exit::Failed, format!("{n} {are} not available"))
                    .help("their stages are unavailable; everything else runs"))
            }
        }
    }
}

/// Refuses ids that are those of no data set.
fn named(wanted: &DataCommand) -> Result<()> {
    let ids = match wanted {
        DataCommand::List => &[][..],
        DataCommand::Fetch { ids } => ids,
        DataCommand::Where { id } => id.as_slice(),
    };
    if let Some(id) = ids.iter().find(|id| data::find(id).is_none()) {
        let near = super::near(id, data::data_sets().iter().map(|entry| entry.id));
        return Err(Error::usage(format!("no data set is called `{id}`{near}"))
            .help("`retune data list` lists them"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_set_that_does_not_exist_is_a_mistake_of_the_command_line() {
        let told = |wanted: DataCommand| named(&wanted).map_err(|e| (e.exit(), e.to_string()));
        let fetch = |id: &str| DataCommand::Fetch { ids: vec!["iris".to_owned(), id.to_owned()] };
        assert_eq!(told(DataCommand::List), Ok(()));
        assert_eq!(told(fetch("digits")), Ok(()));
        let said = |text: &str| Err((Exit::Usage, text.to_owned()));
        assert_eq!(told(fetch("nodata")), said("no data set is called `nodata`"));
        let near = told(DataCommand::Where { id: Some("digit".to_owned()) });
        assert_eq!(near, said("no data set is called `digit`; did you mean `digits`?"));
    }
}
