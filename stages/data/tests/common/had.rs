//! Checks which data sets are available on this machine. Some are in no package registry: without a mirror
//! their tests are skipped and report it. A mirror must have all of them.

use std::io::Write as _;

use data::{Places, fetch};

/// Whether the data sets are available, or must be, since there is a mirror. Otherwise reports that the test
/// is skipped.
pub fn had(test: &str, ids: &[&str], places: &Places) -> bool {
    if places.mirror.is_some() {
        return true;
    }
    let absent: Vec<&str> = ids.iter().copied().filter(|id| fetch(id, places).is_err()).collect();
    if absent.is_empty() {
        return true;
    }
    let absent = absent.join(", ");
    // Bypasses the harness, which shows a test's output only if it fails.
    let mut err = std::io::stderr().lock();
    writeln!(err, "skipped for want of data: {test} (RETUNE_DATA_MIRROR is not set; {absent})")
        .unwrap();
    false
}

/// Ends the test if its data are not available, by the file's own `had`.
macro_rules! skip_without {
    ($test:literal, $ids:expr) => {
        if !had($test, $ids) {
            return;
        }
    };
}
