//! The results that commands show.

use pipeline::{
    artifacts::Artifacts,
    cli::Session,
    error::Result,
    recorded::{Recorded, folder},
    store::Store,
};

/// The results computed here; `None` before anything is computed, if runs come with the sources: these are then all
/// there is to show.
///
/// # Errors
/// When there are neither, or none of the profile that was asked for, or the store cannot be read.
pub fn here(session: &Session) -> Result<Option<Artifacts>> {
    let dir = session.artifacts();
    if !Store::exists(dir) && !Recorded::all(&folder(dir))?.is_empty() {
        return Ok(None);
    }
    session.results().map(Some)
}
