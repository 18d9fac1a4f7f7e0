//! One attempt on the cluster, and what to do when its task is over and left no ending: submit it again, or report it
//! as failed.

use std::{fs, time::Instant};

use super::{
    commands::{Seen, View},
    folder::{Entry, Folder},
    pack::{Ready, absolute},
    settings::Settings,
};
use crate::{
    regular,
    run::{
        executor::{Order, Site},
        job::Job,
    },
    stage::Needs,
};

/// Where an attempt was submitted.
#[derive(Clone, Debug)]
pub(super) struct Out {
    pub(super) attempt: String,
    pub(super) array: String,
    pub(super) task: usize,
    since: Instant,
    /// In how many queries in a row its task was not seen.
    missed: u32,
}

impl Out {
    pub(super) fn new(attempt: &str, array: &str, task: usize) -> Self {
        let (attempt, array) = (attempt.to_owned(), array.to_owned());
        Self { attempt, array, task, since: Instant::now(), missed: 0 }
    }
}

/// An attempt of this run.
pub(super) struct Flight {
    pub(super) token: usize,
    pub(super) job: Job,
    needs: Needs,
    expected_s: Option<f64>,
    pub(super) out: Option<Out>,
    /// Its ending is known and on its way to the engine.
    pub(super) over: bool,
    lost: u32,
}

/// On a shared file system, an ending may become visible a little later than the job's end.
const LOOKS: u32 = 2;

impl Flight {
    pub(super) fn new(token: usize, order: Order) -> Self {
        let Order { job, needs, expected_s, .. } = order;
        Self { token, job, needs, expected_s, out: None, over: false, lost: 0 }
    }

    /// What is submitted for it.
    pub(super) fn ready(&self, name: &str, site: &Site) -> Option<Ready> {
        let in_process = self.needs.worker || self.job.sandbox.is_some();
        let entry = Entry {
            attempt: name.to_owned(),
            program: in_process.then(|| absolute(&site.program(&self.needs))),
            gpus: self.needs.gpus,
            timeout_s: self.needs.timeout_s,
        };
        let (needs, expected_s) = (self.needs.clone(), self.expected_s);
        (!self.over).then_some(Ready { entry, needs, expected_s })
    }

    pub(super) fn sent(&mut self, out: Out) {
        self.out = Some(out);
    }

    /// What becomes of it after a query of the queue that began at `begun`: nothing (`None`); or it is no longer on
    /// the cluster and is submitted again (`Ok`) or has failed (`Err`), with the reason.
    pub(super) fn judge(
        &mut self,
        name: &str,
        begun: Instant,
        view: &View,
        folder: &Folder,
        settings: &Settings,
    ) -> Option<Result<String, String>> {
        let out = self.out.as_mut().filter(|out| !self.over && out.since < begun)?;
        let seen = view.get(&(out.array.clone(), out.task));
        if seen.is_some_and(Seen::alive) {
            out.missed = 0;
            return None;
        }
        out.missed += 1;
        if out.missed < LOOKS {
            return None;
        }
        if let Some(stuck) = seen.filter(|seen| seen.stuck()) {
            // It would start some day, in parallel with the attempt that replaces it.
            cancel_task(stuck);
        }
        let (array, task) = (out.array.clone(), out.task);
        let began = folder.attempt(name).join("started").is_file();
        let state = seen.map_or("unknown to the cluster", |seen| seen.state.as_str());
        let job = seen.map_or_else(|| format!("{array}, task {task}"), |seen| seen.id.clone());
        let why = match state {
            "TIMEOUT" if began => {
                Err(format!("its Slurm job {job} took longer than the cluster allowed (TIMEOUT)"))
            }
            "OUT_OF_MEMORY" if began => Err(format!(
                "its Slurm job {job} needed more memory than it asked for, {} MiB (OUT_OF_MEMORY)",
                self.needs.memory_mib + settings.program_mib
            )),
            "FAILED" if began => {
                let said =
                    regular::last(&folder.array(&array).join(format!("out-{task}")), 1 << 16);
                let said = said.unwrap_or_default();
                let said = String::from_utf8_lossy(&said);
                let lines: Vec<_> = said.lines().rev().take(12).collect();
                let tail: String = lines.iter().rev().map(|line| format!("\n  | {line}")).collect();
                Err(format!("its Slurm job {job} failed{tail}"))
            }
            _ => Ok(format!("its Slurm job {job} is {state} and left no ending")),
        };
        let why = match why {
            Ok(why) if self.lost >= settings.resubmissions => {
                Err(format!("{why}, after it had gone out {} times", self.lost + 1))
            }
            why => why,
        };
        if why.is_ok() {
            self.lost += 1;
            self.out = None;
            // The next job that starts on it is another one.
            drop(fs::remove_file(folder.attempt(name).join("started")));
        }
        Some(why)
    }
}

fn cancel_task(seen: &Seen) {
    let mut scancel = std::process::Command::new("scancel");
    // If this fails, the task finds its attempt done and does nothing.
    drop(scancel.arg("--quiet").arg(&seen.id).output());
}
