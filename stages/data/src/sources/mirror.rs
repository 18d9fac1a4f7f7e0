//! The mirror: a folder of data files kept by hand, which is only read.

use std::fs;
use std::path::Path;

/// Bytes of `path` below the mirror folder.
///
/// # Errors
/// A line that names the file and the system's error.
pub fn read(mirror: &Path, path: &str) -> Result<Vec<u8>, String> {
    let file = mirror.join(path);
    fs::read(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}
