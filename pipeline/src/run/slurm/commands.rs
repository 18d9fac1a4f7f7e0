//! The three commands of Slurm that are used, and their output: `sbatch`, `squeue`, `scancel`.

use std::{
    collections::HashMap,
    io::Write,
    process::{Command, Output, Stdio},
};

use crate::error::{Error, Result};

/// What the cluster reports about a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// `PENDING`, `RUNNING`, `NODE_FAIL` and so on.
    pub(super) state: String,
    /// Why it waits or how it ended.
    pub(super) reason: String,
    /// The cluster's identifier of it: `123_4`.
    pub(super) id: String,
}

impl Seen {
    /// Whether it is still waiting or running.
    pub(super) fn alive(&self) -> bool {
        const OVER: [&str; 9] = [
            "BOOT_FAIL",
            "CANCELLED",
            "COMPLETED",
            "DEADLINE",
            "FAILED",
            "NODE_FAIL",
            "OUT_OF_MEMORY",
            "PREEMPTED",
            "TIMEOUT",
        ];
        !OVER.contains(&self.state.as_str()) && !self.stuck()
    }

    /// Whether the cluster could not start it and waits for an administrator.
    pub(super) fn stuck(&self) -> bool {
        self.state == "PENDING" && self.reason.replace('_', " ").contains("launch failed")
    }
}

/// The queue of this user's jobs: (name of the array, task) → its state.
pub(super) type View = HashMap<(String, usize), Seen>;

/// Queries all jobs of this user at once, including those that ended recently.
///
/// # Errors
/// When `squeue` gives no answer: then nothing is known.
pub(super) fn queue() -> Result<View> {
    let mut squeue = Command::new("squeue");
    // One line per task; `--me` is this user.
    squeue.args(["--noheader", "--array", "--me", "--states=all", "--format=%i|%T|%r|%j"]);
    let output = answer(&mut squeue, None)?;
    Ok(parse(&String::from_utf8_lossy(&output.stdout)))
}

fn parse(text: &str) -> View {
    let mut view = View::new();
    for line in text.lines() {
        let mut words = line.splitn(4, '|');
        let mut word = || words.next().unwrap_or_default().trim().to_owned();
        let (id, state, reason, name) = (word(), word(), word(), word());
        let Some(task) = id.rsplit_once('_').and_then(|(_, task)| task.parse().ok()) else {
            continue; // not a task of an array
        };
        view.insert((name, task), Seen { state, reason, id });
    }
    view
}

/// Why a submission was refused.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The cluster has no such node, and nothing will change that.
    Impossible(String),
    /// The flags or settings are wrong.
    Wrong(String),
    /// It may succeed later.
    Later(String),
}

/// Submits a script; returns the number of the job.
pub(super) fn submit(flags: &[String], script: &str) -> Result<u64, Refusal> {
    let mut sbatch = Command::new("sbatch");
    sbatch.arg("--parsable").args(flags);
    match answer(&mut sbatch, Some(script)) {
        Err(e) => Err(refusal(e.to_string())),
        Ok(output) => {
            // With several clusters, the output is `NUMBER;CLUSTER`.
            let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            let number = text.split(';').next().and_then(|number| number.parse().ok());
            number.ok_or_else(|| Refusal::Later(format!("sbatch said `{text}`")))
        }
    }
}

fn refusal(said: String) -> Refusal {
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if has(&["node configuration is not available", "Memory specification can not be satisfied"]) {
        Refusal::Impossible(said)
    } else if has(&[
        "nvalid partition",
        "nvalid account",
        "nvalid qos",
        "nvalid generic resource",
        "nvalid feature",
        "nvalid --",
        "unrecognized option",
        "cannot start",
    ]) {
        Refusal::Wrong(said)
    } else {
        Refusal::Later(said)
    }
}

/// Cancels these jobs. It is not an error if some have ended already.
pub(super) fn cancel(ids: &[u64]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let mut scancel = Command::new("scancel");
    scancel.arg("--quiet").args(ids.iter().map(u64::to_string));
    answer(&mut scancel, None).map(drop)
}

/// The output of a command, if it succeeded.
fn answer(command: &mut Command, input: Option<&str>) -> Result<Output> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |why: String| Error::usage(why).help("is this a machine of the cluster?");
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child =
        command.spawn().map_err(|e| failed(format!("cannot start {name}: {e}")).because(e))?;
    if let (Some(text), Some(mut pipe)) = (input, child.stdin.take()) {
        // A command that fails early does not read it; its output says why.
        drop(pipe.write_all(text.as_bytes()));
    }
    let output = child
        .wait_with_output()
        .map_err(|e| failed(format!("cannot hear {name}: {e}")).because(e))?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
    Err(failed(format!("{name} failed: {said}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_is_understood() {
        let view = parse(
            "7_0|RUNNING|None|retune-a\n7_1|PENDING|Resources|retune-a\n8|RUNNING|None|other\n\
             9_12|CANCELLED|None|retune-b\n9_3|PENDING|launch failed requeued held|retune-b\n",
        );
        let seen = |name: &str, task| &view[&(name.to_owned(), task)];
        assert_eq!(view.len(), 4, "a job of no array is nobody's");
        assert!(seen("retune-a", 0).alive() && seen("retune-a", 1).alive());
        assert_eq!(seen("retune-a", 1).reason, "Resources");
        assert!(!seen("retune-b", 12).alive());
        assert!(seen("retune-b", 3).stuck() && !seen("retune-b", 3).alive());
    }

    #[test]
    fn refusals_are_told_apart() {
        let words = |text: &str| refusal(format!("sbatch failed: sbatch: error: {text}"));
        let impossible =
            "Batch job submission failed: Requested node configuration is not available";
        assert!(matches!(words(impossible), Refusal::Impossible(_)));
        let wrong = "invalid partition specified: no-such";
        assert!(matches!(words(wrong), Refusal::Wrong(_)));
        let later = "Batch job submission failed: Socket timed out on send/recv operation";
        assert!(matches!(words(later), Refusal::Later(_)));
    }
}
