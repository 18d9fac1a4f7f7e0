//! The publisher's own address, asked with `curl`. Knows no hash.

use std::fs;
use std::time::Duration;

use super::super::places::Places;
use super::tool;

/// Longest time for one file, seconds; `curl` keeps it too, this is the outer bound.
const LIMIT_SECONDS: u64 = 900;

/// Bytes at `url`. What arrived of an unfinished download is removed.
///
/// # Errors
/// A line that says why nothing came.
pub fn download(url: &str, places: &Places) -> Result<Vec<u8>, String> {
    let scratch = tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))?;
    let file = scratch.path().join("download");
    let limit = LIMIT_SECONDS.to_string();
    let arguments = ["-fsSL", "--retry", "2", "--retry-delay", "1", "--connect-timeout", "10"]
        .into_iter()
        .chain(["--max-time", &limit, "--output", "download", url]);
    let longest = Duration::from_secs(3 * LIMIT_SECONDS);
    tool::run("curl", arguments, scratch.path(), places.search_path.as_ref(), longest)
        .map_err(tool::Failure::text)?;
    fs::read(&file).map_err(|error| format!("`curl` left no file: {error}"))
}
