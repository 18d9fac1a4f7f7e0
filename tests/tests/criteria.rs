//! The criteria of every paper's claims are those of the commit that the report names.

#![expect(clippy::print_stdout, reason = "what is not tested says so")]

use std::{fs, path::Path, process::Command};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the checkout")
}

/// The claims of a config, each with its criterion, as they are written.
fn criteria(config: &str) -> Vec<(&str, &str)> {
    let value = |key: &'static str| config.lines().filter_map(move |line| line.strip_prefix(key));
    value("id = ").zip(value("criterion = ")).collect()
}

/// The value of the first field of this name in a constant's text.
fn field<'a>(text: &'a str, name: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("{name}: \"")).expect("the field is there");
    rest.split_once('"').expect("it is closed").0
}

/// A text of git's; none where there is no git, or the history lacks the commit, as in an archive of the sources.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).current_dir(root()).output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).expect("is UTF-8"))
}

#[test]
fn criteria_are_unchanged_since_their_commit() {
    let cited = fs::read_to_string(root().join("stages/src/cited.rs")).expect("is there");
    let papers: Vec<&str> = cited.split("pub const ").skip(1).collect();
    assert!(papers.len() >= 6, "{cited}");
    for paper in papers {
        let id = paper.split(':').next().expect("a name").to_lowercase();
        let (date, commit) = (field(paper, "date"), field(paper, "commit"));
        let file = format!("configs/{id}.claims.toml");
        let now = fs::read_to_string(root().join(&file)).expect("is there");
        let now = criteria(&now);
        assert!(now.len() >= 10, "{file}: {now:?}");
        let Some(then) = git(&["show", &format!("{commit}:{file}")]) else {
            println!("not tested: {file}, whose commit {commit} this history lacks");
            continue;
        };
        assert_eq!(criteria(&then), now, "{file} against {commit}");
        let day = git(&["show", "-s", "--format=%cs", commit]).expect("the commit is there");
        assert_eq!(day.trim(), date, "{file}: the day of {commit}");
    }
}
