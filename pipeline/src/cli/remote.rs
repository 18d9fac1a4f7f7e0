//! The remote that the flags name.

use std::path::Path;

use crate::{
    error::Result,
    remote::{PublicKey, Remote, SecretKey, shelf},
};

/// The remote at `url`, with the key that signs results and the keys that are trusted.
pub(super) fn remote(url: &str, sign: Option<&Path>, trust: &[String]) -> Result<Remote> {
    let mut remote = Remote::on(shelf(url)?);
    if let Some(path) = sign {
        remote = remote.signing(SecretKey::read(path)?);
    }
    if !trust.is_empty() {
        let keys = trust.iter().map(|text| PublicKey::named(text));
        remote = remote.trusting(keys.collect::<Result<Vec<_>>>()?.concat());
    }
    Ok(remote)
}
