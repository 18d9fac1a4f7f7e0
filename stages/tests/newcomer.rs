//! Tests what a newcomer sees first: the introductory examples, schemas, manual pages and completions. (A new
//! paper is tested by `cargo xtask newcomer`, configs against their schemas by tests/checks/schemas.py.)

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// `retune` in the checkout.
fn retune() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retune"));
    command.current_dir(ROOT).env_remove("PROFILE").env_remove("JOBS");
    command
}

/// An example that `cargo test` has built next to the programs.
fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_retune")).with_file_name("examples").join(name)
}

/// The output of an example, which must succeed.
fn said(command: &mut Command) -> String {
    let output = command.output().expect("`cargo test` builds the examples");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_function_is_tuned_by_each_tuner() {
    let said = said(&mut Command::new(example("tune_function")));
    let losses: Vec<(&str, f64)> = said
        .lines()
        .map(|line| {
            let (name, rest) = line.split_once(' ').expect("a name");
            (name, rest.split(' ').next().expect("a loss").parse().expect("a number"))
        })
        .collect();
    assert_eq!(losses.iter().map(|l| l.0).collect::<Vec<_>>(), ["random", "tpe"]);
    // 60 evaluations of a function with values up to 9 and more.
    assert!(losses.iter().all(|l| (0.0..0.5).contains(&l.1)), "{said}");
}

#[test]
fn a_program_is_tuned_and_its_failures_are_losses() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    // (x + 1)² + (y − 3)², with a line of talk before it; it fails where y begins with 4.
    let script = "#!/bin/sh\necho training\ncase $2 in 4*) exit 1 ;; esac\n\
                  awk -v x=\"$1\" -v y=\"$2\" 'BEGIN { print (x + 1) ^ 2 + (y - 3) ^ 2 }'\n";
    let program = dir.path().join("loss");
    fs::write(&program, script).expect("written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("made executable");
    let said = said(Command::new(example("tune_command")).arg(&program));
    let loss: f64 = said.split(' ').next().expect("a loss").parse().expect("a number");
    assert!((0.0..0.5).contains(&loss), "{said}");
}

#[test]
fn a_program_that_always_fails_is_named_as_such() {
    let output = Command::new(example("tune_command")).arg("/bin/false").output();
    let output = output.expect("`cargo test` builds the examples");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("every evaluation failed"));
}

#[test]
fn a_schema_that_is_not_there_is_said_with_what_is_near() {
    let output = retune().args(["schema", "hoog"]).output().expect("retune starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("did you mean `hoag`?"));
    let one: Value =
        serde_json::from_str(&said(retune().args(["schema", "hoag"]))).expect("one schema");
    assert_eq!(one["title"], "configs/hoag.toml");
}

#[test]
fn every_command_has_a_page_of_the_manual_and_is_completed() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    said(retune().arg("man").arg(dir.path()));
    let script = said(retune().args(["completions", "bash"]));
    let help = said(retune().arg("--help"));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<&str> = commands
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
        .collect();
    assert!(["run", "new", "schema", "man"].iter().all(|name| commands.contains(name)), "{help}");
    for name in commands {
        let page = fs::read_to_string(dir.path().join(format!("retune-{name}.1")));
        assert!(page.expect("a page").contains(".SH SYNOPSIS"), "{name}");
        assert!(script.contains(&format!("retune,{name})")), "{name}");
    }
}
