//! `retune new`: adds the files of a new paper to the checkout.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, value_parser};
use pipeline::{
    cli::{Command, Session, manual::Example},
    error::{Error, Result},
};

use super::scaffold::Scaffold;

/// The command.
pub struct New;

impl Command for New {
    fn clap(&self) -> clap::Command {
        clap::Command::new("new")
            .about("Add a paper to this checkout, from its templates")
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommand(
                clap::Command::new("paper")
                    .about("Add a paper: sources, config, claims, notebook, notes, registry")
                    .after_help(
                        "The new paper is an example that runs: two tuners on a function, one \
                         claim. `cargo build --bin retune` makes it known, then `retune run NAME \
                         --profile smoke` runs it. The book's chapter \"A paper in an hour\" \
                         (docs/book/src/paper.md) goes on from there.",
                    )
                    .arg(Arg::new("name").value_name("NAME").required(true).help(
                        "Its name in code, stages and files: small letters, digits and \
                         underscores, beginning with a letter",
                    ))
                    .arg(
                        Arg::new("checkout")
                            .long("checkout")
                            .value_name("DIR")
                            .value_parser(value_parser!(PathBuf))
                            .default_value(".")
                            .help("The folder of the checkout"),
                    ),
            )
    }

    fn examples(&self) -> &'static [Example] {
        &[("{program} new paper my_paper", "add a paper that runs, as a starting point")]
    }

    fn run(&self, session: &Session, matches: &ArgMatches) -> Result<()> {
        let missing = || Error::usage("what is to be added: `retune new paper NAME`");
        let (_, paper) = matches.subcommand().ok_or_else(missing)?;
        let name = paper.get_one::<String>("name").ok_or_else(missing)?;
        let checkout = paper.get_one::<PathBuf>("checkout").ok_or_else(missing)?;
        let scaffold = Scaffold::paper(checkout, name)?;
        scaffold.write()?;
        let mut text: String =
            scaffold.paths().map(|path| format!("{}\n", path.display())).collect();
        text.push_str(&format!(
            "next: cargo build --bin retune && target/debug/retune run {name} --profile smoke\n"
        ));
        session.print(&text)
    }
}
