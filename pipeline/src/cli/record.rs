//! `record` and `recorded`: runs that are kept with the sources.

mod chosen;
mod judge;

use std::path::Path;

use clap::Args;

use self::{chosen::chosen, judge::judge};
use super::{Session, session::words::count};
use crate::{
    error::{Error, Result},
    machine::iso,
    provenance::{Account, Story, ro_crate},
    recorded::{Limits, Recorded, folder},
};

#[derive(Args)]
pub(super) struct Record {
    /// The experiment whose run is kept
    pub experiment: String,
    /// Which run [default: the last run under the profile in use that has the experiment]
    #[arg(long, value_name = "N")]
    pub run: Option<u64>,
    /// Replace the recorded run even if this one has fewer stages or took far less time
    #[arg(long, conflicts_with_all = ["describe", "judge"])]
    pub replace: bool,
    /// The licence under which the results are published: a URL
    #[arg(long, value_name = "URL")]
    pub licence: Option<String>,
    /// Who is responsible for the run
    #[arg(long, value_name = "NAME")]
    pub author: Option<String>,
    /// Keep nothing new: only rewrite the research object of the run that is already kept, as this program writes it
    #[arg(long, conflicts_with = "run")]
    pub describe: bool,
    /// Compute the verdicts of the recorded run again, from its tables, with this program and the current configs; the
    /// profile is that of the run
    #[arg(long, conflicts_with_all = ["run", "describe"])]
    pub judge: bool,
    /// With --judge: compute these stages anew as well, with what they need, instead of taking them as they were kept
    #[arg(long, value_name = "STAGE", requires = "judge")]
    pub again: Vec<String>,
}

pub(super) fn record(session: &Session, args: &Record) -> Result<()> {
    let experiment = args.experiment.as_str();
    let known: Vec<&str> = session.registry.experiments.iter().map(|e| e.id()).collect();
    if !known.contains(&experiment) {
        return Err(Error::usage(format!("no experiment is named `{experiment}`"))
            .help(format!("there are {}", known.join(", "))));
    }
    let about = ro_crate::About {
        program: session.registry.program.to_owned(),
        purpose: session.registry.about.to_owned(),
        licence: args.licence.clone(),
        author: args.author.clone(),
    };
    let all = folder(session.artifacts());
    let dir = all.join(experiment);
    if args.describe {
        let recorded = Recorded::read(&dir)?;
        Recorded::describe(&about, &dir)?;
        return session.print(&format!("{}\n{}\n", line(&recorded), dir.display()));
    }
    if args.judge {
        let limits = Limits::beside(&all, experiment)?;
        let recorded = judge(session, (experiment, &args.again), (limits, &about), &dir)?;
        return session.print(&format!("{}\n{}\n", line(&recorded), dir.display()));
    }
    let store = session.store()?;
    let conclusion = format!("{experiment}/{}", session.registry.recording.conclusion);
    let run = match args.run {
        Some(run) => run,
        None => last(session, &conclusion)?,
    };
    let story = Story::of(&store, Some(run))?;
    let keep = chosen(&story, experiment, &conclusion, session.registry.recording)?;
    worth(session, args, &story, &dir)?;
    let limits = Limits::beside(&all, experiment)?;
    let keep = |account: &Account| keep.contains(&account.stage);
    let recorded = Recorded::write(&store, story, experiment, &keep, limits, &about, &dir)?;
    session.print(&format!("{}\n{}\n", line(&recorded), dir.display()))
}

/// Refuses a run that shows nothing, and one that is less than what it would replace in `dir`.
fn worth(session: &Session, args: &Record, story: &Story, dir: &Path) -> Result<()> {
    let (id, profile) = (story.run.id, &story.run.profile);
    if session.registry.recording.meaningless.contains(&profile.as_str()) {
        return Err(Error::usage(format!(
            "run {id} is under profile {profile}, whose results have no meaning: it is not recorded"
        ))
        .help("`--profile NAME` or `--run N` chooses another run; `retune runs` lists them"));
    }
    if args.replace || !dir.is_dir() {
        return Ok(());
    }
    let old = Recorded::read(dir)?;
    let new = Recorded::of(story, &args.experiment, session.registry.program);
    if !new.is_less_than(&old) {
        return Ok(());
    }
    let size = |run: &Recorded| {
        let stages = count(run.stages, "stage");
        format!("profile {}, {stages}, {:.1} CPU hours", run.profile, run.cpu_s / 3600.0)
    };
    let message = format!(
        "run {id} ({}) is less than the recorded run that it would replace ({})",
        size(&new),
        size(&old)
    );
    Err(Error::usage(message)
        .help("`--replace` replaces it nevertheless; `--run N` chooses another"))
}

/// The last run under the profile in use that ended with `conclusion`.
fn last(session: &Session, conclusion: &str) -> Result<u64> {
    let profile = session.profile();
    let runs = session.store()?.runs()?.0;
    let fits =
        runs.iter().rev().find(|run| run.profile == profile && run.stages.contains_key(conclusion));
    fits.map(|run| run.id).ok_or_else(|| {
        Error::usage(format!("no run under profile {profile} ended with {conclusion}"))
            .help(format!("`retune run {conclusion} --profile {profile}` makes one"))
    })
}

pub(super) fn recorded(session: &Session) -> Result<()> {
    let all = Recorded::all(&session.recorded())?;
    if all.is_empty() {
        return session.print("no run is recorded; `retune record EXPERIMENT` keeps one\n");
    }
    let lines: Vec<String> = all.iter().map(|(_, recorded)| line(recorded) + "\n").collect();
    session.print(&lines.concat())
}

fn line(recorded: &Recorded) -> String {
    let Recorded { experiment, profile, overrides, cpu_s, stages, kept, judged, .. } = recorded;
    let changed =
        if overrides.is_empty() { String::new() } else { format!(" with {}", overrides.join(" ")) };
    let judged = judged.as_ref().map_or_else(String::new, |judged| {
        format!(
            "; {} judged anew by {}, {}",
            count(judged.stages, "stage"),
            judged.program,
            iso(judged.finished)
        )
    });
    format!(
        "{experiment}: profile {profile}{changed}, {stages} stages in {:.1} CPU hours on {}, {}; the tables of {kept} are \
         here{judged}",
        cpu_s / 3600.0,
        recorded.hardware(),
        iso(recorded.finished),
    )
}
