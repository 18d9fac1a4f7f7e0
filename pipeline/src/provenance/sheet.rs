//! An artifact-evaluation sheet in Markdown: the ACM's badges and a reproducibility checklist, filled in from the
//! records. What no record can know is left to a person, as an empty box.

use std::{collections::BTreeMap, fmt::Write};

use super::{Account, Story};
use crate::{
    error::Result,
    kinds::Kinds,
    machine::iso,
    registry::Registry,
    store::{Health, Store},
};

/// The sheet of a run.
///
/// # Errors
/// When the records or an artifact exist but cannot be read.
pub fn write(store: &Store, story: &Story, registry: &Registry) -> Result<String> {
    let program = registry.program;
    let facts = Facts::of(store, &registry.kinds, story)?;
    let mut text = String::new();
    let run = &story.run;
    let stated = run.command(program);
    let command = stated.clone().unwrap_or_else(|| format!("{program} run ____{}", run.options()));
    let _ = write!(
        text,
        "# Artifact evaluation: run {} of {program}\n\n\
         Filled from the records of the run that ended {} on {}. A box is ticked where the records \
         show it; an empty box is for a person to judge.\n\n",
        run.id,
        iso(run.finished),
        run.host
    );
    facts.badges(&mut text, &command);
    facts.checklist(&mut text, &command, stated.is_some());
    machines(&mut text, story);
    costs(&mut text, story);
    Ok(text)
}

/// The facts on which the badges and the checklist rest.
struct Facts<'a> {
    story: &'a Story,
    artifacts: usize,
    sound: usize,
    bytes: u64,
    repeated: usize,
    same: usize,
}

impl<'a> Facts<'a> {
    fn of(store: &Store, kinds: &Kinds, story: &'a Story) -> Result<Self> {
        let makers = story.makers();
        let (mut sound, mut bytes) = (0, 0);
        for digest in makers.keys() {
            if store.hash_health(*digest)? == Health::Sound {
                sound += 1;
                let path = store.object(*digest);
                bytes += std::fs::metadata(path).map_or(0, |meta| meta.len());
            }
        }
        let records = store.records()?;
        let (mut repeated, mut same) = (0, 0);
        for account in &story.accounts {
            let outputs = kinds.get(&account.kind).map_or(&[][..], |kind| kind.outputs);
            let measured = |name: &str| outputs.iter().any(|o| o.name == name && o.measured);
            for repeat in records.repeats(account.key).iter().filter(|r| !measured(&r.output)) {
                repeated += 1;
                same += usize::from(repeat.same);
            }
        }
        Ok(Self { story, artifacts: makers.len(), sound, bytes, repeated, same })
    }

    fn badges(&self, text: &mut String, command: &str) {
        let (told, stages) = (self.story.accounts.len(), self.story.run.stages.len());
        let complete = told == stages && self.sound == self.artifacts && stages > 0;
        let repeats = self.same == self.repeated && self.repeated > 0;
        let mut line = |done: bool, what: &str, why: String| {
            let _ = writeln!(text, "- [{}] **{what}**: {why}", if done { 'x' } else { ' ' });
        };
        line(
            false,
            "Artifacts Available",
            "placed in an archive with a permanent identifier (`export ro-crate` makes what to \
             place); identifier: ____"
                .to_owned(),
        );
        line(
            complete,
            "Artifacts Evaluated, Functional: complete",
            format!(
                "{told} of {stages} stages have a record; the content of {} of {} artifacts ({} MiB) \
                 is what was recorded",
                self.sound,
                self.artifacts,
                self.bytes >> 20
            ),
        );
        line(
            repeats,
            "Artifacts Evaluated, Functional: consistent",
            format!(
                "{} outputs were computed more than once under one key, {} of them to the same bytes",
                self.repeated, self.same
            ),
        );
        line(
            false,
            "Artifacts Evaluated, Functional: exercisable",
            format!("an evaluator has run `{command}`"),
        );
        line(
            false,
            "Artifacts Evaluated, Reusable",
            "documented and structured so that others can build on it".to_owned(),
        );
        line(
            false,
            "Results Reproduced",
            "another team got the results with these artifacts; `diff` compares two runs"
                .to_owned(),
        );
        line(
            false,
            "Results Replicated",
            "another team got the results without these artifacts".to_owned(),
        );
        text.insert_str(
            text.find("- [").unwrap_or(0),
            "## Badges (ACM, Artifact Review and Badging 1.1)\n\n",
        );
    }

    fn checklist(&self, text: &mut String, command: &str, stated: bool) {
        let accounts = &self.story.accounts;
        let any = !accounts.is_empty();
        let environments = &self.story.environments;
        let every = |fits: &dyn Fn(&Account) -> bool| any && accounts.iter().all(fits);
        let count = |fits: &dyn Fn(&Account) -> bool| accounts.iter().filter(|a| fits(a)).count();
        let built = every(&|account| {
            account.environment.is_some_and(|digest| environments.contains_key(&digest))
        });
        let mut revisions: Vec<_> =
            environments.values().filter_map(|e| e.revision.as_deref()).collect();
        revisions.sort_unstable();
        revisions.dedup();
        let clean = !revisions.is_empty() && revisions.iter().all(|r| !r.ends_with("-dirty"));
        let mut libraries: Vec<_> =
            environments.values().flat_map(|e| &e.program.libraries).collect();
        libraries.sort();
        libraries.dedup();
        let hashed = every(&|account| account.code_parts.iter().all(|(_, d)| d != "unhashed"));
        let seeded = count(&|account| account.seed.is_some());
        let files: usize = accounts.iter().map(|account| account.files.len()).sum();
        let _ = write!(text, "\n## Reproducibility checklist\n\n");
        let mut line = |done: bool, what: String| {
            let _ = writeln!(text, "- [{}] {what}", if done { 'x' } else { ' ' });
        };
        let targets = if stated { "" } else { " (the run's targets were not recorded)" };
        line(any && stated, format!("The command is stated: `{command}`{targets}"));
        line(hashed, "The code of every result is known by digest".to_owned());
        line(
            clean,
            format!("The code is a committed revision: {}", or_none(&revisions.join(", "))),
        );
        line(
            built,
            format!("Compiler and versions of all {} libraries are recorded", libraries.len()),
        );
        line(any, "Every parameter of every stage is recorded".to_owned());
        line(any, format!("Randomness comes from recorded seeds alone ({seeded} stages use any)"));
        line(any, format!("Input files are pinned by content ({files} uses of files)"));
        line(
            built,
            "Processor, memory, GPUs and system of every execution are recorded".to_owned(),
        );
        line(any, "Elapsed time of every execution is recorded".to_owned());
        let measured = count(&|account| account.cost.peak_mib.is_some());
        let all = accounts.len();
        line(
            measured == all && any,
            format!(
                "Peak memory is recorded: of {measured} of {all} stages (those in a process of their own)"
            ),
        );
        line(false, "The number of repeats and the statistics are justified".to_owned());
        line(false, "Licences of code and data allow this use".to_owned());
        line(false, "Departures from the paper are listed and explained".to_owned());
    }
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "none recorded" } else { text }
}

fn machines(text: &mut String, story: &Story) {
    let _ = write!(
        text,
        "\n## Machines\n\n| host | processor | processors | memory, MiB | GPUs | system | stages |\n\
         |---|---|---:|---:|---|---|---:|\n"
    );
    let mut rows = BTreeMap::new();
    for account in &story.accounts {
        let environment = account.environment.and_then(|digest| story.environments.get(&digest));
        let row = environment.map_or_else(
            || format!("| {} | | | | | |", account.host),
            |environment| {
                let m = &environment.machine;
                format!(
                    "| {} | {} | {} | {} | {} | {} |",
                    m.host,
                    m.processor,
                    m.processors,
                    m.memory_mib,
                    m.gpus.join(", "),
                    m.system
                )
            },
        );
        *rows.entry(row).or_insert(0) += 1;
    }
    for (row, stages) in rows {
        let _ = writeln!(text, "{row} {stages} |");
    }
}

fn costs(text: &mut String, story: &Story) {
    let _ = write!(
        text,
        "\n## Cost by kind of stage\n\n| kind | stages | elapsed, s | CPU, s | GPU, s | largest memory, MiB |\n\
         |---|---:|---:|---:|---:|---:|\n"
    );
    let mut kinds: BTreeMap<&str, Vec<&Account>> = BTreeMap::new();
    for account in &story.accounts {
        kinds.entry(&account.kind).or_default().push(account);
    }
    for (kind, accounts) in kinds {
        let sum = |seconds: &dyn Fn(&Account) -> f64| -> f64 {
            accounts.iter().map(|account| seconds(account)).sum()
        };
        let gpu = sum(&|account| account.cost.wall_s * account.gpus as f64);
        let peak = accounts.iter().filter_map(|account| account.cost.peak_mib).max();
        let _ = writeln!(
            text,
            "| {kind} | {} | {:.1} | {:.1} | {gpu:.1} | {} |",
            accounts.len(),
            sum(&|account| account.cost.wall_s),
            sum(&Account::cpu_s),
            peak.map_or_else(|| "not measured".to_owned(), |mib| mib.to_string())
        );
    }
}
