//! Checks artifacts against the log, by stamp or by content.

use rayon::prelude::*;

use super::{Artifact, Health, Store};
use crate::{digest::Digest, error::Result};

/// One artifact that is not what the log says.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// The artifact.
    pub digest: Digest,
    /// Its output name.
    pub output: String,
    /// The file.
    pub path: std::path::PathBuf,
    /// `missing` or `corrupt`.
    pub problem: &'static str,
}

/// Which artifacts are hashed; for the others, size, times and inode are checked, and they are hashed if these
/// differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Depth {
    /// None.
    Stamps,
    /// About this many of ten thousand, chosen differently for each number.
    Sample(u64, u64),
    /// All.
    All,
}

impl Depth {
    pub(super) fn hashes(self, digest: Digest) -> bool {
        match self {
            Self::Stamps => false,
            Self::All => true,
            Self::Sample(share, number) => {
                let drawn = Digest::of(format!("{number} {digest}").as_bytes()).to_string();
                u64::from_str_radix(&drawn[..8], 16).is_ok_and(|drawn| drawn % 10_000 < share)
            }
        }
    }
}

/// The outcome of a check.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Report {
    /// The number of artifacts checked.
    pub checked: usize,
    /// Those among them whose content was hashed in any case.
    pub hashed: usize,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// Garbled log lines that were dropped.
    pub dropped_log_lines: usize,
}

impl Store {
    /// Checks every artifact of every current stage. A corrupt one is moved aside: otherwise a stamp that agrees with
    /// the log would hide it from the next plan.
    ///
    /// # Errors
    /// When a file exists but cannot be read.
    pub fn verify(&self, depth: Depth) -> Result<Report> {
        let (mut artifacts, dropped_log_lines) = {
            let log = self.facts();
            let facts = log.known();
            let current = facts.names().into_iter().filter_map(|(_, key)| facts.done(key));
            (
                current.flat_map(|produced| produced.iter()).cloned().collect::<Vec<Artifact>>(),
                facts.dropped(),
            )
        };
        artifacts.sort_by_key(|artifact| artifact.digest);
        artifacts.dedup_by_key(|artifact| artifact.digest);
        let health: Vec<Health> =
            artifacts
                .par_iter()
                .map(|a| {
                    if depth.hashes(a.digest) { self.hash_health(a.digest) } else { self.health(a) }
                })
                .collect::<Result<_>>()?;
        let checked = artifacts.len();
        let hashed = artifacts.iter().filter(|a| depth.hashes(a.digest)).count();
        let findings = artifacts
            .into_iter()
            .zip(health)
            .filter_map(|(artifact, health)| {
                let problem = match health {
                    Health::Sound | Health::Confirmed(_) => return None,
                    Health::Missing => "missing",
                    Health::Corrupt => "corrupt",
                };
                let path = self.object(artifact.digest);
                if problem == "corrupt" {
                    drop(super::quarantine(&self.disk, &path)); // a read-only store still gets its report
                }
                Some(Finding {
                    digest: artifact.digest,
                    output: artifact.output.to_string(),
                    path,
                    problem,
                })
            })
            .collect();
        Ok(Report { checked, hashed, findings, dropped_log_lines })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_about_as_large_as_it_says_and_another_each_time() {
        let all: Vec<Digest> = (0..2000_u32).map(|i| Digest::of(&i.to_le_bytes())).collect();
        let sample = |share, number| -> Vec<Digest> {
            let depth = Depth::Sample(share, number);
            all.iter().copied().filter(|digest| depth.hashes(*digest)).collect()
        };
        for (share, expected) in [(0, 0), (1000, 200), (5000, 1000), (10_000, 2000)] {
            let found = sample(share, 7).len();
            assert!(found.abs_diff(expected) <= 80, "{share}: {found}");
        }
        assert_eq!(sample(1000, 1), sample(1000, 1));
        assert_ne!(sample(1000, 1), sample(1000, 2));
    }
}
