//! Facts of the machine and its clocks. Nothing here enters a key or a result.

use std::time::{SystemTime, UNIX_EPOCH};

use nix::time::{ClockId, clock_gettime};

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

/// CPU seconds this process has used, all threads together.
#[must_use]
pub fn cpu_seconds() -> f64 {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
        .map_or(f64::NAN, |time| std::time::Duration::from(time).as_secs_f64())
}

/// Physical memory in MiB, less a tenth for everything else; 2 GiB where it cannot be read.
#[must_use]
pub fn memory_mib() -> u64 {
    let kib = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    });
    kib.map_or(2048, |kib| kib / 1024 * 9 / 10)
}

/// How many NVIDIA GPUs the driver has found.
#[must_use]
pub fn gpus() -> usize {
    std::fs::read_dir("/proc/driver/nvidia/gpus").map_or(0, Iterator::count)
}
