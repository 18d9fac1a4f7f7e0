//! Checks artifacts against the log: by stamp, or `deep` by content.

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

/// The outcome of a check.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Report {
    /// Artifacts looked at.
    pub checked: usize,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// Garbled log lines that were dropped.
    pub dropped_log_lines: usize,
}

impl Store {
    /// Checks every artifact of every current stage. What is found corrupt is moved aside: a stamp
    /// that agrees with the log would else hide it from the next plan.
    ///
    /// # Errors
    /// When a file is there but cannot be read.
    pub fn verify(&self, deep: bool) -> Result<Report> {
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
        let health: Vec<Health> = artifacts
            .par_iter()
            .map(|a| if deep { self.hash_health(a.digest) } else { self.health(a) })
            .collect::<Result<_>>()?;
        let checked = artifacts.len();
        let findings = artifacts
            .into_iter()
            .zip(health)
            .filter_map(|(artifact, health)| {
                let problem = match health {
                    Health::Sound => return None,
                    Health::Missing => "missing",
                    Health::Corrupt => "corrupt",
                };
                let path = self.object(artifact.digest);
                if problem == "corrupt" {
                    drop(super::quarantine(&path)); // a store that cannot be written still gets its report
                }
                Some(Finding {
                    digest: artifact.digest,
                    output: artifact.output.to_string(),
                    path,
                    problem,
                })
            })
            .collect();
        Ok(Report { checked, findings, dropped_log_lines })
    }
}
