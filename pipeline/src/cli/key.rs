//! `key`: keys that sign results which stores share.

use std::path::PathBuf;

use clap::Subcommand;

use super::Session;
use crate::{error::Result, remote::SecretKey};

#[derive(Subcommand)]
pub(super) enum Key {
    /// Make a key pair: the private key goes to a new file that only you may read, the public one is printed
    New {
        /// The new file
        file: PathBuf,
    },
}

pub(super) fn key(session: &Session, what: &Key) -> Result<()> {
    let Key::New { file } = what;
    session.print(&format!("{}\n", SecretKey::create(file)?.public()))
}
