//! `retune-site [ARTIFACTS [REPORT]]`: writes the pages; by default from `artifacts` into its folder
//! `report`.

use std::{env, io::Write, path::PathBuf, process::ExitCode};

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1).map(PathBuf::from);
    let artifacts = arguments.next().unwrap_or_else(|| "artifacts".into());
    let report = arguments.next().unwrap_or_else(|| artifacts.join("report"));
    // A closed pipe is no trouble: the pages are written.
    match site::write(&artifacts, &report, None) {
        Ok(written) => {
            let text = format!("{} files in {}\n", written.len(), report.display());
            drop(std::io::stdout().write_all(text.as_bytes()));
            ExitCode::SUCCESS
        }
        Err(error) => {
            drop(std::io::stderr().write_all(format!("error: {error}\n").as_bytes()));
            ExitCode::from(3)
        }
    }
}
