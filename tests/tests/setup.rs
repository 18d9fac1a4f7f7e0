//! How `scripts/setup.sh` gets Rust, with stand-ins for `rustup`, `rustc`, `cargo` and `curl`: on a
//! machine without Rust, with a rustup that has no toolchain, with a Rust that is too old.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// What the script itself calls.
const TOOLS: [&str; 8] = ["bash", "sh", "cat", "cut", "dirname", "head", "sort", "touch"];

/// A toolchain is a file of this name in the stand-ins' folder, with its version; `default` and
/// `override` hold the name of one. Without either `rustc` fails as rustup's does.
const RUSTC: &str = r#"
cd "$STATE"
name=$(cat override 2>/dev/null || cat default 2>/dev/null) || {
    echo "error: rustup could not choose a version of rustc to run" >&2
    echo "Stack backtrace:" >&2
    exit 1
}
echo "rustc $(cat "toolchain-$name") (0123abcd 2026-01-01)""#;

const RUSTUP: &str = r#"
cd "$STATE"
[ "$1" != -q ] || shift
echo "rustup $*" >> calls
case "$1 $2" in
'toolchain install') [ ! -e unreachable ] || exit 1; echo "$3" > "toolchain-$3" ;;
'default ') cat default 2>/dev/null ;;
'default 1.95.0') echo "$2" > default ;;
'override set') echo "$3" > override ;;
*) exit 2 ;;
esac"#;

/// A machine: what is on its search path, and the state of its stand-ins.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new(programs: &[(&str, &str)], state: &[(&str, &str)]) -> Self {
        let machine = Self { folder: tempfile::tempdir().unwrap() };
        let path = |name: &str| machine.folder.path().join(name);
        for folder in ["bin", "state", "home"] {
            fs::create_dir(path(folder)).unwrap();
        }
        for tool in TOOLS {
            std::os::unix::fs::symlink(which(tool), path("bin").join(tool)).unwrap();
        }
        for (program, script) in programs {
            // Another process writes it: a file that this one has open while a test beside forks
            // could not be executed.
            let write = "printf '#!/bin/sh\n%s\n' \"$2\" > \"$1\" && chmod 755 \"$1\"";
            let mut command = Command::new("sh");
            command.args(["-c", write, "sh"]).arg(path("bin").join(program)).arg(script);
            assert!(command.status().unwrap().success());
        }
        for (file, content) in state {
            fs::write(path("state").join(file), content).unwrap();
        }
        machine
    }

    /// Whether the script succeeds, and all that it says.
    fn rust(&self) -> (bool, String) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/setup.sh");
        let mut command = Command::new("bash");
        command.arg(script).arg("rust").env_clear();
        for (name, folder) in [("PATH", "bin"), ("STATE", "state"), ("HOME", "home")] {
            command.env(name, self.folder.path().join(folder));
        }
        let output = command.output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(said).unwrap())
    }

    fn state(&self, file: &str) -> String {
        let path = self.folder.path().join("state").join(file);
        fs::read_to_string(path).unwrap_or_default().trim().to_owned()
    }
}

fn which(tool: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let found = std::env::split_paths(&path).map(|folder| folder.join(tool));
    found.into_iter().find(|file| file.is_file()).unwrap_or_else(|| panic!("no {tool}"))
}

const PROXIES: [(&str, &str); 3] = [("rustup", RUSTUP), ("rustc", RUSTC), ("cargo", "exit 0")];
const INSTALL: &str = "rustup toolchain install 1.95.0 --profile minimal --no-self-update";

#[test]
fn a_good_rust_is_left_alone() {
    let machine = Machine::new(&PROXIES, &[("default", "old"), ("toolchain-old", "1.95.0")]);
    assert_eq!(machine.rust(), (true, String::new()));
    assert_eq!(machine.state("calls"), "");
}

#[test]
fn rustup_without_a_toolchain_gets_the_pinned_one_as_its_default() {
    let machine = Machine::new(&PROXIES, &[]);
    let (good, said) = machine.rust();
    assert!(good && !said.contains("backtrace"), "{said}");
    assert_eq!(machine.state("calls"), format!("{INSTALL}\nrustup default\nrustup default 1.95.0"));
}

#[test]
fn a_default_that_is_too_old_stays_the_default_elsewhere() {
    let machine = Machine::new(&PROXIES, &[("default", "mine"), ("toolchain-mine", "1.90.0")]);
    let (good, said) = machine.rust();
    assert!(good && said.contains("rustc 1.90.0 will not do"), "{said}");
    assert_eq!(
        (machine.state("default"), machine.state("override")),
        ("mine".into(), "1.95.0".into())
    );
    let calls = machine.state("calls");
    assert!(
        calls.lines().last().unwrap().starts_with("rustup override set 1.95.0 --path "),
        "{calls}"
    );
}

#[test]
fn an_old_stable_stays_the_default_elsewhere() {
    let machine = Machine::new(&PROXIES, &[("default", "stable"), ("toolchain-stable", "1.80.1")]);
    let (good, said) = machine.rust();
    assert!(good, "{said}");
    assert!(machine.state("calls").starts_with(&format!("{INSTALL}\nrustup default\n")));
    assert_eq!(machine.state("override"), "1.95.0");
}

#[test]
fn what_cannot_be_had_is_said_with_the_remedy() {
    let old_rustc = "echo 'rustc 1.63.0 (4b91a6ea7 2022-08-08)'";
    let without_rustup = [("rustc", old_rustc), ("cargo", "exit 0")];
    let before_rustup = [("rustc", old_rustc), ("cargo", "exit 0"), ("rustup", RUSTUP)];
    let cases = BTreeMap::from([
        (
            "too old, no rustup",
            (&without_rustup[..], "rustc 1.63.0 is too old; run: apt-get install rustup"),
        ),
        (
            "too old, and first on the path",
            (&before_rustup, "rustc is still older than 1.95.0; see: rustup show"),
        ),
        (
            "rustup cannot download",
            (&PROXIES, "could not install Rust 1.95.0 or newer; run: rustup default stable"),
        ),
        (
            "no Rust, no network",
            (&[("curl", "exit 6")], "e.g.: apt-get install rustup && rustup default stable"),
        ),
    ]);
    for (case, (programs, remedy)) in cases {
        let state: &[_] = if case.contains("download") { &[("unreachable", "")] } else { &[] };
        let (good, said) = Machine::new(programs, state).rust();
        let errors = said.lines().filter(|line| line.starts_with("error: ")).collect::<Vec<_>>();
        assert!(!good && errors.len() == 1 && errors[0].contains(remedy), "{case}: {said}");
    }
}

#[test]
fn a_machine_without_rust_gets_rustup() {
    // The installer is a script on standard output; it makes what the other stand-ins are.
    let curl = "cat <<'END'\necho installer \"$@\" >> \"$STATE/calls\"\n\
                echo stable > \"$STATE/default\"\necho 1.99.1 > \"$STATE/toolchain-stable\"\n\
                mkdir -p \"$HOME/.cargo/bin\"\ncp \"$STATE/rustc\" \"$HOME/.cargo/bin\"\nEND";
    let machine = Machine::new(&[("curl", curl)], &[]);
    let bin = machine.folder.path().join("bin");
    for tool in ["cp", "mkdir"] {
        std::os::unix::fs::symlink(which(tool), bin.join(tool)).unwrap();
    }
    let ready = Machine::new(&[("rustc", RUSTC)], &[]);
    fs::rename(ready.folder.path().join("bin/rustc"), machine.folder.path().join("state/rustc"))
        .unwrap();
    let (good, said) = machine.rust();
    assert!(good, "{said}");
    assert!(machine.state("calls").contains("--profile minimal --default-toolchain 1.95.0"));
}

#[test]
fn the_pinned_rust_is_the_one_that_the_manifest_asks_for() {
    let read = |file: &str| {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)).unwrap()
    };
    let (setup, manifest) = (read("scripts/setup.sh"), read("Cargo.toml"));
    let pinned = setup.lines().find_map(|line| line.strip_prefix("rust_wanted=")).unwrap();
    let asked = manifest.lines().find_map(|line| line.strip_prefix("rust-version = \"")).unwrap();
    assert!(pinned.starts_with(asked.trim_end_matches('"')), "{pinned} and {asked}");
    assert_eq!(pinned.split('.').count(), 3, "an exact version");
}
