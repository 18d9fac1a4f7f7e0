//! How a run uses its cluster: partition, account and flags for each class of stages, and how many stages may be on
//! the cluster at the same time. Read from a file, `slurm.toml`; every value has a default.

use std::{fs, path::Path};

use serde::Deserialize;

use crate::{
    error::{Error, Result},
    stage::Needs,
};

/// The settings of one run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// The partition; `None` means the cluster's default.
    pub partition: Option<String>,
    /// The account that is charged.
    pub account: Option<String>,
    /// Further flags of `sbatch`, such as `--qos=long`, among those that ask for resources.
    pub flags: Vec<String>,
    /// Minutes that a job may take at most; `None` means the sum of its stages' time-outs if all have one, and
    /// otherwise the partition's own limit.
    pub minutes: Option<u64>,
    /// The most stages that are on the cluster at the same time.
    pub stages: usize,
    /// Short stages are combined until one task of an array takes about this many seconds.
    pub task_seconds: f64,
    /// The most tasks in one array (the cluster's `MaxArraySize` less one, or fewer).
    pub array_tasks: usize,
    /// Seconds between two queries of the cluster's queue.
    pub poll_seconds: f64,
    /// Memory for the program itself, in MiB, in addition to what a stage asks for.
    pub program_mib: u64,
    /// How often a stage is submitted again after the cluster has lost it (a node that failed, a job that was
    /// cancelled) before it counts as failed.
    pub resubmissions: u32,
    /// Settings that differ for some stages; the first class that matches a stage applies.
    #[serde(rename = "class")]
    pub classes: Vec<Class>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            partition: None,
            account: None,
            flags: Vec::new(),
            minutes: None,
            stages: 1000,
            task_seconds: 30.0,
            array_tasks: 1000,
            poll_seconds: 5.0,
            program_mib: 128,
            resubmissions: 3,
            classes: Vec::new(),
        }
    }
}

/// Stages that need at least this much of everything that is named.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Class {
    /// CPU slots.
    pub threads: usize,
    /// Memory in MiB.
    pub memory_mib: u64,
    /// GPUs.
    pub gpus: usize,
    /// Their partition.
    pub partition: Option<String>,
    /// Their account.
    pub account: Option<String>,
    /// Their flags, after those of all stages.
    pub flags: Vec<String>,
    /// Minutes that their jobs may take at most.
    pub minutes: Option<u64>,
}

/// The flags that are allowed: those that ask for resources. Others could run commands or write files elsewhere,
/// which a file of settings must not do.
const FLAGS: [&str; 22] = [
    "clusters",
    "comment",
    "constraint",
    "cores-per-socket",
    "exclude",
    "exclusive",
    "gpus",
    "gpus-per-node",
    "gpus-per-task",
    "gres",
    "hint",
    "licenses",
    "mail-type",
    "mail-user",
    "nice",
    "nodelist",
    "prefer",
    "priority",
    "qos",
    "reservation",
    "tmp",
    "wckey",
];

/// Whether a flag is one of [`FLAGS`], with or without a value.
fn known(flag: &str) -> bool {
    let name = flag.split_once('=').map_or(flag, |(name, _)| name);
    name.strip_prefix("--").is_some_and(|name| FLAGS.contains(&name))
}

impl Settings {
    /// Reads a file of settings.
    ///
    /// # Errors
    /// When it cannot be read, is not valid TOML, has an unknown key or a value out of range.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(|e| Error::io("read", path, &e))?;
        let settings: Self = toml::from_str(&text).map_err(|e| {
            Error::usage(format!("{}: {}", path.display(), e.to_string().trim_end()))
        })?;
        let wrong =
            |key: &str| Error::usage(format!("{}: `{key}` must be positive", path.display()));
        let positive = |x: f64| x.is_finite() && x > 0.0;
        for (key, fine) in [
            ("stages", settings.stages > 0),
            ("task-seconds", positive(settings.task_seconds)),
            ("array-tasks", settings.array_tasks > 0),
            ("poll-seconds", positive(settings.poll_seconds)),
        ] {
            if !fine {
                return Err(wrong(key));
            }
        }
        let of_classes = settings.classes.iter().flat_map(|class| &class.flags);
        if let Some(flag) = settings.flags.iter().chain(of_classes).find(|flag| !known(flag)) {
            let message = format!("{}: `flags` must not hold {flag:?}", path.display());
            return Err(Error::usage(message).help(format!(
                "flags ask for resources and have a name: --{}; paths, commands and variables are not taken",
                FLAGS.join(", --")
            )));
        }
        Ok(settings)
    }

    /// The class of stages with these needs, as an index into the list.
    pub(super) fn class(&self, needs: &Needs) -> Option<usize> {
        self.classes.iter().position(|class| {
            needs.threads >= class.threads
                && needs.memory_mib >= class.memory_mib
                && needs.gpus >= class.gpus
        })
    }

    /// The flags of `sbatch` that result from a class's settings.
    pub(super) fn flags(&self, class: Option<usize>) -> Vec<String> {
        let class = class.and_then(|at| self.classes.get(at)).cloned().unwrap_or_default();
        let mut flags = Vec::new();
        if let Some(partition) = class.partition.or_else(|| self.partition.clone()) {
            flags.push(format!("--partition={partition}"));
        }
        if let Some(account) = class.account.or_else(|| self.account.clone()) {
            flags.push(format!("--account={account}"));
        }
        flags.extend(self.flags.iter().cloned());
        flags.extend(class.flags);
        flags
    }

    /// The minutes that a class's settings allow a job to take.
    pub(super) fn minutes(&self, class: Option<usize>) -> Option<u64> {
        class.and_then(|at| self.classes[at].minutes).or(self.minutes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Settings> {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        fs::write(file.path(), text).expect("can be written");
        Settings::read(file.path())
    }

    #[test]
    fn the_first_class_that_fits_decides() {
        let settings = read(
            "partition = \"cpu\"\nflags = [\"--qos=a\"]\n\
             [[class]]\ngpus = 1\npartition = \"gpu\"\nflags = [\"--constraint=b\"]\nminutes = 9\n\
             [[class]]\nmemory-mib = 8000\naccount = \"big\"\n",
        )
        .expect("is right");
        let flags = |needs: &Needs| settings.flags(settings.class(needs));
        let needs = Needs::default();
        assert_eq!(flags(&needs), ["--partition=cpu", "--qos=a"]);
        let gpu = Needs { gpus: 1, memory_mib: 9000, ..needs.clone() };
        assert_eq!(flags(&gpu), ["--partition=gpu", "--qos=a", "--constraint=b"]);
        assert_eq!(settings.minutes(settings.class(&gpu)), Some(9));
        let big = Needs { memory_mib: 8000, ..needs };
        assert_eq!(flags(&big), ["--partition=cpu", "--account=big", "--qos=a"]);
    }

    #[test]
    fn mistakes_are_named() {
        let said = |text: &str| read(text).expect_err("is wrong").to_string();
        assert!(said("partitoin = \"x\"").contains("partitoin"), "{}", said("partitoin = \"x\""));
        assert!(said("poll-seconds = nan").contains("`poll-seconds` must be positive"));
        assert!(said("stages = 0").contains("`stages` must be positive"));
    }

    #[test]
    fn flags_ask_for_resources_and_run_nothing() {
        for flag in
            ["--wrap=id", "--output=/etc/x", "--export=LD_PRELOAD=x", "--qos", "-D/", "script.sh"]
        {
            let of_all = read(&format!("flags = [\"{flag}\"]"));
            let of_class = read(&format!("[[class]]\nflags = [\"{flag}\"]"));
            for settings in [of_all, of_class] {
                assert_eq!(settings.is_ok(), flag == "--qos", "{flag}");
            }
        }
        let said = read("flags = [\"--wrap=id\"]").expect_err("is refused");
        assert!(said.to_string().contains("`flags` must not hold \"--wrap=id\""), "{said}");
    }
}
