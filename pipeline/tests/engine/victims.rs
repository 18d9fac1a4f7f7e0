//! The workers of a running engine, to be killed.

use std::{
    fs,
    process::Child,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

/// The live processes that `engine` started.
pub fn workers(engine: &Child) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{}/task", engine.id())).into_iter().flatten();
    let children = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("children"));
    let lists = threads.flatten().filter_map(|thread| children(thread).ok());
    let pids = |list: String| list.split(' ').filter_map(|p| p.parse().ok()).collect::<Vec<_>>();
    lists.flat_map(pids).map(Pid::from_raw).collect()
}

/// Kills one worker, if there is one within a short time.
pub fn kill_worker(engine: &mut Child, which: u64) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(40)
        && engine.try_wait().is_ok_and(|e| e.is_none())
    {
        let workers = workers(engine);
        let at = usize::try_from(which).unwrap_or(0) % workers.len().max(1);
        if workers.get(at).is_some_and(|&pid| kill(pid, Signal::SIGKILL).is_ok()) {
            return true;
        }
    }
    false
}
