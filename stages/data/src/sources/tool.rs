//! Runs an external program with a time limit, keeping its output for the error message.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How often a running program is polled.
const POLL: Duration = Duration::from_millis(20);
/// How much of the end of a program's output goes into an error message.
const LAST_WORDS: usize = 300;

/// Why a program failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// The program is not installed.
    Absent(String),
    /// It could not be started or waited for; the text says why.
    Failed(String),
    /// It ended with this exit status; the text is the end of its output.
    Exited { code: i32, text: String },
}

impl Failure {
    /// The error as text.
    pub(super) fn text(self) -> String {
        match self {
            Self::Absent(program) => format!("`{program}` is not installed"),
            Self::Failed(text) | Self::Exited { text, .. } => text,
        }
    }
}

/// Runs `program` in `folder`, where its output is kept too, and waits at most `limit`.
pub(super) fn run<I, S>(
    program: &str,
    arguments: I,
    folder: &Path,
    search_path: Option<&OsString>,
    limit: Duration,
) -> Result<(), Failure>
where
    I: IntoIterator<Item = S>,
    S: AsRef<OsStr>,
{
    let failed = |error: io::Error| Failure::Failed(format!("cannot run `{program}`: {error}"));
    let log = folder.join(format!("{program}.log"));
    let output = File::create(&log).map_err(failed)?;
    let errors = output.try_clone().map_err(failed)?;
    let mut command = followed(program, search_path);
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(output).stderr(errors);
    if let Some(path) = search_path {
        command.env("PATH", path);
    }
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::Absent(program.to_owned()),
        _ => failed(error),
    })?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        if start.elapsed() >= limit {
            child.kill().and_then(|()| child.wait()).map_err(failed)?;
            let seconds = limit.as_secs();
            return Err(Failure::Failed(format!("`{program}` was stopped after {seconds} s")));
        }
        thread::sleep(POLL);
    };
    if status.success() {
        return Ok(());
    }
    let words = fs::read(&log).unwrap_or_default();
    let text = format!("`{program}` failed ({status}): {}", last_words(&words));
    // A signal has no code.
    Err(Failure::Exited { code: status.code().unwrap_or(-1), text })
}

/// The program, set to be killed when this process ends: a download that nobody waits for could take long.
fn followed(program: &str, search_path: Option<&OsString>) -> Command {
    let path = search_path.cloned().or_else(|| std::env::var_os("PATH")).unwrap_or_default();
    let here = |name: &str| std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    // The error has to report an absent program.
    if !cfg!(target_os = "linux") || !here("setpriv") || !here(program) {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", program]);
    command
}

/// The end of what a program wrote, on one line.
fn last_words(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let excess = line.chars().count().saturating_sub(LAST_WORDS);
    line.chars().skip(excess).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn try_run(program: &str, arguments: &[&str], limit: Duration) -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        run(program, arguments, folder.path(), None, limit).map_err(Failure::text)
    }

    #[test]
    fn a_failure_carries_the_last_words() {
        let said = try_run("sh", &["-c", "echo no such thing; exit 3"], Duration::from_secs(20));
        assert!(said.unwrap_err().ends_with("no such thing"));
    }

    #[test]
    fn an_absent_program_is_named() {
        let said = try_run("no-such-program-here", &[], Duration::from_secs(20));
        assert_eq!(said.unwrap_err(), "`no-such-program-here` is not installed");
    }

    #[test]
    fn a_program_that_hangs_is_stopped() {
        let said = try_run("sleep", &["60"], Duration::from_millis(50));
        assert!(said.unwrap_err().contains("was stopped"));
    }

    const MARK: &str = "RETUNE_TEST_SLEEPS_FOR";

    /// Run by the test below as a process of its own.
    #[test]
    fn sleeps_where_it_is_asked_to() {
        if let Ok(seconds) = std::env::var(MARK) {
            drop(try_run("sleep", &[&seconds], Duration::from_mins(2)));
        }
    }

    /// The processes that sleep for exactly this long.
    #[cfg(target_os = "linux")]
    fn sleepers(seconds: &str) -> usize {
        let wanted = format!("sleep\0{seconds}\0");
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
        lines.filter(|line| line == wanted.as_bytes()).count()
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_program_ends_with_the_process_that_started_it() {
        let seconds = format!("61.{}", std::process::id());
        let name = "sources::tool::tests::sleeps_where_it_is_asked_to";
        let mut worker = Command::new(std::env::current_exe().unwrap());
        worker.args(["--exact", name]).env(MARK, &seconds).stdout(Stdio::null());
        let mut worker = worker.spawn().unwrap();
        let wait = |wanted: usize| {
            let start = Instant::now();
            while sleepers(&seconds) != wanted && start.elapsed() < Duration::from_secs(20) {
                thread::sleep(POLL);
            }
            sleepers(&seconds)
        };
        assert_eq!(wait(1), 1, "it was started");
        worker.kill().unwrap();
        worker.wait().unwrap();
        assert_eq!(wait(0), 0, "nobody waits for it any more");
    }
}
