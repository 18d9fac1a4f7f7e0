//! Executes the cells of the committed notebooks, compiled as ordinary Rust, over copies of a finished store:
//! one with everything, one without each data set in turn, one with only the data sets that package
//! registries have, and one without any data. No cell may fail because of absent data, and the report must be
//! written.

mod check;
mod error;
#[expect(clippy::pedantic, reason = "cells are written for a reader of notebooks")]
mod notebooks;
mod page;
mod shown;
mod stores;

use std::{
    collections::BTreeSet,
    io::{Write, stderr, stdout},
    num::NonZero,
    panic::resume_unwind,
    path::PathBuf,
    process::ExitCode,
    sync::{Mutex, PoisonError},
    thread,
    time::Instant,
};

use clap::{Args, Parser, Subcommand};

use check::{Found, paper};
use error::{Error, Result};
use notebooks::NOTEBOOKS;
use page::Page;
use stores::{Copy, DataSet, data_sets};

#[derive(Parser)]
#[command(about = "The notebooks' cells over stores in which data are absent")]
struct Cli {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Carries out one notebook over the store named by `RETUNE_ARTIFACTS`; what its cells show, as JSON lines.
    Show {
        /// Its name, such as `hoag`.
        notebook: String,
    },
    /// Carries out all notebooks over copies of a store from which data sets were taken away.
    Check(Check),
}

#[derive(Args)]
struct Check {
    /// The program that computes anew what read a data set that was taken away.
    #[arg(long, value_name = "PATH")]
    retune: PathBuf,
    /// The folder of artifacts of a finished run.
    #[arg(long, value_name = "DIR", default_value = "artifacts")]
    store: PathBuf,
    /// The profile of that run.
    #[arg(long, default_value = "smoke")]
    profile: String,
    /// Only the cases whose name holds one of these.
    cases: Vec<String>,
}

/// A store to check: its name, and the data sets that are removed.
struct Case {
    name: String,
    without: Vec<DataSet>,
}

/// The names of package registries in the output of `retune data where`.
const REGISTRIES: [&str; 3] = ["      pypi ", "      npm ", "      debian "];

fn main() -> ExitCode {
    let result = match Cli::parse().what {
        What::Show { notebook } => show(&notebook).map(|()| true),
        What::Check(check) => check.run(),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            say(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

fn say(line: &str) {
    // Errors of a closed stream are ignored.
    let _ = writeln!(stderr(), "{line}");
}

fn show(notebook: &str) -> Result<()> {
    let known = NOTEBOOKS.iter().find(|(name, _)| *name == notebook);
    let names = NOTEBOOKS.map(|(name, _)| name).join(", ");
    let unknown = || Error::Ended(format!("no notebook `{notebook}`, only {names}"));
    let (_, cells) = known.ok_or_else(unknown)?;
    cells(&mut Page::new(stdout())).map_err(|error| Error::Ended(error.to_string()))
}

impl Check {
    fn run(&self) -> Result<bool> {
        let sets = data_sets(&self.store)?;
        if sets.is_empty() {
            return Err(Error::Ended(format!("{} holds no data set", self.store.display())));
        }
        let mut cases = self.cases(&sets)?;
        let first = cases.remove(0);
        let (whole, mut all) = self.checked(&first, None)?;
        // A notebook is carried out by one thread: as many cases at once as there are cores.
        let left = Mutex::new(cases.into_iter());
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
        let worker = || -> Result<Found> {
            let mut all = Found::default();
            while let Some(case) = next() {
                all.and(self.checked(&case, Some(&whole))?.1);
            }
            Ok(all)
        };
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        thread::scope(|scope| {
            let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
            for worker in workers {
                let found = worker.join().unwrap_or_else(|panic| resume_unwind(panic))?;
                all.and(found);
            }
            Ok::<(), Error>(())
        })?;
        if all.told == 0 {
            all.wrong.push("no case took anything away that a cell opens".to_owned());
        }
        say(&format!("{} cells, {} wrong", all.cells, all.wrong.len()));
        Ok(all.wrong.is_empty())
    }

    /// The first store has everything.
    fn cases(&self, sets: &[DataSet]) -> Result<Vec<Case>> {
        let everything = Case { name: "everything".to_owned(), without: Vec::new() };
        let copy = Copy::of(&self.store)?;
        let mut published = Vec::new();
        for set in sets {
            let sources = copy.retune(&self.retune, &["data", "where", &set.id])?;
            if !REGISTRIES.iter().any(|registry| sources.contains(registry)) {
                published.push(set.clone());
            }
        }
        let registries = Case { name: "registries alone".to_owned(), without: published };
        let nothing = Case { name: "no data".to_owned(), without: sets.to_vec() };
        let mut cases = vec![everything, registries, nothing];
        let one = |set: &DataSet| Case {
            name: format!("without {}", set.id),
            without: vec![set.clone()],
        };
        cases.extend(sets.iter().map(one));
        let wanted = |case: &Case| {
            case.without.is_empty()
                || self.cases.is_empty()
                || self.cases.iter().any(|part| case.name.contains(part.as_str()))
        };
        cases.retain(wanted);
        Ok(cases)
    }

    /// Checks a case, and says what was found.
    fn checked(&self, case: &Case, whole: Option<&str>) -> Result<(String, Found)> {
        let begun = Instant::now();
        let (figures, found) = self.case(case, whole)?;
        let (name, seconds) = (&case.name, begun.elapsed().as_secs_f64());
        let Found { cells, notices, told, .. } = found;
        say(&format!(
            "{name}: {cells} cells, {notices} with a notice, {told} absent stages told, {seconds:.1} s"
        ));
        found.wrong.iter().for_each(|wrong| say(&format!("  wrong: {name}: {wrong}")));
        Ok((figures, found))
    }

    fn case(&self, case: &Case, whole: Option<&str>) -> Result<(String, Found)> {
        let copy = Copy::of(&self.store)?;
        for set in &case.without {
            copy.lose(set)?;
        }
        let readers: BTreeSet<&str> =
            case.without.iter().flat_map(|set| &set.stages).map(|stage| paper(stage)).collect();
        if !readers.is_empty() {
            let mut words = vec!["run", "--profile", &self.profile];
            words.extend(&readers);
            copy.retune(&self.retune, &words)?;
        }
        let several = case.without.len() != 1;
        let names = NOTEBOOKS.map(|(name, _)| name);
        let names = names.into_iter().filter(|name| several || readers.contains(name));
        let mut found = check::notebooks(&copy, &names.collect::<Vec<_>>())?;
        let (figures, pages) = check::report(&copy, &self.retune, &self.profile, whole)?;
        found.and(pages);
        Ok((figures, found))
    }
}
