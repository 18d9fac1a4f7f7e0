//! `retune export nanopub`: each verdict as a nanopublication (<https://nanopub.net/guidelines/working_draft/>), a file
//! of four named graphs: the head, the assertion (the claim, and what the evidence says of it), where that came from, and
//! facts about the publication. They are not signed: who publishes one signs it, and then it gets its name.

mod graphs;
mod terms;
mod trig;

use clap::{Arg, ArgAction, ArgMatches};
use pipeline::{
    cli::{Command, Session, manual::Example},
    error::Result,
};

use self::{graphs::Stated, terms::Terms};
use site::names::Named;

use super::judged::Judged;

/// Where the vocabulary is said to be published unless somebody says otherwise: a name that nobody has.
const NOWHERE: &str = "https://retune.example/terms#";

/// How to go on from the files.
const README: &str = "# Verdicts as nanopublications

Each `.trig` file is one verdict, not signed yet; `terms.ttl` defines the words of our own.

1. Publish `terms.ttl` somewhere that lasts, and export again with `--terms` and its address.
2. `pip install nanopub`, then `np setup` once: it makes a key and a profile with your ORCID.
3. `np sign FILE` writes the signed file beside it, with its final name (a trusty URI) in place of the temporary one.
4. `np publish SIGNED-FILE` puts it on the servers, from which nothing is ever removed.
";

/// The command, for these papers.
pub struct Nanopub(pub Vec<Named>);

impl Command for Nanopub {
    fn clap(&self) -> clap::Command {
        let address = |name: &'static str, help: &'static str| {
            Arg::new(name).long(name).value_name("URL").value_parser(iri).help(help)
        };
        clap::Command::new("nanopub")
            .about("Each verdict, the recorded ones and your own, as a nanopublication that is not signed yet")
            .arg(super::new_folder())
            .arg(
                Arg::new("paper")
                    .long("paper")
                    .value_name("PAPER")
                    .action(ArgAction::Append)
                    .help("Only this paper's; may be given several times [default: all]"),
            )
            .arg(
                Arg::new("all")
                    .long("all")
                    .action(ArgAction::SetTrue)
                    .help("Under every variant of a method, not only the headline"),
            )
            .arg(address("author", "Who states the verdicts, such as an ORCID"))
            .arg(address("licence", "The licence of the nanopublications"))
            .arg(
                address("terms", "Where `terms.ttl` is published, up to the name of a term")
                    .default_value(NOWHERE),
            )
    }

    fn within(&self) -> Option<&'static str> {
        Some("export")
    }

    fn examples(&self) -> &'static [Example] {
        &[(
            "{program} export nanopub verdicts --paper {experiment}",
            "write one paper's verdicts into a folder",
        )]
    }

    fn run(&self, session: &Session, matches: &ArgMatches) -> Result<()> {
        let papers: Option<Vec<String>> =
            matches.get_many::<String>("paper").map(|names| names.cloned().collect());
        super::known(&self.0, papers.iter().flatten())?;
        let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
        let terms = Terms(text("terms").unwrap_or(NOWHERE));
        let judged = Judged::all(session, papers.as_deref())?;
        let dir = super::made(matches)?;
        let mut count = 0;
        for (run, record) in &judged {
            let known = self.0.iter().find(|known| known.id == run.paper);
            for claim in run.claims.iter().filter(|it| it.headline || matches.get_flag("all")) {
                let stated = Stated {
                    paper: &run.paper,
                    title: known.map_or(run.paper.as_str(), |known| known.title),
                    profile: run.profile.as_deref(),
                    recorded: run.recorded,
                    outdated: run.outdated,
                    key: run.key,
                    record: record.as_ref(),
                    claim,
                    author: text("author"),
                    licence: text("licence"),
                };
                let path = dir.join(format!("{}.trig", stated.name()));
                super::write(&path, &stated.trig(&terms)?)?;
                count += 1;
            }
        }
        super::write(&dir.join("terms.ttl"), &terms.document())?;
        super::write(&dir.join("README.md"), README)?;
        session.print(&format!(
            "{count} verdicts are in {}, not signed; README.md there says how to sign them\n",
            dir.display()
        ))
    }
}

/// An address that can stand in a graph as it is.
fn iri(text: &str) -> std::result::Result<String, String> {
    let plain = |c: char| !(c.is_control() || c.is_whitespace() || "<>\"{}|^`\\".contains(c));
    let web = text.starts_with("https://") || text.starts_with("http://");
    if web && text.chars().all(plain) {
        return Ok(text.to_owned());
    }
    Err("expected an address that begins with https://, such as https://orcid.org/0000-0002-1825-0097".to_owned())
}
