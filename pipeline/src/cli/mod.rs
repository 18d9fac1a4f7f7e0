//! The command line of a program built on the engine. Parses the arguments, calls the engine, prints the results, and
//! turns errors into exit codes. Invariant: it decides nothing itself.

mod args;
mod audit;
mod diff;
mod draw;
mod estimate;
mod export;
mod fsck;
mod key;
mod log;
pub mod manual;
mod plan;
mod progress;
mod rates;
mod record;
mod remote;
mod rerun;
mod run;
mod run_args;
mod runs;
mod session;
mod share;
mod show;
mod status;
mod upkeep;
mod variables;

use std::{io::Write, process::ExitCode};

use clap::{ArgMatches, CommandFactory, FromArgMatches};

use self::args::{Cli, Verb};
pub use self::session::{Session, Tone};
use crate::{
    error::{Error, Result},
    registry::Registry,
    run::{slurm, worker},
};

/// A command that a program adds to the engine's own.
pub trait Command: Send + Sync {
    /// Its name, arguments and help.
    fn clap(&self) -> clap::Command;

    /// The engine's command that it is a subcommand of, such as `export`; `None` if it stands by itself.
    fn within(&self) -> Option<&'static str> {
        None
    }

    /// Example calls as they are typed, each with what it does; `{program}` and `{experiment}` stand for the
    /// program's name and that of its first experiment.
    fn examples(&self) -> &'static [manual::Example] {
        &[]
    }

    /// Carries it out; the exit code is 0 unless an error says otherwise.
    ///
    /// # Errors
    /// Whatever went wrong.
    fn run(&self, session: &Session, matches: &ArgMatches) -> Result<()>;
}

/// The program's `main`. The `extras` are its own commands, in addition to the engine's.
#[must_use]
pub fn run(registry: Registry, extras: Vec<Box<dyn Command>>) -> ExitCode {
    let mut command = Cli::command().name(registry.program).about(registry.about);
    let profile =
        format!("The profile of the configs to use [default: {}]", registry.default_profile);
    command = command.mut_arg("profile", |arg| arg.help(profile));
    for extra in &extras {
        let own = extra.clap();
        command = match extra.within() {
            Some(whole) => command.mut_subcommand(whole, |whole| whole.subcommand(own)),
            None => command.subcommand(own),
        };
    }
    command = variables::without_empty(manual::with_examples(command, &registry, &extras));
    let matches = match command.clone().try_get_matches() {
        Ok(matches) => matches,
        Err(e) => e.exit(),
    };
    match dispatch(registry, &extras, &matches, command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            report(&e);
            ExitCode::from(e.exit() as u8)
        }
    }
}

fn report(error: &Error) {
    let mut err = std::io::stderr().lock();
    // Nothing more can be reported when standard error is closed.
    drop(writeln!(err, "error: {error}"));
    if let Some(help) = error.remedy() {
        drop(writeln!(err, "help: {help}"));
    }
}

/// The arguments of a program's own command, if one was called.
fn called<'a>(
    extra: &'a dyn Command,
    matches: &'a ArgMatches,
) -> Option<(&'a dyn Command, &'a ArgMatches)> {
    let of = |matches: &'a ArgMatches, name: &str| {
        matches.subcommand().filter(|(own, _)| *own == name).map(|(_, inner)| inner)
    };
    let matches = extra.within().map_or(Some(matches), |whole| of(matches, whole))?;
    of(matches, extra.clap().get_name()).map(|inner| (extra, inner))
}

fn dispatch(
    registry: Registry,
    extras: &[Box<dyn Command>],
    matches: &ArgMatches,
    command: clap::Command,
) -> Result<()> {
    let usage = |e: clap::Error| Error::usage(e.to_string());
    if let Some((extra, inner)) = extras.iter().find_map(|extra| called(&**extra, matches)) {
        let globals = args::Globals::from_arg_matches(matches).map_err(usage)?;
        return extra.run(&Session::new(registry, globals)?, inner);
    }
    let cli = Cli::from_arg_matches(matches).map_err(usage)?;
    if let Verb::ExecStage { dir, engine, task } = &cli.verb {
        return match task {
            Some(task) => slurm::task::main(&registry.kinds, dir, *task),
            None => worker::main(&registry.kinds, dir, *engine),
        };
    }
    if let Verb::ServeStages { engine } = cli.verb {
        return worker::serve(&registry.kinds, engine);
    }
    if let Verb::Completions { shell } = cli.verb {
        let name = registry.program;
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut command.clone(), name, &mut script);
        return session::print(&script);
    }
    if let Verb::Man { dir } = &cli.verb {
        let refused = |e: std::io::Error| Error::io("write the manual to", dir, &e);
        std::fs::create_dir_all(dir).map_err(refused)?;
        return manual::write(command, dir).map_err(refused);
    }
    let session = Session::new(registry, cli.globals)?;
    match cli.verb {
        Verb::Diff(args) => diff::diff(&session, &args),
        Verb::Run(args) => run::run(&session, &args),
        Verb::Plan(args) => plan::plan(&session, &args),
        Verb::Why { stage } => plan::why(&session, &stage),
        Verb::Status(args) => status::status(&session, &args),
        Verb::Graph(args) => draw::graph(&session, &args),
        Verb::Show(args) => show::show(&session, &args),
        Verb::Verify { deep, sample } => upkeep::verify(&session, deep, sample),
        Verb::Fsck { sample, repair } => fsck::fsck(&session, sample, repair),
        Verb::Rerun(args) => rerun::rerun(&session, &args),
        Verb::Record(args) => record::record(&session, &args),
        Verb::Recorded => record::recorded(&session),
        Verb::Push(args) => share::push(&session, &args),
        Verb::Pull(args) => share::pull(&session, &args),
        Verb::Audit(args) => audit::audit(&session, &args),
        Verb::Key { what } => key::key(&session, &what),
        Verb::Runs { json } => runs::list(&session, json),
        Verb::Pin { run } => runs::pin(&session, run, true),
        Verb::Unpin { run } => runs::pin(&session, run, false),
        Verb::Gc { dry_run } => upkeep::gc(&session, dry_run),
        Verb::Log(args) => log::log(&session, &args),
        Verb::Rates(args) => rates::rates(&session, &args),
        Verb::Export(args) => export::export(&session, &args),
        Verb::ExecStage { .. }
        | Verb::ServeStages { .. }
        | Verb::Completions { .. }
        | Verb::Man { .. } => Ok(()),
    }
}
