//! Facts about the machine, and its clocks. Invariant: nothing here enters a key or a result.

use std::{
    collections::HashMap,
    time::{SystemTime, UNIX_EPOCH},
};

use nix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// The host's name.
#[must_use]
pub fn host() -> String {
    nix::unistd::gethostname()
        .ok()
        .and_then(|name| name.into_string().ok())
        .unwrap_or_else(|| "unknown".to_owned())
}

/// Seconds since the epoch.
#[must_use]
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Seconds since the epoch as text: `2026-01-31T23:59:59Z`.
#[must_use]
pub fn iso(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days since 0000-03-01, in eras of 400 years; a year then begins in March.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// CPU seconds this process has used, all threads together.
#[must_use]
pub fn cpu_seconds() -> f64 {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
        .map_or(f64::NAN, |time| std::time::Duration::from(time).as_secs_f64())
}

/// Physical memory in MiB, less a tenth for everything else; 2 GiB if it cannot be read.
#[must_use]
pub fn memory_mib() -> u64 {
    total_mib().map_or(2048, |mib| mib * 9 / 10)
}

/// Memory in MiB that this process and all processes that it has started use at present; 0 if it cannot be read.
#[must_use]
pub fn resident_mib() -> u64 {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let told = processes.filter_map(|process| {
        let id: u32 = process.file_name().to_str()?.parse().ok()?;
        let status = std::fs::read_to_string(process.path().join("status")).ok()?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        Some((id, (field("PPid:")?, field("VmRSS:").unwrap_or(0))))
    });
    let told: HashMap<u32, (u64, u64)> = told.collect();
    let own = std::process::id();
    let ours = |mut id: u32| {
        // Processes come and go while they are read: no chain of parents is longer than the number of processes.
        for _ in 0..=told.len() {
            if id == own {
                return true;
            }
            let Some((parent, _)) = told.get(&id) else { return false };
            id = u32::try_from(*parent).unwrap_or(0);
        }
        false
    };
    told.iter().filter(|(id, _)| ours(**id)).map(|(_, (_, kib))| kib).sum::<u64>() / 1024
}

/// How many NVIDIA GPUs the driver has found.
#[must_use]
pub fn gpus() -> usize {
    std::fs::read_dir("/proc/driver/nvidia/gpus").map_or(0, Iterator::count)
}

/// A machine that computed something: what readers of its times and memory need to know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Machine {
    /// Host name.
    pub host: String,
    /// Operating system and kernel release.
    pub system: String,
    /// Instruction set.
    pub architecture: String,
    /// The processor's model.
    pub processor: String,
    /// Logical processors that this process may use.
    pub processors: usize,
    /// Physical memory in MiB.
    pub memory_mib: u64,
    /// Models of the NVIDIA GPUs.
    pub gpus: Vec<String>,
}

impl Machine {
    /// The machine that this process runs on.
    #[must_use]
    pub fn here() -> Self {
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        Self {
            host: host(),
            system: format!("{} {release}", std::env::consts::OS).trim().to_owned(),
            architecture: std::env::consts::ARCH.to_owned(),
            processor: line_of("/proc/cpuinfo", "model name").unwrap_or_default(),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            memory_mib: total_mib().unwrap_or_default(),
            gpus: gpu_models(),
        }
    }
}

/// The value of the first line `KEY : value` of a file.
pub(crate) fn line_of(path: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

fn total_mib() -> Option<u64> {
    let total = line_of("/proc/meminfo", "MemTotal")?;
    total.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib / 1024)
}

fn gpu_models() -> Vec<String> {
    let folders = std::fs::read_dir("/proc/driver/nvidia/gpus").into_iter().flatten().flatten();
    let model = |folder: std::fs::DirEntry| {
        line_of(&folder.path().join("information").to_string_lossy(), "Model")
    };
    let mut models: Vec<_> = folders.map(|folder| model(folder).unwrap_or_default()).collect();
    models.sort();
    models
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // What `date -u -d @SECONDS` prints.
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_709_251_200, "2024-03-01T00:00:00Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(iso(seconds), text);
        }
    }

    #[test]
    fn this_machine_is_described() {
        let here = Machine::here();
        assert!(here.processors > 0 && here.memory_mib > 0, "{here:?}");
        assert_eq!(here.host, host());
    }
}
