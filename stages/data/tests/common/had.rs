//! Which data sets this machine can have. Some are in no package registry: without a mirror their tests are
//! skipped, and say so. A mirror must have them all.

use std::io::Write as _;

use data::{Places, fetch};

/// Whether the data sets can be had, or must be, since there is a mirror. Says that the test is skipped
/// where they cannot.
pub fn had(test: &str, ids: &[&str], places: &Places) -> bool {
    if places.mirror.is_some() {
        return true;
    }
    let absent: Vec<&str> = ids.iter().copied().filter(|id| fetch(id, places).is_err()).collect();
    if absent.is_empty() {
        return true;
    }
    let absent = absent.join(", ");
    // Past the harness, which shows what a test prints only where it fails.
    let mut err = std::io::stderr().lock();
    writeln!(err, "skipped for want of data: {test} (RETUNE_DATA_MIRROR is not set; {absent})")
        .unwrap();
    false
}

/// Ends the test where its data cannot be had, by the file's own `had`.
macro_rules! skip_without {
    ($test:literal, $ids:expr) => {
        if !had($test, $ids) {
            return;
        }
    };
}
