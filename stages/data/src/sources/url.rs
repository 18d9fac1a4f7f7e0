//! Downloads from the publisher's own address with `curl`.

use std::fs;
use std::thread;
use std::time::Duration;

use super::super::places::Places;
use super::tool;

/// Time limit for one file, seconds; `curl` observes it too, this is the outer bound.
const LIMIT_SECONDS: u64 = 900;
/// How often a file is requested, and how long the next attempt waits.
const ATTEMPTS: usize = 3;
const PAUSE: Duration = Duration::from_secs(1);
/// The exit status of `curl` if no name server knows the host, or there is no name server.
const UNRESOLVED: i32 = 6;

/// The bytes at `url`. The partial file of an unfinished download is removed.
///
/// # Errors
/// A line that says why the download failed.
pub fn download(url: &str, places: &Places) -> Result<Vec<u8>, String> {
    let scratch = tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))?;
    let file = scratch.path().join("download");
    let limit = LIMIT_SECONDS.to_string();
    let arguments = ["-fsSL", "--connect-timeout", "10", "--max-time", &limit];
    let arguments = arguments.into_iter().chain(["--output", "download", url]);
    let longest = Duration::from_secs(LIMIT_SECONDS + 10);
    let ask = || {
        tool::run("curl", arguments.clone(), scratch.path(), places.search_path.as_ref(), longest)
    };
    let mut asked = ask();
    for _ in 1..ATTEMPTS {
        // A name that cannot be resolved will not be resolved a second later either.
        if matches!(&asked, Err(tool::Failure::Exited { code, .. }) if *code != UNRESOLVED) {
            thread::sleep(PAUSE);
            asked = ask();
        }
    }
    asked.map_err(tool::Failure::text)?;
    fs::read(&file).map_err(|error| format!("`curl` left no file: {error}"))
}
