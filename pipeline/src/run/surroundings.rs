//! The environments of the executions of one run, for their records: determined when the first stage is done, once
//! per machine.

use std::{cell::OnceCell, collections::HashMap, path::PathBuf, process::Command};

use crate::{
    digest::Digest,
    error::Result,
    machine::Machine,
    program::Program,
    store::{
        Store,
        environment::{Environment, family},
    },
};

/// The environments of a run.
pub(super) struct Surroundings {
    sources: Option<PathBuf>,
    revision: OnceCell<Option<String>>,
    here: Option<Machine>,
    kept: HashMap<Machine, Digest>,
}

impl Surroundings {
    /// `sources` is a folder of the checkout.
    pub(super) fn new(sources: Option<PathBuf>) -> Self {
        Self { sources, revision: OnceCell::new(), here: None, kept: HashMap::new() }
    }

    /// The digest of the environment with this machine (`None` means the engine's own), and its host.
    pub(super) fn of(
        &mut self,
        store: &Store,
        machine: Option<Box<Machine>>,
    ) -> Result<(Digest, String)> {
        let here = self.here.get_or_insert_with(Machine::here);
        let machine = machine.map_or_else(|| here.clone(), |machine| *machine);
        let family = if machine.processor == here.processor { family() } else { "" };
        let host = machine.host.clone();
        if let Some(digest) = self.kept.get(&machine) {
            return Ok((*digest, host));
        }
        let revision = self.revision.get_or_init(|| revision(self.sources.as_ref()?)).clone();
        let program = Program::this();
        let environment =
            Environment { machine: machine.clone(), family: family.to_owned(), program, revision };
        let digest = store.keep_environment(&environment)?;
        self.kept.insert(machine, digest);
        Ok((digest, host))
    }
}

/// The revision of the checkout around a folder, if there is one.
fn revision(folder: &PathBuf) -> Option<String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder);
    // No tags: a name that moves identifies nothing.
    git.args(["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]);
    let said = git.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&said.stdout).trim().to_owned())
}
