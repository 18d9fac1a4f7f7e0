//! Stand-ins for the outside programs, for tests.

use std::path::Path;
use std::process::Command;

/// Puts a shell script at `path`. Another process writes it: a file that this process has open for writing
/// while a concurrent test forks could not be executed ("text file busy").
pub(crate) fn install_client(path: &Path, script: &str) {
    let write = "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 755 \"$1\"";
    let mut command = Command::new("sh");
    command.args(["-c", write, "sh"]).arg(path).arg(script);
    assert!(command.status().unwrap().success(), "cannot write {}", path.display());
}
