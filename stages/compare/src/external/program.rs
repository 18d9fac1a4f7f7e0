//! How an optimiser is started, and when it is not available here.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use external::{Optimiser, optimiser::Settings};
use numerics::space::Space;
use pipeline::stage::Stop;
use serde::{Deserialize, Serialize};

/// Where environments of packages are, below the checkout; the variable names another folder.
const ENVIRONMENTS: (&str, &str) = (".tools/optimisers", "RETUNE_OPTIMISERS");

/// A package of Python at the version that its requirements pin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// An optimiser's program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The optimiser's name.
    pub name: String,
    /// The package that it is an adapter of; none for one of a user's own.
    pub package: Option<Package>,
    /// What runs its file; none for the file itself, or the package's Python.
    pub interpreter: Option<String>,
    /// What it is started with.
    pub arguments: Vec<String>,
}

impl Program {
    /// The command that starts `file`, of a checkout at `root`.
    ///
    /// # Errors
    /// Unavailable if its package is not installed, with the remedy.
    pub fn command(&self, root: &Path, file: &Path) -> Result<Command, Stop> {
        let mut command = match (&self.package, &self.interpreter) {
            (Some(package), _) => {
                let python = package.environment(root).join("bin/python");
                if !python.exists() {
                    return Err(package.unavailable("is not installed"));
                }
                let mut command = Command::new(python);
                command.arg(file);
                command
            }
            (None, Some(interpreter)) => {
                let mut command = Command::new(interpreter);
                command.arg(file);
                command
            }
            (None, None) => Command::new(file),
        };
        command.args(&self.arguments);
        // One thread, and no order of hashes that differs from process to process.
        for (name, value) in [
            ("OMP_NUM_THREADS", "1"),
            ("OPENBLAS_NUM_THREADS", "1"),
            ("MKL_NUM_THREADS", "1"),
            ("PYTHONHASHSEED", "0"),
            ("PYTHONDONTWRITEBYTECODE", "1"),
            ("PYTHONUTF8", "1"),
        ] {
            command.env(name, value);
        }
        Ok(command)
    }

    /// Whether what was started is what is pinned.
    ///
    /// # Errors
    /// Unavailable if another version is installed, with the remedy.
    pub fn check(&self, version: &str) -> Result<(), Stop> {
        match &self.package {
            Some(package) if package.version != version => {
                Err(package.unavailable(&format!("is installed as {version}")))
            }
            _ => Ok(()),
        }
    }
}

impl Program {
    /// A run on `space` in the process of the `last` one, if there was one and it can, else in a new one of `command`.
    ///
    /// # Errors
    /// What went wrong in the last run or at this start; unavailable if another version than the pinned one is installed.
    pub fn begin(
        &self,
        last: Option<Optimiser>,
        command: &mut Command,
        space: Space,
        settings: Settings,
    ) -> Result<Optimiser, Stop> {
        let begun = match last {
            Some(optimiser) => optimiser.restart(command, space, settings),
            None => Optimiser::start(command, space, settings),
        };
        let optimiser = begun.map_err(|error| self.failed(&error))?;
        self.check(optimiser.version())?;
        Ok(optimiser)
    }

    /// An error of its optimiser, with its name.
    #[must_use]
    pub fn failed(&self, error: &external::Error) -> Stop {
        Stop::Failed(format!("{}: {error}", self.name))
    }
}

impl Package {
    /// The folder of its environment.
    #[must_use]
    pub fn environment(&self, root: &Path) -> PathBuf {
        let folder = env::var_os(ENVIRONMENTS.1).filter(|value| !value.is_empty());
        folder.map_or_else(|| root.join(ENVIRONMENTS.0), PathBuf::from).join(&self.name)
    }

    fn unavailable(&self, what: &str) -> Stop {
        let Self { name, version } = self;
        Stop::Unavailable(format!(
            "{name} {version} {what}\nremedy: make optimisers OPTIMISERS={name}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(package: Option<Package>, interpreter: Option<&str>) -> Program {
        let interpreter = interpreter.map(str::to_owned);
        Program { name: "x".to_owned(), package, interpreter, arguments: vec!["a".to_owned()] }
    }

    #[test]
    fn a_package_that_is_not_there_is_unavailable_with_the_remedy() {
        let package = Package { name: "nosuch".to_owned(), version: "1.2".to_owned() };
        let program = program(Some(package), None);
        let missing = program.command(Path::new("/none"), Path::new("a.py"));
        let Err(Stop::Unavailable(why)) = missing else { panic!("{missing:?}") };
        assert_eq!(why, "nosuch 1.2 is not installed\nremedy: make optimisers OPTIMISERS=nosuch");
        let Err(Stop::Unavailable(why)) = program.check("1.3") else { panic!("another version") };
        assert!(why.contains("nosuch 1.2 is installed as 1.3\nremedy: "), "{why}");
        assert_eq!(program.check("1.2"), Ok(()));
    }

    #[test]
    fn one_of_a_users_own_is_run_by_its_interpreter_or_itself() {
        let command = |interpreter| {
            let command = program(None, interpreter).command(Path::new("/"), Path::new("/my.py"));
            let command = command.expect("nothing is looked for");
            let args: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
            (command.get_program().to_owned(), args)
        };
        assert_eq!(command(Some("ruby")), ("ruby".into(), vec!["/my.py".into(), "a".into()]));
        assert_eq!(command(None), ("/my.py".into(), vec!["a".into()]));
        assert_eq!(program(None, None).check("any"), Ok(()));
    }
}
