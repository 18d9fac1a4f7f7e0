//! Worker processes: `PROGRAM exec-stage DIR ENGINE` runs one job in a process group of its own, which ends when it
//! is told to, when its time is up, or when the engine is gone. `PROGRAM serve-stages ENGINE` does the same for one
//! job after another.

use std::{
    env,
    ffi::OsString,
    fs::File,
    io::{BufRead, Seek, Write, stdin},
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        process::{CommandExt, ExitStatusExt},
    },
    path::{Path, PathBuf},
    process::{self, Child, Command, ExitStatus, Stdio},
    sync::{Arc, atomic::AtomicBool},
};

use nix::{
    sys::{resource, signal},
    unistd::Pid,
};

use super::{
    job::{Ending, Job, Report},
    sandbox,
};
use crate::{
    disk::Disk,
    error::{Error, Exit, Result},
    kernels::Kernels,
    kinds::Kinds,
    machine::Machine,
    regular,
    store::record::Cost,
};

/// Which GPUs a worker may use.
#[derive(Clone, Copy)]
pub(super) enum Gpus<'a> {
    /// Those with these ids.
    These(&'a [usize]),
    /// Those that this process was granted: its environment names them.
    Granted,
}

/// Starts a worker for the job saved in `dir`.
pub(super) fn start(program: &Path, job: &Job, gpus: Gpus) -> Result<Child> {
    job.save()?;
    let out = log(&job.dir)?;
    let err = out.try_clone().map_err(|e| Error::io("open", &job.dir.join(LOG), &e))?;
    let mut command = command(program, job.threads, gpus);
    command.arg("exec-stage").arg(&job.dir).arg(process::id().to_string());
    command.stdin(Stdio::null()).stdout(out).stderr(err);
    if job.sandbox.is_some() {
        // The only folder that it may write to.
        let dir = std::path::absolute(&job.dir).map_err(|e| Error::io("find", &job.dir, &e))?;
        command.env("TMPDIR", dir);
    }
    command.spawn().map_err(|e| Error::io("start a worker of", program, &e))
}

/// The output of a worker, in its job's folder.
const LOG: &str = "log";

/// Space that is reserved in advance for a worker's last message: when it reports that the disk is full, the disk is
/// full.
const WORDS: usize = 4096;

fn log(dir: &Path) -> Result<File> {
    let path = dir.join(LOG);
    let mut file = File::create(&path).map_err(|e| Error::io("create", &path, &e))?;
    let reserved = file.write_all(&[0; WORDS]).and_then(|()| file.rewind());
    reserved.map_err(|e| Error::io("write", &path, &e))?;
    Ok(file)
}

/// The environment of a process that carries out stages with this many threads.
#[must_use]
pub fn environment(threads: usize) -> Vec<(&'static str, String)> {
    let mut variables = vec![
        ("RAYON_NUM_THREADS", threads.to_string()),
        // One BLAS thread: stages are the unit of parallelism.
        ("OPENBLAS_NUM_THREADS", "1".to_owned()),
        ("OMP_NUM_THREADS", threads.to_string()),
    ];
    if cfg!(target_arch = "x86_64") {
        // One kernel family on every x86-64 machine with AVX2: otherwise OpenBLAS would choose by model and round
        // differently.
        variables.push(("OPENBLAS_CORETYPE", "Haswell".to_owned()));
    }
    let family = Kernels::here().environment();
    variables.extend(family.into_iter().map(|(name, value)| (name, value.to_owned())));
    variables
}

/// The file to execute for `program`. If that is the program that runs, and a build has replaced it meanwhile, it is
/// the file that was there before: another one's stages could have other code than was planned.
fn image(program: &Path) -> PathBuf {
    let own = env::current_exe().unwrap_or_default().into_os_string().into_vec();
    // How the kernel marks a file that is no longer at its path.
    if own.strip_suffix(b" (deleted)") == Some(program.as_os_str().as_bytes()) {
        format!("/proc/{}/exe", process::id()).into()
    } else {
        program.into()
    }
}

/// The command of a worker with this many threads and these GPUs, in a process group of its own.
pub(super) fn command(program: &Path, threads: usize, gpus: Gpus) -> Command {
    let mut command = Command::new(image(program));
    command.arg0(program).process_group(0).envs(environment(threads));
    if let Gpus::These(ids) = gpus {
        let ids: Vec<_> = ids.iter().map(usize::to_string).collect();
        command.env("CUDA_VISIBLE_DEVICES", ids.join(","));
    }
    command
}

/// What a worker that has ended left behind.
pub(super) fn ending(job: &Job, status: ExitStatus) -> Ending {
    let ending = match Ending::load(&job.dir) {
        Ok(ending) if status.success() => ending,
        _ => {
            let how = match (status.signal(), status.code()) {
                (Some(9), _) => "was killed (signal 9; out of memory, perhaps)".to_owned(),
                (Some(signal), _) => format!("was ended by signal {signal}"),
                (None, code) => format!("exited with {}", code.unwrap_or(-1)),
            };
            let tail = tail(&job.dir.join(LOG));
            if status.code() == Some(Exit::Store as i32) {
                refused(&job.dir, &tail)
            } else {
                Ending::Failed(format!("worker {how}{tail}"))
            }
        }
    };
    if job.sandbox.is_some() { sandbox::explained(ending) } else { ending }
}

/// The worker could not use its folder: its last message, for which space was reserved, says why.
fn refused(dir: &Path, tail: &str) -> Ending {
    let said = |mark: &str| {
        let found = tail.lines().find_map(|line| line.strip_prefix("  | ")?.strip_prefix(mark));
        found.map(str::to_owned)
    };
    let what = said("error: ")
        .unwrap_or_else(|| format!("a worker could not use its folder {}{tail}", dir.display()));
    Ending::Refused(what, said("help: "))
}

/// The last lines that a worker printed.
fn tail(log: &Path) -> String {
    let text = regular::last(log, 1 << 16).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<_> = text.trim_end_matches('\0').lines().rev().take(12).collect();
    lines.iter().rev().map(|line| format!("\n  | {line}")).collect()
}

/// Signals a worker and everything that it started.
pub(super) fn signal_group(pid: u32, signal: signal::Signal) {
    if let Ok(pid) = i32::try_from(pid) {
        // It may have ended just now; then there is nothing left to signal.
        let _ = signal::killpg(Pid::from_raw(pid), signal);
    }
}

/// The body of `PROGRAM exec-stage DIR [ENGINE]`, where `ENGINE` is the process that it works for.
///
/// # Errors
/// When the engine is gone, the folder does not contain a job, or the result cannot be written there.
pub fn main(kinds: &Kinds, dir: &Path, engine: Option<i32>) -> Result<()> {
    follow(engine)?;
    let job = Job::load(dir)?;
    if let Some(allowed) = &job.sandbox {
        sandbox::enter(&job, allowed)?;
    }
    perform(kinds, &job, 0.0)
}

/// The body of `PROGRAM serve-stages ENGINE`: reads folders of jobs, each terminated by a zero byte, from standard
/// input, which is a socket; answers each with one byte once its ending is written.
///
/// # Errors
/// When the engine is gone, a folder does not contain a job, or a result cannot be written there.
pub fn serve(kinds: &Kinds, engine: i32) -> Result<()> {
    follow(Some(engine))?;
    let line = |e: std::io::Error| Error::usage(format!("cannot hear the engine: {e}")).because(e);
    loop {
        let mut dir = Vec::new();
        stdin().lock().read_until(0, &mut dir).map_err(line)?;
        if dir.pop() != Some(0) {
            return Ok(());
        }
        let dir = PathBuf::from(OsString::from_vec(dir));
        let log = log(&dir)?;
        nix::unistd::dup2_stdout(&log).map_err(|e| line(e.into()))?;
        nix::unistd::dup2_stderr(&log).map_err(|e| line(e.into()))?;
        forget_peak();
        perform(kinds, &Job::load(&dir)?, cpu_seconds().unwrap_or(0.0))?;
        nix::unistd::write(stdin(), b"!").map_err(|e| line(e.into()))?;
    }
}

/// Resets the peak memory, so that that of the previous job does not count for the next one.
pub(super) fn forget_peak() {
    drop(std::fs::write("/proc/self/clear_refs", "5"));
}

/// Ends this process when the engine ends: otherwise it would compute for nobody.
fn follow(engine: Option<i32>) -> Result<()> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_pdeathsig(signal::Signal::SIGKILL)
        .map_err(|e| Error::usage(format!("cannot follow the engine's end: {e}")).because(e))?;
    // The engine may have ended before that took effect.
    if engine.is_some_and(|engine| nix::unistd::getppid().as_raw() != engine) {
        return Err(Error::new(Exit::Interrupted, "the engine that started this worker is gone"));
    }
    Ok(())
}

/// Carries the job out and writes its ending; CPU time counts from `since`.
pub(super) fn perform(kinds: &Kinds, job: &Job, since: f64) -> Result<()> {
    let ending = match job.execute(kinds, Arc::new(AtomicBool::new(false)), &Disk::default(), true)
    {
        Ending::Done(report) => {
            let cpu_s = cpu_seconds().map(|seconds| seconds - since);
            let cost = Cost { cpu_s, peak_mib: peak_mib(), ..report.cost };
            Ending::Done(Report { cost, machine: Some(Box::new(Machine::here())), ..report })
        }
        other => other,
    };
    ending.save(&job.dir)
}

/// The CPU time that the operating system counted for this process.
pub(super) fn cpu_seconds() -> Option<f64> {
    let usage = resource::getrusage(resource::UsageWho::RUSAGE_SELF).ok()?;
    Some(seconds(usage.user_time()) + seconds(usage.system_time()))
}

/// Peak resident memory since the job started (what `getrusage` reports includes the parent's
/// at the moment of the fork).
fn peak_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib / 1024)
}

fn seconds(time: nix::sys::time::TimeVal) -> f64 {
    time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6
}
