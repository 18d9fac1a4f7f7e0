//! Which stages are confined, and what a confined stage can reach besides its inputs, its files and its own folder.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::graph::Node;

/// Which stages are confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Confined {
    /// All of them
    All,
    /// Those of experiments that the program does not call trusted
    #[default]
    Others,
    /// None
    None,
}

impl Confined {
    pub(super) fn holds(self, node: &Node) -> bool {
        match self {
            Self::All => true,
            Self::Others => !node.trusted,
            Self::None => false,
        }
    }
}

/// What a confined stage can reach besides its inputs, its files and its own folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sandbox {
    /// The network, the downloads folder, and the programs that fetch.
    pub(super) downloads: bool,
    pub(super) pinned: Vec<PathBuf>,
    #[serde(default)]
    pub(super) gpu: bool,
}

impl Sandbox {
    pub(super) fn of(node: &Node) -> Self {
        let gpu = node.needs.gpus > 0;
        Self { downloads: node.downloads, pinned: node.pinned.clone(), gpu }
    }
}
