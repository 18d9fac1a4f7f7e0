//! What the checks have in common: where things lie, running programs, what is installed for a check.

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// How a check ends that does not pass.
#[derive(Debug)]
pub enum End {
    /// Something is wrong.
    Failed(String),
    /// This machine lacks what the check needs.
    Lacking(String),
}

impl End {
    /// What is wrong or lacking.
    pub fn message(&self) -> &str {
        match self {
            Self::Failed(message) | Self::Lacking(message) => message,
        }
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::Failed(_) => 1,
            Self::Lacking(_) => 77,
        }
    }
}

impl From<std::io::Error> for End {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Fails with `message` unless `holds`.
pub fn ensure(holds: bool, message: impl Into<String>) -> Result<(), End> {
    if holds { Ok(()) } else { Err(End::Failed(message.into())) }
}

/// Tells the person who waits.
pub fn say(message: &str) {
    drop(writeln!(std::io::stdout(), "== {message}"));
}

/// Runs a command to its end; it must succeed.
pub fn run(command: &mut Command) -> Result<(), End> {
    let status = command.status().map_err(|e| fault(command, &e))?;
    ensure(status.success(), format!("{} ended with {status}", told(command)))
}

/// Runs a command that may fail, and what it says.
pub fn said(command: &mut Command) -> Result<(Output, String), End> {
    let output = command.output().map_err(|e| fault(command, &e))?;
    let all = [&output.stdout[..], &output.stderr].concat();
    Ok((output, String::from_utf8_lossy(&all).into_owned()))
}

fn fault(command: &Command, error: &std::io::Error) -> End {
    End::Failed(format!("{} does not start: {error}", told(command)))
}

fn told(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// The checkout that is checked.
pub struct Checkout {
    /// Its root.
    pub root: PathBuf,
    /// Where what the project installs lies.
    pub tools: PathBuf,
}

impl Checkout {
    /// The one that this program was built from.
    pub fn here() -> Result<Self, End> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
        let tools = root.join(".tools");
        fs::create_dir_all(&tools)?;
        Ok(Self { root, tools })
    }

    /// A command in the root of the checkout, without make's settings, which are set for every target.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        for setting in ["PROFILE", "PAPER", "JOBS", "EXECUTOR", "LIMIT"] {
            command.env_remove(setting);
        }
        command
    }

    /// Cargo, with the versions that are tested.
    pub fn cargo(&self, words: &[&str]) -> Command {
        let mut command = self.command("cargo");
        command.args(words).arg("--locked");
        command
    }

    /// A script of `scripts/`.
    pub fn script(&self, name: &str) -> Command {
        self.command(self.root.join("scripts").join(name))
    }

    /// The program under test: `RETUNE`, or that of the dev profile, which is built.
    pub fn retune(&self) -> Result<PathBuf, End> {
        if let Some(named) = env::var_os("RETUNE").filter(|named| !named.is_empty()) {
            return Ok(self.root.join(named));
        }
        self.build()?;
        Ok(self.built("retune"))
    }

    /// Builds the programs and the examples, in the dev profile. All at once, as the tests have them: of one alone cargo
    /// unifies other features, and compiles most of the workspace again. What needs libtorch, where it is installed.
    pub fn build(&self) -> Result<(), End> {
        let mut build = self.cargo(&["build", "-q", "--bins", "--examples"]);
        // Cargo's settings name a place for it; it may not be there.
        if env::var_os("LIBTORCH").is_some_and(|libtorch| Path::new(&libtorch).exists()) {
            build.arg("--workspace");
        }
        run(&mut build)
    }

    /// Where a program of the dev profile lies.
    pub fn built(&self, name: &str) -> PathBuf {
        let target = env::var_os("CARGO_TARGET_DIR");
        target.map_or_else(|| self.root.join("target"), PathBuf::from).join("debug").join(name)
    }

    /// The folder of results: the one that is named, or the one in use.
    pub fn store(&self, words: &[String]) -> Result<PathBuf, End> {
        let used = || env::var_os("RETUNE_ARTIFACTS").filter(|named| !named.is_empty());
        let named = words.first().map(PathBuf::from).or_else(|| used().map(PathBuf::from));
        let store = self.root.join(named.unwrap_or_else(|| "artifacts".into()));
        ensure(
            store.join("store").is_dir(),
            format!("no result in {}; make some: make reproduce PROFILE=smoke", store.display()),
        )?;
        Ok(store)
    }

    /// The Python of an environment of its own in `.tools/NAME`, with the packages of `tests/checks/NAME.txt`, each of
    /// which must have the hash that the list states. A copy of the list tells whether they are installed.
    pub fn python(&self, name: &str) -> Result<PathBuf, End> {
        let folder = self.tools.join(name);
        let (python, installed) = (folder.join("bin/python"), folder.join("installed.txt"));
        let list = format!("tests/checks/{name}.txt");
        let wanted = fs::read_to_string(self.root.join(&list))?;
        if !fs::read_to_string(&installed).is_ok_and(|there| there == wanted) {
            say(&format!("installing {list} into .tools/{name}"));
            run(self.command("python3").args(["-m", "venv"]).arg(&folder))?;
            let mut pip = self.command(&python);
            pip.args(["-m", "pip", "install", "-q", "--disable-pip-version-check"]);
            run(pip.args(["--require-hashes", "-r", &list]))?;
            fs::write(&installed, wanted)?;
        }
        Ok(python)
    }

    /// Runs a line of shell that knows `scripts/apt.sh`; what it prints, where it succeeds.
    pub fn system(&self, line: &str) -> Option<String> {
        let line = format!("source scripts/env.sh; source scripts/apt.sh; {line}");
        let output = self.command("bash").args(["-c", &line]).output().ok()?;
        let printed = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success().then_some(printed)
    }
}
