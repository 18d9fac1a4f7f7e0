//! `retune open`: shows a page of the report in the browser. Nothing is served: the page is a file.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command as Process, Stdio},
};

use clap::{Arg, ArgAction, ArgMatches};
use pipeline::{
    cli::{Command, Session, manual::Example},
    error::{Error, Result, suggestion},
};

/// The command.
pub struct Open;

impl Command for Open {
    fn clap(&self) -> clap::Command {
        clap::Command::new("open")
            .about(
                "Open a page of the report in the browser, or print its path where there is none",
            )
            .arg(
                Arg::new("page")
                    .value_name("PAGE")
                    .default_value("index")
                    .help("The page: a paper, or another file of the report's folder"),
            )
            .arg(
                Arg::new("path")
                    .long("path")
                    .action(ArgAction::SetTrue)
                    .help("Only print the path"),
            )
    }

    fn examples(&self) -> &'static [Example] {
        &[
            ("{program} open", "open the report's first page"),
            ("{program} open {experiment}", "open the page of one paper"),
        ]
    }

    fn run(&self, session: &Session, matches: &ArgMatches) -> Result<()> {
        let name = matches.get_one::<String>("page").map_or("index", String::as_str);
        let page = page(&session.artifacts().join("report"), name)?;
        if !matches.get_flag("path") {
            show(&page);
        }
        session.print(&format!("{}\n", page.display()))
    }
}

/// The page's file in the folder `report`.
fn page(report: &Path, name: &str) -> Result<PathBuf> {
    let entries = fs::read_dir(report).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        Some(name.strip_suffix(".html")?.to_owned())
    });
    let names: Vec<String> = names.collect();
    let wanted = name.strip_suffix(".html").unwrap_or(name);
    if names.is_empty() {
        let message = format!("there is no report in {}", report.display());
        return Err(Error::usage(message).help("`retune report` writes it"));
    }
    if names.iter().any(|name| name == wanted) {
        return Ok(report.join(format!("{wanted}.html")));
    }
    let near = suggestion(wanted, names.iter().map(String::as_str));
    let message = format!("the report has no page `{wanted}`{near}");
    Err(Error::usage(message).help(
        "`retune report` writes the report's pages, `make reproduce` also those of notebooks",
    ))
}

/// Hands the page to the desktop, if there is one. Whoever has none has the path.
fn show(page: &Path) {
    let shown = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if shown("DISPLAY") || shown("WAYLAND_DISPLAY") {
        "xdg-open"
    } else {
        return;
    };
    let mut opener = Process::new(program);
    opener.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // It ends by itself, at once or with the browser: nobody waits for it.
    drop(opener.spawn());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_found_with_and_without_its_ending_and_others_are_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let none = page(folder.path(), "index").expect_err("nothing is there");
        assert!(none.remedy().is_some_and(|help| help.contains("retune report")));
        for name in ["index.html", "figures.html", "hoag.html", "site.css"] {
            fs::write(folder.path().join(name), "").expect("can be written");
        }
        for name in ["hoag", "hoag.html"] {
            assert_eq!(
                page(folder.path(), name).expect("is there"),
                folder.path().join("hoag.html")
            );
        }
        let said = page(folder.path(), "hoog").expect_err("is no page").to_string();
        assert_eq!(said, "the report has no page `hoog`; did you mean `hoag`?");
        assert!(page(folder.path(), "../secret").is_err());
    }
}
