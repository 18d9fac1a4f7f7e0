//! Tests `retune` from its user's point of view: results, errors, and the messages about both.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Runs `retune` on the project's own configs with a store of its own.
fn retune(store: &Path, args: &[&str]) -> Output {
    retune_in(Path::new(ROOT), store, args, &[])
}

fn retune_in(dir: &Path, store: &Path, args: &[&str], env: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retune"));
    command.current_dir(dir).args(args).arg("--store").arg(store);
    command.env_remove("PROFILE").env_remove("JOBS").envs(env.iter().copied());
    command.output().expect("retune starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Standard output of a command that must succeed.
fn good(output: &Output) -> String {
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

const SMALL: [&str; 3] = ["hoag/digits", "hoag/diabetes", "--profile=smoke"];

#[test]
fn results_are_the_same_bytes_at_any_number_of_jobs() {
    let table = |jobs: &str| -> Vec<String> {
        let store = tempfile::tempdir().expect("a temporary folder");
        let run = [&["run"], &SMALL[..], &["--jobs", jobs]].concat();
        let said = good(&retune(store.path(), &run));
        assert!(!said.contains("failed"), "{said}");
        let stages = ["digits/exact/split=0", "digits/smbo/split=1", "diabetes/hoag-cubic/split=0"];
        let path = |stage: &&str| {
            let show = ["show", &format!("hoag/{stage}"), "--path"].map(str::to_owned);
            let path = good(&retune(store.path(), &show.each_ref().map(String::as_str)));
            // The name of an artifact is the digest of its bytes.
            path.trim().rsplit('/').next().expect("a file name").to_owned()
        };
        stages.iter().map(path).collect()
    };
    assert_eq!(table("1"), table("3"));
}

#[test]
fn nothing_runs_twice_and_why_names_the_changed_value() {
    let store = tempfile::tempdir().expect("a temporary folder");
    let run = [&["run"], &SMALL[..]].concat();
    good(&retune(store.path(), &run));
    assert!(good(&retune(store.path(), &run)).starts_with("0 stages computed, 0 unchanged"));
    let set = ["--set", "hoag.problems.digits.evaluations=7", "--profile=smoke"];
    let why =
        good(&retune(store.path(), &[&["why", "hoag/digits/smbo/split=0"], &set[..]].concat()));
    assert!(why.contains("params.evaluations: 6 → 7"), "{why}");
    let plan = good(&retune(store.path(), &[&["plan"], &SMALL[..], &set[..2]].concat()));
    let stale: Vec<_> = plan.lines().filter(|line| line.starts_with("  stale")).collect();
    assert_eq!(stale.len(), 2, "only random search and SMBO on digits read that line: {plan}");
}

#[test]
fn a_data_set_that_cannot_be_had_is_named_with_its_remedy_and_is_no_error() {
    let store = tempfile::tempdir().expect("a temporary folder");
    let run = ["run", "hoag/diabetes", "--profile=smoke"];
    let env = [("RETUNE_OFFLINE", "1"), ("RETUNE_DATA_MIRROR", "")];
    let said = good(&retune_in(Path::new(ROOT), store.path(), &run, &env));
    assert!(said.contains("unavailable  hoag/diabetes/data"), "{said}");
    assert!(said.contains("remedy: put diabetes_data_raw.csv"), "{said}");
    // Once it is available, the next run continues without a flag.
    assert!(good(&retune(store.path(), &run)).contains("0 up to date"));
    let status = good(&retune(store.path(), &["status", "hoag/diabetes", "--profile=smoke"]));
    assert!(status.contains("nothing to do"), "{status}");
}

/// A copy of the configs, with one text of a paper's replaced.
fn configs(paper: &str, from: &str, to: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let folder = dir.path().join("configs");
    fs::create_dir(&folder).expect("made");
    for entry in fs::read_dir(Path::new(ROOT).join("configs")).expect("the configs") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a name");
        // Folders hold what papers print of their figures.
        if entry.path().is_dir() {
            continue;
        }
        let source = fs::read_to_string(entry.path()).expect("a config");
        let changed = source.replacen(from, to, usize::from(name.starts_with(paper)));
        fs::write(folder.join(name), changed).expect("written");
    }
    let path = dir.path().to_owned();
    (dir, path)
}

#[test]
fn mistakes_in_the_config_are_named_by_file_line_and_key() {
    for (from, to, expected) in [
        (
            "grid-points = 10",
            "grid-point = 10",
            "configs/hoag.toml:17: `black-box.grid-point`: unknown field",
        ),
        (
            "bound = 12.0",
            "bound = nan",
            "configs/hoag.toml:18: `black-box.bound`: expected a number, not nan",
        ),
        (
            "bound = 12.0",
            "bound = inf",
            "configs/hoag.toml:18: `black-box.bound`: expected a finite number, not inf",
        ),
        (
            "unrolled = 100",
            "unrolled = 1000000000000",
            "configs/hoag.toml:20: `black-box.unrolled`: expected at most 1000000000",
        ),
        (
            "unrolled = 100",
            "unrolled = \"x\"",
            "configs/hoag.toml:20: `black-box.unrolled`: invalid type",
        ),
        (
            "data-set = \"news20\"",
            "data-set = \"news\"",
            "`problems.news20.data-set`: expected one of",
        ),
        ("statement = ", "statment = ", "configs/hoag.claims.toml:"),
    ] {
        let (dir, path) = configs("hoag", from, to);
        let output = retune_in(&path, &dir.path().join("artifacts"), &["plan"], &[]);
        assert_eq!(output.status.code(), Some(2), "{to}");
        let said = text(&output.stderr);
        assert!(said.contains(expected), "{to}: {said}");
    }
}

#[test]
fn a_key_that_was_renamed_says_what_it_is_called_now() {
    let (dir, path) = configs("stn", "width-divisor = ", "narrower = ");
    let output = retune_in(&path, &dir.path().join("artifacts"), &["plan", "stn"], &[]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("`images.narrower`: is called `width-divisor` now"), "{said}");
}

#[test]
fn reference_values_are_checked_and_a_wrong_one_is_found() {
    let store = tempfile::tempdir().expect("a temporary folder");
    let golden = Path::new(ROOT).join("tests/golden/hoag.json");
    let whole: serde_json::Value =
        serde_json::from_slice(&fs::read(golden).expect("the golden file")).expect("JSON");
    // One section is enough here; the whole file has a test of its own.
    let mut part = serde_json::json!({
        "protocol": whole["protocol"], "multinomial": whole["multinomial"],
        "kernel_ridge": {"rbf_squared_distance": whole["kernel_ridge"]["rbf_squared_distance"]},
    });
    let file = store.path().join("part.json");
    let check = |part: &serde_json::Value| {
        fs::write(&file, part.to_string()).expect("written");
        let output = retune(store.path(), &["reference", &file.display().to_string()]);
        (output.status.code(), text(&output.stdout))
    };
    let (code, said) = check(&part);
    assert_eq!(code, Some(0), "{said}");
    let f = part["multinomial"]["outer_loss_f"].as_f64().expect("a number");
    part["multinomial"]["outer_loss_f"] = (f * (1.0 + 1e-8)).into();
    let (code, said) = check(&part);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("FAILED") && said.contains(" 1 failed"), "{said}");
}

#[test]
fn an_unknown_command_or_stage_is_a_usage_error_with_a_suggestion() {
    let store = tempfile::tempdir().expect("a temporary folder");
    let output = retune(store.path(), &["why", "hoag/digits/sbmo/split=0", "--profile=smoke"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("did you mean `hoag/digits/smbo/split=0`?"), "{said}");
}
