//! The driver of the benchmarks, `scripts/bench.sh`, with made-up benchmarks: one that is broken fails,
//! one that lacks its peer is passed by.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What the driver exits with and says, of benchmarks of these names and contents.
fn driven(benchmarks: &[(&str, &str)], asked: &[&str]) -> (i32, String) {
    let checkout = tempfile::tempdir().unwrap();
    let (scripts, parts) = (checkout.path().join("scripts"), checkout.path().join("tests/bench"));
    fs::create_dir_all(&scripts).unwrap();
    fs::create_dir_all(&parts).unwrap();
    for script in ["bench.sh", "env.sh"] {
        fs::copy(root().join("scripts").join(script), scripts.join(script)).unwrap();
    }
    for (name, content) in benchmarks {
        fs::write(parts.join(format!("{name}.sh")), content).unwrap();
    }
    let output = Command::new("bash").arg(scripts.join("bench.sh")).args(asked).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(said).unwrap())
}

const GOOD: (&str, &str) = ("good", "echo rows; echo ratio good-small 2.50 goal 3");
const ABSENT: (&str, &str) = ("absent", "echo no peer >&2; exit 77");

#[test]
fn benchmarks_that_end_in_their_ratio_are_good() {
    let (code, said) = driven(&[GOOD], &[]);
    assert_eq!((code, said.as_str()), (0, "rows\nratio good-small 2.50 goal 3\n"));
}

#[test]
fn a_broken_benchmark_fails_and_the_others_are_measured() {
    for broken in [
        "echo ratio broken 1.0 goal 1; exit 3",
        "echo rows",
        "echo ratio broken 1.0 goal 1; echo afterwards",
        "echo ratio broken nan goal 1",
        "echo 'ratio broken  goal 1'",
        "set -eu; false; echo ratio broken 1.0 goal 1",
        "no-such-program-here && echo ratio broken 1.0 goal 1",
    ] {
        let (code, said) = driven(&[("broken", broken), GOOD], &[]);
        assert_eq!(code, 1, "{broken}: {said}");
        assert!(said.contains("ratio good-small 2.50"), "{broken}: {said}");
        assert!(said.contains("error: benchmarks failed: broken ("), "{broken}: {said}");
    }
}

#[test]
fn a_benchmark_without_its_peer_is_passed_by() {
    let (code, said) = driven(&[ABSENT, GOOD], &[]);
    assert!(code == 0 && said.contains("for what is said above: absent"), "{said}");
    let (code, said) = driven(&[ABSENT, GOOD], &["absent"]);
    assert_eq!(code, 77, "{said}");
}

#[test]
fn an_unknown_benchmark_is_named() {
    let (code, said) = driven(&[GOOD], &["good", "best"]);
    assert!(code == 2 && said.contains("no benchmark is named best; there are: good.sh"), "{said}");
}

#[test]
fn the_list_of_targets_names_every_benchmark() {
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
    let line = makefile.lines().find(|line| line.starts_with("bench-%:")).unwrap();
    let mut listed: Vec<_> = line.rsplit(": ").next().unwrap().split(", ").collect();
    listed.sort_unstable();
    let there = fs::read_dir(root().join("tests/bench")).unwrap();
    let there = there.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut there: Vec<_> =
        there.filter_map(|name| name.strip_suffix(".sh").map(str::to_owned)).collect();
    there.sort();
    assert_eq!(listed, there);
}
