//! Data for integration tests, from the project's own registry.

use std::path::Path;

use data::Places;
use reference::prepare::RefData;
use stages::commands::reference::raw;

/// The raw rows of a data set; fetched once per checkout. Fails with the remedy if it is not available.
pub fn registered(id: &str) -> Result<RefData, String> {
    raw(id, &Places::from_env(Path::new(env!("CARGO_TARGET_TMPDIR")).join("data")))
}
