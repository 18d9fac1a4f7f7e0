//! `retune reference FILE`: computes every case of a file of reference values and compares.

use std::{
    env,
    ffi::OsString,
    fmt::Write,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process, thread,
};

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use data::{Features, Places, Target};
use pipeline::{
    cli::{Command, Session, manual::Example},
    error::{Error, Exit, Result},
    run::worker,
};
use reference::{
    case::{Case, Outcome},
    prepare::RefData,
};

/// The command.
pub struct Reference;

/// The number of threads of OpenBLAS, which reads it once, when it is loaded.
const BLAS_THREADS: &str = "OPENBLAS_NUM_THREADS";

impl Command for Reference {
    fn clap(&self) -> clap::Command {
        clap::Command::new("reference")
            .about(
                "Compute every case of a reference file and compare; exit code 1 beyond tolerance",
            )
            .arg(
                Arg::new("files")
                    .value_name("FILE")
                    .required(true)
                    .num_args(1..)
                    .value_parser(value_parser!(PathBuf))
                    .help("JSON files of reference values; the format is recognised by their keys"),
            )
            .arg(
                Arg::new("failed")
                    .long("failed")
                    .action(ArgAction::SetTrue)
                    .help("Show only what is beyond tolerance, not understood or ignored"),
            )
    }

    fn examples(&self) -> &'static [Example] {
        &[(
            "{program} reference tests/golden/statistics.json --failed",
            "compute the cases of a file and show what is beyond tolerance",
        )]
    }

    fn run(&self, session: &Session, matches: &ArgMatches) -> Result<()> {
        if !is_set(env::var_os(BLAS_THREADS)) {
            return begin_anew();
        }
        let places = Places::from_env(session.artifacts().join("data"));
        let source = |id: &str| raw(id, &places);
        let only_failed = matches.get_flag("failed");
        let mut bad = 0;
        for file in matches.get_many::<PathBuf>("files").into_iter().flatten() {
            let cases = reference::check(file, &source).map_err(|e| Error::usage(e.to_string()))?;
            bad += cases.iter().filter(|case| is_bad(case)).count();
            session.print(&table(&cases, only_failed))?;
        }
        match bad {
            0 => Ok(()),
            n => Err(Error::new(
                Exit::Failed,
                format!("{n} cases are beyond tolerance or not understood"),
            )),
        }
    }
}

/// Whether a variable is set; an empty one counts as not set.
fn is_set(variable: Option<OsString>) -> bool {
    variable.is_some_and(|value| !value.is_empty())
}

/// Restarts this program in the environment in which stages compute; returns only if it cannot be started.
fn begin_anew() -> Result<()> {
    let program =
        env::current_exe().map_err(|e| Error::io("find", Path::new("/proc/self/exe"), &e))?;
    let threads = thread::available_parallelism().map_or(1, Into::into);
    let mut command = process::Command::new(&program);
    let failed = command.args(env::args_os().skip(1)).envs(worker::environment(threads)).exec();
    Err(Error::io("start", &program, &failed))
}

fn is_bad(case: &Case) -> bool {
    matches!(case.outcome, Outcome::Failed | Outcome::NotUnderstood)
}

fn table(cases: &[Case], only_failed: bool) -> String {
    let mut text = format!(
        "{:72} {:>22} {:>22} {:>9} {:>9}\n",
        "case", "computed", "expected", "error", "allowed"
    );
    let shown = |case: &&Case| !only_failed || is_bad(case) || case.outcome == Outcome::Ignored;
    for case in cases.iter().filter(shown) {
        let Case { name, computed, expected, error, tolerance, outcome } = case;
        let word = match outcome {
            Outcome::Passed => "",
            Outcome::Failed => " FAILED",
            Outcome::Informative => " (shown only)",
            Outcome::NotUnderstood => " NOT UNDERSTOOD",
            Outcome::Ignored => " (unknown key, ignored)",
        };
        let _ = writeln!(
            text,
            "{name:72} {computed:22.15e} {expected:22.15e} {error:9.1e} {tolerance:9.0e}{word}"
        );
    }
    let count = |outcome| cases.iter().filter(|case| case.outcome == outcome).count();
    let _ = writeln!(
        text,
        "{} cases: {} passed, {} failed, {} shown only, {} not understood, {} ignored",
        cases.len(),
        count(Outcome::Passed),
        count(Outcome::Failed),
        count(Outcome::Informative),
        count(Outcome::NotUnderstood),
        count(Outcome::Ignored)
    );
    text
}

/// A data set's rows as loaded.
///
/// # Errors
/// A text with the remedy if it is not available.
pub fn raw(id: &str, places: &Places) -> Result<RefData, String> {
    let loaded = data::load(id, places).map_err(|e| e.to_string())?;
    let Features::Dense(features) = loaded.x else {
        return Err("reference checks need dense features".to_owned());
    };
    let targets = match loaded.y {
        Target::Classes { labels, .. } => labels.iter().map(|&label| f64::from(label)).collect(),
        Target::Real(values) => values,
    };
    Ok(RefData { features, targets })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_set_to_nothing_is_not_set() {
        assert!(!is_set(None) && !is_set(Some("".into())) && is_set(Some("1".into())));
    }
}
