//! Confines a worker to what its stage declares, with Landlock: it reads its inputs and files, the program, the
//! system's libraries and facts about the machine, writes into its own folder, and reaches neither a network nor a
//! GPU unless the stage has declared it. Processes that it starts are confined in the same way. Independent of what
//! the stages are.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};

pub use super::confined::{Confined, Sandbox};
use super::job::{Ending, Job};
use crate::error::{Error, Exit, Result};

/// Libraries may be opened late; the folder of a program's own libraries is found from those that are loaded.
const LIBRARIES: [&str; 6] =
    ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache"];
/// Facts about the machine and the process. No result depends on them.
const FACTS: [&str; 6] = [
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/etc/localtime",
];
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
/// What the system's programs need in order to start, to find their settings and to reach the network.
const SYSTEM: [&str; 10] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/etc", "/run", "/var/lib", "/var/cache"];

/// Where drivers describe the GPUs, and what CUDA reads about the machine before it finds one.
const DRIVERS: [&str; 6] = [
    "/proc/driver/nvidia",
    "/proc/devices",
    "/proc/modules",
    "/proc/sys/vm",
    "/sys/bus/pci",
    "/sys/devices",
];

/// Every kind of access that is denied unless a rule allows it.
const ABI_WANTED: ABI = ABI::V6;

/// Whether this kernel can confine the network access of a worker, too.
///
/// # Errors
/// When it cannot confine a worker at all.
pub(super) fn available() -> Result<bool> {
    ruleset(false).map_err(|_| {
        Error::new(Exit::Usage, "stages are to be confined, and this kernel lacks Landlock").help(
            "use Linux 5.13 or newer with Landlock switched on, or run with --sandbox=none: then stages may \
             do what you may",
        )
    })?;
    let network = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessNet::from_all(ABI_WANTED));
    Ok(network.is_ok())
}

/// Confines this process, before it starts any thread, to what the job declares.
///
/// # Errors
/// When the kernel refuses.
pub(super) fn enter(job: &Job, sandbox: &Sandbox) -> Result<()> {
    if sandbox.downloads {
        // Only an existing folder can be allowed.
        fs::create_dir_all(&job.downloads).map_err(|e| Error::io("create", &job.downloads, &e))?;
    }
    confine(job, sandbox).map_err(|e| {
        Error::new(Exit::Failed, format!("stage {} cannot be confined: {e}", job.name))
            .because(e)
            .help("run with --sandbox=none, if you trust it")
    })
}

/// Denies access to files and signals to other processes, and TCP unless `network` is set. Access that the kernel has
/// no rules for stays allowed, except to files.
fn ruleset(network: bool) -> Result<RulesetCreated, RulesetError> {
    let denied = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI_WANTED))?
        .scope(Scope::from_all(ABI_WANTED))?;
    if network { denied } else { denied.handle_access(AccessNet::from_all(ABI_WANTED))? }.create()
}

fn confine(job: &Job, sandbox: &Sandbox) -> Result<(), RulesetError> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let run = read | AccessFs::Execute;
    let all = AccessFs::from_all(ABI_WANTED);
    let mut rules: Vec<(PathBuf, BitFlags<AccessFs>)> = Vec::new();
    let mut allow =
        |paths: Vec<PathBuf>, access| rules.extend(paths.into_iter().map(|p| (p, access)));
    allow(job.inputs.values().map(|input| input.path.clone()).collect(), read);
    allow(job.files.clone(), read);
    allow(sandbox.pinned.clone(), read);
    allow(env::current_exe().into_iter().chain(loaded_from()).collect(), read);
    allow(LIBRARIES.iter().chain(&FACTS).map(PathBuf::from).collect(), read);
    allow(DEVICES.map(PathBuf::from).into(), read | AccessFs::WriteFile);
    allow(vec![job.dir.clone()], all & !AccessFs::Execute);
    allow(job.checkpoints.iter().cloned().collect(), all & !AccessFs::Execute);
    if sandbox.downloads {
        allow(vec![job.downloads.clone()], all & !AccessFs::Execute);
        allow(programs(), run);
        allow(SYSTEM.map(PathBuf::from).into(), run);
    }
    if sandbox.gpu {
        allow(gpus(Path::new("/dev")), read | AccessFs::WriteFile | AccessFs::IoctlDev);
        allow(DRIVERS.iter().map(PathBuf::from).chain(library_path()).collect(), read);
    }
    // A path that does not exist needs no rule.
    let rules = rules.into_iter().flat_map(|(path, access)| path_beneath_rules([path], access));
    ruleset(sandbox.downloads)?.add_rules(rules)?.restrict_self()?;
    Ok(())
}

/// The device files of GPUs below `dev`: NVIDIA's, and those for rendering.
fn gpus(dev: &Path) -> Vec<PathBuf> {
    let within = |folder: &str, prefix: &'static str| {
        let entries = fs::read_dir(dev.join(folder)).into_iter().flatten().flatten();
        entries.filter(move |e| e.file_name().to_string_lossy().starts_with(prefix))
    };
    // A disk (`nvme0`) is not a GPU (`nvidia0`, `nvidiactl`, `nvidia-uvm`, the folder `nvidia-caps`).
    let mut found: Vec<_> =
        within("", "nvidia").chain(within("dri", "renderD")).map(|e| e.path()).collect();
    found.sort();
    found
}

/// Folders that the driver's libraries may be opened from late.
fn library_path() -> Vec<PathBuf> {
    env::split_paths(&env::var_os("LD_LIBRARY_PATH").unwrap_or_default())
        .filter(|folder| folder.is_absolute())
        .collect()
}

/// The folders of the search path, each with its parent (`bin` comes with its `lib`), unless that is the root, or the
/// home folder or above it.
fn programs() -> Vec<PathBuf> {
    let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let folders = env::var_os("PATH").unwrap_or_default();
    let with_neighbours = |folder: PathBuf| match folder.parent() {
        Some(parent) if parent.parent().is_some() && !home.starts_with(parent) => parent.to_owned(),
        _ => folder,
    };
    env::split_paths(&folders).map(with_neighbours).collect()
}

/// The folders of the libraries that this process has loaded.
fn loaded_from() -> BTreeSet<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let files = maps.lines().filter_map(|line| line.find('/').map(|at| Path::new(&line[at..])));
    let program = env::current_exe().unwrap_or_default();
    files.filter(|file| *file != program).filter_map(|file| file.parent().map(Into::into)).collect()
}

/// The ending of a confined attempt, with the remedy if the kernel denied it something. What could not be had only
/// because access was denied is a failure, not unavailable.
pub(super) fn explained(ending: Ending) -> Ending {
    match ending {
        Ending::Failed(why) | Ending::Unavailable(why) if denied(&why) => Ending::Failed(format!(
            "{why}\nhelp: in --sandbox a stage reaches only what it declares; declare the file when \
             the stage is added (`Draft::file`), read it as the output of another stage, or have a stage \
             that loads data fetch it (`Draft::downloads`)"
        )),
        other => other,
    }
}

/// Error messages of the standard library and of C libraries contain these words.
fn denied(why: &str) -> bool {
    ["os error 13", "Permission denied"].iter().any(|words| why.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_devices_of_gpus_are_found_and_no_others() {
        let dev = tempfile::tempdir().unwrap();
        for folder in ["dri", "nvidia-caps"] {
            fs::create_dir(dev.path().join(folder)).unwrap();
        }
        let gpus = ["dri/renderD128", "nvidia-uvm", "nvidia-uvm-tools", "nvidia0", "nvidiactl"];
        for name in gpus.iter().chain(&["dri/card0", "nvme0n1", "sda", "mem", "null"]) {
            fs::write(dev.path().join(name), "").unwrap();
        }
        let found = super::gpus(dev.path());
        let found: Vec<_> = found.iter().map(|p| p.strip_prefix(dev.path()).unwrap()).collect();
        let mut wanted: Vec<_> = gpus.iter().chain(&["nvidia-caps"]).map(Path::new).collect();
        wanted.sort();
        assert_eq!(found, wanted);
    }
}
