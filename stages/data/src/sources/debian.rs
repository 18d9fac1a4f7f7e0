//! The client of Debian's registry and of those like it: `apt-get download`, which any user can run.
//!
//! A release of a distribution has one version of a package. Any version is accepted, since what is taken out
//! of a package is checked against its own pinned hash.

use std::fs;
use std::path::Path;

use super::tool::Failure;

const CLIENT: &str = "apt-get";

/// Downloads the package file of `name` into `folder`, where `run` runs a program: `version` if the machine's
/// distribution has it, otherwise the version that it has. The machine's package lists are consulted first;
/// if they do not contain the package (images are often made without lists), lists are fetched into `folder`.
///
/// # Errors
/// A line that says why no package was obtained, with the remedy.
pub(super) fn download(
    name: &str,
    version: &str,
    folder: &Path,
    run: impl Fn(&str, &[&str]) -> Result<(), Failure>,
) -> Result<(), String> {
    let pinned = format!("{name}={version}");
    let get = |lists: &[String], action: &[&str]| {
        let lists = lists.iter().flat_map(|option| ["-o", option]);
        run(CLIENT, &lists.chain(action.iter().copied()).collect::<Vec<_>>())
    };
    // Checked with a call that needs no network, since the wording of an error depends on the locale.
    let known = |lists: &[String]| -> Result<Option<&str>, String> {
        for wanted in [pinned.as_str(), name] {
            match get(lists, &["--print-uris", "download", wanted]) {
                Ok(()) => return Ok(Some(wanted)),
                Err(Failure::Exited { .. }) => {}
                Err(other) => return Err(other.text()),
            }
        }
        Ok(None)
    };
    let mut lists = Vec::new();
    let mut wanted = known(&lists)?;
    if wanted.is_none() {
        lists = own_lists(folder)?;
        get(&lists, &["--quiet", "update"]).map_err(|failure| {
            let why = failure.text();
            format!("the machine's lists have no package {name}, and fetching lists failed: {why}")
        })?;
        wanted = known(&lists)?;
    }
    let wanted = wanted.ok_or_else(|| {
        format!("no package {name} in the lists of this machine's distribution; if there should be, run `{CLIENT} update` as root")
    })?;
    // Inside a folder that the unprivileged download user may not enter, apt-get warns and downloads as the
    // caller, which is intended.
    get(&lists, &["--quiet", "download", wanted]).map_err(Failure::text)
}

/// The settings for lists below `folder`, where the caller can write.
fn own_lists(folder: &Path) -> Result<Vec<String>, String> {
    [("Dir::State::lists", "lists"), ("Dir::Cache", "cache")]
        .map(|(setting, name)| {
            let path = folder.join(name);
            fs::create_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            Ok(format!("{setting}={}", path.display()))
        })
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// The calls of a download if the machine's lists have the specifications `machine` and those of the
    /// distribution's servers have `servers` (`None`: they cannot be reached).
    fn calls(machine: &[&str], servers: Option<&[&str]>) -> (Vec<String>, Result<(), String>) {
        let folder = tempfile::tempdir().unwrap();
        let made = RefCell::new(Vec::new());
        let run = |program: &str, arguments: &[&str]| {
            assert_eq!(program, CLIENT);
            let own = arguments[0] == "-o";
            let said = if own { &arguments[4..] } else { arguments };
            made.borrow_mut().push(format!("{}{}", if own { "own " } else { "" }, said.join(" ")));
            let lists = if own { servers.unwrap_or_default() } else { machine };
            let last = *said.last().unwrap();
            let good = if last == "update" { servers.is_some() } else { lists.contains(&last) };
            let text = "no network".to_owned();
            if good { Ok(()) } else { Err(Failure::Exited { code: 100, text }) }
        };
        let got = download("x", "1", folder.path(), run);
        (made.into_inner(), got)
    }

    #[test]
    fn the_pinned_version_is_preferred() {
        let (made, got) = calls(&["x=1", "x"], None);
        assert_eq!(made, ["--print-uris download x=1", "--quiet download x=1"]);
        assert_eq!(got, Ok(()));
    }

    #[test]
    fn the_version_of_another_release_will_do() {
        let (made, got) = calls(&["x"], None);
        assert_eq!(made[1..], ["--print-uris download x", "--quiet download x"]);
        assert_eq!(got, Ok(()));
    }

    #[test]
    fn absent_lists_are_fetched_into_a_folder_of_our_own() {
        let (made, got) = calls(&[], Some(&["x"]));
        assert_eq!(
            made[2..],
            [
                "own --quiet update",
                "own --print-uris download x=1",
                "own --print-uris download x",
                "own --quiet download x"
            ]
        );
        assert_eq!(got, Ok(()));
    }

    #[test]
    fn a_package_that_nobody_knows_is_named_with_the_remedy() {
        let (_, got) = calls(&[], Some(&[]));
        assert!(got.unwrap_err().ends_with("run `apt-get update` as root"));
        let (_, got) = calls(&[], None);
        let expected = "no package x, and fetching lists failed: no network";
        assert!(got.unwrap_err().ends_with(expected));
    }
}
