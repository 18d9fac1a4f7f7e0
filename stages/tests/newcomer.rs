//! What a newcomer meets first: the examples of the library's front door, schemas of configs, manual
//! pages, completions. (A new paper is tested by scripts/test-newcomer.sh.)

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Map, Value, json};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// `retune` in the checkout.
fn retune() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retune"));
    command.current_dir(ROOT).env_remove("PROFILE").env_remove("JOBS");
    command
}

/// An example that `cargo test` has built beside the programs.
fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_retune")).with_file_name("examples").join(name)
}

/// What an example prints; it must succeed.
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
    // 60 evaluations of a function that goes up to 9 and more.
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

/// The project's configs and claims files: (what its schema is called, file, content).
fn configs() -> Vec<(String, PathBuf, Value)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(Path::new(ROOT).join("configs")).expect("the configs") {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default().to_owned();
        let schema = if stem.ends_with(".claims") { "claims".to_owned() } else { stem };
        let text = fs::read_to_string(&path).expect("a config");
        let table: toml::Table = text.parse().expect("TOML");
        found.push((schema, path, serde_json::to_value(table).expect("JSON")));
    }
    found
}

/// The places of all tables below `value`, as JSON pointers.
fn tables(value: &Value, at: &str, found: &mut Vec<String>) {
    if value.is_object() {
        found.push(at.to_owned());
    }
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(table) => table.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(all) => all.iter().enumerate().map(|(i, v)| (i.to_string(), v)).collect(),
        _ => Vec::new(),
    };
    for (key, value) in inner {
        tables(value, &format!("{at}/{key}"), found);
    }
}

#[test]
fn every_config_fits_its_schema_and_a_typo_anywhere_does_not() {
    let all: Map<String, Value> =
        serde_json::from_str(&said(retune().arg("schema"))).expect("one object");
    let configs = configs();
    assert!(configs.len() >= 10, "{configs:?}");
    for (schema, path, config) in configs {
        let schema = all.get(&schema).unwrap_or_else(|| panic!("no schema {schema}"));
        let validator = jsonschema::validator_for(schema).expect("a schema");
        let errors: Vec<_> = validator
            .iter_errors(&config)
            .map(|e| format!("{}: {}: {e}", path.display(), e.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{}", errors.join("\n"));
        let mut places = Vec::new();
        tables(&config, "", &mut places);
        for place in places {
            let mut wrong = config.clone();
            let table = wrong.pointer_mut(&place).and_then(Value::as_object_mut).expect("a table");
            // Where names are free, a value of no type that any config has.
            table.insert("mispelt-key".to_owned(), json!({ "no": { "such": "value" } }));
            assert!(!validator.is_valid(&wrong), "{}: {place}", path.display());
        }
    }
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
