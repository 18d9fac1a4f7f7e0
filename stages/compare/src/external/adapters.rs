//! The ready adapters, by name: which file of `stages/external/adapters` runs which package, and which tuner of ours
//! follows the same method. A new one is a file there, its requirements, and a line here.

use super::program::{Package, Program};

/// A ready adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adapter {
    /// Its name in configs and tables.
    pub name: &'static str,
    /// The package, which is also the name of its list of requirements and of its environment.
    pub package: &'static str,
    /// The version in that list.
    pub version: &'static str,
    /// The file that speaks the protocol.
    pub file: &'static str,
    /// Which of the package's optimisers it is; empty where there is one.
    pub variant: &'static str,
    /// The tuner of ours that it is compared with.
    pub ours: Option<&'static str>,
    /// Whether it computes with torch, whose kernels follow the processor.
    pub torch: bool,
}

/// Where the files are, below the checkout.
pub const FOLDER: &str = "stages/external/adapters";

/// What all of them are made of, beside their own file.
pub const SHARED: [&str; 2] = ["line.py", "spaces.py"];

const fn adapter(
    [name, package, version]: [&'static str; 3],
    [file, variant]: [&'static str; 2],
    ours: Option<&'static str>,
) -> Adapter {
    Adapter { name, package, version, file, variant, ours, torch: false }
}

const fn torch(adapter: Adapter) -> Adapter {
    Adapter { torch: true, ..adapter }
}

const OPTUNA: [&str; 2] = ["optuna", "5.0.0"];

/// Optuna under this name.
const fn optuna(name: &'static str, variant: &'static str, ours: &'static str) -> Adapter {
    adapter([name, OPTUNA[0], OPTUNA[1]], ["optuna_.py", variant], Some(ours))
}

/// All of them.
pub const ADAPTERS: [Adapter; 11] = [
    optuna("optuna-tpe", "tpe-multivariate", "multivariate-tpe"),
    optuna("optuna-tpe-univariate", "tpe-univariate", "tpe"),
    optuna("optuna-cma-es", "cma-es", "cma-es"),
    torch(optuna("optuna-gp", "gp", "smbo")),
    adapter(["smac3", "smac", "2.4.1"], ["smac3.py", "hpo"], Some("smac-like")),
    torch(adapter(["hebo", "hebo", "0.3.6"], ["hebo_.py", ""], Some("hebo-like"))),
    adapter(["dehb-de", "dehb", "0.1.2"], ["dehb_.py", ""], Some("differential-evolution")),
    adapter(["hpbandster-bohb", "hpbandster", "0.7.4"], ["hpbandster_.py", ""], Some("bohb-model")),
    adapter(["nevergrad-ngopt", "nevergrad", "1.0.12"], ["nevergrad_.py", "ngopt"], None),
    adapter(
        ["nevergrad-de", "nevergrad", "1.0.12"],
        ["nevergrad_.py", "two-points-de"],
        Some("differential-evolution"),
    ),
    adapter(["rustuna-tpe", "rustuna", "0.2.0"], ["rustuna_.py", ""], Some("multivariate-tpe")),
];

/// The adapter of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Adapter> {
    ADAPTERS.iter().find(|adapter| adapter.name == name)
}

impl Adapter {
    /// Its program, under this name.
    #[must_use]
    pub fn program(&self, name: &str) -> Program {
        let (package, version) = (self.package.to_owned(), self.version.to_owned());
        Program {
            name: name.to_owned(),
            package: Some(Package { name: package, version }),
            interpreter: None,
            arguments: vec![self.variant.to_owned()],
        }
    }

    /// The package and its version.
    #[must_use]
    pub fn told(&self) -> String {
        format!("{} {}", self.package, self.version)
    }

    /// Its files below the checkout: its own first.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        let requirements = format!("requirements/{}.txt", self.package);
        let own = [self.file, SHARED[0], SHARED[1], requirements.as_str()];
        own.map(|file| format!("{FOLDER}/{file}")).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    #[test]
    fn each_has_its_files_and_its_version_is_the_pinned_one() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let names: BTreeSet<&str> = ADAPTERS.iter().map(|one| one.name).collect();
        assert_eq!(names.len(), ADAPTERS.len());
        for adapter in ADAPTERS {
            let read = |file: &String| fs::read_to_string(root.join(file)).expect(file);
            let files: Vec<String> = adapter.files().iter().map(read).collect();
            let pin = format!("{}=={} \\", adapter.package, adapter.version);
            assert!(files[3].lines().any(|line| line == pin), "{}: no `{pin}`", adapter.name);
            assert!(files[0].contains(adapter.variant), "{}", adapter.name);
            let ours = adapter.ours.is_none_or(|ours| crate::list::find(ours).is_some());
            assert!(ours, "{}: there is no tuner {:?}", adapter.name, adapter.ours);
        }
    }
}
