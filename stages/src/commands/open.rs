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

/// What the names of papers' pages begin with.
const PAPER: &str = "paper-";

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
    let file = |name: &str| {
        let found = names.iter().any(|own| own == name);
        found.then(|| report.join(format!("{name}.html")))
    };
    // The page of a paper has its executed notebook, too.
    if let Some(page) = file(&format!("{PAPER}{name}")).or_else(|| file(wanted)) {
        return Ok(page);
    }
    let near = suggestion(wanted, names.iter().map(|own| own.strip_prefix(PAPER).unwrap_or(own)));
    let message = format!("the report has no page `{wanted}`{near}");
    let mut known: Vec<&str> =
        names.iter().map(|own| own.strip_prefix(PAPER).unwrap_or(own)).collect();
    known.sort_unstable();
    known.dedup();
    Err(Error::usage(message).help(format!("there are {}", known.join(", "))))
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
        for name in ["index.html", "figures.html", "paper-hoag.html", "explore.html", "site.css"] {
            fs::write(folder.path().join(name), "").expect("can be written");
        }
        let leads = |name: &str, to: &str| {
            assert_eq!(page(folder.path(), name).expect("is there"), folder.path().join(to));
        };
        for name in ["hoag", "paper-hoag", "paper-hoag.html"] {
            leads(name, "paper-hoag.html");
        }
        for name in ["explore", "explore.html"] {
            leads(name, "explore.html");
        }
        let said = page(folder.path(), "hoog").expect_err("is no page");
        assert_eq!(said.to_string(), "the report has no page `hoog`; did you mean `hoag`?");
        assert_eq!(said.remedy(), Some("there are explore, figures, hoag, index"));
        // The notebook alone has its ending.
        fs::write(folder.path().join("hoag.html"), "").expect("can be written");
        leads("hoag", "paper-hoag.html");
        leads("hoag.html", "hoag.html");
        assert!(page(folder.path(), "../secret").is_err());
    }
}
