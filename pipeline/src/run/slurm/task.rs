//! A task of an array, on a node of the cluster: `PROGRAM exec-stage ARRAY --task N` carries out its attempts one
//! after another. Each works in a folder of its own, since the same task may run elsewhere at the same time if the
//! cluster has given up a node too early; the first that ends counts.

use std::{
    fs,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, ExitStatus},
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use nix::sys::signal::Signal;

use super::folder::{Array, Entry, Folder, Outcome, publish, read};
use crate::{
    error::{Error, Result},
    kinds::Kinds,
    machine,
    run::{
        job::{Ending, Job},
        worker::{self, Gpus},
    },
};

/// The body of `PROGRAM exec-stage ARRAY --task N`.
///
/// # Errors
/// When the folder does not contain this task, or nothing can be written there.
pub fn main(kinds: &Kinds, array: &Path, task: usize) -> Result<()> {
    let folder = Folder::around(array);
    let list: Array = read(&array.join("array.json"))?;
    let entries = list
        .tasks
        .get(task)
        .ok_or_else(|| Error::usage(format!("{} has no task {task}", array.display())))?;
    let wrong = |entry: &&Entry| Folder::key(&entry.attempt).is_none();
    if let Some(entry) = entries.iter().find(wrong) {
        let (file, name) = (array.join("array.json"), &entry.attempt);
        return Err(Error::usage(format!("{}: `{name}` is not an attempt", file.display())));
    }
    for entry in entries {
        let over = folder.outcome(&entry.attempt).is_file();
        // The engine no longer needs it, or another job was faster.
        if !over && folder.attempt(&entry.attempt).is_dir() {
            perform(kinds, &folder, entry)?;
        }
    }
    Ok(())
}

fn perform(kinds: &Kinds, folder: &Folder, entry: &Entry) -> Result<()> {
    let attempt = folder.attempt(&entry.attempt);
    let host = machine::host();
    let own = attempt.join(format!("try-{host}-{}", std::process::id()));
    let started = attempt.join("started");
    fs::write(&started, &host).map_err(|e| Error::io("write", &started, &e))?;
    fs::create_dir(&own).map_err(|e| Error::io("create", &own, &e))?;
    let job = Job { dir: own.clone(), ..Job::load(&attempt)? };
    let ending = if let Some(program) = &entry.program {
        in_process(program, &job, entry)?
    } else {
        worker::forget_peak();
        worker::perform(kinds, &job, worker::cpu_seconds().unwrap_or(0.0))?;
        Ending::load(&own)?
    };
    let outcome = Outcome { ending, dir: own.clone() };
    publish(&folder.outcome(&entry.attempt), &own.join("outcome.json"), &outcome)
}

/// Cancelling a job of the cluster signals all its processes, and the worker may die first. That would look like a
/// failure of the stage, so wait to see whether the signal is meant for this process, too.
fn outlive(status: ExitStatus) {
    if [Signal::SIGTERM, Signal::SIGKILL].iter().any(|&s| status.signal() == Some(s as i32)) {
        thread::sleep(Duration::from_secs(2));
    }
}

/// Carries the job out in a worker process, and ends it when its time is up.
fn in_process(program: &Path, job: &Job, entry: &Entry) -> Result<Ending> {
    let gpus = if entry.gpus > 0 { Gpus::Granted } else { Gpus::These(&[]) };
    let mut child = worker::start(program, job, gpus)?;
    let wait = |child: &mut Child| child.wait().map_err(|e| Error::io("wait for", program, &e));
    let Some(limit_s) = entry.timeout_s else {
        let status = wait(&mut child)?;
        outlive(status);
        return Ok(worker::ending(job, status));
    };
    let (pid, (over, watched)) = (child.id(), channel::<()>());
    let watch = thread::spawn(move || {
        let late = watched.recv_timeout(Duration::from_secs(limit_s));
        let late = late == Err(RecvTimeoutError::Timeout);
        if late {
            worker::signal_group(pid, Signal::SIGKILL);
        }
        late
    });
    let status = wait(&mut child)?;
    drop(over);
    let late = watch.join().unwrap_or(false);
    if !late {
        outlive(status);
    }
    Ok(if late && !status.success() {
        Ending::out_of_time(limit_s)
    } else {
        worker::ending(job, status)
    })
}
